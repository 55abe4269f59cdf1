#include "middleware/plan/scatter.hpp"

#include "middleware/protocol/errors.hpp"

namespace shardway::plan {

protocol::Result<Routed> fill_scatter(Routed, const RouteTemplate& route, const std::vector<rules::Slots>&,
                                      const Values&, const PlanContext&, const PlannerLimits&) {
    return protocol::not_supported(route.scattered);
}

}  // namespace shardway::plan
