// The router against brute force: random predicates on a shard key are planned, and evaluated by a real
// server over a table of edge values. No row that the server finds may lie in a shard that the plan leaves
// out (invariant 1); where a predicate is made of =, IN and OR on the key in its own type, no shard may
// be visited in vain. Usage: router_oracle [predicates per algorithm], with SHARDWAY_TEST_* as tests/cluster
// sets them.
#include <cstdio>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "middleware/plan/plan.hpp"
#include "oracle.hpp"
#include "rules/load.hpp"
#include "rules/topology.hpp"

namespace {

using namespace rules_oracle;

class OracleSession final : public plan::SessionView {
public:
    bool may_use(std::string_view) const override { return true; }
    std::optional<std::string> variable(std::string_view, std::string_view) const override {
        return std::nullopt;
    }
};

struct Setup {
    std::string type;       // of the key column
    std::string algorithm;  // as in a rules file
    bool ordered = false;   // it keeps order
};

class RouterOracle {
public:
    RouterOracle(Server& server, int predicates) : server_{server}, predicates_{predicates} {}

    bool run() {
        server_.query("CREATE DATABASE IF NOT EXISTS router_oracle");
        server_.query("USE router_oracle");
        const std::string months = "{type: time, unit: month, from: 2026-01, to: 2026-12}";
        const Setup setups[] = {
            {"BIGINT", "{type: hash, function: crc32, slots: 16}"},
            {"BIGINT UNSIGNED", "{type: hash, function: murmur3, slots: 16}"},
            {"INT", "{type: hash, function: md5, slots: 16}"},
            {"VARCHAR(10) COLLATE utf8mb4_bin", "{type: hash, function: crc32, slots: 16}"},
            {"VARBINARY(10)", "{type: hash, function: fnv1a, slots: 16}"},
            {"DATE", "{type: hash, function: crc32, slots: 16}"},
            {"DATETIME(3)", "{type: hash, function: crc32, slots: 16}"},
            {"BIGINT", "{type: mod, slots: 16}"},
            {"TINYINT UNSIGNED", "{type: mod, slots: 7}"},
            {"BIGINT", "{type: range, boundaries: [-100, 0, 42, 128, 65536, 9007199254740993]}", true},
            {"VARCHAR(10) COLLATE utf8mb4_bin", "{type: range, boundaries: [\"A\", \"a\", \"ab\", \"z\"]}",
             true},
            {"INT UNSIGNED", "{type: list, values: {0: [0, 1], 1: [42, 255]}, default: 2}"},
            {"VARCHAR(10) COLLATE utf8mb4_bin",
             "{type: list, values: {0: [a, A], 1: [ann, \"42\"]}, default: 2}"},
            {"DATE", months, true},
            {"DATETIME(3)", months, true},
            {"TIMESTAMP", months, true},
            {"BIGINT", "{type: ring, vnodes: 20}"},
        };
        for (const auto& setup : setups) check(setup);
        server_.query("DROP DATABASE router_oracle");
        fmt::print("{} failures\n", failures_);
        return failures_ == 0;
    }

private:
    std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
    bool one_in(std::size_t count) { return pick(count) == 0; }

    static std::uint32_t slots_of_text(const std::string& algorithm) {
        // The loader says how many slots there are, by what it expects of a place that is too large.
        if (algorithm.find("ring") != std::string::npos) return 8;  // as many as it has members
        const auto loaded = load_rules(rules_text(algorithm, 1), "f");
        for (std::uint32_t slots = 1; slots <= 64; ++slots)
            if (load_rules(rules_text(algorithm, slots), "f").rules) return slots;
        throw std::runtime_error(loaded.findings.front().text());
    }

    // Each shard on a node of its own, so that a plan's nodes are its shards.
    static std::string rules_text(const std::string& algorithm, std::uint32_t slots) {
        std::string text =
            "version: 1\nusers: {app: {password: app}}\nbackend: {user: u, password: p}\nnodes:\n";
        for (std::uint32_t i = 0; i < slots; ++i)
            text += fmt::format("  n{0}: {{primary: h:{1}}}\n", i, i + 1);
        text += fmt::format(
            "databases:\n  router_oracle:\n    default_node: n0\n    groups:\n      g:\n        algorithm: "
            "{}\n        slots_per_shard: 1\n        place: {{",
            algorithm);
        for (std::uint32_t i = 0; i < slots; ++i) text += fmt::format("{}n{}: {}", i == 0 ? "" : ", ", i, i);
        return text +
               "}\n        layout: {database: \"s_{shard:02}\"}\n    tables:\n      t: {group: g, key: k}\n";
    }

