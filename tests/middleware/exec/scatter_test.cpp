// Reads of several shards, on nodes that the tests play.
#include <algorithm>
#include <map>

#include "middleware/exec/executor.hpp"
#include "middleware/exec/scatter_read.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/frame.hpp"
#include "tests/catch.hpp"
#include "tests/middleware/backend/fake_node.hpp"

using namespace shardway;
using namespace shardway::exec;
using backend::test::FakeFleet;
using backend::test::FakeNode;
using backend::test::FakeReply;
using backend::test::Loop;
using protocol::ColumnType;

namespace {

using Rows = std::vector<std::vector<std::optional<std::string>>>;

protocol::ColumnDefinition column(std::string_view name, ColumnType type, std::uint8_t decimals = 0) {
    protocol::ColumnDefinition made;
    made.name = name;
    made.type = type;
    made.collation = 63;
    made.decimals = decimals;
    return made;
}

FakeReply table(std::vector<protocol::ColumnDefinition> columns, Rows rows) {
    FakeReply reply;
    reply.columns = std::move(columns);
    reply.table = std::move(rows);
    return reply;
}

// Answers each statement from a list; what is not in it is OK.
FakeNode::Script answers(std::map<std::string, FakeReply> replies) {
    return [replies = std::move(replies)](const std::string& statement) {
        const auto found = replies.find(statement);
        return found == replies.end() ? FakeReply{} : found->second;
    };
}

// A client that remembers.
class Client final : public RowSink {
public:
    std::vector<std::string> labels;
    Rows got;
    std::size_t calls = 0;
    std::optional<std::size_t> goes_after;  // rows

    net::Soon<void> columns(backend::AnswerStream::Columns columns,
                            std::span<const plan::NameMapping>) override {
        protocol::Bytes frames = columns.frames;
        for (std::uint32_t i = 0; i < columns.count; ++i) {
            const auto frame = protocol::front_frame(frames);
            labels.emplace_back(protocol::decode_column(frame->payload)->name);
            frames = frames.subspan(frame->header.frame_bytes());
        }
        CHECK(frames.empty());
        return {};
    }
    net::Soon<void> rows(backend::AnswerStream::Rows rows) override {
        ++calls;
        pending_.append(protocol::Bytes{rows.frames});
        for (;;) {
            const auto frame = protocol::front_frame(pending_.view());
            if (!frame || !frame->complete()) break;
            std::vector<protocol::Value> values(labels.size());
            REQUIRE(protocol::decode_text_row(frame->payload, values));
            auto& row = got.emplace_back();
            for (const auto& value : values)
                row.push_back(value ? std::optional<std::string>{*value} : std::nullopt);
            pending_.consume(frame->header.frame_bytes());
        }
        if (goes_after && got.size() >= *goes_after)
            throw net::ConnectionLost{net::ConnectionLost::Reason::closed, "gone"};
        return {};
    }
    net::Soon<void> more_results(const Outcome&) override { return {}; }

    std::vector<std::string> first_column() const {
        std::vector<std::string> values;
        for (const auto& row : got) values.push_back(row[0].value_or("NULL"));
        return values;
    }

private:
    protocol::Buffer pending_;
};

plan::Routed scatter(plan::Merge merge, std::vector<std::pair<std::uint32_t, std::string>> texts,
                     bool reads_clock = false) {
    auto plan = std::make_shared<plan::Plan>();
    plan->strategy = plan::Strategy::scatter_read;
    plan->returns_rows = true;
    plan->reads_clock = reads_clock;
    plan::Routed made;
    made.strategy = plan->strategy;
    made.access = plan::AccessPath::scatter;
    made.merge = std::make_shared<const plan::Merge>(std::move(merge));
    std::uint32_t shard = 0;
    for (auto& [node, text] : texts) {
        plan::Part part;
        part.node = rules::NodeId{node};
        part.shard = rules::ShardId{shard++};
        part.default_database = "shardway_none";
        part.text = std::move(text);
        made.parts.push_back(std::move(part));
    }
    made.plan = std::move(plan);
    return made;
}

plan::Merge ordered(std::optional<std::uint64_t> limit = std::nullopt, std::uint64_t offset = 0) {
    plan::Merge merge;
    merge.kind = plan::Merge::Kind::ordered;
    merge.order.emplace_back();
    merge.limit = limit;
    merge.offset = offset;
    return merge;
}

const std::vector<protocol::ColumnDefinition> one_number{column("n", ColumnType::int64)};

FakeReply numbers(std::vector<int> values) {
    Rows rows;
    for (const int value : values) rows.push_back({std::to_string(value)});
    return table(one_number, std::move(rows));
}

struct Setting {
    std::size_t statement_bytes = 1 << 20;
    base::ProcessBudget process{1 << 24};
    std::size_t used_behind = 0;
};

protocol::Result<Outcome> run(Loop& loop, backend::ConnectionSource& source, const plan::Routed& routed,
                              RowSink& client, Setting& setting) {
    backend::StatementContext context{nullptr, setting.process, setting.statement_bytes};
    const auto state = backend::SessionState::after_login("utf8mb4", "utf8mb4_general_ci", false);
    Executor executor{source, context, state};
    auto outcome = loop.run(executor.run(routed, client));
    setting.used_behind = context.budget.used();
    return outcome;
}

protocol::Result<Outcome> run(Loop& loop, FakeFleet& fake, const plan::Routed& routed, RowSink& client) {
    Setting setting;
    backend::PooledConnections connections{fake.pool};
    auto outcome = run(loop, connections, routed, client, setting);
    CHECK(setting.used_behind == 0);
    return outcome;
}

net::Task<void> run_to_loss(Executor& executor, const plan::Routed& routed, RowSink& client, bool& thrown) {
    try {
        co_await executor.run(routed, client);
    } catch (const net::ConnectionLost&) {
        thrown = true;
    }
}

}  // namespace

