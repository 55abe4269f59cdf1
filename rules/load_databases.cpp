#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rules/layout.hpp"
#include "rules/load_parts.hpp"
#include "schema/table.hpp"

namespace shardway::rules {

namespace {

constexpr std::size_t name_bytes_max = 64;
constexpr std::string_view id_generators[] = {"snowflake", "segment", "uuid7"};
// Gene bits are taken from the sequence of a snowflake id.
constexpr std::uint64_t gene_bits_max = 12;

class DatabaseReader {
public:
    DatabaseReader(YamlReader& in, const Rules& rules, Database& database)
        : in_{in}, rules_{rules}, database_{database} {}

    void read(const At& at, std::vector<LayoutPlace>& layouts) {
        MapReader map{in_, at};
        if (const auto node = map.need("default_node", "the node of single tables"))
            if (const auto id = read_node_name(in_, *node, rules_)) database_.default_node = *id;
        if (const auto groups = map.find("groups")) read_groups(*groups, layouts);
        if (const auto tables = map.find("tables")) read_tables(*tables);
        map.finish();
        if (groups_are_whole_) check_locator_tables();
    }

private:
    void read_groups(const At& at, std::vector<LayoutPlace>& layouts) {
        const auto pairs = in_.pairs(at);
        if (pairs.size() > groups_max)
            in_.report(at, fmt::format("{} groups", pairs.size()), fmt::format("at most {}", groups_max));
        for (const auto& pair : pairs) {
            group_names_.push_back(pair.name);
            if (const auto problem = name_problem(pair.name); !problem.empty())
                in_.report_at(pair.key_mark, pair.value.path, problem, "the name of a group");
            auto group = read_group(in_, pair.value, pair.name, database_.name, rules_);
            groups_are_whole_ = groups_are_whole_ && group;
            if (!group) {
                // Keeps the numbers of the others; nothing is built from rules with findings.
                group.emplace();
                group->name = pair.name;
            } else {
                const YAML::Node layout = pair.value.node["layout"];
                At place = pair.value;
                if (layout.IsDefined()) place = {layout, pair.value.path + ".layout", layout.Mark()};
                layouts.push_back({&database_, GroupId{database_.groups.size()}, place});
            }
            database_.groups.push_back(std::move(*group));
        }
    }

    std::optional<GroupId> read_group_name(const At& at) {
        const auto name = in_.text(at);
        if (!name) return std::nullopt;
        const auto found = std::find(group_names_.begin(), group_names_.end(), *name);
        if (found != group_names_.end())
            return GroupId{static_cast<std::size_t>(found - group_names_.begin())};
        const auto meant = nearest(*name, group_names_);
        in_.report(at, fmt::format("'{}'", *name),
                   meant ? fmt::format("'{}'?", *meant) : "a group of this database");
        return std::nullopt;
    }

    void read_tables(const At& at) {
        for (const auto& pair : in_.pairs(at)) {
            if (const auto problem = name_problem(pair.name); !problem.empty())
                in_.report_at(pair.key_mark, pair.value.path, problem, "the name of a table");
            MapReader map{in_, pair.value};
            TableRule table;
            table.name = pair.name;
            const int kinds = int{map.has("group")} + int{map.has("reference")} + int{map.has("single")};
            if (kinds != 1 && pair.value.node.IsMap()) {
                in_.report(pair.value,
                           kinds == 0 ? "neither group nor reference nor single"
                                      : "more than one of group, reference and single",
                           "one of them");
                continue;
            }
            if (map.has("group")) {
                if (auto sharded = read_sharded(map, pair)) table.kind = std::move(*sharded);
            } else if (map.has("reference")) {
                ReferenceTable reference;
                const auto flag = map.find("reference");
                if (const auto yes = in_.boolean(*flag); yes && !*yes)
                    in_.report(*flag, "false", "true, or leave the key out");
                if (const auto id = map.find("id")) reference.id = read_id(*id);
                table.kind = std::move(reference);
            } else if (const auto node = map.find("single")) {
                SingleTable single;
                if (const auto id = read_node_name(in_, *node, rules_)) single.node = *id;
                table.kind = single;
            }
            map.finish();
            marks_.emplace(pair.name, pair.value);
            database_.tables.emplace(pair.name, std::move(table));
        }
    }

