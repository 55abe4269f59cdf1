#include "middleware/cli/skew_command.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "middleware/backend/catalog_loader.hpp"
#include "middleware/backend/control_connection.hpp"
#include "middleware/cli/schema_file.hpp"
#include "middleware/cli/targets.hpp"
#include "rules/load.hpp"
#include "rules/skew.hpp"
#include "rules/stored_maps.hpp"
#include "rules/topology.hpp"

namespace shardway::cli {

namespace {

constexpr std::size_t shown_values = 5;
constexpr std::uint32_t planned_shards = 16;  // of tables that have no group yet

// The rules, options or table are not what they should be: status 2.
struct WrongInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// A node failed: status 1.
struct NodeFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A physical table that holds rows of the logical one.
struct RowPlace {
    rules::NodeId node;
    std::string quoted, database, table;
};

// What is counted for one candidate key.
struct Candidate {
    schema::Column column;
    std::string problem;        // why it could not be the key; it is counted all the same
    bool takes_any_key = true;  // its algorithm does
    std::unique_ptr<rules::SkewCount> count;
};

backend::ControlConnection connected(const rules::Rules& rules, rules::NodeId node) {
    auto connection = backend::ControlConnection::connect(control_target(rules, node));
    if (connection.has_error()) throw NodeFailed(connection.error().message);
    if (const auto set = connection->exec("SET time_zone = '+00:00'"); set.has_error())
        throw NodeFailed(set.error().message);
    return std::move(*connection);
}

class SkewRun {
public:
    explicit SkewRun(const SkewOptions& options) : options_{options} {
        auto loaded = rules::load_rules_file(options.config);
        std::string findings;
        for (const auto& finding : loaded.findings)
            findings += (findings.empty() ? "" : "\n") + finding.text();
        if (!loaded.rules) throw WrongInput(findings);
        rules_ = loaded.rules;
        database_ = options.database.empty() ? default_schema_database(*rules_) : options.database;
        if (rules_->find_database(database_) == nullptr)
            throw WrongInput(fmt::format("the rules name no database '{}'; say --database", database_));
        find_table();
        choose_keys();
    }

    void count() {
        std::string columns;
        for (const auto& candidate : candidates_)
            columns += (columns.empty() ? "" : ", ") + backend::quoted_name(candidate.column.name);
        for (const auto& place : places_) {
            auto node = connected(*rules_, place.node);
            const std::string limit = options_.rows == 0 ? "" : fmt::format(" LIMIT {}", options_.rows);
            const auto done =
                node.for_each_row(fmt::format("SELECT {} FROM {}{}", columns, place.quoted, limit),
                                  [&](backend::ControlConnection::Cells cells) {
                                      for (std::size_t i = 0; i < candidates_.size(); ++i)
                                          add(candidates_[i], cells[i]);
                                      return true;
                                  });
            if (done.has_error()) throw NodeFailed(done.error().message);
            add_bytes(node, place);
        }
        std::stable_sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
            return shard_imbalance(a) < shard_imbalance(b);
        });
    }

    void print_text() const {
        fmt::print("{}.{}: {} rows counted, about {} bytes\n", database_, options_.table,
                   candidates_.front().count->rows() + candidates_.front().count->keyless(), bytes_);
        for (const auto& candidate : candidates_) {
            const auto& count = *candidate.count;
            fmt::print("\nkey {} ({}){}\n", candidate.column.name, candidate.column.type_text,
                       candidate.problem.empty() ? "" : ": could not be the key, " + candidate.problem);
            fmt::print("  largest against even: slot {:.2f}, shard {:.2f}, node {:.2f}\n",
                       rules::imbalance(count.by_slot()), shard_imbalance(candidate),
                       rules::imbalance(by_node(count)));
            const auto nodes = by_node(count);
            for (std::size_t i = 0; has_nodes_ && i < nodes.size(); ++i)
                fmt::print("  {:<16} {:>12} rows {:>5.1f} %\n", rules_->nodes[i].name, nodes[i],
                           share(nodes[i], count.rows()));
            for (const auto& [value, rows] : count.heaviest(shown_values))
                if (share(rows, count.rows()) >= 0.5)
                    fmt::print("  value {:<10} {:>12} rows or more, {:.1f} %\n", value, rows,
                               share(rows, count.rows()));
            if (count.keyless() > 0) fmt::print("  {} rows without a key\n", count.keyless());
            if (count.slotless() > 0) fmt::print("  {} rows without a slot\n", count.slotless());
        }
    }