    void check(const Setup& setup) {
        name_ = setup.type + " " + setup.algorithm;
        server_.query("DROP TABLE IF EXISTS t");
        server_.query("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, k " + setup.type +
                      " NOT NULL, v INT NULL, KEY (k))");
        server_.query("SET time_zone = '+00:00'");
        const auto tables =
            schema::tables_from_rows(server_.query(schema::tables_query("router_oracle")),
                                     server_.query(schema::columns_query("router_oracle")), {});
        column_ = tables.at("t")->columns[1];
        literals_ = is_integer(column_.type) ? number_literals()
                    : is_dated(column_.type) ? moment_literals()
                                             : text_literals();
        own_.clear();
        for (const auto& literal : literals_) {
            const auto match = key_of(column_, literal.literal());
            try {
                server_.query(fmt::format("INSERT INTO t (k, v) VALUES ({}, {})", literal.sql,
                                          one_in(4) ? "NULL" : std::to_string(pick(3))));
                // TRUE beside numbers in a list is of another kind.
                if (std::holds_alternative<Key>(match) && literal.kind != LiteralKind::boolean)
                    own_.push_back(literal);
            } catch (const ServerError&) {
                continue;
            }
        }
        const auto loaded = load_rules(rules_text(setup.algorithm, slots_of_text(setup.algorithm)), "f");
        topology_ = Topology::build(
            loaded.rules,
            std::make_shared<const schema::Catalog>(schema::Catalog{{{"router_oracle", tables}}}), {}, 1);
        const auto& table = *topology_->table("router_oracle", "t");
        slots_.clear();
        const bool by_hex = is_text(column_.type) || is_bytes(column_.type);
        for (const auto& row : server_.query(by_hex ? "SELECT id, HEX(k) FROM t" : "SELECT id, k FROM t")) {
            std::string cell = *row[1];
            if (by_hex) {
                std::string bytes;
                for (std::size_t i = 0; i < cell.size(); i += 2)
                    bytes += static_cast<char>(std::stoi(cell.substr(i, 2), nullptr, 16));
                cell = bytes;
            }
            const auto key = key_of_row(column_, cell, by_hex ? column_.charset : "utf8mb4");
            const auto slot = key ? table.group->algorithm->slot_of(*key) : std::nullopt;
            // Rows without a slot could not be inserted through us.
            if (!slot) server_.query("DELETE FROM t WHERE id = " + *row[0]);
            if (slot) slots_[*row[0]] = table.group->map.shard_of(*slot);
        }
        long surplus = 0, visited = 0, planned = 0;
        for (int i = 0; i < predicates_; ++i) try_predicate(surplus, visited, planned);
        fmt::print("{}: {} predicates, {:.2f} shards visited on average, {:.2f} in vain\n", name_, planned,
                   planned == 0 ? 0 : static_cast<double>(visited) / static_cast<double>(planned),
                   planned == 0 ? 0 : static_cast<double>(surplus) / static_cast<double>(planned));
    }

    void try_predicate(long& surplus, long& visited, long& planned) {
        const bool simple = one_in(3);
        has_and_ = false;
        const std::string where = simple ? simple_predicate(2) : predicate(3);
        std::set<ShardId> matching;
        try {
            for (const auto& row : server_.query("SELECT id FROM t WHERE " + where))
                if (const auto found = slots_.find(*row[0]); found != slots_.end())
                    matching.insert(found->second);
        } catch (const ServerError&) {
            return;
        }
        plan::PlanContext context{.topology = *topology_,
                                  .session = session_,
                                  .options = options_,
                                  .database = "router_oracle",
                                  .user = "app@h",
                                  .current_user = "app@%",
                                  .keys = {},
                                  .preferred_node = {}};
        const auto routed = planner_.plan("SELECT id FROM t WHERE " + where, context);
        if (routed.has_error()) {
            if (routed.error().code != 1235) fail(where, routed.error().message);
            return;
        }
        std::set<ShardId> reached;
        for (const auto& part : routed->parts)
            reached.insert(part.shard ? *part.shard : ShardId{part.node.value});
        ++planned;
        visited += static_cast<long>(reached.size());
        surplus += static_cast<long>(reached.size()) - static_cast<long>(matching.size());
        for (const ShardId shard : matching)
            if (!reached.contains(shard))
                return fail(where, fmt::format("shard {} holds a row and is not visited", shard.value));
        const bool in_vain = reached.size() > std::max<std::size_t>(matching.size(), 1);
        if (simple && in_vain && !has_and_)
            fail(where, fmt::format("{} shards visited, {} hold rows", reached.size(), matching.size()));
    }

