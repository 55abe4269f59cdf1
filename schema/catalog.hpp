// All tables of the logical databases, by name. Built once from rows of information_schema (or from CREATE
// TABLE statements), immutable afterwards, shared by snapshots of the topology. No I/O here: who fetches the
// rows runs the queries below on the template database of a node and hands over what came.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/table.hpp"

namespace shardway::schema {

class Catalog {
public:
    // Null when the database or the table is unknown. Names of databases and tables compare with case
    // (lower_case_table_names = 0). The pointer lives as long as the catalog.
    const Table* find(std::string_view database, std::string_view table) const;
    // All tables of a database by name, in order of name; empty for an unknown database.
    std::vector<const Table*> tables_of(std::string_view database) const;
    std::size_t size() const;

    using Tables = std::map<std::string, std::shared_ptr<const Table>, std::less<>>;
    using Databases = std::map<std::string, Tables, std::less<>>;
    explicit Catalog(Databases databases) : databases_{std::move(databases)} {}
    Catalog() = default;
    const Databases& databases() const { return databases_; }
    // A copy with one database's tables replaced; unchanged tables are shared, not copied.
    Catalog with_database(std::string_view database, Tables tables) const;

private:
    Databases databases_;
};

// One row of a result set in the text protocol; NULL is nullopt.
using TextRow = std::vector<std::optional<std::string>>;

// Text of the three queries whose rows build a database's part of the catalog. `database` is the name on the
// server (a template); it is quoted here. They work on MySQL 8/9 and MariaDB alike and order their rows as
// the builder needs them.
std::string tables_query(std::string_view database);
std::string columns_query(std::string_view database);
std::string keys_query(std::string_view database);

// The tables of one database from the rows of the three queries. A row with the wrong number of cells, or a
// column of a table that the first query did not list (it was created in between), is passed over: the next
// refresh sees it whole.
Catalog::Tables tables_from_rows(std::span<const TextRow> tables, std::span<const TextRow> columns,
                                 std::span<const TextRow> keys);

}  // namespace shardway::schema