    void print_json() const {
        boost::json::array keys;
        for (const auto& candidate : candidates_) {
            const auto& count = *candidate.count;
            const auto list = [](const std::vector<std::uint64_t>& parts) {
                boost::json::array array;
                for (const auto rows : parts) array.emplace_back(rows);
                return array;
            };
            boost::json::array heaviest;
            for (const auto& [value, rows] : count.heaviest(shown_values))
                heaviest.push_back(boost::json::object{{"value", value}, {"rows_at_least", rows}});
            keys.push_back(
                boost::json::object{{"key", candidate.column.name},
                                    {"problem", candidate.problem},
                                    {"rows", count.rows()},
                                    {"keyless", count.keyless()},
                                    {"slotless", count.slotless()},
                                    {"slots", list(count.by_slot())},
                                    {"shards", list(count.by_shard(*map_))},
                                    {"nodes", has_nodes_ ? list(by_node(count)) : boost::json::array{}},
                                    {"slot_imbalance", rules::imbalance(count.by_slot())},
                                    {"shard_imbalance", shard_imbalance(candidate)},
                                    {"heaviest", heaviest}});
        }
        const boost::json::object all{
            {"database", database_}, {"table", options_.table}, {"bytes", bytes_}, {"keys", keys}};
        fmt::print("{}\n", boost::json::serialize(all));
    }

private:
    static double share(std::uint64_t part, std::uint64_t whole) {
        return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    }
    double shard_imbalance(const Candidate& candidate) const {
        return rules::imbalance(candidate.count->by_shard(*map_));
    }
    std::vector<std::uint64_t> by_node(const rules::SkewCount& count) const {
        return count.by_node(*map_, has_nodes_ ? rules_->nodes.size() : 1);
    }

    rules::StoredMaps stored_maps() const {
        std::filesystem::path file{rules_->meta.sqlite};
        if (file.empty()) return {};
        if (!options_.data.empty()) file = std::filesystem::path{options_.data} / file.filename();
        if (!std::filesystem::exists(file)) return {};
        return rules::load_maps(*rules_, *schema::open_sqlite_store(file.string()));
    }

    // Where the table's rows are, its columns, and the slot map that is asked about.
    void find_table() {
        const rules::Database& database = *rules_->find_database(database_);
        auto home = connected(*rules_, database.default_node);
        auto tables = backend::load_tables(home, database_);
        if (tables.has_error()) throw NodeFailed(tables.error().message);
        const auto known = tables->find(options_.table);
        if (known == tables->end())
            throw WrongInput(fmt::format("no table {}.{} on {}", database_, options_.table,
                                         rules_->node(database.default_node).name));
        columns_ = known->second;
        auto catalog =
            std::make_shared<const schema::Catalog>(schema::Catalog{{{database_, std::move(*tables)}}});
        topology_ = rules::Topology::build(rules_, catalog, stored_maps(), 0);
        const auto* table = topology_->table(database_, options_.table);
        if (table != nullptr && table->is_sharded()) {
            algorithm_ = table->group->algorithm;
            map_ = table->group->map;
            has_nodes_ = true;
            if (algorithm_->part_count() > 1) throw WrongInput("tables with a composite key are not counted");
            for (std::size_t i = 0; i < table->places.size(); ++i) {
                const auto& place = table->places[i];
                places_.push_back(
                    {map_->node_of(rules::ShardId{i}), place.quoted, place.database, place.table});
            }
            own_key_ = table->sharded()->key();
            return;
        }
        if (options_.slots < 1 || options_.slots > rules::slots_max)
            throw WrongInput(fmt::format("{} slots; there may be 1 to {}", options_.slots, rules::slots_max));
        algorithm_ = rules::make_algorithm(rules::HashRule{rules::HashFunction::crc32, options_.slots});
        std::vector<rules::SlotMap::Shard> shards;
        const std::uint32_t size = std::max<std::uint32_t>(1, options_.slots / planned_shards);
        for (std::uint32_t first = 0; first < options_.slots; first += size)
            shards.push_back({{first, std::min(first + size, options_.slots) - 1}, rules::NodeId{0u}});
        map_.emplace(0, std::move(shards));
        const rules::NodeId node =
            table == nullptr || table->is_reference() ? database.default_node : table->node;
        places_.push_back({node, backend::quoted_name(database_) + "." + backend::quoted_name(options_.table),
                           database_, options_.table});
    }

