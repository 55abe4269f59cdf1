#include <algorithm>

#include "middleware/exec/executor.hpp"
#include "middleware/exec/logical.hpp"
#include "middleware/exec/outcome.hpp"
#include "middleware/protocol/errors.hpp"
#include "tests/catch.hpp"
#include "tests/middleware/backend/fake_node.hpp"

using namespace shardway;
using namespace shardway::exec;

namespace {

Outcome written(std::uint64_t rows, std::string info, std::uint64_t id = 0) {
    Outcome outcome;
    outcome.affected_rows = rows;
    outcome.info = std::move(info);
    outcome.last_insert_id = id;
    return outcome;
}

// A client that takes whatever comes.
class AnySink final : public RowSink {
public:
    net::Soon<void> columns(backend::AnswerStream::Columns, std::span<const plan::NameMapping>) override {
        return {};
    }
    net::Soon<void> rows(backend::AnswerStream::Rows) override { return {}; }
    net::Soon<void> more_results(const Outcome&) override { return {}; }
};

plan::Routed routed(bool writes, std::vector<std::pair<std::uint32_t, std::string>> texts) {
    auto plan = std::make_shared<plan::Plan>();
    plan->writes = writes;
    plan->strategy = texts.size() > 1 ? plan::Strategy::split_write : plan::Strategy::one_place;
    plan::Routed made;
    made.strategy = plan->strategy;
    made.plan = std::move(plan);
    for (auto& [node, text] : texts) {
        plan::Part part;
        part.node = rules::NodeId{node};
        part.default_database = "shardway_none";
        part.text = std::move(text);
        made.parts.push_back(std::move(part));
    }
    return made;
}

protocol::Result<Outcome> run(backend::test::Loop& loop, backend::test::FakeFleet& fake,
                              const plan::Routed& statement) {
    base::ProcessBudget process{1 << 20};
    backend::StatementContext context{nullptr, process, 1 << 20};
    backend::PooledConnections connections{fake.pool};
    const auto state = backend::SessionState::after_login("utf8mb4", "utf8mb4_general_ci", false);
    Executor executor{connections, context, state};
    AnySink sink;
    return loop.run(executor.run(statement, sink));
}

// Closes the connection on the first statements that begin so, `times` of them.
backend::test::FakeNode::Script closing_on(std::string start, int times) {
    return [start = std::move(start), times](const std::string& statement) mutable {
        backend::test::FakeReply reply;
        reply.close = statement.starts_with(start) && times-- > 0;
        return reply;
    };
}

std::size_t count_of(const std::vector<std::string>& executed, const std::string& statement) {
    return static_cast<std::size_t>(std::count(executed.begin(), executed.end(), statement));
}

plan::Part part_of_shard_3() {
    plan::Part part;
    part.names.push_back({"shop_03", "t_order", "shop", "t_order"});
    part.rows = {0, 4, 9};
    return part;
}

}  // namespace

TEST_CASE("the answers of a statement's parts add up, in the text that drivers read too") {
    Outcome sum = written(3, "Records: 3  Duplicates: 1  Warnings: 0", 7);
    sum.warnings = 1;
    Outcome other = written(2, "Records: 2  Duplicates: 0  Warnings: 4", 9);
    other.warnings = 4;
    add(sum, other);
    CHECK(sum.affected_rows == 5);
    CHECK(sum.warnings == 5);
    CHECK(sum.last_insert_id == 7);
    CHECK(sum.info == "Records: 5  Duplicates: 1  Warnings: 4");
    Outcome matched = written(1, "Rows matched: 18446744073709551614  Changed: 1  Warnings: 0");
    add(matched, written(0, "Rows matched: 1  Changed: 0  Warnings: 0"));
    CHECK(matched.info == "Rows matched: 18446744073709551615  Changed: 1  Warnings: 0");
    Outcome empty = written(1, "");
    add(empty, written(1, "Records: 1  Duplicates: 0  Warnings: 0"));
    CHECK(empty.info == "Records: 1  Duplicates: 0  Warnings: 0");
}

TEST_CASE("messages of a shard have logical names and the client's row numbers") {
    const plan::Part part = part_of_shard_3();
    CHECK(logical_message("Table 'shop_03.t_order' doesn't exist", part) ==
          "Table 'shop.t_order' doesn't exist");
    CHECK(logical_message("Data too long for column 'note' at row 2", part) ==
          "Data too long for column 'note' at row 5");
    CHECK(logical_message("Out of range at row 3", part) == "Out of range at row 10");
    // A row that is none of the part's stays as it is, and so does a name that only looks alike.
    CHECK(logical_message("wrong at row 4", part) == "wrong at row 4");
    CHECK(logical_message("shop_030 and my_shop_03", part) == "shop_030 and my_shop_03");
}

