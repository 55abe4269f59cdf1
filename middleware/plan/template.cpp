#include "middleware/plan/template.hpp"

#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "middleware/plan/composer.hpp"
#include "middleware/plan/row_ids.hpp"
#include "middleware/plan/scatter.hpp"
#include "middleware/protocol/errors.hpp"

namespace shardway::plan {

namespace {

constexpr std::uint32_t no_anchor = UINT32_MAX;

// Behind spaces and comments that the server would not execute. `code` is set to where an executable comment
// opened that is still open.
std::size_t skip_blanks(std::string_view text, std::size_t at) {
    for (;;) {
        while (at < text.size() && static_cast<unsigned char>(text[at]) <= ' ') ++at;
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("/*") && !rest.starts_with("/*!") && !rest.starts_with("/*M!")) {
            const std::size_t end = rest.find("*/", 2);
            if (end == rest.npos) return text.size();
            at += end + 2;
        } else if (rest.starts_with('#') || rest.starts_with("-- ") || rest.starts_with("--\t") ||
                   rest.starts_with("--\n") || rest.starts_with("--\r")) {
            const std::size_t end = rest.find('\n');
            if (end == rest.npos) return text.size();
            at += end + 1;
        } else {
            return at;
        }
    }
}

NameMapping mapping_of(const TableRoute& route, rules::ShardId shard) {
    const rules::PhysicalTable& place = route.table->place(shard);
    return {place.database, place.table, route.database->rule->name, route.table->name};
}

// The shard that all tables of the part are in, where it is one.
std::optional<rules::ShardId> shard_of(const RouteTemplate& route, const Shards& shards) {
    for (std::size_t i = 1; i < shards.size(); ++i)
        if (route.sharded[i].table->group != route.sharded[0].table->group || shards[i] != shards[0])
            return std::nullopt;
    return shards.front();
}

rules::NodeId node_of(const TableRoute& route, rules::ShardId shard) {
    return route.table->group->map.node_of(shard);
}

// Does every sharded table lie in one shard, and all these on one node? A table of which no row can match may
// stand anywhere: its shard is the first of its group on the node.
struct Meeting {
    bool meets = false;
    bool impossible = false;  // some table has no row that can match
    rules::NodeId node;
    Shards shards;
};

Meeting meet(const RouteTemplate& route, std::span<const rules::Slots> slots) {
    Meeting meeting;
    std::optional<rules::NodeId> node;
    if (route.fixed_node) node = route.node;
    boost::container::small_vector<std::optional<rules::ShardId>, 4> found(route.sharded.size());
    for (std::size_t i = 0; i < route.sharded.size(); ++i) {
        const rules::SlotMap& map = route.sharded[i].table->group->map;
        if (const auto slot = slots[i].single()) {
            found[i] = map.shard_of(*slot);
        } else {
            if (slots[i].empty()) {
                meeting.impossible = true;
                continue;
            }
            const std::vector<rules::ShardId> shards = slots[i].shards(map);
            if (shards.size() != 1) return meeting;
            found[i] = shards.front();
        }
        const rules::NodeId here = node_of(route.sharded[i], *found[i]);
        if (node && *node != here) return meeting;
        node = here;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i]) {
            // Beside a table of its own group where there is one.
            for (std::size_t j = 0; j < found.size() && !found[i]; ++j)
                if (found[j] && route.sharded[j].table->group == route.sharded[i].table->group)
                    found[i] = found[j];
            const rules::SlotMap& map = route.sharded[i].table->group->map;
            for (std::size_t s = 0; s < map.shard_count() && !found[i]; ++s)
                if (!node || map.node_of(rules::ShardId{s}) == *node) found[i] = rules::ShardId{s};
            if (!found[i]) return meeting;
            node = node_of(route.sharded[i], *found[i]);
        }
        meeting.shards.push_back(*found[i]);
    }
    meeting.meets = true;
    meeting.node = *node;
    return meeting;
}

void add_part(Routed& routed, const RouteTemplate& route, const Composer& composer, rules::NodeId node,
              const Shards& shards) {
    Part& part = routed.parts.emplace_back();
    part.node = node;
    part.shard = shard_of(route, shards);
    part.default_database = none_database;
    part.text = composer.whole(shards);
    add_names(part, route, shards);
}

