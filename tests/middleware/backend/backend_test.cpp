#include "middleware/backend/answer.hpp"
#include "middleware/backend/fetch.hpp"
#include "middleware/backend/simple_statement.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/backend/train.hpp"
#include "middleware/protocol/errors.hpp"
#include "tests/catch.hpp"
#include "tests/middleware/backend/fake_node.hpp"

using namespace shardway;
using namespace shardway::backend;
using test::FakeFleet;
using test::FakeNode;
using test::Loop;

namespace {

constexpr auto forever = base::SteadyTime::max();
const auto plain = SessionState::after_login("utf8mb4", "utf8mb4_general_ci", false);

std::vector<Lease> acquire(Loop& loop, Pool& pool, std::vector<NodeIndex> nodes,
                           std::shared_ptr<const SessionState> state = plain) {
    auto leases = loop.run(pool.acquire(std::move(nodes), state.get(), forever));
    REQUIRE_FALSE(leases.has_error());
    return std::move(leases).value();
}

// The statement's own answers, in words.
net::Task<std::vector<std::string>> ride(Connection& connection, std::shared_ptr<const SessionState> state,
                                         std::string_view database, std::vector<std::string> before,
                                         std::string statement) {
    Train train{connection, std::move(state), database};
    for (const std::string& each : before) train.before(each);
    train.carry(statement);
    std::vector<std::string> answers;
    auto departed = co_await train.depart();
    if (departed.has_error()) {
        answers.push_back(departed.error().message);
        co_return answers;
    }
    AnswerStream answer{train};
    while (!answer.done()) {
        auto item = co_await answer.next();
        if (auto* error = std::get_if<protocol::SqlError>(&item))
            answers.push_back((answer.in_prefix() ? "prefix: " : "") + error->message);
        if (std::holds_alternative<AnswerStream::Ok>(item)) answers.push_back("ok");
    }
    co_return answers;
}

}  // namespace

TEST_CASE("a session's state is brought over as the difference") {
    const auto berlin = plain->with("time_zone", "'+01:00'")->with("sql_mode", "'ANSI_QUOTES'");
    CHECK(set_statement(*plain, *plain).empty());
    CHECK(set_statement(*plain, *berlin) == "SET SESSION sql_mode='ANSI_QUOTES',SESSION time_zone='+01:00'");
    CHECK(set_statement(*berlin, *plain) == "SET SESSION sql_mode=DEFAULT,SESSION time_zone=DEFAULT");
    CHECK(set_statement(*berlin, *berlin->with("time_zone", "'+02:00'")) == "SET SESSION time_zone='+02:00'");
    CHECK(berlin->signature() != plain->signature());
    CHECK(*berlin->without("time_zone")->without("sql_mode") == *plain);
    CHECK(berlin->without("time_zone")->without("sql_mode")->signature() == plain->signature());
}

TEST_CASE("what one session set, the next one on the connection does not see (invariant 8)") {
    Loop loop;
    FakeNode node{loop};
    FakeFleet fake{loop, {&node}, 1};
    const auto strange = plain->with("sql_mode", "'ANSI_QUOTES'");
    {
        auto leases = acquire(loop, fake.pool, {0}, strange);
        loop.run(ride(*leases[0], strange, "shop", {}, "SELECT 1"));
    }
    {
        auto leases = acquire(loop, fake.pool, {0}, plain);
        loop.run(ride(*leases[0], plain, "shardway_none", {}, "SELECT 2"));
    }
    CHECK(node.connections_opened == 1);
    CHECK(node.executed == std::vector<std::string>{"SET SESSION sql_mode='ANSI_QUOTES'", "USE `shop`",
                                                    "SELECT 1", "SET SESSION sql_mode=DEFAULT",
                                                    "USE `shardway_none`", "SELECT 2"});
}

TEST_CASE("a connection in a transaction, or with an answer unread, is not pooled (invariant 8)") {
    Loop loop;
    FakeNode node{loop};
    FakeFleet fake{loop, {&node}, 4};
    {
        auto leases = acquire(loop, fake.pool, {0});
        loop.run(ride(*leases[0], plain, "", {"BEGIN"}, "SELECT 1"));
    }
    CHECK(fake.pool.idle(0) == 0);
    {
        auto leases = acquire(loop, fake.pool, {0});
        Train train{*leases[0], plain, {}};
        train.carry("SELECT 1");
        REQUIRE_FALSE(loop.run(train.depart()).has_error());
    }
    CHECK(fake.pool.idle(0) == 0);
    {
        auto leases = acquire(loop, fake.pool, {0});
        loop.run(ride(*leases[0], plain, "", {"ROLLBACK"}, "SELECT 1"));
    }
    CHECK(fake.pool.idle(0) == 1);
    CHECK(fake.fleet.permits_in_use(0) == 1);
}

