#include "middleware/plan/explain.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "middleware/plan/explain_steps.hpp"
#include "middleware/plan/merge.hpp"
#include "middleware/plan/template.hpp"
#include "schema/table.hpp"
#include "sqlparse/lexer.hpp"

namespace shardway::plan {

namespace {

// "t_order.user_id", "t_event.(created_at, user_id)": of each sharded table of the statement, once.
std::string keys_of(const RouteTemplate& route) {
    std::vector<std::string> keys;
    for (const TableRoute& table : route.sharded) {
        const auto* sharded = table.table->sharded();
        if (!sharded) continue;
        std::string key = sharded->keys.size() == 1
                              ? fmt::format("{}.{}", table.table->name, sharded->key())
                              : fmt::format("{}.({})", table.table->name, fmt::join(sharded->keys, ", "));
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
    }
    return fmt::format("{}", fmt::join(keys, ", "));
}

// The shards there are, where all sharded tables share them.
std::size_t shards_in_all(const RouteTemplate& route) {
    if (route.sharded.empty()) return 0;
    const rules::GroupState* group = route.sharded.front().table->group;
    for (const TableRoute& table : route.sharded)
        if (table.table->group != group) return 0;
    return group->shard_count();
}

std::string because(const Routed& routed, const PlanContext& context) {
    const RouteTemplate& route = *routed.plan->route;
    const std::size_t all = shards_in_all(route);
    switch (routed.access) {
    case AccessPath::none: return "no table is read, so any node can answer";
    case AccessPath::any_node:
        if (routed.strategy == Strategy::everywhere_write)
            return "every node has a copy of a reference table";
        return "every node has a copy of a reference table, so any can answer";
    case AccessPath::its_node:
        if (routed.plan->unparsed)
            return fmt::format("not understood; database {} lies whole on one node, which shall say",
                               context.database);
        return "what it names lies on one node";
    case AccessPath::shard_key:
        if (route.insert) return fmt::format("each row goes to the shard of its {}", keys_of(route));
        return fmt::format("what is said of {} leaves only {} that can hold the rows", keys_of(route),
                           routed.parts.size() == 1 ? "one shard" : "these shards");
    case AccessPath::impossible:
        return fmt::format(
            "what is said of {} fits no row; one shard is asked all the same, for an empty "
            "answer with the right columns",
            keys_of(route));
    case AccessPath::scatter:
        if (all == 0 || routed.parts.size() < all)
            return fmt::format("what is said of {} leaves these shards that can hold rows", keys_of(route));
        return fmt::format("nothing that is said of {} rules out a shard, so all are asked", keys_of(route));
    }
    return {};
}

std::string meaning(const Routed& routed) {
    switch (routed.strategy) {
    case Strategy::session: return "no node is asked, but where SET or COMMIT must tell one";
    case Strategy::one_place: return "it runs whole there, and that answer is the answer";
    case Strategy::split_write: return "each part has the rows of its own shard";
    case Strategy::everywhere_write: return "the same text runs on every node";
    case Strategy::scatter_read:
        return "it runs in each of the shards on the rows there; one result is made of all";
    case Strategy::scatter_write: return "it runs in each of the shards on the rows there";
    }
    return {};
}

// Among equals the nodes take turns.
bool takes_turns(const Routed& routed, const PlanContext& context) {
    const RouteTemplate& route = *routed.plan->route;
    if (!route.sharded.empty() || route.insert || context.preferred_node) return false;
    return route.choice == NodeChoice::rotate || (route.choice == NodeChoice::home && !route.home);
}

std::string goes_to(const Routed& routed, const PlanContext& context) {
    std::set<std::uint32_t> nodes;
    std::set<std::uint32_t> shards;
    for (const Part& part : routed.parts) {
        nodes.insert(part.node.value);
        if (part.shard) shards.insert(part.shard->value);
    }
    const std::string where =
        fmt::format("{} of {}", nodes.size(), counted(context.topology.node_count(), "node"));
    const std::size_t all = shards_in_all(*routed.plan->route);
    if (shards.empty()) return where;
    if (all == 0) return fmt::format("{}, on {}", counted(shards.size(), "shard"), where);
    return fmt::format("{} of {}, on {}", shards.size(), counted(all, "shard"), where);
}

std::vector<std::string> steps_of(const Routed& routed, const PlanContext& context, std::string_view text) {
    std::vector<std::string> steps;
    if (routed.plan->reads_clock && routed.parts.size() > 1)
        steps.emplace_back("one moment, for NOW() and its like, is set on all connections beforehand");
    if (routed.merge) {
        auto merging = merge_steps(*routed.merge, text, routed.parts.front().text, context.options);
        std::move(merging.begin(), merging.end(), std::back_inserter(steps));
    }
    if (routed.strategy == Strategy::split_write || routed.strategy == Strategy::scatter_write)
        steps.emplace_back("all parts succeed or none; their counts of rows are added");
    if (routed.strategy == Strategy::everywhere_write)
        steps.emplace_back("all nodes succeed or none; the first one's answer is the answer");
    return steps;
}

}  // namespace

Explanation explain(const Routed& routed, const PlanContext& context, std::string_view text) {
    Explanation out;
    out.statement = name_of(routed.plan->kind);
    out.strategy = name_of(routed.strategy);
    out.meaning = meaning(routed);
    if (routed.strategy == Strategy::session) return out;
    out.access = name_of(routed.access);
    out.because = because(routed, context);
    out.goes_to = goes_to(routed, context);
    const bool any = takes_turns(routed, context);
    if (any) out.goes_to = fmt::format("any of {}", counted(context.topology.node_count(), "node"));
    for (const Part& part : routed.parts)
        out.parts.push_back({any ? "" : context.topology.node(part.node).name,
                             part.shard ? std::to_string(part.shard->value) : "",
                             std::string{part.default_database}, part.text});
    out.steps = steps_of(routed, context, text);
    return out;
}

std::string to_text(const Explanation& explanation) {
    std::string out = fmt::format("statement  {}\n", explanation.statement);
    if (!explanation.access.empty())
        out += fmt::format("access     {}: {}\n", explanation.access, explanation.because);
    out += fmt::format("strategy   {}: {}\n", explanation.strategy, explanation.meaning);
    if (!explanation.goes_to.empty()) out += fmt::format("goes to    {}\n", explanation.goes_to);
    for (const std::string& step : explanation.steps) out += fmt::format("then       {}\n", step);
    for (const ExplainedPart& part : explanation.parts)
        out += fmt::format("{}{}, default database {}\n    {}\n",
                           part.node.empty() ? "any node, in turn" : part.node,
                           part.shard.empty() ? "" : ", shard " + part.shard, part.database, part.text);
    return out;
}

std::string to_json(const Explanation& explanation) {
    const auto or_null = [](const std::string& text) { return text.empty() ? "null" : json_string(text); };
    std::string out = fmt::format(
        R"({{"statement":{},"access":{},"because":{},"strategy":{},"meaning":{},"goes_to":{},"then":[)",
        json_string(explanation.statement), or_null(explanation.access), or_null(explanation.because),
        json_string(explanation.strategy), json_string(explanation.meaning), or_null(explanation.goes_to));
    for (std::size_t i = 0; i < explanation.steps.size(); ++i)
        out += (i > 0 ? "," : "") + json_string(explanation.steps[i]);
    out += R"(],"parts":[)";
    for (std::size_t i = 0; i < explanation.parts.size(); ++i) {
        const ExplainedPart& part = explanation.parts[i];
        out += fmt::format(R"({}{{"node":{},"shard":{},"database":{},"text":{}}})", i > 0 ? "," : "",
                           or_null(part.node), part.shard.empty() ? "null" : part.shard,
                           json_string(part.database), json_string(part.text));
    }
    return out + "]}";
}

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + "\"";
}

std::optional<ExplainRequest> explain_request(std::string_view text, const sqlparse::ParseOptions& options) {
    sqlparse::Lexer lexer{text, options};
    const auto is = [&](const sqlparse::Token& token, std::string_view word) {
        return token.kind == sqlparse::TokenKind::word &&
               schema::same_identifier(token.span().of(text), word);
    };
    sqlparse::Token token = lexer.next();
    if (!is(token, "explain") && !is(token, "describe") && !is(token, "desc")) return std::nullopt;
    token = lexer.next();
    if (!is(token, "shardway")) return std::nullopt;
    ExplainRequest request;
    std::uint32_t end = token.end();
    token = lexer.next();
    if (is(token, "format")) {
        if (lexer.next().kind != sqlparse::TokenKind::equal) return std::nullopt;
        token = lexer.next();
        request.json = is(token, "json");
        if (!request.json && !is(token, "text")) return std::nullopt;
        end = token.end();
    } else if (token.kind == sqlparse::TokenKind::end || token.kind == sqlparse::TokenKind::semicolon) {
        return std::nullopt;  // DESCRIBE of a table with that name
    }
    request.statement = text.substr(end);
    return request;
}

}  // namespace shardway::plan
