#include "middleware/plan/explain.hpp"

#include <set>

#include <fmt/format.h>

#include "middleware/plan/merge.hpp"
#include "schema/table.hpp"
#include "sqlparse/lexer.hpp"

namespace shardway::plan {

namespace {

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::vector<std::string> merge_steps(const Merge& merge) {
    std::vector<std::string> steps;
    switch (merge.kind) {
    case Merge::Kind::concatenate: steps.emplace_back("pass rows on as they come"); break;
    case Merge::Kind::ordered:
        steps.push_back(fmt::format("merge by {}, checking each shard's own order",
                                    counted(merge.order.size(), "column")));
        break;
    case Merge::Kind::aggregate:
        steps.push_back(merge.groups.empty() ? std::string{"fold all rows into one"}
                                             : fmt::format("fold rows that agree in {}",
                                                           counted(merge.groups.size(), "column")));
        if (!merge.order.empty())
            steps.push_back(fmt::format("sort by {}", counted(merge.order.size(), "column")));
        break;
    }
    if (merge.limit)
        steps.push_back(merge.offset == 0
                            ? fmt::format("stop after {}", counted(*merge.limit, "row"))
                            : fmt::format("skip {}, stop after {}", counted(merge.offset, "row"),
                                          counted(*merge.limit, "row")));
    if (merge.hidden != 0) steps.push_back(fmt::format("cut off {}", counted(merge.hidden, "hidden column")));
    return steps;
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

}  // namespace

Explanation explain(const Routed& routed, const rules::Topology& topology) {
    Explanation out;
    out.statement = name_of(routed.plan->kind);
    out.access = name_of(routed.access);
    out.strategy = name_of(routed.strategy);
    if (routed.strategy == Strategy::session) {
        out.access = "none";
        return out;
    }
    std::set<std::uint32_t> nodes;
    std::size_t shards = 0;
    for (const Part& part : routed.parts) {
        nodes.insert(part.node.value);
        shards += part.shard.has_value();
        out.parts.push_back({topology.node(part.node).name,
                             part.shard ? std::to_string(part.shard->value) : "",
                             std::string{part.default_database}, part.text});
    }
    out.shards = shards == 0
                     ? counted(nodes.size(), "node")
                     : fmt::format("{} on {}", counted(shards, "shard"), counted(nodes.size(), "node"));
    if (routed.merge) out.steps = merge_steps(*routed.merge);
    if (routed.strategy == Strategy::split_write || routed.strategy == Strategy::scatter_write)
        out.steps.emplace_back("add the counts of rows; all parts succeed or none");
    if (routed.strategy == Strategy::everywhere_write)
        out.steps.emplace_back("answer as the first node does; all nodes succeed or none");
    return out;
}

std::string to_text(const Explanation& explanation) {
    std::string out = fmt::format("statement  {}\naccess     {}\nstrategy   {}\n", explanation.statement,
                                  explanation.access, explanation.strategy);
    if (!explanation.shards.empty()) out += fmt::format("goes to    {}\n", explanation.shards);
    for (const std::string& step : explanation.steps) out += fmt::format("then       {}\n", step);
    for (const ExplainedPart& part : explanation.parts)
        out += fmt::format("{}{} (in {})\n    {}\n", part.node,
                           part.shard.empty() ? "" : ", shard " + part.shard, part.database, part.text);
    return out;
}

std::string to_json(const Explanation& explanation) {
    std::string out = fmt::format(R"({{"statement":{},"access":{},"strategy":{},"goes_to":{},"then":[)",
                                  json_string(explanation.statement), json_string(explanation.access),
                                  json_string(explanation.strategy), json_string(explanation.shards));
    for (std::size_t i = 0; i < explanation.steps.size(); ++i)
        out += (i > 0 ? "," : "") + json_string(explanation.steps[i]);
    out += R"(],"parts":[)";
    for (std::size_t i = 0; i < explanation.parts.size(); ++i) {
        const ExplainedPart& part = explanation.parts[i];
        out += fmt::format(R"({}{{"node":{},"shard":{},"database":{},"text":{}}})", i > 0 ? "," : "",
                           json_string(part.node), part.shard.empty() ? "null" : part.shard,
                           json_string(part.database), json_string(part.text));
    }
    return out + "]}";
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
