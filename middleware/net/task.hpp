// The coroutine type of everything that waits.
#pragma once

#include <cassert>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace shardway::net {

template <class T>
class Task;

namespace detail {

// Frames of coroutines, by size: a frame is taken and given back many times per statement, nearly always on
// the thread that owns the list.
void* take_frame(std::size_t bytes);
void give_frame(void* frame, std::size_t bytes) noexcept;

class PromiseBase {
public:
    static void* operator new(std::size_t bytes) { return take_frame(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept { give_frame(frame, bytes); }

    // Starts when it is awaited.
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
        bool await_ready() noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
            const std::coroutine_handle<> next = ended.promise().waiting_;
            return next ? next : std::noop_coroutine();
        }
        void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { failure_ = std::current_exception(); }

protected:
    template <class>
    friend class net::Task;
    std::coroutine_handle<> waiting_;  // who goes on when this has ended; null while it runs without a wait
    std::exception_ptr failure_;
};

template <class T>
class Promise final : public PromiseBase {
public:
    Task<T> get_return_object() noexcept;
    template <class Value>
    void return_value(Value&& value) {
        value_.emplace(std::forward<Value>(value));
    }
    T take() { return std::move(*value_); }

private:
    std::optional<T> value_;
};

template <>
class Promise<void> final : public PromiseBase {
public:
    Task<void> get_return_object() noexcept;
    void return_void() noexcept {}
    void take() noexcept {}
};

}  // namespace detail

// A coroutine and its result. Runs when it is awaited, on the awaiting thread, and never leaves that. One
// that ends without a wait costs its caller no suspension: it is called like a function. Takes arguments by
// value, or by reference to what is said to outlive it. Destroyed before its end it ends where it waits: what
// is in its frame is destroyed, innermost first, and whatever it waited for must not come any more.
template <class T = void>
class [[nodiscard]] Task {
public:
    using promise_type = detail::Promise<T>;
    using Handle = std::coroutine_handle<promise_type>;

    explicit Task(Handle handle) noexcept : handle_{handle} {}
    Task(Task&& other) noexcept : handle_{std::exchange(other.handle_, {})} {}
    Task& operator=(Task&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Task() {
        if (handle_) handle_.destroy();
    }

    // Runs to its first wait or its end; for those who do not await it. Once.
    void start() { handle_.resume(); }
    bool done() const { return handle_.done(); }

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> parent) {
        handle_.resume();
        if (handle_.done()) return false;
        handle_.promise().waiting_ = parent;
        return true;
    }
    T await_resume() {
        promise_type& promise = handle_.promise();
        if (promise.failure_) std::rethrow_exception(std::move(promise.failure_));
        return promise.take();
    }

private:
    Handle handle_;
};

namespace detail {

template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
    return Task<T>{std::coroutine_handle<Promise>::from_promise(*this)};
}
inline Task<void> Promise<void>::get_return_object() noexcept {
    return Task<void>{std::coroutine_handle<Promise>::from_promise(*this)};
}

}  // namespace detail

// The result of what seldom has to wait: there already, or a task that brings it. Costs a frame only in the
// second case. What can be done at once is done, or thrown, by the call that returns it.
template <class T = void>
class [[nodiscard]] Soon {
public:
    Soon(T value) : value_{std::move(value)} {}
    Soon(Task<T> task) : task_{std::move(task)} {}

    bool await_ready() const noexcept { return !task_; }
    bool await_suspend(std::coroutine_handle<> parent) { return task_->await_suspend(parent); }
    T await_resume() { return task_ ? task_->await_resume() : std::move(*value_); }

private:
    std::optional<Task<T>> task_;
    std::optional<T> value_;
};

template <>
class [[nodiscard]] Soon<void> {
public:
    Soon() = default;
    Soon(Task<void> task) : task_{std::move(task)} {}

    bool await_ready() const noexcept { return !task_; }
    bool await_suspend(std::coroutine_handle<> parent) { return task_->await_suspend(parent); }
    void await_resume() {
        if (task_) task_->await_resume();
    }

private:
    std::optional<Task<void>> task_;
};

}  // namespace shardway::net