    std::optional<ShardedTable> read_sharded(MapReader& map, const YamlReader::Pair& pair) {
        ShardedTable table;
        const auto group = read_group_name(*map.find("group"));
        if (group) table.group = *group;
        const auto* composite =
            group ? std::get_if<std::shared_ptr<const CompositeRule>>(&database_.group(*group).algorithm)
                  : nullptr;
        if (composite != nullptr && *composite != nullptr) {
            for (const auto& part : (*composite)->parts) table.keys.push_back(part.column);
            if (const auto key = map.find("key"))
                in_.report(*key, "a key beside a composite algorithm", "no key: its keys name the columns");
        } else if (const auto key = map.need("key", "the column whose value picks the slot")) {
            if (const auto column = in_.text(*key)) table.keys.push_back(*column);
        }
        if (const auto id = map.find("id")) table.id = read_id(*id);
        if (const auto locators = map.find("locators")) read_locators(*locators, pair.name, table);
        if (const auto gene = map.find("gene")) read_gene(*gene, table);
        if (!group || table.keys.empty()) return std::nullopt;
        return table;
    }

    std::optional<IdRule> read_id(const At& at) {
        MapReader map{in_, at};
        IdRule rule;
        const auto column = map.need("column", "the column to fill");
        const auto generator = map.need("generator", listed(id_generators));
        if (column)
            if (const auto name = in_.text(*column)) rule.column = *name;
        if (generator)
            if (const auto which = in_.one_of(*generator, id_generators))
                rule.generator = static_cast<IdGenerator>(*which);
        map.finish();
        return rule;
    }

    void read_locators(const At& at, const std::string& table_name, ShardedTable& table) {
        for (const auto& pair : in_.pairs(at)) {
            MapReader map{in_, pair.value};
            LocatorRule locator;
            locator.column = pair.name;
            locator.table = fmt::format("{}__by_{}", table_name, pair.name);
            const auto group = map.need("group", "a group that is sharded by this column");
            const auto id = group ? read_group_name(*group) : std::nullopt;
            map.finish();
            if (!id) continue;
            locator.group = *id;
            if (schema::same_identifier(pair.name, table.keys.empty() ? "" : table.keys.front()))
                in_.report_at(pair.key_mark, pair.value.path, "a locator by the shard key",
                              "another column: the key routes by itself");
            if (*id == table.group)
                in_.report(*group, "the table's own group",
                           "a group of the locator's own, sharded by this column");
            if (std::holds_alternative<std::shared_ptr<const CompositeRule>>(database_.group(*id).algorithm))
                in_.report(*group, "a group with a composite algorithm", "an algorithm over one column");
            if (table.keys.size() > 1)
                in_.report_at(pair.key_mark, pair.value.path, "a locator of a table with a composite key",
                              "a table with one key column");
            if (locator.table.size() > name_bytes_max)
                in_.report_at(pair.key_mark, pair.value.path, fmt::format("the name {}", locator.table),
                              fmt::format("at most {} bytes", name_bytes_max));
            table.locators.push_back(std::move(locator));
        }
    }

    void read_gene(const At& at, ShardedTable& table) {
        MapReader map{in_, at};
        GeneRule gene;
        const auto column = map.need("column", "the column whose low bits are the slot");
        const auto bits = map.need("bits", "how many bits");
        if (column)
            if (const auto name = in_.text(*column)) gene.column = *name;
        if (bits) gene.bits = static_cast<std::uint32_t>(in_.integer(*bits, 1, gene_bits_max).value_or(0));
        map.finish();
        if (!bits || gene.bits == 0 || table.keys.empty()) return;
        const Group& group = database_.group(table.group);
        if (group.shards.empty()) return;  // it is wrong itself, and said so
        if (group.slot_count() > std::uint32_t{1} << gene.bits)
            in_.report(*bits, fmt::format("{} bits for {} slots", gene.bits, group.slot_count()),
                       "2^bits at least the slots of the group");
        if (table.keys.size() > 1) in_.report(at, "a gene of a composite key", "a table with one key column");
        if (schema::same_identifier(gene.column, table.keys.front()))
            in_.report(*column, "the shard key itself", "another column");
        if (table.id && schema::same_identifier(table.id->column, gene.column) &&
            table.id->generator == IdGenerator::uuid7)
            in_.report(at, "a gene in a column that uuid7 fills", "generator: snowflake or segment");
        table.gene = std::move(gene);
    }

    // Locator tables have names of their own.
    void check_locator_tables() {
        for (const auto& [name, table] : database_.tables) {
            if (table.sharded() == nullptr) continue;
            for (const auto& locator : table.sharded()->locators)
                if (database_.tables.contains(locator.table))
                    in_.report(marks_.at(locator.table), fmt::format("the name of a locator of {}", name),
                               "another name");
        }
    }

