// A table as the catalog knows it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/column.hpp"

namespace shardway::schema {

// A PRIMARY or UNIQUE key by the positions of its columns. A key part that is an expression has no position:
// then `columns` holds the plain parts only and has_expression is set.
struct UniqueKey {
    std::string name;  // "PRIMARY" for the primary key
    std::vector<std::size_t> columns;
    bool has_expression = false;
    bool has_prefix = false;  // a part covers only the first characters of its column
};

struct Table {
    std::string name;
    bool is_view = false;
    std::vector<Column> columns;         // in the table's order
    std::vector<UniqueKey> unique_keys;  // the primary key first, where there is one
    std::string charset;                 // the table's default; empty when unknown
    std::string collation;               // the table's default; empty when unknown

    // Position of a column; names of columns compare without case, as in MySQL.
    std::optional<std::size_t> find_column(std::string_view column) const;
    const UniqueKey* primary_key() const {
        return !unique_keys.empty() && unique_keys.front().name == "PRIMARY" ? &unique_keys.front() : nullptr;
    }
    // Position of the AUTO_INCREMENT column.
    std::optional<std::size_t> auto_increment_column() const;
};

// ASCII case folding, and bytes above it as they are: what MySQL's identifiers need in all but exotic
// alphabets.
bool same_identifier(std::string_view left, std::string_view right);

}  // namespace shardway::schema