    void choose_keys() {
        std::vector<std::string> names = options_.keys;
        if (names.empty() && !own_key_.empty()) names.push_back(own_key_);
        if (names.empty())
            throw WrongInput(fmt::format("table {} has no key yet; say --key", options_.table));
        for (const auto& name : names) {
            const auto position = columns_->find_column(name);
            if (!position) throw WrongInput(fmt::format("table {} has no column '{}'", options_.table, name));
            Candidate candidate;
            candidate.column = columns_->columns[*position];
            candidate.problem = rules::key_problem(candidate.column);
            // The table's own algorithm for its own key; for others what takes any key.
            const bool own = schema::same_identifier(name, own_key_);
            const auto plain =
                rules::make_algorithm(rules::HashRule{rules::HashFunction::crc32, algorithm_->slot_count()});
            candidate.takes_any_key = !own || algorithm_->kind_of_part(0) == rules::KeyKind::any;
            candidate.count = std::make_unique<rules::SkewCount>(own ? algorithm_ : plain);
            candidates_.push_back(std::move(candidate));
        }
    }

    static void add(Candidate& candidate, const std::optional<std::string_view>& cell) {
        if (!cell) return candidate.count->add_keyless();
        auto key = rules::key_of_row(candidate.column, *cell);
        // Columns that could not be keys spread as their text does.
        if (!key && !candidate.takes_any_key) return candidate.count->add_keyless();
        if (!key) key = rules::Key::of(std::string{*cell});
        candidate.count->add(*key);
    }

    void add_bytes(backend::ControlConnection& node, const RowPlace& place) {
        const auto rows = node.query(
            "SELECT DATA_LENGTH + INDEX_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = " +
            backend::quoted_text(place.database) + " AND TABLE_NAME = " + backend::quoted_text(place.table));
        if (rows.has_error()) throw NodeFailed(rows.error().message);
        if (!rows->rows.empty() && rows->rows[0][0]) bytes_ += std::stoull(*rows->rows[0][0]);
    }

    const SkewOptions& options_;
    std::shared_ptr<const rules::Rules> rules_;
    std::shared_ptr<const rules::Topology> topology_;
    std::shared_ptr<const schema::Table> columns_;
    std::shared_ptr<const rules::Algorithm> algorithm_;
    std::optional<rules::SlotMap> map_;
    bool has_nodes_ = false;  // the table has a group, so slots have nodes
    std::string database_, own_key_;
    std::vector<RowPlace> places_;
    std::vector<Candidate> candidates_;
    std::uint64_t bytes_ = 0;
};

}  // namespace

int run_skew(const SkewOptions& options) {
    try {
        SkewRun run{options};
        run.count();
        if (options.json) run.print_json();
        if (!options.json) run.print_text();
        return 0;
    } catch (const WrongInput& error) {
        fmt::print(stderr, "shardway skew: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "shardway skew: {}\n", error.what());
        return 1;
    }
}

void add_skew_command(CLI::App& app) {
    auto options = std::make_shared<SkewOptions>();
    CLI::App* const command =
        app.add_subcommand("skew", "How evenly a table's rows lie, or would lie by another key");
    command->add_option("--config", options->config, "rules file")->required();
    command->add_option("--table", options->table, "the table")->required();
    command->add_option("--database", options->database, "its logical database");
    command->add_option("--key", options->keys, "candidate keys; the table's own key when none is named")
        ->delimiter(',');
    command->add_option("--slots", options->slots, "slots, for a table that is not sharded yet")
        ->capture_default_str();
    command->add_option("--rows", options->rows, "read at most so many rows of each place; 0: all")
        ->capture_default_str();
    command->add_option("--data", options->data, "folder of the metadata file");
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options] {
        if (const int status = run_skew(*options); status != 0) throw CLI::RuntimeError(status);
    });
}

}  // namespace shardway::cli
