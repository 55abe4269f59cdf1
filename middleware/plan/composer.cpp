#include "middleware/plan/composer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "middleware/plan/row_ids.hpp"
#include "sqlparse/literal.hpp"

namespace shardway::plan {

namespace {

// MySQL's limit for an alias, in characters; a label that was never written may be longer.
constexpr std::size_t alias_characters_max = 256;

std::string_view cut_label(std::string_view label) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < label.size(); ++i) {
        const bool starts = (static_cast<unsigned char>(label[i]) & 0xc0) != 0x80;
        if (starts && ++characters > alias_characters_max) return label.substr(0, i);
    }
    return label;
}

// information_schema shows everything that a node holds; a client sees the databases of the rules that it may
// use.
std::string visible_schemas(const PlanContext& context) {
    std::string list = "'information_schema'";
    for (const auto& [name, database] : context.topology.databases())
        if (context.session.may_use(name)) list += ", " + sqlparse::quote_string(name, context.options);
    return list;
}

std::string schemas_text(const EditTemplate& edit, std::string_view original, const PlanContext& context) {
    std::string text =
        fmt::format("(SELECT * FROM {} WHERE {} IN ({}))", original, edit.text, visible_schemas(context));
    if (!edit.scope.empty()) text += " AS " + sqlparse::quote_name(edit.scope);
    return text;
}

std::string text_of(const EditTemplate& edit, std::string_view original, std::string_view label,
                    const PlanContext& context) {
    switch (edit.fill) {
    case Fill::text: return edit.text;
    case Fill::database:
        return context.database.empty() ? "NULL" : sqlparse::quote_string(context.database, context.options);
    case Fill::user: return sqlparse::quote_string(context.user, context.options);
    case Fill::current_user: return sqlparse::quote_string(context.current_user, context.options);
    case Fill::connection_id: return std::to_string(context.connection_id);
    case Fill::last_insert_id: return std::to_string(context.last_insert_id);
    case Fill::row_count: return std::to_string(context.row_count);
    case Fill::found_rows: return std::to_string(context.found_rows);
    case Fill::variable:
        if (auto value = context.session.variable(edit.scope, edit.text)) return std::move(*value);
        return std::string{original};
    case Fill::label: return " AS " + sqlparse::quote_name(cut_label(label));
    case Fill::schemas: return schemas_text(edit, original, context);
    case Fill::id:
    case Fill::copy:
    case Fill::list:
    case Fill::table:
    case Fill::table_name:
    case Fill::table_database: break;
    }
    return {};
}

void place_list(PlacedEdit& placed, const EditTemplate& edit, const RouteTemplate& route,
                const Values& values, const PlanContext& context) {
    const rules::TableState& table = *route.sharded[edit.route].table;
    Condition one{.kind = Condition::Kind::equal, .in_list = true};
    one.column = &table.columns->columns[table.key_columns.front()];
    values.for_each_written(edit.value, [&](std::string_view written, const rules::Literal& literal) {
        placed.list.emplace_back(written,
                                 slots_of_value(one, literal, *table.group->algorithm, context.keys));
    });
}

}  // namespace

