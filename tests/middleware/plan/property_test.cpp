// Properties over random statements: a warm planner says what a cold one says (invariant 2), and no shard
// that holds a matching row is missed (invariant 1).
#include <algorithm>
#include <random>
#include <set>

#include "fixture.hpp"
#include "tests/catch.hpp"

namespace {

using namespace plan_test;

using Random = std::mt19937;

int below(Random& random, int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); }

template <class T>
const T& one_of(Random& random, const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(below(random, static_cast<int>(choices.size())))];
}

// Statements from a small grammar that meets most of what a plan may depend on.
class Writer {
public:
    explicit Writer(Random& random) : random_{random} {}

    std::string number() {
        static const std::vector<std::string> odd = {"-3",   "'42'", "0",     "99999999999999999999",
                                                     "4.5",  "1e2",  "NULL",  "TRUE",
                                                     "0x2A", "'4x'", "x'34'", "DATE '2026-01-01'"};
        return below(random_, 8) == 0 ? one_of(random_, odd) : std::to_string(below(random_, 60));
    }
    std::string list() {
        std::string out = number();
        for (int i = below(random_, 4); i > 0; --i) out += ", " + number();
        return out;
    }
    std::string condition(const std::string& alias, int depth = 0) {
        const std::string dot = alias.empty() ? "" : alias + ".";
        switch (below(random_, depth > 2 ? 6 : 9)) {
        case 0: return dot + "user_id = " + number();
        case 1: return number() + " = " + dot + "user_id";
        case 2: return dot + "user_id IN (" + list() + ")";
        case 3: return dot + "status = " + number();
        case 4: return dot + "user_id BETWEEN " + number() + " AND " + number();
        case 5:
            return "(" + dot + "user_id, " + dot + "order_id) IN ((" + number() + ", 1), (" + number() +
                   ", 2))";
        case 6: return "(" + condition(alias, depth + 1) + " OR " + condition(alias, depth + 1) + ")";
        case 7: return "(" + condition(alias, depth + 1) + " AND " + condition(alias, depth + 1) + ")";
        default: return number() + " = " + number();
        }
    }
    std::string comment() {
        static const std::vector<std::string> spaces = {" ", "  ", " /* a */ ", "\n", " -- b\n"};
        return one_of(random_, spaces);
    }
    std::string select() {
        static const std::vector<std::string> items = {
            "*",
            "note",
            "o.note",
            "COUNT(*)",
            "merchant_id, SUM(amount)",
            "DATABASE(), o.status + 1",
            "DISTINCT status",
            "(SELECT name FROM t_merchant m WHERE m.merchant_id = o.merchant_id)",
            "AVG(amount)",
            "@@version, note"};
        static const std::vector<std::string> ends = {"",
                                                      " ORDER BY note",
                                                      " ORDER BY 1 LIMIT 3",
                                                      " LIMIT 5, 5",
                                                      " GROUP BY merchant_id",
                                                      " GROUP BY user_id ORDER BY user_id DESC",
                                                      " FOR UPDATE"};
        static const std::vector<std::string> joins = {
            "t_order o",
            "t_order o JOIN t_order_item i USING (user_id)",
            "t_user u LEFT JOIN t_order o ON o.user_id = u.user_id",
            "shop.t_order o JOIN t_merchant m ON m.merchant_id = o.merchant_id",
            "(SELECT * FROM t_order) o",
            "t_order o JOIN t_setting s ON s.name = o.note"};
        return "SELECT" + comment() + one_of(random_, items) + comment() + "FROM " + one_of(random_, joins) +
               " WHERE " + condition("o") + one_of(random_, ends);
    }
    std::string insert() {
        std::string out = below(random_, 4) == 0 ? "REPLACE" : "INSERT";
        out += " INTO t_user (name, user_id) VALUES ";
        for (int i = below(random_, 5); i >= 0; --i)
            out += "(" + one_of<std::string>(random_, {"'a'", "'b)'", "NOW()", "DATABASE()", "1"}) + "," +
                   comment() + number() + ")" + (i > 0 ? ", " : "");
        if (below(random_, 3) == 0) out += " ON DUPLICATE KEY UPDATE name = 'x'";
        return out;
    }
    std::string write() {
        return below(random_, 2) == 0 ? "UPDATE t_order SET note = " + number() + " WHERE " + condition("")
                                      : "DELETE FROM shop.t_order WHERE " + condition("t_order");
    }
    std::string statement() {
        switch (below(random_, 4)) {
        case 0: return insert();
        case 1: return write();
        default: return select();
        }
    }

private:
    Random& random_;
};

}  // namespace

TEST_CASE("a cached plan filled with other values equals the plan made from scratch (invariant 2)") {
    Random random{20260731};
    Writer writer{random};
    Bench bench;
    bench.preferred = rules::NodeId{1};  // nothing rotates
    plan::Planner warm;
    constexpr int statements = 20000;
    int errors = 0;
    for (int i = 0; i < statements; ++i) {
        const std::string sql = writer.statement();
        plan::Planner cold;
        const std::string expected = render(cold.plan(sql, bench.context()), *bench.topology);
        const std::string actual = render(warm.plan(sql, bench.context()), *bench.topology);
        errors += expected.starts_with("error");
        if (actual == expected) continue;
        INFO(sql);
        REQUIRE(actual == expected);
    }
    // Both the cache and the planner were at work.
    CHECK(warm.counters().hits > statements / 20);
    CHECK(errors < statements * 3 / 4);
}

