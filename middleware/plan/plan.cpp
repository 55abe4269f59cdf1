#include "middleware/plan/plan.hpp"

#include "middleware/plan/parsed_statement.hpp"
#include "sqlparse/parser.hpp"

namespace shardway::plan {

std::string_view name_of(StatementKind kind) {
    static constexpr std::string_view names[] = {
        "SELECT",  "INSERT", "REPLACE", "UPDATE",          "DELETE",           "SHOW",
        "EXPLAIN", "DDL",    "CALL",    "other statement", "session statement"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Strategy strategy) {
    switch (strategy) {
    case Strategy::session: return "answered by the session";
    case Strategy::one_place: return "one place";
    case Strategy::split_write: return "rows split by shard";
    case Strategy::everywhere_write: return "written on every node";
    case Strategy::scatter_read: return "scatter and merge";
    case Strategy::scatter_write: return "written in several shards";
    }
    return {};
}

std::string_view name_of(AccessPath path) {
    switch (path) {
    case AccessPath::none: return "no table";
    case AccessPath::any_node: return "any node";
    case AccessPath::its_node: return "the node of its tables";
    case AccessPath::shard_key: return "shard key";
    case AccessPath::impossible: return "no row can match";
    case AccessPath::scatter: return "scatter";
    }
    return {};
}

const sqlparse::Statement* tree_of(const ParsedStatement& parsed) { return parsed.statement; }
std::string_view text_of(const ParsedStatement& parsed) { return parsed.text; }

std::shared_ptr<const ParsedStatement> parse_owned(std::string_view text,
                                                   const sqlparse::ParseOptions& options) {
    auto parsed = std::make_shared<ParsedStatement>();
    parsed->text = text;
    parsed->statement = sqlparse::parse(parsed->text, options, parsed->arena).statement;
    return parsed->statement == nullptr ? nullptr : parsed;
}

}  // namespace shardway::plan
