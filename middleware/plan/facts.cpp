#include "middleware/plan/facts.hpp"

#include <algorithm>
#include <utility>

namespace shardway::plan {

ScopeId Facts::add_scope(ScopeId parent) {
    scopes_.push_back({parent, {}, {}});
    return static_cast<ScopeId>(scopes_.size() - 1);
}

void Facts::add_equality(ScopeId scope, ColumnId left, ColumnId right) {
    scopes_[scope].equalities.push_back({left, right});
}

void Facts::add_filter(ScopeId scope, Filter filter) {
    if (filter.kind != Condition::Kind::all) scopes_[scope].filters.push_back(std::move(filter));
}

void Facts::Reach::add_scopes(const std::vector<Scope>& all, ScopeId scope) {
    for (; scope != no_scope; scope = all[scope].parent) {
        if (std::find(scopes.begin(), scopes.end(), scope) != scopes.end()) return;
        scopes.push_back(scope);
    }
}

bool Facts::Reach::add_column(ColumnId column) {
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) return false;
    columns.push_back(column);
    return true;
}

Condition Facts::condition_of(const Reach& reach, std::uint32_t part) const {
    Condition condition;
    for (const ScopeId scope : reach.scopes)
        for (const Filter& filter : scopes_[scope].filters)
            condition = both(std::move(condition), restrict(filter, reach, part));
    return condition;
}

Condition Facts::restrict(const Filter& filter, const Reach& reach, std::uint32_t part) {
    switch (filter.kind) {
    case Condition::Kind::all: break;
    case Condition::Kind::none: return {.kind = Condition::Kind::none};
    case Condition::Kind::all_of: {
        Condition condition;
        for (const Filter& child : filter.children)
            condition = both(std::move(condition), restrict(child, reach, part));
        return condition;
    }
    case Condition::Kind::any_of: {
        std::vector<Condition> branches;
        for (const Filter& child : filter.children) branches.push_back(restrict(child, reach, part));
        return either(std::move(branches));
    }
    case Condition::Kind::equal:
    case Condition::Kind::range:
        if (std::find(reach.columns.begin(), reach.columns.end(), filter.subject) == reach.columns.end())
            break;
        return {.kind = filter.kind,
                .comparison = filter.comparison,
                .in_list = filter.in_list,
                .part = part,
                .column = filter.column,
                .values = filter.values};
    case Condition::Kind::differ:
    case Condition::Kind::truth: return {.kind = filter.kind, .values = filter.values};
    }
    return {};
}

bool same_key_type(const schema::Column& left, const schema::Column& right) {
    using schema::ColumnType;
    if (schema::is_integer(left.type)) return schema::is_integer(right.type);
    if (left.type == ColumnType::char_ || left.type == ColumnType::varchar)
        return (right.type == ColumnType::char_ || right.type == ColumnType::varchar) &&
               left.collation == right.collation && left.charset == right.charset;
    if (left.type == ColumnType::varbinary) return right.type == ColumnType::varbinary;
    if (left.type == ColumnType::binary)
        return right.type == ColumnType::binary && left.length == right.length;
    if (schema::is_dated(left.type)) return left.type == right.type && left.fsp == right.fsp;
    return false;
}

}  // namespace shardway::plan