rules::NodeId choose_node(const RouteTemplate& route, const PlanContext& context, std::uint32_t rotation) {
    switch (route.choice) {
    case NodeChoice::fixed: return route.node;
    case NodeChoice::home:
        if (context.preferred_node) return *context.preferred_node;
        if (route.home) return *route.home;
        break;
    case NodeChoice::rotate:
        if (context.preferred_node) return *context.preferred_node;
        break;
    case NodeChoice::every: break;
    }
    return rules::NodeId{rotation % context.topology.node_count()};
}

void fill_unsharded(Routed& routed, const RouteTemplate& route, const Composer& composer,
                    const PlanContext& context, std::uint32_t rotation) {
    const std::string text = composer.whole({});
    const auto add = [&](rules::NodeId node) {
        Part part;
        part.node = node;
        part.default_database = route.default_database;
        part.text = text;
        routed.parts.push_back(std::move(part));
    };
    if (route.choice != NodeChoice::every) return add(choose_node(route, context, rotation));
    for (std::size_t i = 0; i < context.topology.node_count(); ++i) add(rules::NodeId{i});
}

protocol::SqlError not_storable(const rules::NotStorable& why, std::size_t row) {
    const std::string_view sqlstate = why.code == 1048   ? "23000"
                                      : why.code == 1264 ? "22003"
                                      : why.code == 1406 ? "22001"
                                      : why.code == 1292 ? "22007"
                                                         : "HY000";
    return protocol::make_error(why.code, sqlstate, fmt::format("{} at row {}", why.text, row + 1));
}

// Which shard each row of an INSERT goes to, or why it goes nowhere.
protocol::Result<std::vector<rules::ShardId>> shards_of_rows(const RouteTemplate& route, const Values& values,
                                                             const PlanContext& context, RowIds* ids) {
    const InsertTemplate& insert = *route.insert;
    const rules::TableState& table = *route.sharded[insert.route].table;
    const std::vector<sqlparse::ScanRow>& rows = values.scan().rows;
    const std::size_t count = insert.set_form ? 1 : rows.size();
    std::vector<rules::ShardId> shards;
    shards.reserve(count);
    std::vector<rules::Key> keys(table.key_columns.size());
    for (std::size_t row = 0; row < count; ++row) {
        const std::vector<ValueRef>& constants = insert.runs[insert.set_form ? 0 : rows[row].run];
        std::string shown;
        if (ids != nullptr)
            if (auto problem = ids->before(row)) return std::move(*problem);
        for (std::size_t part = 0; part < keys.size(); ++part) {
            const schema::Column& column = table.columns->columns[table.key_columns[part]];
            const auto made = ids != nullptr && insert.id_part == part ? ids->literal(row) : std::nullopt;
            const rules::Literal literal = made              ? *made
                                           : insert.set_form ? values.only(constants[part])
                                                             : values.in_row(constants[part], row);
            if (literal.kind == rules::LiteralKind::null) {
                if (column.nullable || insert.ignore || (!context.keys.strict && count > 1))
                    return protocol::not_supported(fmt::format("NULL for the shard key '{}'", column.name));
                return protocol::column_cannot_be_null(column.name);
            }
            rules::StoredKey stored = rules::stored_key(column, literal, context.keys);
            const auto* why = std::get_if<rules::NotStorable>(&stored);
            if (why != nullptr && !insert.ignore) return not_storable(*why, row);
            if (!std::holds_alternative<rules::Key>(stored))
                return protocol::not_supported(
                    fmt::format("this form of value for the shard key '{}'", column.name));
            keys[part] = std::get<rules::Key>(std::move(stored));
            if (part == 0) shown = literal.text;
        }
        const auto slot = table.group->algorithm->slot_of(keys);
        if (!slot)
            return protocol::no_shard_for_value(table.name, table.columns->columns[table.key_columns[0]].name,
                                                shown);
        if (ids != nullptr)
            if (auto problem = ids->after(row, *slot)) return std::move(*problem);
        shards.push_back(table.group->map.shard_of(*slot));
    }
    return shards;
}