TEST_CASE("rows of several parts follow each other; the columns come once") {
    Loop loop;
    FakeNode first{loop, answers({{"a", numbers({1, 2})}, {"b", numbers({})}})};
    FakeNode second{loop, answers({{"c", numbers({3})}})};
    FakeFleet fake{loop, {&first, &second}, 2};
    Client client;
    const auto outcome = run(loop, fake, scatter({}, {{0, "a"}, {0, "b"}, {1, "c"}}), client);
    REQUIRE_FALSE(outcome.has_error());
    CHECK(outcome.value().has_rows);
    CHECK(client.labels == std::vector<std::string>{"n"});
    auto got = client.first_column();
    std::sort(got.begin(), got.end());
    CHECK(got == std::vector<std::string>{"1", "2", "3"});
    // The connections are whole: nothing unread stays on them.
    CHECK(fake.pool.idle(0) == 1);
    CHECK(fake.pool.idle(1) == 1);
}

TEST_CASE("a result without rows still has its columns") {
    Loop loop;
    FakeNode node{loop, answers({{"a", numbers({})}, {"b", numbers({})}})};
    FakeFleet fake{loop, {&node}, 2};
    for (const auto kind :
         {plan::Merge::Kind::concatenate, plan::Merge::Kind::ordered, plan::Merge::Kind::aggregate}) {
        plan::Merge merge;
        merge.kind = kind;
        merge.columns.emplace_back();
        Client client;
        REQUIRE_FALSE(run(loop, fake, scatter(merge, {{0, "a"}, {0, "b"}}), client).has_error());
        CHECK(client.labels == std::vector<std::string>{"n"});
        CHECK(client.got.empty());
    }
}

TEST_CASE("LIMIT and OFFSET count over all parts") {
    Loop loop;
    FakeNode node{loop, answers({{"a", numbers({1, 2, 3})}, {"b", numbers({4, 5, 6})}})};
    FakeFleet fake{loop, {&node}, 2};
    plan::Merge merge;
    merge.limit = 3;
    merge.offset = 2;
    Client client;
    REQUIRE_FALSE(run(loop, fake, scatter(merge, {{0, "a"}, {0, "b"}}), client).has_error());
    CHECK(client.first_column() == std::vector<std::string>{"3", "4", "5"});
    CHECK(fake.pool.idle(0) == 1);
}

TEST_CASE("a long LIMIT that is reached stops the streams that still wait, and is no error") {
    Loop loop;
    // The first node's rows are enough, and the second is silent.
    FakeReply never;
    never.silent = true;
    FakeNode first{loop, answers({{"a", numbers(std::vector<int>(5000, 7))}})};
    FakeNode second{loop, answers({{"b", never}})};
    FakeFleet fake{loop, {&first, &second}, 2};
    for (const std::uint64_t limit : {std::uint64_t{1001}, std::uint64_t{4000}}) {
        plan::Merge merge;
        merge.limit = limit;
        Client client;
        REQUIRE_FALSE(run(loop, fake, scatter(merge, {{0, "a"}, {1, "b"}}), client).has_error());
        CHECK(client.got.size() == limit);
    }
}

