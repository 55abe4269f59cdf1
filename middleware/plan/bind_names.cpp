// The binder's second part: tables, columns, functions and variables by name, and the edits they need.
#include <algorithm>
#include <array>
#include <cassert>

#include "middleware/plan/bind.hpp"
#include "middleware/plan/build.hpp"
#include "middleware/protocol/errors.hpp"
#include "sqlparse/walk.hpp"

namespace shardway::plan {

namespace {

std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return out;
}

bool is_system_database(std::string_view name) {
    return name == "information_schema" || name == "performance_schema" || name == "mysql" || name == "sys";
}

// The column of an information_schema table that says which database a row is about; empty for the rest.
std::string_view schema_column(std::string_view table) {
    struct Entry {
        std::string_view table, column;
    };
    static constexpr Entry entries[] = {
        {"tables", "table_schema"},
        {"columns", "table_schema"},
        {"statistics", "table_schema"},
        {"views", "table_schema"},
        {"partitions", "table_schema"},
        {"key_column_usage", "table_schema"},
        {"table_constraints", "table_schema"},
        {"table_privileges", "table_schema"},
        {"column_privileges", "table_schema"},
        {"schema_privileges", "table_schema"},
        {"schemata", "schema_name"},
        {"triggers", "trigger_schema"},
        {"routines", "routine_schema"},
        {"parameters", "specific_schema"},
        {"events", "event_schema"},
        {"referential_constraints", "constraint_schema"},
        {"check_constraints", "constraint_schema"},
    };
    for (const Entry& entry : entries)
        if (entry.table == table) return entry.column;
    return {};
}

// Locks that belong to a connection: they would stay on one that other sessions use later.
bool takes_user_lock(std::string_view name) {
    return name == "get_lock" || name == "release_lock" || name == "release_all_locks" ||
           name == "is_free_lock" || name == "is_used_lock";
}

bool is_clock(std::string_view name) {
    static constexpr std::array<std::string_view, 13> names = {"now",
                                                               "current_timestamp",
                                                               "localtime",
                                                               "localtimestamp",
                                                               "curdate",
                                                               "current_date",
                                                               "curtime",
                                                               "current_time",
                                                               "utc_date",
                                                               "utc_time",
                                                               "utc_timestamp",
                                                               "unix_timestamp",
                                                               "transaction_timestamp"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

const char* not_repeatable(std::string_view name) {
    static constexpr const char* names[] = {"RAND",         "UUID",     "UUID_SHORT", "SYSDATE",
                                            "RANDOM_BYTES", "SYS_GUID", "UUID_V4",    "UUID_V7",
                                            "LOAD_FILE",    "SLEEP",    "BENCHMARK"};
    for (const char* candidate : names)
        if (lower(candidate) == name) return candidate;
    return nullptr;
}

bool is_renamed(const rules::TableState& table) {
    return std::any_of(table.places.begin(), table.places.end(),
                       [&](const rules::PhysicalTable& place) { return place.table != table.name; });
}

}  // namespace

void Binder::note_database(std::string_view name) {
    if (std::find(bound_.databases.begin(), bound_.databases.end(), name) == bound_.databases.end())
        bound_.databases.push_back(name);
}

void Binder::resolve(Instance& instance) {
    const std::string_view database =
        instance.name.database ? instance.name.database.text : context_.database;
    const std::string_view name = instance.name.name.text;
    if (database.empty()) throw protocol::SqlErrorException{protocol::no_database_selected()};
    instance.database_name = database;
    const std::string folded = lower(database);
    if (is_system_database(folded)) {
        instance.kind = TargetKind::system;
        if (folded != "information_schema" && !context_.session.may_use(folded)) {
            throw protocol::SqlErrorException{database_denied(context_, database)};
        }
        return;
    }
    if (!context_.session.may_use(database)) {
        throw protocol::SqlErrorException{database_denied(context_, database)};
    }
    instance.database = context_.topology.database(database);
    if (instance.database == nullptr) throw protocol::SqlErrorException{protocol::unknown_database(database)};
    note_database(instance.database->rule->name);
    if (instance.database->is_single_node()) {
        instance.kind = TargetKind::plain;
        instance.node = instance.database->rule->default_node;
        instance.columns = context_.topology.catalog().find(database, name);
        return;
    }
    instance.table = instance.database->find(name);
    if (instance.table == nullptr) throw protocol::SqlErrorException{protocol::no_such_table(database, name)};
    instance.columns = instance.table->columns;
    if (instance.columns != nullptr && instance.columns->is_view)
        refuse("views over tables of a sharded database");
    if (instance.table->is_sharded()) {
        instance.kind = TargetKind::sharded;
        // In the rules, but nobody has created it.
        if (instance.columns == nullptr || instance.table->key_columns.empty())
            throw protocol::SqlErrorException{protocol::no_such_table(database, name)};
    } else if (instance.table->is_reference()) {
        instance.kind = TargetKind::reference;
    } else {
        instance.kind = TargetKind::single;
        instance.node = instance.table->node;
    }
}

InstanceId Binder::table(const sqlparse::QualifiedName& name, const sqlparse::Name& alias, BlockId block,
                         ScopeId scope) {
    Instance instance{.block = block, .scope = scope, .name = name};
    instance.refer = alias ? alias.text : name.name.text;
    instance.aliased = static_cast<bool>(alias);
    instance.items = items_;
    resolve(instance);
    const auto id = static_cast<InstanceId>(bound_.instances.size());
    if (instance.kind == TargetKind::sharded)
        edit({.span = name.span(), .fill = Fill::table, .instance = id});
    if (instance.kind == TargetKind::system) {
        const std::string_view column = lower(instance.database_name) == "information_schema"
                                            ? schema_column(lower(name.name.text))
                                            : std::string_view{};
        if (!column.empty())
            edit({.span = name.span(),
                  .fill = Fill::schemas,
                  .instance = id,
                  .text = std::string{column},
                  .scope = alias ? std::string{} : std::string{name.name.text}});
    }
    bound_.instances.push_back(std::move(instance));
    bound_.blocks[block].instances.push_back(id);
    return id;
}

void Binder::base_table(const sqlparse::TableName& ref, BlockId block, ScopeId scope, bool outer_side) {
    if (!ref.name.database) {
        for (auto at = visible_ctes_.rbegin(); at != visible_ctes_.rend(); ++at) {
            Cte& cte = **at;
            if (cte.name != ref.name.name.text) continue;
            Instance instance{.kind = cte.being_bound ? TargetKind::opaque : TargetKind::derived,
                              .block = block};
            instance.scope = bound_.facts.add_scope(scope);
            instance.refer = ref.alias ? ref.alias.text : cte.name;
            instance.aliased = true;
            instance.outer_side = outer_side;
            const auto id = static_cast<InstanceId>(bound_.instances.size());
            bound_.instances.push_back(std::move(instance));
            bound_.blocks[block].instances.push_back(id);
            if (!cte.being_bound) {
                derived(cte.query, cte.table->columns, id, false);
                cte.references.push_back(id);
            }
            return;
        }
    }
    const InstanceId id = table(ref.name, ref.alias, block, scope);
    bound_.instances[id].outer_side = outer_side;
    if (ref.system_time != nullptr) {
        expression(ref.system_time->from, block);
        expression(ref.system_time->to, block);
    }
}

std::optional<ColumnId> Binder::column_of(InstanceId id, std::string_view name) const {
    const Instance& instance = bound_.instances[id];
    if (instance.columns != nullptr) {
        if (const auto found = instance.columns->find_column(name))
            return ColumnId{id, static_cast<std::uint32_t>(*found)};
        return std::nullopt;
    }
    for (std::uint32_t i = 0; i < instance.derived.size(); ++i)
        if (schema::same_identifier(instance.derived[i].name, name)) return ColumnId{id, i};
    return std::nullopt;
}

std::optional<InstanceId> Binder::named(const sqlparse::QualifiedName& name, BlockId block) const {
    for (const InstanceId id : bound_.blocks[block].instances) {
        const Instance& instance = bound_.instances[id];
        if (instance.refer != name.name.text) continue;
        if (name.database && (instance.aliased || instance.database_name != name.database.text)) continue;
        return id;
    }
    return std::nullopt;
}

std::optional<ColumnId> Binder::column(const sqlparse::Column& column, BlockId block) const {
    for (; block != no_block; block = bound_.blocks[block].parent) {
        const Block& here = bound_.blocks[block];
        if (column.table) {
            const auto instance = named({column.database, column.table}, block);
            if (instance) return column_of(*instance, column.name.text);
            continue;
        }
        std::optional<ColumnId> found;
        bool unknown = false;
        bool several = false;
        for (const InstanceId id : here.instances) {
            const Instance& instance = bound_.instances[id];
            unknown |= instance.columns == nullptr &&
                       !(instance.kind == TargetKind::derived && instance.derived_known);
            const auto candidate = column_of(id, column.name.text);
            if (!candidate) continue;
            several |= found.has_value();
            found = candidate;
        }
        if (several) {
            // The outermost join that merged it comes last.
            for (auto at = here.coalesced.rbegin(); at != here.coalesced.rend(); ++at)
                if (schema::same_identifier(at->name, column.name.text)) return at->column;
            return std::nullopt;  // ambiguous: the server will say so
        }
        if (found) return found;
        if (unknown) return std::nullopt;
    }
    return std::nullopt;
}

const schema::Column* Binder::type_of(ColumnId id) const {
    const Instance& instance = bound_.instances[id.instance];
    if (instance.columns != nullptr) return &instance.columns->columns[id.column];
    return id.column < instance.derived.size() ? instance.derived[id.column].type : nullptr;
}

void Binder::keep_labels(const std::vector<const sqlparse::SelectItem*>& items) {
    for (const sqlparse::SelectItem* item : items) {
        // A column's label is its name alone, whatever stands before it.
        if (item->alias || item->expr.as<sqlparse::Column>() != nullptr ||
            item->expr.as<sqlparse::Star>() != nullptr)
            continue;
        if (std::find(labelled_.begin(), labelled_.end(), item) != labelled_.end()) continue;
        labelled_.push_back(item);
        bound_.edits.push_back({.span = {item->span.end(), 0}, .fill = Fill::label, .label = item->label});
    }
}

void Binder::edit(Edit change) {
    keep_labels(items_);
    bound_.edits.push_back(std::move(change));
}

void Binder::edit_table_name(const sqlparse::QualifiedName& name, InstanceId id) {
    const Instance& instance = bound_.instances[id];
    if (instance.aliased || instance.kind != TargetKind::sharded) return;
    if (name.database) edit({.span = name.database.span, .fill = Fill::table_database, .instance = id});
    if (is_renamed(*instance.table)) edit({.span = name.name.span, .fill = Fill::table_name, .instance = id});
}

void Binder::column_edits(const sqlparse::Name& database, const sqlparse::Name& table, BlockId block) {
    if (!table) return;
    for (; block != no_block; block = bound_.blocks[block].parent) {
        if (const auto instance = named({database, table}, block)) {
            edit_table_name({database, table}, *instance);
            return;
        }
    }
}

void Binder::locking(const sqlparse::Query& query, BlockId block) {
    bound_.locking |= !query.locking.empty();
    for (const sqlparse::Locking& clause : query.locking)
        for (const sqlparse::Name& name : clause.of)
            if (const auto instance = named({{}, name}, block)) edit_table_name({{}, name}, *instance);
}

// Values that cannot be in a shard match none of its rows, wherever the list stands.
void Binder::list_edit(const sqlparse::InList& in, BlockId block) {
    const auto subject = plain_column(in.operand, block);
    if (!subject || !items_.empty()) return;
    const Instance& instance = bound_.instances[subject->instance];
    if (instance.kind != TargetKind::sharded || instance.table->key_columns.size() != 1 ||
        instance.table->key_columns.front() != subject->column)
        return;
    const auto first = in.items.front().as<sqlparse::Literal>();
    for (const sqlparse::Expr& item : in.items) {
        const auto* literal = item.as<sqlparse::Literal>();
        // Only a collapsed list has one hole, and one kind of literal with it.
        if (first == nullptr || literal == nullptr || literal->hole == sqlparse::no_hole ||
            literal->hole != first->hole || literal->kind != first->kind)
            return;
    }
    Edit change{.span = in.list, .fill = Fill::list, .instance = subject->instance, .scatter_only = true};
    change.value = *value(in.items.front());
    bound_.edits.push_back(std::move(change));
}

void Binder::session_value(sqlparse::Span span, Fill fill) {
    bound_.has_sessions_values = true;
    edit({.span = span, .fill = fill});
}

void Binder::function(const sqlparse::Expr& expr, const sqlparse::Function& call) {
    if (call.name.database) return;  // a stored function
    const std::string name = lower(call.name.name.text);
    if (takes_user_lock(name)) refuse("GET_LOCK");
    bound_.reads_clock |= is_clock(name);
    if (const char* found = not_repeatable(name)) bound_.not_repeatable = found;
    if (!call.arguments.empty()) {
        bound_.seeded |= name == "rand";
        if (name == "last_insert_id") refuse("LAST_INSERT_ID with an argument");
        return;
    }
    if (name == "database" || name == "schema") return session_value(expr.span, Fill::database);
    if (name == "user" || name == "session_user" || name == "system_user")
        return session_value(expr.span, Fill::user);
    if (name == "current_user") return session_value(expr.span, Fill::current_user);
    if (name == "connection_id") return session_value(expr.span, Fill::connection_id);
    if (name == "last_insert_id") return session_value(expr.span, Fill::last_insert_id);
    if (name == "row_count") return session_value(expr.span, Fill::row_count);
    if (name == "found_rows") return session_value(expr.span, Fill::found_rows);
    if (name == "version") {
        bound_.has_sessions_values = true;
        edit({.span = expr.span, .fill = Fill::variable, .text = name});
    }
}

void Binder::expression(const sqlparse::Expr& expr, BlockId block) {
    if (!expr) return;
    if (const auto* found = expr.as<sqlparse::Column>()) {
        column_edits(found->database, found->table, block);
        return;
    }
    if (const auto* star = expr.as<sqlparse::Star>()) {
        column_edits(star->database, star->table, block);
        return;
    }
    if (expr.as<sqlparse::UserVariable>() != nullptr) refuse("user variables");
    if (expr.as<sqlparse::SequenceValue>() != nullptr) refuse("sequences");
    if (const auto* variable = expr.as<sqlparse::SystemVariable>()) {
        static constexpr std::string_view scopes[] = {"",       "session", "local",
                                                      "global", "persist", "persist_only"};
        bound_.has_sessions_values = true;
        std::string name = variable->base ? lower(variable->base.text) + "." : std::string{};
        name += lower(variable->name.text);
        edit({.span = expr.span,
              .fill = Fill::variable,
              .text = std::move(name),
              .scope = std::string{scopes[static_cast<std::size_t>(variable->scope)]}});
        return;
    }
    if (const auto* call = expr.as<sqlparse::Function>()) function(expr, *call);
    if (const auto* in = expr.as<sqlparse::InList>()) list_edit(*in, block);
    sqlparse::for_each_child(
        expr, sqlparse::Overloaded{[&](const sqlparse::Expr& child) { expression(child, block); },
                                   [&](const sqlparse::Query& inner) {
                                       bound_.subqueries = true;
                                       in_queries_.emplace_back(&inner, query(inner, block));
                                   },
                                   [](const auto&) {}});
}

}  // namespace shardway::plan