protocol::Result<Routed> fill_insert(Routed routed, const RouteTemplate& route, const Values& values,
                                     const PlanContext& context, const PlannerLimits& limits) {
    std::optional<RowIds> ids;
    if (route.ids) ids.emplace(*route.ids, values, context);
    const auto shards = shards_of_rows(route, values, context, ids ? &*ids : nullptr);
    if (shards.has_error()) return shards.error();
    const InsertTemplate& insert = *route.insert;
    const Composer composer{route, values, context, false, ids ? &*ids : nullptr};
    if (ids) routed.ids = ids->summary();
    const rules::SlotMap& map = route.sharded[insert.route].table->group->map;
    std::map<std::pair<rules::NodeId, rules::ShardId>, std::vector<std::uint32_t>> by_shard;
    for (std::uint32_t row = 0; row < shards->size(); ++row)
        by_shard[{map.node_of((*shards)[row]), (*shards)[row]}].push_back(row);
    routed.row_count = static_cast<std::uint32_t>(shards->size());

    // Other sharded tables, in subqueries, must be where the rows go.
    if (route.sharded.size() > 1 || route.fixed_node) {
        std::vector<rules::Slots> slots;
        for (const TableRoute& table : route.sharded)
            slots.push_back(slots_of(table.condition, *table.table->group->algorithm, values, context.keys));
        const auto& range = map.slots_of(by_shard.begin()->first.second);
        slots[insert.route] = rules::Slots::range(map.slot_count(), range.first, range.last);
        const Meeting meeting = by_shard.size() == 1 ? meet(route, slots) : Meeting{};
        if (!meeting.meets) return protocol::not_supported(route.scattered);
        add_part(routed, route, composer, meeting.node, meeting.shards);
        routed.strategy = Strategy::one_place;
        return routed;
    }

    routed.access = AccessPath::shard_key;
    // EXPLAIN of an INSERT is the same in every shard.
    if (by_shard.size() == 1 || routed.plan->kind == StatementKind::explain) {
        const auto& [place, rows] = *by_shard.begin();
        routed.strategy = Strategy::one_place;
        add_part(routed, route, composer, place.first, {place.second});
        return routed;
    }
    if (by_shard.size() > limits.parts_max)
        return protocol::fan_out_exceeded(by_shard.size(), limits.parts_max);
    if (values.text().find("/*!") != std::string_view::npos ||
        values.text().find("/*M!") != std::string_view::npos)
        return protocol::not_supported("executable comments in an INSERT over several shards");
    const sqlparse::Scan& scan = values.scan();
    const Extent extent = composer.extent();
    routed.strategy = Strategy::split_write;
    routed.parts.reserve(by_shard.size());
    for (auto& [place, rows] : by_shard) {
        const Shards here{place.second};
        Part part;
        part.node = place.first;
        part.shard = place.second;
        part.default_database = none_database;
        composer.append(part.text, extent.begin, scan.rows.front().span.offset, here);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const sqlparse::Span span = scan.rows[rows[i]].span;
            if (i > 0) part.text += ", ";
            composer.append(part.text, span.offset, span.end(), here);
        }
        composer.append(part.text, scan.rows_end, extent.end, here);
        add_names(part, route, here);
        part.rows = std::move(rows);
        routed.parts.push_back(std::move(part));
    }
    return routed;
}

}  // namespace

void add_names(Part& part, const RouteTemplate& route, const Shards& shards) {
    for (std::size_t i = 0; i < route.sharded.size(); ++i) {
        const NameMapping mapping = mapping_of(route.sharded[i], shards[i]);
        const bool known = std::any_of(part.names.begin(), part.names.end(), [&](const NameMapping& other) {
            return other.physical_database == mapping.physical_database &&
                   other.physical_table == mapping.physical_table;
        });
        if (!known) part.names.push_back(mapping);
    }
}

Extent extent_of(std::string_view text, const sqlparse::Scan& scan) {
    Extent extent{scan.tokens.empty() ? 0 : scan.tokens.front().offset, scan.end};
    // `/*!50000 SELECT */ 1` and `SELECT 1 /*!50000 + 1 */`: a mark without its other half would be an error.
    const std::size_t first = skip_blanks(text, 0);
    if (first < extent.begin) extent.begin = static_cast<std::uint32_t>(first);
    const std::size_t after = skip_blanks(text, extent.end);
    if (text.substr(after).starts_with("*/")) extent.end = static_cast<std::uint32_t>(after + 2);
    return extent;
}