TEST_CASE("sorted parts are merged, on one connection or side by side (invariant 4)") {
    Loop loop;
    const std::map<std::string, FakeReply> replies{{"a", numbers({1, 4, 7, 10})},
                                                   {"b", numbers({2, 4, 8})},
                                                   {"c", numbers({})},
                                                   {"d", numbers({-5, 3, 6, 9, 11})}};
    FakeNode first{loop, answers(replies)}, second{loop, answers(replies)};
    FakeFleet fake{loop, {&first, &second}, 3};
    const std::vector<std::string> all{"-5", "1", "2", "3", "4", "4", "6", "7", "8", "9", "10", "11"};
    const std::vector<std::pair<std::uint32_t, std::string>> parts{{0, "a"}, {0, "b"}, {0, "c"}, {1, "d"}};
    for (std::uint64_t limit = 0; limit <= 13; ++limit)
        for (std::uint64_t offset = 0; offset <= 13; offset += 3) {
            Client client;
            REQUIRE_FALSE(run(loop, fake, scatter(ordered(limit, offset), parts), client).has_error());
            const auto begin =
                all.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(offset, all.size()));
            const auto count = std::min<std::uint64_t>(limit, static_cast<std::uint64_t>(all.end() - begin));
            CHECK(client.first_column() ==
                  std::vector<std::string>(begin, begin + static_cast<std::ptrdiff_t>(count)));
        }
    // Short ones take a connection per node, long ones one per part.
    CHECK(first.connections_opened == 1);
    for (const std::optional<std::uint64_t> limit :
         {std::optional<std::uint64_t>{}, std::optional<std::uint64_t>{5000}}) {
        Client client;
        REQUIRE_FALSE(run(loop, fake, scatter(ordered(limit), parts), client).has_error());
        CHECK(client.first_column() == all);
    }
    CHECK(first.connections_opened == 3);
    CHECK(fake.pool.idle(0) == 3);
}

TEST_CASE("where connections are fewer than parts, the parts that share one are held") {
    Loop loop;
    FakeNode node{loop, answers({{"a", numbers({3, 6})}, {"b", numbers({1, 5})}, {"c", numbers({2, 4})}})};
    FakeFleet fake{loop, {&node}, 2};
    Client client;
    REQUIRE_FALSE(run(loop, fake, scatter(ordered(), {{0, "a"}, {0, "b"}, {0, "c"}}), client).has_error());
    CHECK(client.first_column() == std::vector<std::string>{"1", "2", "3", "4", "5", "6"});
    CHECK(node.connections_opened == 2);
}

TEST_CASE("a part that is not sorted ends the query, held or streamed (invariant 4)") {
    Loop loop;
    FakeNode node{loop, answers({{"good", numbers({1, 2, 3})}, {"bad", numbers({1, 3, 2})}})};
    FakeFleet fake{loop, {&node}, 4};
    for (const std::optional<std::uint64_t> limit :
         {std::optional<std::uint64_t>{}, std::optional<std::uint64_t>{5}})
        for (const bool bad_first : {false, true}) {
            const auto parts =
                bad_first ? std::vector<std::pair<std::uint32_t, std::string>>{{0, "bad"}, {0, "good"}}
                          : std::vector<std::pair<std::uint32_t, std::string>>{{0, "good"}, {0, "bad"}};
            Client client;
            const auto outcome = run(loop, fake, scatter(ordered(limit), parts), client);
            REQUIRE(outcome.has_error());
            CHECK(outcome.error() == protocol::merge_order_violated(bad_first ? "0" : "1"));
        }
}

TEST_CASE("hidden columns sort and are not shown") {
    Loop loop;
    const std::vector<protocol::ColumnDefinition> columns{column("label", ColumnType::long_blob),
                                                          column("", ColumnType::int64)};
    FakeNode node{loop, answers({{"a", table(columns, {{"x", "2"}, {std::nullopt, "1"}})},
                                 {"b", table(columns, {{"z", "3"}, {"y", std::nullopt}})}})};
    FakeFleet fake{loop, {&node}, 2};
    plan::Merge merge = ordered(10);
    merge.hidden = 1;
    merge.order[0].column = {true, 0};
    merge.order[0].descending = true;
    Client client;
    REQUIRE_FALSE(run(loop, fake, scatter(merge, {{0, "a"}, {0, "b"}}), client).has_error());
    CHECK(client.labels == std::vector<std::string>{"label"});
    CHECK(client.got == Rows{{"z"}, {"x"}, {std::nullopt}, {"y"}});
}

