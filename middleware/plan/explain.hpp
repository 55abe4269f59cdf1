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
    std::string node;
    std::string shard;     // "5", or empty where the part is not about one shard
    std::string database;  // the default database it runs in
    std::string text;
};

struct Explanation {
    std::string statement;  // "SELECT"
    std::string access;     // "shard key"
    std::string strategy;   // "one place"
    std::string shards;     // "1 shard on 1 node"
    std::vector<std::string>
        steps;  // what is done with the answers, in order; empty where the one answer is the answer
    std::vector<ExplainedPart> parts;
};

Explanation explain(const Routed& routed, const rules::Topology& topology);
// Lines for people; ends with a newline.
std::string to_text(const Explanation& explanation);
std::string to_json(const Explanation& explanation);

// EXPLAIN SHARDWAY [FORMAT = JSON | FORMAT = TEXT] statement. Nothing when the text is something else.
struct ExplainRequest {
    bool json = false;
    std::string_view statement;  // the rest of the text
};
std::optional<ExplainRequest> explain_request(std::string_view text, const sqlparse::ParseOptions& options);

}  // namespace shardway::plan
