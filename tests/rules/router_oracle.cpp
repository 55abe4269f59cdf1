// The router against brute force: random predicates on a shard key are planned, and evaluated by a real
// server over a table of edge values. No row that the server finds may lie in a shard that the plan leaves
// out (invariant 1); where a predicate is made of =, IN, AND and OR on the key in its own type (and of <, >,
// BETWEEN where the algorithm keeps order), no shard may be visited in vain. Usage: router_oracle [predicates
// per algorithm], with SHARDWAY_TEST_* as tests/cluster sets them.
#include <algorithm>
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
    RouterOracle(Server& server, int predicates, std::string only)
        : server_{server}, predicates_{predicates}, only_{std::move(only)} {}

    bool run() {
        server_.query("CREATE DATABASE IF NOT EXISTS router_oracle");
        server_.query("USE router_oracle");
        const std::string months = "{type: time, unit: month, from: 2026-01, to: 2026-12}";
        const auto time = [](const std::string& unit, const std::string& from, const std::string& to) {
            return fmt::format("{{type: time, unit: {}, from: {}, to: {}}}", unit, from, to);
        };
        const std::string crc32 = "{type: hash, function: crc32, slots: 16}",
                          murmur3 = "{type: hash, function: murmur3, slots: 16}",
                          fnv1a = "{type: hash, function: fnv1a, slots: 16}",
                          md5 = "{type: hash, function: md5, slots: 16}",
                          bin = "VARCHAR(10) COLLATE utf8mb4_bin";
        const bool mariadb = server_.query("SELECT VERSION()")[0][0]->find("MariaDB") != std::string::npos;
        const std::string no_pad =
            std::string{"VARCHAR(10) COLLATE "} + (mariadb ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin");
        const auto composite = [](const std::string& first, const std::string& second) {
            return fmt::format("{{type: composite, keys: [{{column: k, {}}}, {{column: w, {}}}]}}", first,
                               second);
        };
        const Setup setups[] = {
            {"BIGINT", crc32},
            {"BIGINT UNSIGNED", murmur3},
            {"INT", md5},
            {"INT UNSIGNED", fnv1a},
            {"MEDIUMINT", crc32},
            {"MEDIUMINT UNSIGNED", murmur3},
            {"SMALLINT", fnv1a},
            {"SMALLINT UNSIGNED", crc32},
            {"TINYINT", md5},
            {"BIGINT UNSIGNED ZEROFILL", crc32},
            {bin, crc32},
            {"CHAR(10) COLLATE utf8mb4_bin", crc32},
            {"VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_bin", murmur3},
            {"VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin", fnv1a},
            {"VARCHAR(10) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin", md5},
            {no_pad, crc32},
            {"VARBINARY(10)", fnv1a},
            {"BINARY(4)", crc32},
            {"DATE", crc32},
            {"DATETIME", murmur3},
            {"DATETIME(3)", crc32},
            {"DATETIME(6)", md5},
            {"BIGINT", "{type: mod, slots: 16}"},
            {"TINYINT UNSIGNED", "{type: mod, slots: 7}"},
            {"BIGINT UNSIGNED", "{type: mod, slots: 5}"},
            {"BIGINT", "{type: range, boundaries: [-100, 0, 42, 128, 65536, 9007199254740993]}", true},
            {"BIGINT UNSIGNED", "{type: range, boundaries: [42, 128, 9223372036854775808]}", true},
            {bin, "{type: range, boundaries: [\"A\", \"a\", \"ab\", \"z\"]}", true},
            {"VARBINARY(10)", "{type: range, boundaries: [\"A\", \"a\", \"ab\", \"z\"]}", true},
            {no_pad, "{type: range, boundaries: [\"A\", \"a\", \"ab\", \"z\"]}", true},
            {"INT UNSIGNED", "{type: list, values: {0: [0, 1], 1: [42, 255]}, default: 2}"},
            {bin, "{type: list, values: {0: [a, A], 1: [ann, \"42\"]}, default: 2}"},
            {"INT", "{type: list, values: {0: [0, 1], 1: [42, 255]}}"},
            {"DATE", time("month", "2026-01", "2026-12"), true},
            {"DATE", time("day", "2026-01-20", "2026-03-05"), true},
            {"DATE", time("week", "2025-12-29", "2026-03-02"), true},
            {"DATETIME(3)", time("month", "2026-01", "2026-12"), true},
            {"DATETIME(6)", time("quarter", "2024-Q1", "2026-Q4"), true},
            {"DATETIME", time("year", "2020", "2029"), true},
            {"TIMESTAMP", time("month", "2026-01", "2026-12"), true},
            {"TIMESTAMP(6)", time("month", "2024-01", "2026-12"), true},
            {"BIGINT", "{type: ring, vnodes: 20}"},
            {bin, "{type: ring, vnodes: 20, function: md5}"},
            {"BIGINT", composite("type: hash, function: crc32, slots: 4", "type: mod, slots: 3")},
            {bin, composite("type: hash, function: crc32, slots: 4", "type: hash, slots: 3")},
            {"DATE",
             composite("type: time, unit: month, from: 2026-01, to: 2026-04", "type: hash, slots: 4")},
            {"BIGINT", composite("type: range, boundaries: [0, 42, 65536]",
                                 "type: list, values: {0: [0, 1], 1: [2]}, default: 2")},
        };
        fmt::print("{:<120} {:>10} {:>8} {:>8} {:>6}\n", "key and algorithm", "predicates", "visited",
                   "in vain", "missed");
        std::map<std::string, int> setups_of;
        for (const auto& setup : setups) ++setups_of[kind_of(setup)];
        for (const auto& setup : setups) {
            share_ = (predicates_ + setups_of[kind_of(setup)] - 1) / setups_of[kind_of(setup)];
            if ((setup.type + " " + setup.algorithm).find(only_) != std::string::npos) check(setup);
        }
        fmt::print("{:<120} {:>10} {:>8} {:>8} {:>6}\n", "algorithm", "predicates", "visited", "in vain",
                   "missed");
        for (const auto& [kind, sum] : sums_)
            fmt::print("{:<120} {:>10} {:>8.2f} {:>8.2f} {:>6}\n", kind, sum.planned,
                       sum.average(sum.visited), sum.average(sum.surplus), sum.failures);
        server_.query("DROP DATABASE router_oracle");
        fmt::print("{} predicates, {} failures\n", predicates_planned_, failures_);
        return failures_ == 0;
    }

private:
    struct Sum {
        long planned = 0, visited = 0, surplus = 0, failures = 0;
        double average(long of) const {
            return planned == 0 ? 0.0 : static_cast<double>(of) / static_cast<double>(planned);
        }
    };
    // "hash", "mod", ...
    static std::string kind_of(const Setup& setup) {
        const std::size_t begin = setup.algorithm.find("type: ") + 6;
        return setup.algorithm.substr(begin, setup.algorithm.find_first_of(",}", begin) - begin);
    }
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
        const bool composite = algorithm.find("composite") != std::string::npos;
        return text + "}\n        layout: {database: \"s_{shard:02}\"}\n    tables:\n      t: {group: g" +
               (composite ? "" : ", key: k") + "}\n";
    }

    void check(const Setup& setup) {
        name_ = setup.type + " " + setup.algorithm;
        ordered_ = setup.ordered;
        composite_ = setup.algorithm.find("composite") != std::string::npos;
        const long failures_before = failures_;
        server_.query("DROP TABLE IF EXISTS t");
        server_.query("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, k " + setup.type +
                      " NOT NULL, v INT NULL, w SMALLINT NOT NULL, KEY (k))");
        server_.query("SET time_zone = '+00:00'");
        const auto tables =
            schema::tables_from_rows(server_.query(schema::tables_query("router_oracle")),
                                     server_.query(schema::columns_query("router_oracle")), {});
        column_ = tables.at("t")->columns[1];
        literals_ = is_integer(column_.type) ? number_literals()
                    : is_dated(column_.type) ? moment_literals()
                                             : text_literals();
        own_.clear();
        own_keys_.clear();
        server_.query("BEGIN");
        for (const auto& literal : literals_) {
            const auto match = key_of(column_, literal.literal());
            try {
                // Of a composite key each value comes with several of the other part's.
                for (int copies = composite_ ? 4 : 1; copies > 0; --copies)
                    server_.query(fmt::format("INSERT INTO t (k, v, w) VALUES ({}, {}, {})", literal.sql,
                                              one_in(4) ? "NULL" : std::to_string(pick(3)), pick(w_values)));
                // TRUE beside numbers in a list is of another kind; what is cut or rounded as it is stored is
                // no row's value.
                const auto stored = stored_key(column_, literal.literal());
                const auto* kept = std::get_if<Key>(&stored);
                if (std::holds_alternative<Key>(match) && literal.kind != LiteralKind::boolean &&
                    kept != nullptr && *kept == std::get<Key>(match))
                    own_.push_back(literal), own_keys_.push_back(std::get<Key>(match));
            } catch (const ServerError&) {
                continue;
            }
        }
        server_.query("COMMIT");
        const auto loaded = load_rules(rules_text(setup.algorithm, slots_of_text(setup.algorithm)), "f");
        topology_ = Topology::build(
            loaded.rules,
            std::make_shared<const schema::Catalog>(schema::Catalog{{{"router_oracle", tables}}}), {},
            ++epoch_);
        const auto& table = *topology_->table("router_oracle", "t");
        slots_.clear();
        const bool by_hex = is_text(column_.type) || is_bytes(column_.type);
        for (const auto& row :
             server_.query(by_hex ? "SELECT id, HEX(k), w FROM t" : "SELECT id, k, w FROM t")) {
            std::string cell = *row[1];
            if (by_hex) {
                std::string bytes;
                for (std::size_t i = 0; i < cell.size(); i += 2)
                    bytes += static_cast<char>(std::stoi(cell.substr(i, 2), nullptr, 16));
                cell = bytes;
            }
            const auto key = key_of_row(column_, cell, by_hex ? column_.charset : "utf8mb4");
            std::optional<Slot> slot;
            if (key) {
                std::vector<Key> keys{*key};
                if (composite_) keys.push_back(Key::of(static_cast<std::int64_t>(std::stoll(*row[2]))));
                slot = table.group->algorithm->slot_of(keys);
            }
            // Rows without a slot could not be inserted through us.
            if (!slot) server_.query("DELETE FROM t WHERE id = " + *row[0]);
            if (slot) slots_[*row[0]] = table.group->map.shard_of(*slot);
        }
        long surplus = 0, visited = 0, planned = 0;
        for (int i = 0; i < share_; ++i) try_predicate(surplus, visited, planned);
        const Sum sum{planned, visited, surplus, failures_ - failures_before};
        fmt::print("{:<120} {:>10} {:>8.2f} {:>8.2f} {:>6}\n", name_, planned, sum.average(visited),
                   sum.average(surplus), sum.failures);
        std::fflush(stdout);
        Sum& all = sums_[kind_of(setup)];
        all.planned += planned;
        all.visited += visited;
        all.surplus += surplus;
        all.failures += sum.failures;
        predicates_planned_ += planned;
    }

    void try_predicate(long& surplus, long& visited, long& planned) {
        const bool simple = one_in(3);
        loose_ = composite_;
        allowed_.clear();
        const std::string where = simple ? simple_predicate(2, allowed_) : predicate(3);
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
        if (!simple) return;
        // Nothing can match: one shard answers so.
        const bool in_vain = std::any_of(reached.begin(), reached.end(),
                                         [&](ShardId shard) { return !allowed_.contains(shard); });
        if (in_vain && !(matching.empty() && reached.size() == 1))
            return fail(where,
                        fmt::format("{} shards visited, {} can hold rows", reached.size(), allowed_.size()));
        if (!loose_ && reached.size() > std::max<std::size_t>(matching.size(), 1))
            fail(where, fmt::format("{} shards visited, {} hold rows", reached.size(), matching.size()));
    }

    void fail(const std::string& where, const std::string& what) {
        ++failures_;
        if (failures_ <= 40) fmt::print("FAILED {}: WHERE {}: {}\n", name_, where, what);
    }

    const Written& any_literal() {
        return one_in(3) ? literals_[pick(literals_.size())] : own_[pick(own_.size())];
    }

    using ShardSet = std::set<ShardId>;
    std::optional<ShardId> shard_of(const Key& key, std::size_t w) const {
        const auto& table = *topology_->table("router_oracle", "t");
        std::vector<Key> keys{key};
        if (composite_) keys.push_back(Key::of(static_cast<std::int64_t>(w)));
        const auto slot = table.group->algorithm->slot_of(keys);
        if (!slot) return std::nullopt;
        return table.group->map.shard_of(*slot);
    }

    // =, IN, AND, OR on the key (ranges where order is kept), with literals of its own type that rows have;
    // `allowed` are the shards that may be asked.
    std::string simple_predicate(int depth, ShardSet& allowed) {
        if (depth > 0 && one_in(2)) {
            const bool is_and = one_in(3);
            ShardSet right;
            const std::string one = simple_predicate(depth - 1, allowed);
            const std::string two = simple_predicate(depth - 1, right);
            if (is_and) {
                // Slots are intersected, not values: k = 1 AND k = 2 may leave the one slot of both.
                loose_ = true;
                std::erase_if(allowed, [&](ShardId shard) { return !right.contains(shard); });
            } else {
                allowed.insert(right.begin(), right.end());
            }
            return fmt::format("({} {} {})", one, is_and ? "AND" : "OR", two);
        }
        if (composite_) return simple_pair(allowed);
        const std::size_t at = pick(own_.size());
        const std::string& own = own_[at].sql;
        const auto shard = shard_of(own_keys_[at], 0);
        if (ordered_ && shard && one_in(2)) return simple_range(at, *shard, allowed);
        if (shard) allowed.insert(*shard);
        // An IN list mixes no kinds: MySQL would compare doubles.
        if (!one_in(3)) return one_in(4) ? fmt::format("{} = k", own) : fmt::format("k = {}", own);
        if (own_[at].text.size() > 15) return fmt::format("k = {}", own);
        std::string list = own;
        for (int i = 0; i < 4; ++i) {
            const std::size_t other = pick(own_.size());
            if (own_[other].kind != own_[at].kind || own_[other].text.size() > 15) continue;
            list += ", " + own_[other].sql;
            if (const auto found = shard_of(own_keys_[other], 0)) allowed.insert(*found);
        }
        return fmt::format("k IN ({})", list);
    }

    // Shards of an algorithm that keeps order rise with the key.
    std::string simple_range(std::size_t at, ShardId shard, ShardSet& allowed) {
        loose_ = true;  // a shard that a range meets may hold no row just now
        const auto add = [&](std::size_t first, std::size_t last) {
            for (std::size_t each = first; each <= last; ++each) allowed.insert(ShardId{each});
        };
        const std::size_t count = topology_->table("router_oracle", "t")->group->map.shard_count();
        const std::size_t other = pick(own_.size());
        const auto second = shard_of(own_keys_[other], 0);
        // Ends of two kinds may make doubles or texts of all three.
        if (second && own_[other].kind == own_[at].kind && one_in(2)) {
            if (shard.value <= second->value) add(shard.value, second->value);
            return fmt::format("k BETWEEN {} AND {}", own_[at].sql, own_[other].sql);
        }
        const bool upwards = one_in(2);
        if (upwards)
            add(shard.value, count - 1);
        else
            add(0, shard.value);
        return fmt::format("k {}{} {}", upwards ? ">" : "<", one_in(2) ? "=" : "", own_[at].sql);
    }

    // Both parts of a composite key.
    std::string simple_pair(ShardSet& allowed) {
        const std::size_t at = pick(own_.size()), other = pick(own_.size()), w = pick(w_values);
        if (const auto shard = shard_of(own_keys_[at], w)) allowed.insert(*shard);
        if (!one_in(3)) return fmt::format("(k = {} AND w = {})", own_[at].sql, w);
        if (const auto shard = shard_of(own_keys_[other], w)) allowed.insert(*shard);
        return fmt::format("((k = {} OR k = {}) AND {} = w)", own_[at].sql, own_[other].sql, w);
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
        switch (pick(15)) {
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
        case 13:
            if (composite_) return fmt::format("w {} {}", comparison, pick(w_values));
            [[fallthrough]];
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
    std::string only_;  // setups that have this in their name
    std::string name_;
    schema::Column column_;
    std::vector<Written> literals_, own_;
    std::shared_ptr<const Topology> topology_;
    std::map<std::string, ShardId> slots_;  // shard by id of the row
    OracleSession session_;
    sqlparse::ParseOptions options_;
    plan::Planner planner_;
    std::mt19937_64 random_{11};
    static constexpr std::size_t w_values = 5;
    bool ordered_ = false, composite_ = false;
    std::vector<Key> own_keys_;  // of own_
    ShardSet allowed_;           // of a simple predicate: where rows may lie
    bool loose_ = false;         // of a simple predicate: not every shard that may be asked must hold a row
    long predicates_planned_ = 0;
    std::uint64_t epoch_ = 0;  // plans are cached by it
    int share_ = 0;            // of predicates_, for one setup
    std::map<std::string, Sum> sums_;
    long failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        Server server;
        const int predicates = argc > 1 ? std::atoi(argv[1]) : 5'000;
        return RouterOracle{server, predicates, argc > 2 ? argv[2] : ""}.run() ? 0 : 1;
    } catch (const ServerError& error) {
        fmt::print(stderr, "{} ({})\n", error.text, error.code);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
    }
    return 2;
}