TEST_CASE("groups of several parts fold into one row each") {
    Loop loop;
    const std::vector<protocol::ColumnDefinition> columns{
        column("g", ColumnType::int64),           column("count", ColumnType::int64),
        column("sum", ColumnType::newdecimal, 2), column("min", ColumnType::int64),
        column("max", ColumnType::datetime),      column("avg", ColumnType::newdecimal, 4),
        column("", ColumnType::newdecimal),       column("", ColumnType::int64)};
    FakeNode node{
        loop, answers({{"a", table(columns, {{"1", "2", "3.50", "10", "2026-01-01 00:00:00", "1.5", "3", "2"},
                                             {std::nullopt, "1", std::nullopt, std::nullopt, std::nullopt,
                                              std::nullopt, std::nullopt, "0"}})},
                       {"b", table(columns, {{"1", "3", "-0.25", "9", "2025-01-01 00:00:00", "9.0", "4", "1"},
                                             {"2", "1", "1.00", "-1", std::nullopt, "1.0", "1", "1"}})}})};
    FakeFleet fake{loop, {&node}, 2};
    plan::Merge merge;
    merge.kind = plan::Merge::Kind::aggregate;
    merge.hidden = 2;
    merge.groups.emplace_back();
    using plan::Combine;
    for (const Combine how :
         {Combine::first, Combine::count, Combine::sum, Combine::min, Combine::max, Combine::average}) {
        plan::MergeColumn folded;
        folded.how = how;
        folded.sum = {true, 0};
        folded.count = {true, 1};
        merge.columns.push_back(folded);
    }
    Client client;
    REQUIRE_FALSE(run(loop, fake, scatter(merge, {{0, "a"}, {0, "b"}}), client).has_error());
    CHECK(client.got == Rows{{std::nullopt, "1", std::nullopt, std::nullopt, std::nullopt, std::nullopt},
                             {"1", "5", "3.25", "9", "2026-01-01 00:00:00", "2.3333"},
                             {"2", "1", "1.00", "-1", std::nullopt, "1.0000"}});
    // By a total, from the largest, and only the first.
    merge.order.emplace_back();
    merge.order[0].column = {false, 1};
    merge.order[0].descending = true;
    merge.limit = 1;
    Client sorted;
    REQUIRE_FALSE(run(loop, fake, scatter(merge, {{0, "a"}, {0, "b"}}), sorted).has_error());
    CHECK(sorted.first_column() == std::vector<std::string>{"1"});
}

TEST_CASE("what is held counts in the budget: beyond it the query ends with the limit's name (invariant 5)") {
    Loop loop;
    std::vector<int> many(500);
    for (int i = 0; i < 500; ++i) many[static_cast<std::size_t>(i)] = i;
    FakeNode node{loop, answers({{"a", numbers(many)}, {"b", numbers(many)}})};
    FakeFleet fake{loop, {&node}, 1};
    for (const auto kind : {plan::Merge::Kind::ordered, plan::Merge::Kind::aggregate}) {
        plan::Merge merge = ordered();
        merge.kind = kind;
        merge.groups.emplace_back();
        merge.columns.emplace_back();
        const plan::Routed routed = scatter(merge, {{0, "a"}, {0, "b"}});
        for (const auto& [statement_bytes, process_bytes, expected] :
             {std::tuple{4096U, 1U << 20, protocol::statement_budget_exceeded(4096)},
              std::tuple{1U << 20, 4096U, protocol::process_budget_exceeded(4096)}}) {
            base::ProcessBudget process{process_bytes};
            backend::StatementContext context{nullptr, process, statement_bytes};
            backend::PooledConnections connections{fake.pool};
            Executor executor{connections, context,
                              backend::SessionState::after_login("utf8mb4", "utf8mb4_general_ci", false)};
            Client client;
            const auto outcome = loop.run(executor.run(routed, client));
            REQUIRE(outcome.has_error());
            CHECK(outcome.error() == expected);
            CHECK(client.got.empty());
            CHECK(context.budget.used() == 0);
        }
        Client client;
        Setting setting;
        backend::PooledConnections connections{fake.pool};
        REQUIRE_FALSE(run(loop, connections, routed, client, setting).has_error());
        CHECK(client.got.size() == (kind == plan::Merge::Kind::ordered ? 1000 : 500));
    }
}