TEST_CASE("a write whose bytes have left is never sent again (invariant 11)") {
    backend::test::Loop loop;
    backend::test::FakeNode node{loop, closing_on("INSERT", 1)};
    backend::test::FakeFleet fake{loop, {&node}, 2};
    const auto outcome = run(loop, fake, routed(true, {{0, "INSERT INTO t VALUES (1)"}}));
    REQUIRE(outcome.has_error());
    CHECK(outcome.error() == protocol::outcome_unknown("node0"));
    CHECK(count_of(node.executed, "INSERT INTO t VALUES (1)") == 1);
}

TEST_CASE("a read of which nothing was passed on is sent once more, and not twice") {
    backend::test::Loop loop;
    backend::test::FakeNode once{loop, closing_on("SELECT", 1)}, always{loop, closing_on("SELECT", 1000)};
    backend::test::FakeFleet fake{loop, {&once, &always}, 2};
    CHECK(run(loop, fake, routed(false, {{0, "SELECT 1"}})).has_value());
    CHECK(count_of(once.executed, "SELECT 1") == 2);
    const auto outcome = run(loop, fake, routed(false, {{1, "SELECT 1"}}));
    REQUIRE(outcome.has_error());
    CHECK(outcome.error() == protocol::connection_lost("node1"));
    CHECK(count_of(always.executed, "SELECT 1") == 2);
}

TEST_CASE("warnings of a split INSERT come in the order of the client's rows") {
    backend::test::Loop loop;
    std::string last;
    const auto script = [&last](const std::string& statement) {
        backend::test::FakeReply reply;
        if (statement.starts_with("INSERT")) {
            last = statement;
            reply.ok.warnings = 1;
        }
        if (statement == "SHOW WARNINGS") {
            reply.columns.resize(3);
            reply.table = {
                {"Note", "1265", "Data truncated for column 'a' at row " + last.substr(last.size() - 1)}};
        }
        return reply;
    };
    backend::test::FakeNode first{loop, script}, second{loop, script};
    backend::test::FakeFleet fake{loop, {&first, &second}, 2};
    // Each part's last word says which of its rows is truncated.
    plan::Routed statement = routed(true, {{0, "INSERT a 2"}, {0, "INSERT b 1"}, {1, "INSERT c 1"}});
    statement.parts[0].rows = {0, 4};
    statement.parts[1].rows = {3};
    statement.parts[2].rows = {1, 2};
    base::ProcessBudget process{1 << 20};
    backend::StatementContext context{nullptr, process, 1 << 20};
    backend::PooledConnections connections{fake.pool};
    Executor executor{connections, context,
                      backend::SessionState::after_login("utf8mb4", "utf8mb4_general_ci", false)};
    AnySink sink;
    const auto outcome = loop.run(executor.run(statement, sink));
    REQUIRE_FALSE(outcome.has_error());
    CHECK(outcome.value().warnings == 3);
    std::vector<std::string> texts;
    for (const backend::Diagnostic& each : context.diagnostics.kept()) texts.push_back(each.message);
    CHECK(texts == std::vector<std::string>{"Data truncated for column 'a' at row 2",
                                            "Data truncated for column 'a' at row 4",
                                            "Data truncated for column 'a' at row 5"});
    CHECK(context.diagnostics.count() == 3);
}

TEST_CASE("parts on one node share a train, and a failed one is taken back with the others") {
    backend::test::Loop loop;
    backend::test::FakeNode node{loop, [](const std::string& statement) {
                                     backend::test::FakeReply reply;
                                     if (statement == "INSERT 2")
                                         reply.error = protocol::duplicate_entry("2", "PRIMARY");
                                     return reply;
                                 }};
    backend::test::FakeFleet fake{loop, {&node}, 2};
    const auto outcome = run(loop, fake, routed(true, {{0, "INSERT 1"}, {0, "INSERT 2"}, {0, "INSERT 3"}}));
    REQUIRE(outcome.has_error());
    CHECK(outcome.error().code == 1062);
    CHECK(node.executed == std::vector<std::string>{"USE `shardway_none`", "SAVEPOINT shardway_statement",
                                                    "INSERT 1", "SHOW WARNINGS", "INSERT 2",
                                                    "ROLLBACK TO SAVEPOINT shardway_statement"});
}