namespace {

// Conditions that are text and predicate at once. NULL never comes up: all columns are NOT NULL.
struct Row {
    int user_id, status;
};

struct Predicate {
    enum Kind { equal, in, between, less, status, all_of, any_of } kind = equal;
    std::vector<int> numbers;
    std::vector<Predicate> children;

    static Predicate make(Random& random, int depth) {
        Predicate out;
        out.kind = static_cast<Kind>(below(random, depth > 3 ? 5 : 7));
        if (out.kind >= all_of) {
            for (int i = 1 + below(random, 3); i >= 0; --i) out.children.push_back(make(random, depth + 1));
            return out;
        }
        const int count = out.kind == in ? 1 + below(random, 4) : 2;
        for (int i = 0; i < count; ++i) out.numbers.push_back(below(random, 40));
        return out;
    }
    std::string sql(const std::string& table) const {
        const std::string key = table + "user_id";
        const auto text = [&](std::size_t i) { return std::to_string(numbers[i]); };
        switch (kind) {
        case equal: return key + " = " + text(0);
        case between: return key + " BETWEEN " + text(0) + " AND " + text(1);
        case less: return key + " < " + text(0);
        case status: return table + "status = " + std::to_string(numbers[0] % 3);
        case in: {
            std::string out = key + " IN (";
            for (std::size_t i = 0; i < numbers.size(); ++i) out += (i > 0 ? ", " : "") + text(i);
            return out + ")";
        }
        case all_of:
        case any_of: break;
        }
        std::string out = "(";
        for (std::size_t i = 0; i < children.size(); ++i)
            out += (i > 0 ? (kind == all_of ? " AND " : " OR ") : "") + children[i].sql(table);
        return out + ")";
    }
    bool holds(const Row& row) const {
        const auto each = [&](const Predicate& child) { return child.holds(row); };
        switch (kind) {
        case equal: return row.user_id == numbers[0];
        case in: return std::find(numbers.begin(), numbers.end(), row.user_id) != numbers.end();
        case between: return row.user_id >= numbers[0] && row.user_id <= numbers[1];
        case less: return row.user_id < numbers[0];
        case status: return row.status == numbers[0] % 3;
        case all_of: return std::all_of(children.begin(), children.end(), each);
        case any_of: return std::any_of(children.begin(), children.end(), each);
        }
        return false;
    }
};

std::uint32_t shard_of(const rules::Topology& topology, int user_id) {
    const rules::GroupState& group = *topology.table("shop", "t_order")->group;
    return group.map.shard_of(*group.algorithm->slot_of(rules::Key::of(std::int64_t{user_id}))).value;
}

std::set<std::uint32_t> shards_in(const plan::Routed& routed) {
    std::set<std::uint32_t> shards;
    for (const plan::Part& part : routed.parts)
        if (part.shard) shards.insert(part.shard->value);
    return shards;
}

}  // namespace

TEST_CASE("no shard that holds a matching row is missed (invariant 1)") {
    Random random{77};
    Bench bench;
    plan::Planner planner;
    std::size_t pruned = 0;
    for (int round = 0; round < 5000; ++round) {
        const Predicate predicate = Predicate::make(random, 0);
        const std::string sql = "SELECT note FROM t_order WHERE " + predicate.sql("");
        const auto routed = planner.plan(sql, bench.context());
        INFO(sql);
        REQUIRE(routed.has_value());
        const std::set<std::uint32_t> shards = shards_in(*routed);
        pruned += shards.size() < 16;
        for (int user = 0; user < 45; ++user)
            for (int status = 0; status < 3; ++status)
                if (predicate.holds({user, status}))
                    REQUIRE(shards.contains(shard_of(*bench.topology, user)));
    }
    CHECK(pruned > 1000);
}

TEST_CASE("nor one that holds a row that meets one over a join (invariant 1)") {
    Random random{78};
    Bench bench;
    plan::Planner planner;
    for (int round = 0; round < 3000; ++round) {
        // The kept side is `a`; ON and WHERE may say something of either table.
        const bool outer = below(random, 2) == 0;
        const Predicate on_b = Predicate::make(random, 2);
        const Predicate where_a = Predicate::make(random, 2);
        const std::string sql = std::string{"SELECT a.status FROM t_order a "} + (outer ? "LEFT" : "INNER") +
                                " JOIN t_order b ON a.user_id = b.user_id AND " + on_b.sql("b.") + " WHERE " +
                                where_a.sql("a.");
        const auto routed = planner.plan(sql, bench.context());
        INFO(sql);
        REQUIRE(routed.has_value());
        const std::set<std::uint32_t> shards = shards_in(*routed);
        for (int user = 0; user < 45; ++user) {
            for (int a = 0; a < 3; ++a) {
                if (!where_a.holds({user, a})) continue;
                bool met = outer;
                for (int b = 0; b < 3; ++b) met |= on_b.holds({user, b});
                if (met) REQUIRE(shards.contains(shard_of(*bench.topology, user)));
            }
        }
    }
}