    YamlReader& in_;
    const Rules& rules_;
    Database& database_;
    std::vector<std::string> group_names_;
    std::map<std::string, At> marks_;
    bool groups_are_whole_ = true;
};

// All logical tables that have a place in each shard of a group.
std::vector<std::string> tables_of_group(const Database& database, GroupId group) {
    std::vector<std::string> names;
    for (const auto& [name, table] : database.tables) {
        const auto* sharded = table.sharded();
        if (sharded == nullptr) continue;
        if (sharded->group == group) names.push_back(name);
        for (const auto& locator : sharded->locators)
            if (locator.group == group) names.push_back(locator.table);
    }
    return names;
}

}  // namespace

bool is_reserved_database(std::string_view name) {
    for (const std::string_view reserved :
         {meta_database, empty_database, std::string_view{"mysql"}, std::string_view{"sys"},
          std::string_view{"information_schema"}, std::string_view{"performance_schema"}})
        if (schema::same_identifier(name, reserved)) return true;
    return false;
}

std::string name_problem(std::string_view name) {
    if (name.empty()) return "an empty name";
    if (name.size() > name_bytes_max)
        return fmt::format("a name of {} bytes, more than {}", name.size(), name_bytes_max);
    const auto is_bad = [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '`' || c == '.' || c == '/' || c == '\\' ||
               c == 0x7f;
    };
    if (std::any_of(name.begin(), name.end(), is_bad)) return fmt::format("the name '{}'", name);
    return "";
}

std::optional<NodeId> read_node_name(YamlReader& in, const At& at, const Rules& rules) {
    const auto name = in.text(at);
    if (!name) return std::nullopt;
    if (const auto id = rules.find_node(*name)) return id;
    std::vector<std::string> names;
    for (const auto& node : rules.nodes) names.push_back(node.name);
    const auto meant = nearest(*name, names);
    in.report(at, fmt::format("'{}'", *name), meant ? fmt::format("'{}'?", *meant) : "a node of these rules");
    return std::nullopt;
}

void read_databases(YamlReader& in, const At& at, Rules& rules) {
    std::vector<LayoutPlace> layouts;
    const auto pairs = in.pairs(at);
    if (pairs.empty() && at.node.IsMap()) in.report(at, "no database", "at least one database");
    for (const auto& pair : pairs) {
        if (const auto problem = name_problem(pair.name); !problem.empty())
            in.report_at(pair.key_mark, pair.value.path, problem, "the name of a database");
        if (is_reserved_database(pair.name))
            in.report_at(pair.key_mark, pair.value.path, "a reserved name", "another name");
        auto& database = rules.databases[pair.name];
        database.name = pair.name;
        DatabaseReader{in, rules, database}.read(pair.value, layouts);
    }
    check_layouts(in, rules, layouts);
}

void check_layouts(YamlReader& in, const Rules& rules, const std::vector<LayoutPlace>& layouts) {
    struct Owner {
        const Database* database;
        GroupId group;
        bool operator==(const Owner&) const = default;
    };
    std::map<std::string, Owner> owners;  // of physical databases, on whatever node: shards move
    for (const auto& [database, id, at] : layouts) {
        const Group& group = database->group(id);
        const auto algorithm = make_algorithm(group.algorithm);
        const auto tables = tables_of_group(*database, id);
        std::set<std::tuple<std::uint32_t, std::string, std::string>> places;
        for (std::size_t i = 0; i < group.shards.size(); ++i) {
            const ShardId shard{i};
            const std::string name = shard_database(group.layout, rules, group.shards, *algorithm, shard);
            std::string problem = name_problem(name);
            if (problem.empty() && is_reserved_database(name))
                problem = fmt::format("the reserved database {}", name);
            if (problem.empty() && rules.databases.contains(name))
                problem = fmt::format(
                    "shard {} in {}, which is a logical database and lies on nodes as a template", i, name);
            const auto [owner, is_new] = owners.emplace(name, Owner{database, id});
            if (problem.empty() && !is_new && !(owner->second == Owner{database, id}))
                problem = fmt::format("the database {}, which group {} of {} uses", name,
                                      owner->second.database->group(owner->second.group).name,
                                      owner->second.database->name);
            for (const auto& table : tables) {
                if (!problem.empty()) break;
                const std::string physical =
                    shard_table(group.layout, rules, group.shards, *algorithm, shard, table);
                problem = name_problem(physical);
                if (problem.empty() && !places.emplace(group.shards[i].node.value, name, physical).second)
                    problem = fmt::format("{}.{} twice on {}", name, physical,
                                          rules.node(group.shards[i].node).name);
            }
            if (problem.empty()) continue;
            in.report(at, problem, "names of its own for each shard and table of a group");
            break;
        }
    }
}

}  // namespace shardway::rules
