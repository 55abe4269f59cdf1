// What a statement will do, in words: for `shardway explain` and EXPLAIN SHARDWAY.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/plan/plan.hpp"
#include "sqlparse/options.hpp"

namespace shardway::plan {

struct ExplainedPart {
    std::string node;      // empty where any node will do: they take turns
    std::string shard;     // "5", or empty where the part is not about one shard
    std::string database;  // the default database it runs in
    std::string text;      // what the node is sent, to the byte
};

struct Explanation {
    std::string statement;  // "SELECT"
    std::string access;     // "shard key": how the shards were found
    std::string because;    // the same in a sentence, with the names of keys and tables
    std::string strategy;   // "one place": what is done there
    std::string meaning;    // the same in a sentence
    std::string goes_to;    // "1 of 16 shards, on 1 of 4 nodes"; empty where nothing leaves
    // What is done with the answers, in order; empty where the one answer is the answer.
    std::vector<std::string> steps;
    std::vector<ExplainedPart> parts;
};

// `text` is what was planned under `context`. Depends on nothing else: not on whose turn it is among equal
// nodes.
Explanation explain(const Routed& routed, const PlanContext& context, std::string_view text);
// Lines for people; ends with a newline.
std::string to_text(const Explanation& explanation);
// One line, without a newline.
std::string to_json(const Explanation& explanation);
// `text` as a string of JSON, with its quotes.
std::string json_string(std::string_view text);

// EXPLAIN SHARDWAY [FORMAT = JSON | FORMAT = TEXT] statement. Nothing when the text is something else.
struct ExplainRequest {
    bool json = false;
    std::string_view statement;  // the rest of the text
};
std::optional<ExplainRequest> explain_request(std::string_view text, const sqlparse::ParseOptions& options);

}  // namespace shardway::plan