Composer::Composer(const RouteTemplate& route, const Values& values, const PlanContext& context, bool scatter,
                   const RowIds* ids)
    : route_{route}, text_{values.text()}, extent_{extent_of(values.text(), values.scan())} {
    if (route.whole_until != 0) extent_.end = route.whole_until;
    const sqlparse::Scan& scan = values.scan();
    const bool anchored = route.cacheable;
    edits_.reserve(route.edits.size());
    for (const EditTemplate& edit : route.edits) {
        if (edit.scatter_only && !scatter) continue;
        PlacedEdit placed{.begin = edit.span.offset, .end = edit.span.end(), .from = &edit};
        placed.label = edit.label;
        const bool has_label = edit.fill == Fill::label || edit.fill == Fill::copy;
        if (anchored) {
            placed.begin = offset_of(scan, edit.first);
            placed.end = offset_of(scan, edit.last);
            if (has_label) {
                placed.label.offset = offset_of(scan, edit.label_first);
                placed.label.length = offset_of(scan, edit.label_last) - placed.label.offset;
            }
        }
        placed.of_part = edit.fill == Fill::table || edit.fill == Fill::table_name ||
                         edit.fill == Fill::table_database || edit.fill == Fill::copy ||
                         edit.fill == Fill::list;
        if (edit.fill == Fill::list) place_list(placed, edit, route, values, context);
        if (edit.fill == Fill::id) {
            if (ids == nullptr || ids->set_text().empty()) continue;
            placed.text = edit.text + ids->set_text();
        } else if (!placed.of_part)
            placed.text = text_of(edit, text_.substr(placed.begin, placed.end - placed.begin),
                                  placed.label.of(text_), context);
        edits_.push_back(std::move(placed));
    }
    if (ids == nullptr || route.ids->set_form) return;
    for (PlacedEdit& placed : ids->edits()) edits_.push_back(std::move(placed));
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const PlacedEdit& a, const PlacedEdit& b) { return a.begin < b.begin; });
}

std::string Composer::whole(const Shards& shards) const {
    std::string out;
    out.reserve(extent_.end - extent_.begin + 64);
    append(out, extent_.begin, extent_.end, shards);
    return out;
}

void Composer::append(std::string& out, std::uint32_t begin, std::uint32_t end, const Shards& shards) const {
    std::uint32_t at = begin;
    const auto first =
        std::lower_bound(edits_.begin(), edits_.end(), begin,
                         [](const PlacedEdit& edit, std::uint32_t offset) { return edit.begin < offset; });
    for (auto next = first; next != edits_.end(); ++next) {
        const PlacedEdit& edit = *next;
        if (edit.begin < at || (edit.begin == begin && edit.end == begin && begin != extent_.begin)) continue;
        if (edit.end > end || (edit.begin == end && edit.from->fill == Fill::copy && end != extent_.end))
            break;
        out.append(text_, at, edit.begin - at);
        at = edit.end;
        if (!edit.of_part) {
            out += edit.text;
            continue;
        }
        if (edit.from->fill == Fill::copy) {
            out += edit.from->text;
            append_copy(out, edit.label, shards);
            out += edit.from->scope;
            continue;
        }
        if (edit.from->fill == Fill::list) {
            append_list(out, edit, shards[edit.from->route]);
            continue;
        }
        const TableRoute& table = route_.sharded[edit.from->route];
        const rules::PhysicalTable& place = table.table->place(shards[edit.from->route]);
        if (edit.from->fill == Fill::table)
            out += place.quoted;
        else
            out += quoted(edit.from->fill == Fill::table_name ? place.table : place.database);
    }
    out.append(text_, at, end - at);
}

void Composer::append_list(std::string& out, const PlacedEdit& edit, rules::ShardId shard) const {
    const rules::SlotRange range = route_.sharded[edit.from->route].table->group->map.slots_of(shard);
    const std::size_t before = out.size();
    for (const auto& [written, slots] : edit.list) {
        if ((slots & rules::Slots::range(slots.size(), range.first, range.last)).empty()) continue;
        out += out.size() == before ? "(" : ", ";
        out += written;
    }
    // Nothing of the list is here, but an empty list is no SQL.
    if (out.size() == before)
        out.append(text_, edit.begin, edit.end - edit.begin);
    else
        out += ')';
}

// An expression once more, with the names it has in this part; the alias that may stand behind it stays where
// it is.
void Composer::append_copy(std::string& out, sqlparse::Span span, const Shards& shards) const {
    const std::size_t before = out.size();
    append(out, span.offset, span.end(), shards);
    for (const PlacedEdit& edit : edits_) {
        if (edit.from->fill != Fill::label || edit.begin != span.end()) continue;
        if (std::string_view{out}.substr(before).ends_with(edit.text))
            out.resize(out.size() - edit.text.size());
    }
}

std::string quoted(std::string_view name) { return sqlparse::quote_name(name); }

}  // namespace shardway::plan
