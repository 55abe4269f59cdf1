#include "middleware/net/io_thread.hpp"

#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

namespace shardway::net {

IoThread::IoThread(std::size_t index, const base::Clock& clock)
    : index_{index},
      clock_{clock},
      context_{1},
      work_{asio::make_work_guard(context_)},
      timers_{clock.steady()},
      ticker_{context_.get_executor()} {}

IoThread::~IoThread() {
    stop();
    join();
}

void IoThread::post(std::function<void()> work) { asio::post(context_, std::move(work)); }

void IoThread::spawn(Task<void> task) {
    asio::co_spawn(context_.get_executor(), std::move(task), [](std::exception_ptr failure) {
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            spdlog::error("a task ended by an exception: {}", error.what());
        }
    });
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

Event::Event(IoThread& thread) : timer_{thread.executor(), base::SteadyTime::max()} {}

void Event::set() {
    set_ = true;
    timer_.cancel();
}

Task<bool> Event::wait(base::SteadyTime deadline) {
    if (set_) co_return true;
    timer_.expires_at(deadline);
    boost::system::error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable_t<Executor>{}, ignored));
    co_return set_;
}

}  // namespace shardway::net
