// The grammar of SHARDWAY statements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "middleware/protocol/sql_error.hpp"
#include "sqlparse/options.hpp"

namespace shardway::admin {

enum class StatementKind : std::uint8_t {
    help,
    show_nodes,
    show_shards,
    show_tables,
    show_processlist,
    show_status
};

// SHARDWAY HELP
// SHARDWAY SHOW NODES | STATUS | [FULL] PROCESSLIST  [LIKE 'pattern']
// SHARDWAY SHOW SHARDS | TABLES [FROM database]      [LIKE 'pattern']
struct Statement {
    StatementKind kind = StatementKind::help;
    bool full = false;
    std::string database;             // of FROM, empty without
    std::optional<std::string> like;  // matches the first column, of SHARDS and TABLES the second
};

// Where the text begins. Asked of every statement.
inline std::size_t behind_spaces(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) ++at;
    return at;
}

// Does the text begin with the word SHARDWAY? Cheap for all that does not begin with an S or a comment.
bool is_shardway_statement(std::string_view text, const sqlparse::ParseOptions& options);

// 1064 that says what there is, for everything else.
protocol::Result<Statement> parse_statement(std::string_view text, const sqlparse::ParseOptions& options);

// Each statement there is and what it shows; also EXPLAIN SHARDWAY.
const std::vector<std::pair<std::string, std::string>>& statement_help();

}  // namespace shardway::admin