void take_edits(RouteTemplate& route, const std::vector<Edit>& edits,
                const std::vector<std::uint32_t>& route_of, const sqlparse::Scan& scan) {
    const auto place = [&](std::uint32_t begin, std::uint32_t end, sqlparse::Anchor& first,
                           sqlparse::Anchor& last) {
        if (begin == end) {
            // An insertion: behind the token before it, or before the token behind it.
            first = anchor_end(scan, begin);
            if (first.token == no_anchor) first = anchor_start(scan, begin);
            last = first;
        } else {
            first = anchor_start(scan, begin);
            last = anchor_end(scan, end);
        }
        // Another text with the same key may have more rows of VALUES, which would need the same edit.
        const bool in_rows =
            !scan.rows.empty() && begin >= scan.rows.front().span.offset && begin < scan.rows_end;
        if (first.token == no_anchor || last.token == no_anchor || in_rows) route.cacheable = false;
    };
    for (const Edit& edit : edits) {
        EditTemplate kept{.span = edit.span, .label = edit.label, .fill = edit.fill};
        kept.text = edit.text;
        kept.scope = edit.scope;
        kept.scatter_only = edit.scatter_only;
        kept.value = edit.value;
        if (edit.fill == Fill::table || edit.fill == Fill::table_name || edit.fill == Fill::table_database ||
            edit.fill == Fill::list)
            kept.route = route_of[edit.instance];
        place(edit.span.offset, edit.span.end(), kept.first, kept.last);
        if (edit.fill == Fill::label || edit.fill == Fill::copy)
            place(edit.label.offset, edit.label.end(), kept.label_first, kept.label_last);
        route.edits.push_back(std::move(kept));
    }
    std::stable_sort(
        route.edits.begin(), route.edits.end(),
        [](const EditTemplate& a, const EditTemplate& b) { return a.span.offset < b.span.offset; });
}

protocol::Result<Routed> fill(const std::shared_ptr<const Plan>& plan, const RouteTemplate& route,
                              const Values& values, const PlanContext& context, std::uint32_t rotation,
                              const PlannerLimits& limits) {
    Routed routed;
    routed.plan = plan;
    routed.strategy = plan->strategy;
    routed.access = plan->access;
    if (route.insert) return fill_insert(std::move(routed), route, values, context, limits);
    if (route.ids && route.ids->source != IdSource::server && !route.sharded.empty())
        return protocol::not_supported("a generated id beside sharded tables");
    if (route.sharded.empty() && route.ids) {
        RowIds ids{*route.ids, values, context};
        for (std::size_t row = 0; row < ids.row_count(); ++row)
            if (auto problem = ids.before(row)) return std::move(*problem);
        fill_unsharded(routed, route, Composer{route, values, context, false, &ids}, context, rotation);
        routed.ids = ids.summary();
        routed.row_count = static_cast<std::uint32_t>(ids.row_count());
        return routed;
    }
    if (route.sharded.empty()) {
        fill_unsharded(routed, route, Composer{route, values, context, false}, context, rotation);
        return routed;
    }
    boost::container::small_vector<rules::Slots, 2> slots;
    for (const TableRoute& table : route.sharded)
        slots.push_back(slots_of(table.condition, *table.table->group->algorithm, values, context.keys));
    const Meeting meeting = meet(route, slots);
    if (meeting.meets) {
        routed.strategy = Strategy::one_place;
        routed.access = meeting.impossible ? AccessPath::impossible : AccessPath::shard_key;
        const Composer composer{route, values, context, false};
        add_part(routed, route, composer, meeting.node, meeting.shards);
        return routed;
    }
    if (route.scatter == nullptr) return protocol::not_supported(route.scattered);
    return fill_scatter(std::move(routed), route, slots, values, context, limits);
}

std::size_t bytes_of(const Plan& plan, const RouteTemplate& route) {
    std::size_t bytes = sizeof plan + sizeof route + 128;
    for (const TableRoute& table : route.sharded) bytes += sizeof table + bytes_of(table.condition);
    bytes += route.edits.size() * sizeof(EditTemplate) + plan.tables.size() * sizeof(TableName);
    bytes += plan.databases.size() * sizeof(std::string);
    if (route.ids) bytes += sizeof *route.ids + route.ids->runs.size() * sizeof(IdTemplate::Given);
    if (route.insert)
        for (const auto& run : route.insert->runs) bytes += sizeof run + run.size() * sizeof(ValueRef);
    return bytes;
}

}  // namespace shardway::plan
