// What a statement's conditions say of columns: equalities and filters, each true for every row that can
// matter within its scope. From them follows which values a table's shard key can have (DESIGN.md 6.5).
//
// Scopes form a forest: one tree per query block. A block's root holds what WHERE and inner joins say; the
// side of an outer join that may be filled with NULLs has a scope of its own below, with what ON says. A
// table sees the facts of its scope and of all above. A fact rejects NULL, so that whoever meets a table by
// an equality may use that table's facts too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "middleware/plan/condition.hpp"
#include "schema/column.hpp"

namespace shardway::plan {

using InstanceId = std::uint32_t;  // position in Bound::instances
using ScopeId = std::uint32_t;
constexpr ScopeId no_scope = UINT32_MAX;

struct ColumnId {
    InstanceId instance = 0;
    std::uint32_t column = 0;
    bool operator==(const ColumnId&) const = default;
};

// A filter before anybody asks for a table: like Condition, but its leaves name columns.
struct Filter {
    Condition::Kind kind = Condition::Kind::all;
    ColumnId subject;
    rules::Comparison comparison = rules::Comparison::less;
    bool in_list = false;
    const schema::Column* column = nullptr;
    std::vector<ValueRef> values;
    std::vector<Filter> children;
};

class Facts {
public:
    ScopeId add_scope(ScopeId parent);
    void add_equality(ScopeId scope, ColumnId left, ColumnId right);
    void add_filter(ScopeId scope, Filter filter);

    // All columns that certainly equal `column` in every row of its table that can matter; itself first.
    // `scope` is the scope of the column's table, `scope_of(InstanceId)` that of any other.
    template <class ScopeOf>
    std::vector<ColumnId> equals_of(ColumnId column, ScopeId scope, ScopeOf&& scope_of) const {
        return collect(column, scope, scope_of).columns;
    }
    // What the facts say of the values of `column`, which is part `part` of a shard key.
    template <class ScopeOf>
    Condition condition_of(ColumnId column, ScopeId scope, std::uint32_t part, ScopeOf&& scope_of) const {
        return condition_of(collect(column, scope, scope_of), part);
    }

private:
    struct Equality {
        ColumnId left, right;
    };
    struct Scope {
        ScopeId parent = no_scope;
        std::vector<Equality> equalities;
        std::vector<Filter> filters;
    };
    struct Reach {
        std::vector<ColumnId> columns;
        std::vector<ScopeId> scopes;
        void add_scopes(const std::vector<Scope>& all, ScopeId scope);
        bool add_column(ColumnId column);
    };
    Condition condition_of(const Reach& reach, std::uint32_t part) const;
    static Condition restrict(const Filter& filter, const Reach& reach, std::uint32_t part);

    template <class ScopeOf>
    Reach collect(ColumnId column, ScopeId scope, ScopeOf& scope_of) const {
        Reach reach;
        reach.add_column(column);
        reach.add_scopes(scopes_, scope);
        // Both lists grow while they are read.
        for (bool grown = true; grown;) {
            grown = false;
            for (std::size_t i = 0; i < reach.scopes.size(); ++i) {
                for (const Equality& equality : scopes_[reach.scopes[i]].equalities) {
                    for (const auto& [from, to] : {std::pair{equality.left, equality.right},
                                                   std::pair{equality.right, equality.left}}) {
                        if (std::find(reach.columns.begin(), reach.columns.end(), from) ==
                            reach.columns.end())
                            continue;
                        if (!reach.add_column(to)) continue;
                        reach.add_scopes(scopes_, scope_of(to.instance));
                        grown = true;
                    }
                }
            }
        }
        return reach;
    }

    std::vector<Scope> scopes_;
};

// Do values of the two columns, when MySQL calls them equal, have one key?
bool same_key_type(const schema::Column& left, const schema::Column& right);

}  // namespace shardway::plan
