// Makes the text for one part from the client's text and the edits.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "middleware/plan/template.hpp"

namespace shardway::plan {

// An edit at its place in this text, with what is the same for all parts already said.
struct PlacedEdit {
    std::uint32_t begin = 0, end = 0;
    const EditTemplate* from = nullptr;
    std::string text{};      // of edits that do not depend on the part
    sqlparse::Span label{};  // of labels and copies
    std::vector<std::pair<std::string_view, rules::Slots>>
        list{};            // of lists: each value and where it can be
    bool of_part = false;  // a table's name: depends on the part
};

class RowIds;

class Composer {
public:
    // `ids`: those of an INSERT's rows, or null.
    Composer(const RouteTemplate& route, const Values& values, const PlanContext& context, bool scatter,
             const RowIds* ids = nullptr);

    // The statement, whole.
    std::string whole(const Shards& shards) const;
    // Appends what stands between two places, which cut no edit in two. An insertion at `begin` is left to
    // what ends there.
    void append(std::string& out, std::uint32_t begin, std::uint32_t end, const Shards& shards) const;
    void append_list(std::string& out, const PlacedEdit& edit, rules::ShardId shard) const;
    void append_copy(std::string& out, sqlparse::Span span, const Shards& shards) const;
    Extent extent() const { return extent_; }

private:
    const RouteTemplate& route_;
    std::string_view text_;
    Extent extent_;
    boost::container::small_vector<PlacedEdit, 4> edits_;
};

// `name`, quoted.
std::string quoted(std::string_view name);

}  // namespace shardway::plan
