#include "middleware/net/parallel.hpp"

#include <exception>

#include <boost/asio/co_spawn.hpp>

namespace shardway::net {

Task<void> in_parallel(IoThread& thread, std::vector<Task<void>> tasks) {
    if (tasks.size() == 1) {
        co_await std::move(tasks.front());
        co_return;
    }
    std::size_t running = tasks.size();
    std::exception_ptr first;
    Event all_done{thread};
    for (Task<void>& task : tasks) {
        asio::co_spawn(thread.executor(), std::move(task), [&](std::exception_ptr failure) {
            if (failure && !first) first = failure;
            if (--running == 0) all_done.set();
        });
    }
    if (!tasks.empty()) co_await all_done.wait(base::SteadyTime::max());
    if (first) std::rethrow_exception(first);
}

}  // namespace shardway::net