TEST_CASE("no statement runs behind a failed prefix (invariant 3)") {
    Loop loop;
    FakeNode node{loop, [](const std::string& statement) {
                      FakeNode::Reply reply;
                      if (statement.starts_with("SET")) reply.error = protocol::unknown_variable("colour");
                      return reply;
                  }};
    FakeFleet fake{loop, {&node}, 1};
    const auto state = plain->with("colour", "'red'");
    auto leases = acquire(loop, fake.pool, {0}, state);
    const auto answers = loop.run(ride(*leases[0], state, "", {"BEGIN"}, "INSERT INTO t VALUES (1)"));
    CHECK(answers == std::vector<std::string>{"prefix: Unknown system variable 'colour'"});
    CHECK(node.executed == std::vector<std::string>{"SET SESSION colour='red'"});
    // How much of the state is there now is not known.
    CHECK_FALSE(leases[0]->is_reusable());
}

TEST_CASE("text that was not parsed travels without the prefix and without multi-statements (invariant 3)") {
    Loop loop;
    FakeNode node{loop};
    FakeFleet fake{loop, {&node}, 1};
    auto leases = acquire(loop, fake.pool, {0});
    Connection& connection = *leases[0];
    Train train{connection, plain, "legacy"};
    train.carry_unparsed("HANDLER t OPEN");
    REQUIRE_FALSE(loop.run(train.depart()).has_error());
    CHECK_FALSE(connection.multi_statements());
    AnswerStream answer{train};
    CHECK(std::holds_alternative<AnswerStream::Ok>(loop.run(answer.next())));
    CHECK(answer.done());
    CHECK(node.executed == std::vector<std::string>{"USE `legacy`", "HANDLER t OPEN"});
}

TEST_CASE("a prefix that makes the packet too large for the node goes ahead") {
    Loop loop;
    FakeNode node{loop};
    FakeFleet fake{loop, {&node}, 1};
    const std::size_t limit = fake.fleet.options().packet_bytes_max;
    auto leases = acquire(loop, fake.pool, {0});
    const std::string fits(limit - 2, 'x'), too_large(limit - 1, 'x');
    CHECK(loop.run(ride(*leases[0], plain, "shop", {}, fits)) == std::vector<std::string>{"ok"});
    CHECK(node.executed.size() == 2);
    CHECK(loop.run(ride(*leases[0], plain, "shop", {}, too_large)) ==
          std::vector<std::string>{protocol::packet_too_large().message});
    CHECK(node.executed.size() == 2);
    CHECK(leases[0]->is_reusable());
}

TEST_CASE("a statement gets all its connections or none") {
    Loop loop;
    FakeNode first{loop}, second{loop};
    FakeFleet fake{loop, {&first, &second}, 1, std::chrono::milliseconds{30}};
    auto held = acquire(loop, fake.pool, {1});
    const auto refused = loop.run(fake.pool.acquire({0, 1}, plain.get(), forever));
    REQUIRE(refused.has_error());
    CHECK(refused.error().message.find("node1") != std::string::npos);
    // What it had gained of the other node is back.
    CHECK(fake.fleet.waiting(0) == 0);
    CHECK(fake.fleet.waiting(1) == 0);
    held.clear();
    CHECK(acquire(loop, fake.pool, {0, 1}).size() == 2);
}

TEST_CASE("two that need the same scarce nodes take turns, the older first") {
    Loop loop;
    FakeNode first{loop}, second{loop};
    FakeFleet fake{loop, {&first, &second}, 1};
    auto held = acquire(loop, fake.pool, {1});
    std::vector<std::string> order;
    auto wait_for = [&](std::vector<NodeIndex> nodes, std::string name) -> net::Task<void> {
        auto leases = co_await fake.pool.acquire(std::move(nodes), plain.get(), forever);
        CHECK_FALSE(leases.has_error());
        order.push_back(std::move(name));
    };
    loop.thread().spawn(wait_for({0, 1}, "scatter"));
    loop.settle();
    loop.thread().spawn(wait_for({0}, "younger, other node"));
    loop.thread().spawn(wait_for({1}, "younger, same node"));
    loop.settle();
    CHECK(order.empty());
    held.clear();
    while (order.size() < 3) loop.thread().context().run_one();
    CHECK(order.front() == "scatter");
}

TEST_CASE("connections never exceed the cap") {
    Loop loop;
    FakeNode node{loop};
    FakeFleet fake{loop, {&node}, 3};
    int running = 0, most = 0, done = 0;
    auto work = [&]() -> net::Task<void> {
        std::vector<NodeIndex> wanted{0};
        auto leases = co_await fake.pool.acquire(std::move(wanted), plain.get(), forever);
        most = std::max(most, ++running);
        if (!leases.has_error()) co_await ride(*leases.value()[0], plain, "", {}, "SELECT 1");
        --running;
        ++done;
    };
    for (int i = 0; i < 50; ++i) loop.thread().spawn(work());
    while (done < 50) loop.thread().context().run_one();
    CHECK(most == 3);
    CHECK(node.connections_opened == 3);
    CHECK(fake.fleet.permits_in_use(0) == 3);
}

