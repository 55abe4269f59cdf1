// One of Asio's operations, awaited. For the files of this folder: each use instantiates Asio's templates.
#pragma once

#include <coroutine>
#include <utility>

#include <boost/system/error_code.hpp>

namespace shardway::net {

// Awaits `start(handler)`, where the handler takes an error code and, unless Value is void, a value. Name it
// on a line of its own and await that.
template <class Value, class Start>
class Operation {
public:
    explicit Operation(Start start) : start_{std::move(start)} {}
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
        waiting_ = waiting;
        start_(Handler{this});
    }
    Value await_resume() { return std::move(value_); }
    const boost::system::error_code& error() const { return error_; }

private:
    struct Handler {
        Operation* operation;
        void operator()(const boost::system::error_code& error, Value value) const {
            operation->error_ = error;
            operation->value_ = std::move(value);
            operation->waiting_.resume();
        }
    };
    Start start_;
    std::coroutine_handle<> waiting_;
    boost::system::error_code error_;
    Value value_{};
};

template <class Start>
class Operation<void, Start> {
public:
    explicit Operation(Start start) : start_{std::move(start)} {}
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
        waiting_ = waiting;
        start_(Handler{this});
    }
    void await_resume() const noexcept {}
    const boost::system::error_code& error() const { return error_; }

private:
    struct Handler {
        Operation* operation;
        void operator()(const boost::system::error_code& error) const {
            operation->error_ = error;
            operation->waiting_.resume();
        }
    };
    Start start_;
    std::coroutine_handle<> waiting_;
    boost::system::error_code error_;
};

template <class Value = void, class Start>
Operation<Value, Start> operation(Start start) {
    return Operation<Value, Start>{std::move(start)};
}

}  // namespace shardway::net
