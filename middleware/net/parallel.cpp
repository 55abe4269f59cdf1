#include "middleware/net/parallel.hpp"

#include <exception>

namespace shardway::net {

namespace {

struct Joint {
    explicit Joint(IoThread& thread, std::size_t tasks) : running{tasks}, all_done{thread} {}
    std::size_t running;
    std::exception_ptr first_failure;
    Event all_done;
};

Task<void> run_one(Task<void> task, Joint& joint) {
    try {
        co_await std::move(task);
    } catch (...) {
        if (!joint.first_failure) joint.first_failure = std::current_exception();
    }
    if (--joint.running == 0) joint.all_done.set();
}

}  // namespace

Task<void> in_parallel(IoThread& thread, std::vector<Task<void>> tasks) {
    if (tasks.empty()) co_return;
    if (tasks.size() == 1) {
        co_await std::move(tasks.front());
        co_return;
    }
    Joint joint{thread, tasks.size()};
    std::vector<Task<void>> running;  // destroyed before what it refers to
    running.reserve(tasks.size());
    for (Task<void>& task : tasks) {
        running.push_back(run_one(std::move(task), joint));
        running.back().start();
    }
    co_await joint.all_done.wait(base::SteadyTime::max());
    if (joint.first_failure) std::rethrow_exception(joint.first_failure);
}

}  // namespace shardway::net
