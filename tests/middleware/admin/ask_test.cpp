// Questions from thread to thread.
#include "middleware/admin/ask.hpp"

#include <future>

#include "tests/catch.hpp"

using namespace shardway;

namespace {

// Asks thread 1 from thread 0 and waits for what came of it.
std::optional<int> asked(net::IoThreads& threads, std::function<net::Task<int>()> work,
                         std::chrono::milliseconds patience) {
    std::promise<std::optional<int>> result;
    threads[0].post([&] {
        threads[0].spawn([](net::IoThreads& all, std::function<net::Task<int>()> its_work,
                            std::chrono::milliseconds time,
                            std::promise<std::optional<int>>& out) -> net::Task<void> {
            const auto deadline = all[0].clock().steady() + time;
            out.set_value(co_await admin::ask(all[0], all[1], std::move(its_work), deadline));
        }(threads, std::move(work), patience, result));
    });
    return result.get_future().get();
}

net::Task<int> seven() { co_return 7; }
net::Task<int> broken() {
    if (true) throw std::runtime_error{"no answer"};
    co_return 0;
}

}  // namespace

TEST_CASE("another thread answers, or fails, or is too slow") {
    using namespace std::chrono_literals;
    net::IoThreads threads{2, base::Clock::system()};
    threads.start();
    CHECK(asked(
              threads, [] { return seven(); }, 10s) == 7);
    CHECK(asked(
              threads, [] { return broken(); }, 10s) == std::nullopt);

    // The thread is held up until the asker has gone; its late answer meets nobody.
    std::promise<void> go_on;
    auto held = go_on.get_future().share();
    threads[1].post([held] { held.wait(); });
    CHECK(asked(
              threads, [] { return seven(); }, 20ms) == std::nullopt);
    go_on.set_value();
    CHECK(asked(
              threads, [] { return seven(); }, 10s) == 7);
    threads.stop_and_join();
}
