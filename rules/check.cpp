#include "rules/check.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rules/key.hpp"
#include "rules/yaml_reader.hpp"

namespace shardway::rules {

namespace {

using schema::Column;
using schema::ColumnType;
using schema::Table;

// What an algorithm of this kind takes, and why `column` is not that; empty when it is.
std::string kind_problem(const Column& column, KeyKind kind) {
    const bool fits = kind == KeyKind::any || (kind == KeyKind::number && is_integer(column.type)) ||
                      (kind == KeyKind::moment && is_dated(column.type)) ||
                      (kind == KeyKind::text && (is_text(column.type) || is_bytes(column.type)));
    if (fits) return "";
    return fmt::format("its type {} does not go with the algorithm, which takes {}", name_of(column.type),
                       kind == KeyKind::number ? "integers"
                       : kind == KeyKind::moment
                           ? "DATE, DATETIME or TIMESTAMP"
                           : "texts (numbers, where the rules' values are written without quotes)");
}

// Keys of one family, and only they, meet in one slot when they are equal.
std::string family_of(const Column& column) {
    if (is_integer(column.type)) return "integers";
    if (column.type == ColumnType::binary) return fmt::format("binary({})", column.length);
    if (is_bytes(column.type)) return "binary strings";
    if (is_text(column.type))
        return fmt::format("{} texts that {}", column.charset,
                           schema::pads_space(column.collation) ? "pad" : "do not pad");
    if (is_dated(column.type) && column.type != ColumnType::date)
        return fmt::format("{}({})", name_of(column.type), column.fsp);
    return std::string{name_of(column.type)};
}

class TableChecker {
public:
    TableChecker(const Rules& rules, const std::map<std::string, Place>& places,
                 const schema::Catalog& catalog)
        : rules_{rules}, places_{places}, catalog_{catalog} {}

    std::vector<Finding> run() {
        for (const auto& [name, database] : rules_.databases) {
            if (database.is_single_node()) continue;
            members_.assign(database.groups.size(), {});
            for (const auto& [table_name, rule] : database.tables) check_table(database, rule);
            for (std::size_t group = 0; group < members_.size(); ++group) check_group(database, group);
        }
        std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
            return std::tie(a.line, a.column) < std::tie(b.line, b.column);
        });
        return std::move(findings_);
    }

private:
    // A key column of a group: of a table, or of a locator that lies in it.
    struct Member {
        std::string table;
        std::vector<const Column*> keys;
        std::string path;
    };

    void report(const std::string& path, std::string found, std::string expected) {
        // The place of the nearest key above that is written.
        std::string written = path;
        auto place = places_.find(written);
        while (place == places_.end() && written.rfind('.') != std::string::npos) {
            written.resize(written.rfind('.'));
            place = places_.find(written);
        }
        const Place at = place == places_.end() ? Place{} : place->second;
        findings_.push_back({rules_.file, at.line, at.column, path, std::move(found), std::move(expected)});
    }

    const Column* column_of(const Table& table, const std::string& name, const std::string& path) {
        if (const auto position = table.find_column(name)) return &table.columns[*position];
        std::vector<std::string> names;
        for (const auto& column : table.columns) names.push_back(column.name);
        const auto meant = nearest(name, names);
        report(path, fmt::format("'{}', which table {} does not have", name, table.name),
               meant ? fmt::format("'{}'?", *meant) : "a column of it");
        return nullptr;
    }

    void check_table(const Database& database, const TableRule& rule) {
        const std::string path = fmt::format("databases.{}.tables.{}", database.name, rule.name);
        const Table* const table = catalog_.find(database.name, rule.name);
        if (table == nullptr) {
            std::vector<std::string> names;
            for (const Table* known : catalog_.tables_of(database.name)) names.push_back(known->name);
            const auto meant = nearest(rule.name, names);
            return report(path, fmt::format("no table '{}' in the schema", rule.name),
                          meant ? fmt::format("'{}'?", *meant) : "a CREATE TABLE of it");
        }
        if (table->is_view)
            return report(path, fmt::format("'{}', which is a view", rule.name),
                          "a base table; views need no rule");
        if (const auto* reference = std::get_if<ReferenceTable>(&rule.kind);
            reference != nullptr && reference->id)
            check_id(*table, *reference->id, path + ".id");
        if (const auto* sharded = rule.sharded()) check_sharded(database, *table, *sharded, path);
    }

    void check_sharded(const Database& database, const Table& table, const ShardedTable& rule,
                       const std::string& path) {
        const Group& group = database.group(rule.group);
        const auto algorithm = make_algorithm(group.algorithm);
        const std::string key_path = rule.keys.size() > 1 ? path + ".group" : path + ".key";
        Member member{table.name, {}, key_path};
        for (std::size_t part = 0; part < rule.keys.size(); ++part)
            if (const Column* const column = check_key(table, rule.keys[part], *algorithm, part, key_path))
                member.keys.push_back(column);
        const bool keys_are_there = member.keys.size() == rule.keys.size();
        if (keys_are_there) members_[rule.group.value].push_back(member);

        if (rule.id) check_id(table, *rule.id, path + ".id");
        if (rule.gene) check_gene(table, *rule.gene, path + ".gene");
        for (const auto& locator : rule.locators) {
            const std::string locator_path = fmt::format("{}.locators.{}", path, locator.column);
            const auto locator_algorithm = make_algorithm(database.group(locator.group).algorithm);
            if (const Column* const column =
                    check_key(table, locator.column, *locator_algorithm, 0, locator_path))
                members_[locator.group.value].push_back({locator.table, {column}, locator_path});
        }
        if (keys_are_there) check_unique_keys(table, rule, path);
        if (const auto position = table.auto_increment_column()) {
            const std::string& column = table.columns[*position].name;
            if (!rule.id || !schema::same_identifier(rule.id->column, column))
                report(path,
                       fmt::format("AUTO_INCREMENT on '{}', which each shard would count by itself", column),
                       fmt::format("id: {{column: {}, generator: snowflake}}", column));
        }
    }

