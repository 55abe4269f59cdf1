// How a statement runs when its tables do not meet in one place.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "middleware/plan/merge.hpp"
#include "middleware/plan/template.hpp"

namespace shardway::plan {

// The statement runs whole in every shard, on its rows alone, and what comes back is added: proved by the
// builder.
struct ScatterTemplate {
    std::shared_ptr<const Merge> merge;  // null for UPDATE and DELETE
    // For each entry of RouteTemplate::sharded: it is in the shard that the part is for. (All are, today.)
    bool writes = false;
};

// The parts of a statement that goes to several shards; `slots` are those of each sharded table reference.
protocol::Result<Routed> fill_scatter(Routed routed, const RouteTemplate& route,
                                      std::span<const rules::Slots> slots, const Values& values,
                                      const PlanContext& context, const PlannerLimits& limits);

}  // namespace shardway::plan