TEST_CASE("an error of one part is the statement's, in the client's names") {
    Loop loop;
    FakeReply refused;
    refused.error = protocol::SqlError{1146, "42S02", "Table 'shop_03.t' doesn't exist"};
    FakeNode first{loop, answers({{"a", numbers({1})}})};
    FakeNode second{loop, answers({{"b", refused}})};
    FakeFleet fake{loop, {&first, &second}, 2};
    plan::Routed routed = scatter(ordered(), {{0, "a"}, {1, "b"}});
    routed.parts[1].names.push_back({"shop_03", "t", "shop", "t"});
    Client client;
    const auto outcome = run(loop, fake, routed, client);
    REQUIRE(outcome.has_error());
    CHECK(outcome.error() == protocol::SqlError{1146, "42S02", "Table 'shop.t' doesn't exist"});
    CHECK(client.labels.empty());
}

TEST_CASE("a part's warnings are fetched behind its answer, in the client's names") {
    Loop loop;
    FakeReply warned = numbers({1});
    warned.ok.warnings = 1;
    const std::vector<protocol::ColumnDefinition> columns{column("Level", ColumnType::var_string),
                                                          column("Code", ColumnType::int64),
                                                          column("Message", ColumnType::var_string)};
    const FakeReply said = table(columns, {{"Warning", "1292", "Truncated in shop_03.t"}});
    FakeNode first{loop, answers({{"a", warned}, {"SHOW WARNINGS", said}})};
    FakeNode second{loop, answers({{"b", numbers({2})}})};
    FakeFleet fake{loop, {&first, &second}, 2};
    plan::Routed routed = scatter(ordered(), {{0, "a"}, {1, "b"}});
    routed.parts[0].names.push_back({"shop_03", "t", "shop", "t"});
    base::ProcessBudget process{1 << 20};
    backend::StatementContext context{nullptr, process, 1 << 20};
    backend::PooledConnections connections{fake.pool};
    Executor executor{connections, context,
                      backend::SessionState::after_login("utf8mb4", "utf8mb4_general_ci", false)};
    Client client;
    const auto outcome = loop.run(executor.run(routed, client));
    REQUIRE_FALSE(outcome.has_error());
    CHECK(outcome.value().warnings == 1);
    REQUIRE(context.diagnostics.kept().size() == 1);
    CHECK(context.diagnostics.kept()[0].message == "Truncated in shop.t");
    CHECK(client.first_column() == std::vector<std::string>{"1", "2"});
}

TEST_CASE("integers of several widths are one kind; a decimal's digits are the most that come") {
    Loop loop;
    const auto totals = [&](ColumnType type, std::uint8_t decimals, std::string value) {
        return table({column("sum", ColumnType::newdecimal, decimals), column("n", type)},
                     {{std::move(value), "1"}});
    };
    FakeNode node{loop, answers({{"a", totals(ColumnType::int32, 1, "1.5")},
                                 {"b", totals(ColumnType::int64, 3, "2.125")}})};
    FakeFleet fake{loop, {&node}, 2};
    plan::Merge merge;
    merge.kind = plan::Merge::Kind::aggregate;
    merge.columns.resize(2);
    merge.columns[0].how = plan::Combine::sum;
    Client client;
    REQUIRE_FALSE(run(loop, fake, scatter(merge, {{0, "a"}, {0, "b"}}), client).has_error());
    CHECK(client.got == Rows{{"3.625", "1"}});
}

TEST_CASE("connections of one state may say one character set by several collations") {
    Loop loop;
    protocol::ColumnDefinition old_way = column("t", ColumnType::var_string), new_way = old_way;
    old_way.collation = 45;   // utf8mb4_general_ci
    new_way.collation = 255;  // utf8mb4_0900_ai_ci
    FakeNode node{loop, answers({{"a", table({old_way}, {{"x"}})}, {"b", table({new_way}, {{"y"}})}})};
    FakeFleet fake{loop, {&node}, 2};
    Client client;
    REQUIRE_FALSE(run(loop, fake, scatter({}, {{0, "a"}, {0, "b"}}), client).has_error());
    CHECK(client.first_column() == std::vector<std::string>{"x", "y"});
}

TEST_CASE("parts with different columns are told apart") {
    Loop loop;
    FakeNode first{loop, answers({{"a", numbers({1})}})};
    FakeNode second{loop, answers({{"b", table({column("n", ColumnType::newdecimal)}, {{"1"}})}})};
    FakeFleet fake{loop, {&first, &second}, 2};
    Client client;
    const auto outcome = run(loop, fake, scatter({}, {{0, "a"}, {1, "b"}}), client);
    REQUIRE(outcome.has_error());
    CHECK(outcome.error().code == 9061);
}

