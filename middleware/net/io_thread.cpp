#include "middleware/net/io_thread.hpp"

#include <exception>

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include "middleware/net/operation.hpp"

namespace shardway::net {

// A coroutine that nobody awaits, in the thread's list until it ends.
struct IoThread::Spawned {
    explicit Spawned(IoThread& its_thread) : thread{its_thread}, older{its_thread.newest_} {
        if (older) older->newer = this;
        thread.newest_ = this;
    }
    ~Spawned() {
        (newer ? newer->older : thread.newest_) = older;
        if (older) older->newer = newer;
    }
    Spawned(const Spawned&) = delete;
    Spawned& operator=(const Spawned&) = delete;

    IoThread& thread;
    Spawned* older;
    Spawned* newer = nullptr;
    std::optional<Task<void>> frame;
};

IoThread::IoThread(std::size_t index, const base::Clock& clock)
    : index_{index},
      clock_{clock},
      context_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO},
      work_{asio::make_work_guard(context_)},
      timers_{clock.steady()},
      ticker_{context_.get_executor()} {}

IoThread::~IoThread() {
    stop();
    join();
    while (newest_) delete newest_;
}

void IoThread::post(std::function<void()> work) { asio::post(context_, std::move(work)); }

Task<void> IoThread::run_spawned(Task<void> task, Spawned& self) {
    try {
        co_await std::move(task);
    } catch (const std::exception& error) {
        spdlog::error("a task ended by an exception: {}", error.what());
    }
    // Not before this frame has come to rest.
    asio::post(self.thread.context_, [&self] { delete &self; });
}

void IoThread::spawn(Task<void> task) {
    auto* const spawned = new Spawned{*this};
    spawned->frame.emplace(run_spawned(std::move(task), *spawned));
    asio::post(context_, [spawned] { spawned->frame->start(); });
}

void IoThread::resume_soon(std::coroutine_handle<> waiting) {
    asio::post(context_, [waiting] { waiting.resume(); });
}

void IoThread::schedule_tick() {
    ticker_.expires_after(TimerWheel::tick);
    ticker_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        timers_.advance(clock_.steady());
        schedule_tick();
    });
}

void IoThread::start() {
    schedule_tick();
    thread_ = std::thread{[this] { context_.run(); }};
}

void IoThread::stop() { context_.stop(); }

void IoThread::join() {
    if (thread_.joinable()) thread_.join();
}

IoThreads::IoThreads(std::size_t count, const base::Clock& clock) {
    for (std::size_t index = 0; index < count; ++index)
        threads_.push_back(std::make_unique<IoThread>(index, clock));
}

IoThreads::~IoThreads() { stop_and_join(); }

IoThread& IoThreads::least_loaded() {
    IoThread* best = threads_.front().get();
    for (const auto& thread : threads_)
        if (thread->sessions.load(std::memory_order_relaxed) < best->sessions.load(std::memory_order_relaxed))
            best = thread.get();
    return *best;
}

void IoThreads::start() {
    for (const auto& thread : threads_) thread->start();
}

void IoThreads::stop_and_join() {
    for (const auto& thread : threads_) thread->stop();
    for (const auto& thread : threads_) thread->join();
}

// In the event's list for as long as it lives.
class Event::Waiter {
public:
    explicit Waiter(Event& event) : event_{event}, next_{event.first_} { event.first_ = this; }
    ~Waiter() {
        Waiter** at = &event_.first_;
        while (*at != this) at = &(*at)->next_;
        *at = next_;
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    std::coroutine_handle<> waiting;  // without a deadline
    Timer* timer = nullptr;           // with one: its handler goes on, also when it was cancelled

private:
    friend class Event;
    Event& event_;
    Waiter* next_;
};

class Event::UntilSet {
public:
    explicit UntilSet(Waiter& waiter) : waiter_{waiter} {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) noexcept { waiter_.waiting = waiting; }
    void await_resume() const noexcept {}

private:
    Waiter& waiter_;
};

void Event::set() {
    if (std::exchange(set_, true)) return;
    for (Waiter* waiter = first_; waiter != nullptr; waiter = waiter->next_) {
        if (waiter->timer) waiter->timer->cancel();
        if (waiter->waiting) thread_.resume_soon(waiter->waiting);
    }
}

Task<bool> Event::wait(base::SteadyTime deadline) {
    if (set_) co_return true;
    Waiter waiter{*this};
    if (deadline == base::SteadyTime::max()) {
        UntilSet until_set{waiter};
        co_await until_set;
        co_return true;
    }
    Timer timer{thread_.executor(), deadline};
    waiter.timer = &timer;
    auto rings = operation([&](auto handler) { timer.async_wait(std::move(handler)); });
    co_await rings;
    co_return set_;
}

}  // namespace shardway::net
