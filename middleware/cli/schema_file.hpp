// A schema file: the CREATE TABLEs of the logical databases, as apply lays them out on the nodes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rules.hpp"
#include "schema/catalog.hpp"
#include "sqlparse/options.hpp"
#include "sqlparse/token.hpp"

namespace shardway::cli {

constexpr std::size_t schema_bytes_max = std::size_t{64} << 20;
constexpr std::size_t schema_problems_max = 100;  // no more are listed

// One CREATE TABLE. Spans count in `text`.
struct SchemaTable {
    struct Reference {  // of a foreign key
        std::string table;
        sqlparse::Span span;  // of the name with its database
    };
    std::string database;  // logical
    std::string name;
    std::string text;  // one statement, without its semicolon
    sqlparse::Span name_span;
    bool if_not_exists = false;  // written
    std::vector<Reference> references;
    // A constraint has a name of its own: such names are unique in a database.
    bool named_constraints = false;
    int line = 0;
};

struct SchemaFile {
    std::vector<SchemaTable> tables;
    // What cannot be applied, each as "file:line: text". Nothing is applied when there is any.
    std::vector<std::string> problems;
    // What was passed over, such as the DROP TABLE of a dump; in words.
    std::vector<std::string> passed_over;
};

// Reads the statements of `text`. Tables without a database belong to the one of the last USE, else to
// `default_database`. CREATE DATABASE, USE, SET, LOCK TABLES and DROP TABLE of a dump are understood and do
// nothing.
SchemaFile read_schema(std::string_view text, const std::string& file, const rules::Rules& rules,
                       std::string_view default_database, const sqlparse::ParseOptions& options);

// The tables as the server would have them, by its defaults. Those that cannot be made of their text alone
// are left out.
schema::Catalog catalog_of(const SchemaFile& file, const sqlparse::ParseOptions& options);

// The database that a schema file means when it does not say: the only one with groups or tables, else the
// only one of the rules; empty when there are several.
std::string default_schema_database(const rules::Rules& rules);

}  // namespace shardway::cli