    // The column, where it can be the key; null with a finding where it cannot.
    const Column* check_key(const Table& table, const std::string& name, const Algorithm& algorithm,
                            std::size_t part, const std::string& path) {
        const Column* const column = column_of(table, name, path);
        if (column == nullptr) return nullptr;
        const KeyKind kind = algorithm.kind_of_part(part);
        std::string problem = key_problem(*column);
        if (problem.empty()) problem = kind_problem(*column, kind);
        // A hash reads the text of a moment, and that of a TIMESTAMP depends on the session.
        if (problem.empty() && kind == KeyKind::any && column->type == ColumnType::timestamp)
            problem = "a TIMESTAMP reads differently in each time zone, so it cannot be hashed";
        if (problem.empty()) return column;
        report(path, fmt::format("column '{}' of table {}: {}", column->name, table.name, problem),
               "a column that can be a key");
        return nullptr;
    }

    void check_unique_keys(const Table& table, const ShardedTable& rule, const std::string& path) {
        for (const auto& key : table.unique_keys) {
            const auto has = [&](const std::string& name) {
                const auto position = table.find_column(name);
                if (!position ||
                    std::find(key.columns.begin(), key.columns.end(), *position) == key.columns.end())
                    return false;
                // Only strings can have a prefix in a key, and equal prefixes may lie in different slots.
                const auto type = table.columns[*position].type;
                return !key.has_prefix || is_integer(type) || is_dated(type);
            };
            const bool by_key = std::all_of(rule.keys.begin(), rule.keys.end(), has);
            const bool by_locator = std::any_of(rule.locators.begin(), rule.locators.end(),
                                                [&](const auto& locator) { return has(locator.column); });
            const bool by_gene = rule.gene && has(rule.gene->column);
            if (by_key || by_locator || by_gene) continue;
            std::vector<std::string> names;
            for (const std::size_t position : key.columns) names.push_back(table.columns[position].name);
            const std::string what =
                key.name == "PRIMARY" ? "the primary key" : fmt::format("unique key '{}'", key.name);
            report(path,
                   fmt::format("{} ({}) of table {} without {}: two shards could hold one value", what,
                               fmt::join(names, ", "), table.name, fmt::join(rule.keys, " and ")),
                   names.size() == 1
                       ? fmt::format("the shard key in it, or locators: {{{}: {{group: …}}}}", names.front())
                       : "the shard key in it, or a locator by one of its columns");
        }
    }

    void check_id(const Table& table, const IdRule& rule, const std::string& path) {
        const Column* const column = column_of(table, rule.column, path + ".column");
        if (column == nullptr) return;
        const auto refuse = [&](const std::string& expected) {
            report(path,
                   fmt::format("column '{}' of type {} for ids of {}", column->name,
                               column->type_text.empty() ? name_of(column->type) : column->type_text,
                               rule.generator == IdGenerator::uuid7     ? "uuid7"
                               : rule.generator == IdGenerator::segment ? "segment"
                                                                        : "snowflake"),
                   expected);
        };
        if (column->generated)
            return report(path, fmt::format("'{}', a generated column", column->name),
                          "a column that takes values");
        if (rule.generator == IdGenerator::snowflake && column->type != ColumnType::bigint)
            return refuse("BIGINT");
        if (rule.generator == IdGenerator::segment && !is_integer(column->type))
            return refuse("an integer type");
        const bool holds_text = is_text(column->type) && column->length >= 36;
        const bool holds_bytes = is_bytes(column->type) && column->length >= 16;
        if (rule.generator == IdGenerator::uuid7 && !holds_text && !holds_bytes &&
            column->type != ColumnType::uuid)
            refuse("CHAR(36) or BINARY(16)");
    }

    void check_gene(const Table& table, const GeneRule& rule, const std::string& path) {
        const Column* const column = column_of(table, rule.column, path + ".column");
        if (column == nullptr) return;
        const bool wide = column->type == ColumnType::bigint || column->type == ColumnType::integer;
        if (!wide)
            report(path,
                   fmt::format("column '{}' of type {} with a gene", column->name, name_of(column->type)),
                   "BIGINT (or INT)");
        if (column->nullable)
            report(path, fmt::format("column '{}', which may be NULL, with a gene", column->name),
                   "NOT NULL");
        if (column->generated)
            report(path, fmt::format("'{}', a generated column, with a gene", column->name),
                   "a column that takes values");
    }

    void check_group(const Database& database, std::size_t group) {
        const auto& members = members_[group];
        for (std::size_t i = 1; i < members.size(); ++i)
            for (std::size_t part = 0; part < members[i].keys.size() && part < members[0].keys.size();
                 ++part) {
                const std::string first = family_of(*members[0].keys[part]),
                                  other = family_of(*members[i].keys[part]);
                if (first == other) continue;
                report(members[i].path,
                       fmt::format("key '{}' of table {} ({})", members[i].keys[part]->name, members[i].table,
                                   other),
                       fmt::format("{}, as table {} of group {} has", first, members[0].table,
                                   database.groups[group].name));
            }
    }

    const Rules& rules_;
    const std::map<std::string, Place>& places_;
    const schema::Catalog& catalog_;
    std::vector<std::vector<Member>> members_;  // by group of the database at hand
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_tables(const Rules& rules, const std::map<std::string, Place>& places,
                                  const schema::Catalog& catalog) {
    return TableChecker{rules, places, catalog}.run();
}

}  // namespace shardway::rules
