// The threads: one per core, each with an io_context, a timer wheel and everything that its sessions need.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "middleware/net/task.hpp"
#include "middleware/net/timer_wheel.hpp"
#include "schema/base/clock.hpp"

namespace shardway::net {

namespace asio = boost::asio;

// An executor that is known, not erased: a completion is a direct call.
using Executor = asio::io_context::executor_type;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;

// What belongs to one thread is touched by that thread alone; others reach it through post(), the mailbox.
class IoThread {
public:
    IoThread(std::size_t index, const base::Clock& clock);
    ~IoThread();
    IoThread(const IoThread&) = delete;
    IoThread& operator=(const IoThread&) = delete;

    std::size_t index() const { return index_; }
    const base::Clock& clock() const { return clock_; }

    // The mailbox: `work` runs on this thread, in the order of posting. Any thread. After stop() it may never
    // run.
    void post(std::function<void()> work);
    // Starts a coroutine on this thread, not before the caller has returned to it. From this thread, or
    // before start(). An exception that leaves it is logged and swallowed. What has not ended when the thread
    // ends is destroyed where it waits, the last spawned first.
    void spawn(Task<void> task);
    // Goes on with a coroutine that waits, not before the caller has returned to the thread. From this
    // thread.
    void resume_soon(std::coroutine_handle<> waiting);

    TimerWheel& timers() { return timers_; }
    asio::io_context& context() { return context_; }
    Executor executor() { return context_.get_executor(); }

    // Clients it serves, for the acceptor's choice of the least loaded.
    std::atomic<std::uint32_t> sessions = 0;

    void start();
    void stop();  // any thread; waits for none
    void join();

private:
    struct Spawned;
    void schedule_tick();
    static Task<void> run_spawned(Task<void> task, Spawned& self);

    const std::size_t index_;
    const base::Clock& clock_;
    asio::io_context context_;
    asio::executor_work_guard<Executor> work_;
    TimerWheel timers_;
    Timer ticker_;
    std::thread thread_;
    Spawned* newest_ = nullptr;  // of those that have not ended; older ones behind it
};

// All of them. Made before the first session, ended after the last.
class IoThreads {
public:
    IoThreads(std::size_t count, const base::Clock& clock);
    ~IoThreads();  // stops and joins

    std::size_t size() const { return threads_.size(); }
    IoThread& operator[](std::size_t index) { return *threads_[index]; }
    IoThread& least_loaded();
    void start();
    void stop_and_join();

private:
    std::vector<std::unique_ptr<IoThread>> threads_;
};

// Something that coroutines wait for until another on their thread says it has come; once set it stays set.
class Event {
public:
    explicit Event(IoThread& thread) : thread_{thread} {}
    // Those who wait go on soon, not inside the call.
    void set();
    bool is_set() const { return set_; }
    // True when set, false when `deadline` passed first.
    Task<bool> wait(base::SteadyTime deadline);

private:
    class Waiter;
    class UntilSet;

    IoThread& thread_;
    Waiter* first_ = nullptr;
    bool set_ = false;
};

}  // namespace shardway::net