TEST_CASE("a connection that died idle costs a second try, as long as the client has seen nothing") {
    Loop loop;
    int closes = 1;
    FakeNode first{loop, answers({{"a", numbers({1})}})};
    FakeNode second{loop, [&](const std::string& statement) {
                        if (statement != "b") return FakeReply{};
                        FakeReply reply = numbers({2});
                        reply.close = closes-- > 0;
                        return reply;
                    }};
    FakeFleet fake{loop, {&first, &second}, 2};
    Client client;
    const auto repeated = run(loop, fake, scatter(ordered(), {{0, "a"}, {1, "b"}}), client);
    REQUIRE_FALSE(repeated.has_error());
    CHECK(client.first_column() == std::vector<std::string>{"1", "2"});
    closes = 2;
    Client other;
    const auto outcome = run(loop, fake, scatter(ordered(), {{0, "a"}, {1, "b"}}), other);
    REQUIRE(outcome.has_error());
    CHECK(outcome.error() == protocol::connection_lost("node1"));
}

TEST_CASE("a client that goes ends the statement; connections with unread rows are closed (invariant 8)") {
    Loop loop;
    FakeReply large;
    large.rows = 20'000;
    large.value_bytes = 1000;
    FakeNode first{loop, answers({{"a", large}})}, second{loop, answers({{"b", large}})};
    FakeFleet fake{loop, {&first, &second}, 2};
    Client client;
    client.goes_after = 100;
    base::ProcessBudget process{1 << 20};
    backend::StatementContext context{nullptr, process, 1 << 20};
    backend::PooledConnections connections{fake.pool};
    Executor executor{connections, context,
                      backend::SessionState::after_login("utf8mb4", "utf8mb4_general_ci", false)};
    const plan::Routed routed = scatter({}, {{0, "a"}, {1, "b"}});
    bool thrown = false;
    loop.run(run_to_loss(executor, routed, client, thrown));
    CHECK(thrown);
    connections.drop_broken();
    CHECK(fake.pool.idle(0) + fake.pool.idle(1) == 0);
}

TEST_CASE("one clock for all parts, and none behind them") {
    Loop loop;
    FakeNode first{loop, answers({{"a", numbers({1})}})}, second{loop, answers({{"b", numbers({2})}})};
    FakeFleet fake{loop, {&first, &second}, 2};
    Client client;
    REQUIRE_FALSE(run(loop, fake, scatter({}, {{0, "a"}, {1, "b"}}, true), client).has_error());
    const auto pin_of = [](const FakeNode& node) {
        for (const std::string& statement : node.executed)
            if (const auto at = statement.find("timestamp="); at != statement.npos)
                return statement.substr(at);
        return std::string{};
    };
    CHECK_FALSE(pin_of(first).empty());
    CHECK(pin_of(first) == pin_of(second));
    Client other;
    REQUIRE_FALSE(run(loop, fake, scatter({}, {{0, "a"}, {1, "b"}}), other).has_error());
    CHECK(first.executed[first.executed.size() - 2].find("timestamp=DEFAULT") != std::string::npos);
}

TEST_CASE("rows larger than any buffer pass through a merge whole") {
    Loop loop;
    const std::vector<protocol::ColumnDefinition> columns{column("n", ColumnType::int64),
                                                          column("text", ColumnType::long_blob)};
    const std::string huge(300'000, 'h');
    FakeNode node{loop, answers({{"a", table(columns, {{"1", huge}, {"3", "c"}})},
                                 {"b", table(columns, {{"2", huge + "2"}, {"4", huge}})}})};
    FakeFleet fake{loop, {&node}, 2};
    for (const std::optional<std::uint64_t> limit :
         {std::optional<std::uint64_t>{}, std::optional<std::uint64_t>{9}}) {
        Client client;
        Setting setting;
        setting.statement_bytes = 4 << 20;
        backend::PooledConnections connections{fake.pool};
        REQUIRE_FALSE(run(loop, connections, scatter(ordered(limit), {{0, "a"}, {0, "b"}}), client, setting)
                          .has_error());
        CHECK(client.got == Rows{{"1", huge}, {"2", huge + "2"}, {"3", "c"}, {"4", huge}});
        CHECK(setting.used_behind == 0);
    }
}
