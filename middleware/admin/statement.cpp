#include "middleware/admin/statement.hpp"

#include <fmt/format.h>

#include "middleware/protocol/errors.hpp"
#include "schema/table.hpp"
#include "sqlparse/lexer.hpp"
#include "sqlparse/literal.hpp"

namespace shardway::admin {

namespace {

using sqlparse::Token;
using sqlparse::TokenKind;

class StatementReader {
public:
    StatementReader(std::string_view text, const sqlparse::ParseOptions& options)
        : text_{text}, options_{options}, lexer_{text, options} {
        step();
    }

    bool takes(std::string_view word) {
        if (!is(word)) return false;
        step();
        return true;
    }
    bool is(std::string_view word) const {
        return token_.kind == TokenKind::word && schema::same_identifier(token_.span().of(text_), word);
    }
    // A name, in backticks or not.
    std::optional<std::string> takes_name() {
        const std::string_view raw = token_.span().of(text_);
        std::optional<std::string> name;
        if (token_.kind == TokenKind::word) name = std::string{raw};
        if (token_.kind == TokenKind::quoted_word && raw.size() >= 2)
            name = std::string{raw.substr(1, raw.size() - 2)};
        if (name) step();
        return name;
    }
    std::optional<std::string> takes_string() {
        if (token_.kind != TokenKind::string) return std::nullopt;
        std::string value =
            sqlparse::literal_bytes(sqlparse::LiteralKind::string, token_.span().of(text_), options_);
        step();
        return value;
    }
    bool at_end() {
        if (token_.kind == TokenKind::semicolon) step();
        return token_.kind == TokenKind::end;
    }
    std::string_view rest() const { return text_.substr(token_.offset); }

private:
    void step() { token_ = lexer_.next(); }

    std::string_view text_;
    const sqlparse::ParseOptions& options_;
    sqlparse::Lexer lexer_;
    Token token_;
};

protocol::SqlError unknown(const StatementReader& reader) {
    std::string known;
    for (const auto& [statement, what] : statement_help())
        if (statement.starts_with("SHARDWAY")) known += (known.empty() ? "" : "; ") + statement;
    return protocol::make_error(1064, "42000",
                                fmt::format("SHARDWAY has no such statement, near '{}'. There are: {}",
                                            reader.rest().substr(0, 80), known));
}

}  // namespace

bool is_shardway_statement(std::string_view text, const sqlparse::ParseOptions& options) {
    // Nearly all statements begin with the first letter of a verb that is no SHOW.
    const std::size_t first = behind_spaces(text);
    if (first == text.size()) return false;
    switch (text[first]) {
    case 's':
    case 'S':
        if (first + 1 < text.size() && (text[first + 1] | 0x20) != 'h') return false;
        break;
    case '/':
    case '-':
    case '#': break;
    default: return false;
    }
    return StatementReader{text, options}.is("shardway");
}

protocol::Result<Statement> parse_statement(std::string_view text, const sqlparse::ParseOptions& options) {
    StatementReader reader{text, options};
    reader.takes("shardway");
    Statement statement;
    if (reader.takes("help")) {
        if (!reader.at_end()) return unknown(reader);
        return statement;
    }
    if (!reader.takes("show")) return unknown(reader);
    statement.full = reader.takes("full");
    if (statement.full && !reader.is("processlist")) return unknown(reader);
    bool has_database = false;
    if (reader.takes("nodes")) {
        statement.kind = StatementKind::show_nodes;
    } else if (reader.takes("status")) {
        statement.kind = StatementKind::show_status;
    } else if (reader.takes("processlist")) {
        statement.kind = StatementKind::show_processlist;
    } else if (reader.takes("shards")) {
        statement.kind = StatementKind::show_shards;
        has_database = true;
    } else if (reader.takes("tables")) {
        statement.kind = StatementKind::show_tables;
        has_database = true;
    } else {
        return unknown(reader);
    }
    if (has_database && (reader.takes("from") || reader.takes("in"))) {
        const auto name = reader.takes_name();
        if (!name) return unknown(reader);
        statement.database = *name;
    }
    if (reader.takes("like")) {
        statement.like = reader.takes_string();
        if (!statement.like) return unknown(reader);
    }
    if (!reader.at_end()) return unknown(reader);
    return statement;
}

const std::vector<std::pair<std::string, std::string>>& statement_help() {
    static const std::vector<std::pair<std::string, std::string>> help{
        {"EXPLAIN SHARDWAY [FORMAT=TEXT|JSON] statement",
         "what the statement would do: how its shards are found, which nodes it goes to, the text each is "
         "sent, and how the answers become one; nothing is run"},
        {"SHARDWAY HELP", "this list"},
        {"SHARDWAY SHOW NODES [LIKE 'pattern']",
         "the nodes: whether they answer, their version, connections in use, idle and at most, and how many "
         "wait"},
        {"SHARDWAY SHOW SHARDS [FROM database] [LIKE 'pattern']",
         "the shards of each table group: their slots, their database and node; LIKE matches the group"},
        {"SHARDWAY SHOW TABLES [FROM database] [LIKE 'pattern']",
         "the tables: sharded (group, key, algorithm), reference, single (node), locator; LIKE matches the "
         "table"},
        {"SHARDWAY SHOW [FULL] PROCESSLIST [LIKE 'pattern']",
         "the sessions, as SHOW PROCESSLIST; KILL [QUERY] takes their ids; LIKE matches the user"},
        {"SHARDWAY SHOW STATUS [LIKE 'pattern']",
         "the counters, as SHOW STATUS LIKE 'shardway%'; /metrics of the admin address has more"},
    };
    return help;
}

}  // namespace shardway::admin
