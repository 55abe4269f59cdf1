// How a statement runs when its tables do not meet in one place.
#pragma once

#include <vector>

#include "middleware/plan/template.hpp"

namespace shardway::plan {

struct ScatterTemplate {};

// The parts of a statement that goes to several shards; `slots` are those of each sharded table reference.
protocol::Result<Routed> fill_scatter(Routed routed, const RouteTemplate& route,
                                      const std::vector<rules::Slots>& slots, const Values& values,
                                      const PlanContext& context, const PlannerLimits& limits);

}  // namespace shardway::plan
