#include <sys/socket.h>
#include <unistd.h>

#include "middleware/net/channel.hpp"
#include "middleware/net/listener.hpp"
#include "middleware/net/parallel.hpp"
#include "middleware/net/resolve.hpp"
#include "middleware/net/timer_wheel.hpp"
#include "middleware/net/tls.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::net;

namespace {

struct Alarm final : TimerWheel::Entry {
    int rings = 0;
    void expired() override { ++rings; }
};

const base::SteadyTime start{};
base::SteadyTime at(int ms) { return start + std::chrono::milliseconds{ms}; }

void run_until(IoThread& thread, const bool& done) {
    while (!done) thread.context().run_one();
}

// Two ends of one connection.
struct Pair {
    explicit Pair(IoThread& thread) {
        int fds[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
        left = std::make_unique<Channel>(thread, fds[0]);
        right = std::make_unique<Channel>(thread, fds[1]);
    }
    std::unique_ptr<Channel> left, right;
};

}  // namespace

TEST_CASE("a deadline is never early and at most a tick late") {
    TimerWheel wheel{start};
    Alarm alarm;
    for (const int due : {1, 49, 50, 51, 1000, 25'599, 25'600, 25'601, 90'000}) {
        TimerWheel fresh{start};
        alarm.rings = 0;
        fresh.arm(alarm, at(due));
        for (int now = 0; now < due; now += 10) {
            fresh.advance(at(now));
            REQUIRE(alarm.rings == 0);
        }
        fresh.advance(at(due + 50));
        CHECK(alarm.rings == 1);
        CHECK_FALSE(alarm.armed());
    }
}

TEST_CASE("a deadline can be moved, taken back, and outlived by its wheel") {
    TimerWheel wheel{start};
    Alarm moved, taken_back;
    wheel.arm(moved, at(100));
    wheel.arm(moved, at(500));
    wheel.arm(taken_back, at(100));
    taken_back.disarm();
    {
        Alarm gone;
        wheel.arm(gone, at(100));
    }
    wheel.advance(at(200));
    CHECK(moved.rings == 0);
    wheel.advance(at(600));
    CHECK(moved.rings == 1);
    CHECK(taken_back.rings == 0);
    wheel.arm(moved, base::SteadyTime::max());
    CHECK_FALSE(moved.armed());
}

TEST_CASE("after a long pause every deadline that passed rings once") {
    TimerWheel wheel{start};
    std::vector<std::unique_ptr<Alarm>> alarms;
    for (int i = 0; i < 2000; ++i) {
        alarms.push_back(std::make_unique<Alarm>());
        wheel.arm(*alarms.back(), at(i * 40));
    }
    wheel.advance(at(1'000'000));
    for (const auto& alarm : alarms) REQUIRE(alarm->rings == 1);
}

TEST_CASE("an expired deadline may arm itself and disarm others") {
    struct Ticker final : TimerWheel::Entry {
        TimerWheel& wheel;
        TimerWheel::Entry* other = nullptr;
        int rings = 0;
        explicit Ticker(TimerWheel& its) : wheel{its} {}
        void expired() override {
            if (other) other->disarm();
            if (++rings < 3) wheel.arm(*this, at(100 * (rings + 1)));
        }
    };
    TimerWheel wheel{start};
    Ticker ticker{wheel};
    Alarm other;
    ticker.other = &other;
    wheel.arm(ticker, at(100));
    wheel.arm(other, at(100));
    for (int now = 0; now <= 1000; now += 50) wheel.advance(at(now));
    CHECK(ticker.rings == 3);
    CHECK(other.rings == 0);
}

TEST_CASE("TLS carries bytes between two ends, whatever pieces they come in") {
    TlsStream server{TlsContext::self_signed_server()}, client{TlsContext::client("")};
    protocol::Buffer wire, clear;
    auto carry = [&](TlsStream& from, TlsStream& to) {
        from.take_output(wire);
        while (!wire.empty()) {
            const std::size_t part = std::min<std::size_t>(wire.size(), 7);
            to.receive(wire.view().first(part));
            wire.consume(part);
        }
    };
    for (bool done = false; !done;) {
        const bool client_done = client.handshake();
        carry(client, server);
        const bool server_done = server.handshake();
        carry(server, client);
        done = client_done && server_done;
    }
    const std::string text(100'000, 'x');
    client.write(protocol::bytes_of(text));
    carry(client, server);
    REQUIRE(server.read(clear));
    CHECK(protocol::text_of(clear.view()) == text);
}

TEST_CASE("bytes in clear behind the request for TLS are no part of what is encrypted") {
    IoThread thread{0, base::Clock::system()};
    Pair pair{thread};
    bool failed = false;
    auto serve = [&]() -> Task<void> {
        co_await pair.right->fill();
        pair.right->input().consume(3);  // the request
        const TlsContext context = TlsContext::self_signed_server();
        try {
            co_await pair.right->start_tls(context);
        } catch (const ConnectionLost& loss) {
            failed = loss.reason == ConnectionLost::Reason::tls;
        }
        failed = failed && pair.right->input().empty();
    };
    bool done = false;
    auto both = [&]() -> Task<void> {
        co_await pair.left->write(protocol::bytes_of("TLSDROP TABLE t"));
        co_await serve();
        done = true;
    };
    thread.spawn(both());
    run_until(thread, done);
    CHECK(failed);
}

TEST_CASE("a channel's wait ends at its deadline, by cancel, and at the end of the stream") {
    IoThread thread{0, base::Clock::system()};
    Pair pair{thread};
    std::vector<ConnectionLost::Reason> seen;
    auto wait = [&](Channel& channel, bool& done) -> Task<void> {
        try {
            co_await channel.fill();
        } catch (const ConnectionLost& loss) {
            seen.push_back(loss.reason);
        }
        done = true;
    };
    bool timed_out = false, cancelled = false, closed = false;
    pair.left->deadline(thread.clock().steady());
    thread.spawn(wait(*pair.left, timed_out));
    thread.context().poll();
    thread.timers().advance(thread.clock().steady() + 2 * TimerWheel::tick);
    run_until(thread, timed_out);

    pair.left->deadline(base::SteadyTime::max());
    thread.spawn(wait(*pair.left, closed));
    thread.context().poll();
    pair.right->close();
    run_until(thread, closed);

    pair.left->cancel();
    thread.spawn(wait(*pair.left, cancelled));
    run_until(thread, cancelled);
    CHECK(seen == std::vector{ConnectionLost::Reason::timed_out, ConnectionLost::Reason::closed,
                              ConnectionLost::Reason::cancelled});
}

TEST_CASE("a channel goes on where it was on another thread") {
    IoThread first{0, base::Clock::system()}, second{1, base::Clock::system()};
    Pair pair{first};
    pair.left->detach();
    pair.left->attach(second);
    bool wrote = false, read = false;
    auto write = [&]() -> Task<void> {
        co_await pair.right->write(protocol::bytes_of("still there"));
        wrote = true;
    };
    auto take = [&]() -> Task<void> {
        co_await pair.left->fill();
        read = protocol::text_of(pair.left->input().view()) == "still there";
    };
    first.spawn(write());
    run_until(first, wrote);
    second.spawn(take());
    run_until(second, read);
    CHECK(read);
}

TEST_CASE("tasks side by side: the last ends the wait, the first failure is thrown") {
    IoThread thread{0, base::Clock::system()};
    Event gate{thread};
    int ended = 0;
    auto task = [&](bool waits, bool fails) -> Task<void> {
        if (waits) co_await gate.wait(base::SteadyTime::max());
        ++ended;
        if (fails) throw std::runtime_error{"failed"};
    };
    bool threw = false, done = false;
    auto all = [&]() -> Task<void> {
        std::vector<Task<void>> tasks;
        tasks.push_back(task(true, false));
        tasks.push_back(task(false, true));
        tasks.push_back(task(true, true));
        try {
            co_await in_parallel(thread, std::move(tasks));
        } catch (const std::runtime_error&) {
            threw = ended == 3;
        }
        done = true;
    };
    thread.spawn(all());
    thread.context().poll();
    CHECK_FALSE(done);
    gate.set();
    run_until(thread, done);
    CHECK(threw);
}

TEST_CASE("the mailbox runs what other threads post, in order, on its own thread") {
    IoThreads threads{2, base::Clock::system()};
    threads.start();
    std::vector<int> seen;
    std::atomic<bool> done = false;
    bool own_thread = true;
    std::thread::id runner;
    for (int i = 0; i < 100; ++i)
        threads[1].post([&, i] {
            if (i == 0) runner = std::this_thread::get_id();
            own_thread = own_thread && runner == std::this_thread::get_id();
            seen.push_back(i);
            if (i == 99) {
                done = true;
                done.notify_one();
            }
        });
    done.wait(false);
    REQUIRE(seen.size() == 100);
    CHECK(std::is_sorted(seen.begin(), seen.end()));
    CHECK(own_thread);
    CHECK(runner != std::this_thread::get_id());
}

TEST_CASE("a listener hands on every client, and says whom the port belongs to when it is taken") {
    IoThread thread{0, base::Clock::system()};
    int accepted = 0;
    Listener listener{thread, "127.0.0.1:0", [&](int fd) {
                          ++accepted;
                          ::close(fd);
                      }};
    listener.start();
    CHECK_THROWS_WITH(Listener(thread, listener.address(), [](int) {}),
                      Catch::Matchers::Contains(listener.address()));
    bool connected = false;
    auto connect = [&]() -> Task<void> {
        auto first = co_await Channel::connect(thread, listener.address(), base::SteadyTime::max());
        auto second = co_await Channel::connect(thread, listener.address(), base::SteadyTime::max());
        connected = true;
    };
    thread.spawn(connect());
    while (!connected || accepted < 2) thread.context().run_one();
    CHECK(accepted == 2);
}

TEST_CASE("addresses are read as the rules write them") {
    CHECK(split_address("127.0.0.1:3306").port == "3306");
    CHECK(split_address("[::1]:3306").host == "::1");
    CHECK(split_address("db.internal:1").host == "db.internal");
    for (const char* wrong : {"", "host", ":3306", "host:", "host:65536", "host:-1", "host:33x"})
        CHECK_THROWS_AS(split_address(wrong), std::invalid_argument);
}
