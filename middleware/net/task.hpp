// The coroutine type of everything that waits.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace shardway::net {

namespace asio = boost::asio;

// An executor that is known, not erased: a resumption is a direct call. A coroutine resumes on the thread
// that started it, always; it takes arguments by value, or by reference to what is said to outlive it.
using Executor = asio::io_context::executor_type;
template <class T = void>
using Task = asio::awaitable<T, Executor>;

}  // namespace shardway::net
