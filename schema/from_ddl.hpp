// What a CREATE TABLE says, as the catalog would have it: for checking a schema file before there is a
// server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/table.hpp"
#include "sqlparse/ast_ddl.hpp"
#include "sqlparse/options.hpp"

namespace shardway::schema {

// Of the database that the table will be in.
struct DdlDefaults {
    std::string charset = "utf8mb4";
    std::string collation;  // empty: the charset's own
};

// `text` is what the tree's spans count in. Nothing for CREATE TABLE … LIKE and … SELECT, whose columns stand
// elsewhere.
std::optional<Table> table_from_ddl(const sqlparse::CreateTable& create, std::string_view text,
                                    const sqlparse::ParseOptions& options, const DdlDefaults& defaults = {});

// The collation of a character set when nothing else is said. The two kinds of server differ.
std::string default_collation(std::string_view charset, sqlparse::Dialect dialect);

}  // namespace shardway::schema
