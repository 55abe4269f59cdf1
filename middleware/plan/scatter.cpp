#include "middleware/plan/scatter.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "middleware/plan/composer.hpp"
#include "middleware/protocol/errors.hpp"

namespace shardway::plan {

protocol::Result<Routed> fill_scatter(Routed routed, const RouteTemplate& route,
                                      std::span<const rules::Slots> slots, const Values& values,
                                      const PlanContext& context, const PlannerLimits& limits) {
    // All tables share key and slot map, and rows of one key meet in one shard: only slots that all tables
    // can have rows in give rows of the whole. A table on the inner side of an outer join may have none, so
    // that the driver, which is on no such side, decides alone.
    const bool explains = routed.plan->kind == StatementKind::explain;
    const rules::SlotMap& map = route.sharded[route.driver].table->group->map;
    std::vector<rules::ShardId> shards = slots[route.driver].shards(map);
    if (shards.size() > limits.parts_max) return protocol::fan_out_exceeded(shards.size(), limits.parts_max);
    std::stable_sort(shards.begin(), shards.end(),
                     [&](rules::ShardId a, rules::ShardId b) { return map.node_of(a) < map.node_of(b); });
    if (route.scatter->writes && map.node_of(shards.front()) != map.node_of(shards.back()))
        return protocol::not_supported(fmt::format("{} over several nodes", name_of(routed.plan->kind)));
    // EXPLAIN of it is much the same in every shard; the first one's is shown.
    if (explains) shards.resize(1);
    const Composer composer{route, values, context, !explains};
    routed.access = AccessPath::scatter;
    routed.strategy = route.scatter->writes ? Strategy::scatter_write : Strategy::scatter_read;
    routed.merge = route.scatter->merge;
    if (explains) {
        routed.strategy = Strategy::one_place;
        routed.merge = nullptr;
    }
    for (const rules::ShardId shard : shards) {
        const Shards here(route.sharded.size(), shard);
        Part part;
        part.node = map.node_of(shard);
        part.shard = shard;
        part.default_database = none_database;
        part.text = composer.whole(here);
        add_names(part, route, here);
        routed.parts.push_back(std::move(part));
    }
    return routed;
}

}  // namespace shardway::plan