    void fail(const std::string& where, const std::string& what) {
        ++failures_;
        if (failures_ <= 40) fmt::print("FAILED {}: WHERE {}: {}\n", name_, where, what);
    }

    const Written& any_literal() {
        return one_in(3) ? literals_[pick(literals_.size())] : own_[pick(own_.size())];
    }

    // =, IN, AND, OR on the key, with literals of its own type that rows have.
    std::string simple_predicate(int depth) {
        if (depth > 0 && one_in(2)) {
            const bool is_and = one_in(3);
            has_and_ = has_and_ || is_and;
            return fmt::format("({} {} {})", simple_predicate(depth - 1), is_and ? "AND" : "OR",
                               simple_predicate(depth - 1));
        }
        const auto own = [&]() -> const std::string& { return own_[pick(own_.size())].sql; };
        // An IN list mixes no kinds: MySQL would compare doubles.
        if (!one_in(3)) return one_in(4) ? fmt::format("{} = k", own()) : fmt::format("k = {}", own());
        const auto& first = own_[pick(own_.size())];
        std::string list = first.sql;
        for (int i = 0; i < 4; ++i)
            if (const auto& other = own_[pick(own_.size())];
                other.kind == first.kind && other.text.size() <= 15 && first.text.size() <= 15)
                list += ", " + other.sql;
        if (first.text.size() > 15) return fmt::format("k = {}", first.sql);
        return fmt::format("k IN ({})", list);
    }

    std::string list_of_literals() {
        std::string list = any_literal().sql;
        for (std::size_t i = pick(4); i > 0; --i) list += ", " + any_literal().sql;
        return list;
    }

    std::string predicate(int depth) {
        constexpr const char* comparisons[] = {"=", "<", "<=", ">", ">=", "<>", "<=>"};
        if (depth > 0 && !one_in(3)) {
            if (one_in(6)) return fmt::format("NOT ({})", predicate(depth - 1));
            if (one_in(12)) return fmt::format("({}) XOR ({})", predicate(depth - 1), predicate(depth - 1));
            if (one_in(12)) return fmt::format("({}) IS TRUE", predicate(depth - 1));
            return fmt::format("({} {} {})", predicate(depth - 1), one_in(2) ? "AND" : "OR",
                               predicate(depth - 1));
        }
        const char* const comparison = comparisons[pick(std::size(comparisons))];
        switch (pick(14)) {
        case 0:
        case 1:
        case 2: return fmt::format("k {} {}", comparison, any_literal().sql);
        case 3: return fmt::format("{} {} k", any_literal().sql, comparison);
        case 4: return fmt::format("k IN ({})", list_of_literals());
        case 5: return fmt::format("k NOT IN ({})", list_of_literals());
        case 6: return fmt::format("k BETWEEN {} AND {}", any_literal().sql, any_literal().sql);
        case 7: return fmt::format("k NOT BETWEEN {} AND {}", any_literal().sql, any_literal().sql);
        case 8: return fmt::format("(k, v) = ({}, {})", any_literal().sql, pick(3));
        case 9:
            return fmt::format("(v, k) IN (({}, {}), ({}, {}))", pick(3), any_literal().sql, pick(3),
                               any_literal().sql);
        case 10: return one_in(2) ? "k IS NULL" : "v IS NULL";
        case 11: return fmt::format("v {} {}", comparison, pick(3));
        case 12: return fmt::format("(k, v) {} ({}, {})", comparisons[pick(6)], any_literal().sql, pick(3));
        default:
            return one_in(2) ? fmt::format("CONCAT(k, '') = {}", any_literal().sql)
                             : fmt::format("{} = {}", pick(2), pick(2));
        }
    }

    Server& server_;
    int predicates_;
    std::string name_;
    schema::Column column_;
    std::vector<Written> literals_, own_;
    std::shared_ptr<const Topology> topology_;
    std::map<std::string, ShardId> slots_;  // shard by id of the row
    OracleSession session_;
    sqlparse::ParseOptions options_;
    plan::Planner planner_;
    std::mt19937_64 random_{11};
    // The plan intersects slots, not values: k = 1 AND k = 2 may leave the one slot that both lie in.
    bool has_and_ = false;
    long failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        Server server;
        return RouterOracle{server, argc > 1 ? std::atoi(argv[1]) : 5'000}.run() ? 0 : 1;
    } catch (const ServerError& error) {
        fmt::print(stderr, "{} ({})\n", error.text, error.code);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
    }
    return 2;
}