TEST_CASE("a node that cannot be reached is named, and its permit is given back") {
    Loop loop;
    std::string address;
    {
        FakeNode gone{loop};
        address = gone.address();
    }
    Fleet fleet{{{"node7", address}},
                FakeFleet::options(1, std::chrono::milliseconds{50}),
                loop.threads,
                base::Random::system()};
    Pool pool{fleet, loop.thread()};
    const auto leases = loop.run(pool.acquire({0}, plain.get(), forever));
    REQUIRE(leases.has_error());
    CHECK(leases.error().message.find("node7") != std::string::npos);
    CHECK(fleet.permits_in_use(0) == 0);
}

TEST_CASE("sessions that count matched rows have connections of their own") {
    Loop loop;
    FakeNode node{loop};
    FakeFleet fake{loop, {&node}, 1};
    acquire(loop, fake.pool, {0}).clear();
    const auto matched = SessionState::after_login("utf8mb4", "utf8mb4_general_ci", true);
    auto leases = acquire(loop, fake.pool, {0}, matched);
    CHECK(leases[0]->state().found_rows());
    CHECK(node.connections_opened == 2);
    CHECK(fake.fleet.permits_in_use(0) == 1);
}

TEST_CASE("a lost connection is an error that says whether anything had left") {
    Loop loop;
    FakeNode node{loop, [](const std::string&) {
                      FakeNode::Reply reply;
                      reply.close = true;
                      return reply;
                  }};
    FakeFleet fake{loop, {&node}, 1};
    auto leases = acquire(loop, fake.pool, {0});
    const auto answer = loop.run(run_simple(*leases[0], "COMMIT"));
    REQUIRE(answer.has_error());
    CHECK(answer.error() == protocol::outcome_unknown("node0"));
    CHECK(node.executed.size() == 1);
    CHECK(leases[0]->is_broken());
}

TEST_CASE("cancelling a statement stops all who wait for it, and those who come later") {
    struct Waiter final : Cancellation::Waiter {
        int stops = 0;
        void stop() override { ++stops; }
    };
    Cancellation cancellation;
    Waiter first, second, left;
    cancellation.enter(first);
    cancellation.enter(left);
    left.leave();
    cancellation.cancel(protocol::query_interrupted());
    cancellation.cancel(protocol::lock_wait_timeout());
    cancellation.enter(second);
    CHECK(first.stops == 1);
    CHECK(second.stops == 1);
    CHECK(left.stops == 0);
    CHECK(cancellation.why() == protocol::query_interrupted());
}

TEST_CASE("diagnostics keep so many and count all") {
    Diagnostics diagnostics;
    for (std::size_t i = 0; i < Diagnostics::kept_max + 1; ++i) diagnostics.add(Level::warning, 1265, "cut");
    CHECK(diagnostics.kept().size() == Diagnostics::kept_max);
    CHECK(diagnostics.count() == Diagnostics::kept_max + 1);
    diagnostics.add_count(100'000);
    CHECK(diagnostics.count_on_wire() == 65535);
}

TEST_CASE("rows come in pieces of bounded size, whatever their number and length (invariant 5)") {
    struct Shape {
        std::size_t rows, value_bytes;
    };
    for (const Shape shape : {Shape{100'000, 100}, Shape{40, 1 << 20}, Shape{2, (1 << 24) + 5}}) {
        Loop loop;
        FakeNode node{loop, [shape](const std::string& statement) {
                          test::FakeReply reply;
                          if (!statement.starts_with("SELECT")) return reply;
                          reply.rows = shape.rows;
                          reply.value_bytes = shape.value_bytes;
                          return reply;
                      }};
        FakeFleet fake{loop, {&node}, 1};
        auto leases = acquire(loop, fake.pool, {0});
        Connection& connection = *leases[0];
        Train train{connection, plain, "shop"};
        train.carry("SELECT text FROM t");
        REQUIRE_FALSE(loop.run(train.depart()).has_error());
        AnswerStream answer{train};
        std::size_t bytes = 0, largest = 0, buffered = 0;
        bool ended = false;
        while (!answer.done()) {
            const auto item = loop.run(answer.next());
            if (const auto* rows = std::get_if<AnswerStream::Rows>(&item)) {
                bytes += rows->frames.size();
                largest = std::max(largest, rows->frames.size());
                buffered = std::max(buffered, connection.channel().input().capacity());
            }
            ended = ended || std::holds_alternative<AnswerStream::End>(item);
        }
        CHECK(ended);
        CHECK(bytes > shape.rows * shape.value_bytes);
        CHECK(largest <= 512 * 1024);
        CHECK(buffered <= 512 * 1024);
    }
}
