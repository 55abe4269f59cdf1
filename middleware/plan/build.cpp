#include "middleware/plan/build.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "middleware/protocol/errors.hpp"
#include "sqlparse/literal.hpp"

namespace shardway::plan {

namespace {

constexpr std::uint32_t no_route = UINT32_MAX;

std::string upper_words(std::string_view words) {
    std::string out{words};
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
    return out;
}

}  // namespace

Draft Builder::build(const sqlparse::Statement& statement) {
    if (statement.parameters > 0) {
        std::string_view near;
        for (const sqlparse::ScanLiteral& literal : scan_.literals)
            if (literal.kind == sqlparse::LiteralKind::parameter && near.empty())
                near = text_.substr(literal.offset, std::min<std::size_t>(80, text_.size() - literal.offset));
        throw protocol::SqlErrorException{protocol::syntax_error(near, 1)};
    }
    data_statement(statement);
    draft_.plan.kind = draft_.plan.strategy == Strategy::session ? StatementKind::session : draft_.plan.kind;
    return std::move(draft_);
}

void Builder::data_statement(const sqlparse::Statement& statement) {
    using namespace sqlparse;
    if (const auto* node = statement.as<Query>()) return query(*node);
    if (const auto* node = statement.as<Insert>()) return insert(*node);
    if (const auto* node = statement.as<Update>()) return update(*node);
    if (const auto* node = statement.as<Delete>()) return delete_rows(*node);
    if (const auto* node = statement.as<Call>()) return call(*node);
    if (const auto* node = statement.as<Show>()) return show(*node);
    if (const auto* node = statement.as<Describe>()) return describe(*node);
    if (const auto* node = statement.as<Explain>()) return explain(*node);
    if (const auto* node = statement.as<Unread>()) return unread(*node, statement.span);
    if (const auto* node = statement.as<Do>()) {
        const BlockId block = binder_.add_block(no_block);
        binder_.select_items(node->expressions, block);
        draft_.plan.kind = StatementKind::select;
        return place();
    }
    if (const auto* node = statement.as<UnlockTables>(); node && node->instance == InstanceForm::none)
        return session_statement(statement);
    if (const auto* node = statement.as<Flush>();
        node && node->tables && !node->read_lock && !node->for_export)
        return session_statement(statement);
    if (statement.as<Begin>() || statement.as<Commit>() || statement.as<Rollback>() ||
        statement.as<Savepoint>() || statement.as<ReleaseSavepoint>() || statement.as<Set>() ||
        statement.as<Use>() || statement.as<Kill>() || statement.as<Prepare>() || statement.as<Execute>() ||
        statement.as<Deallocate>())
        return session_statement(statement);
    if (statement.as<LoadData>() || statement.as<Handler>() || statement.as<Xa>() ||
        statement.as<LockTables>() || statement.as<UnlockTables>() || statement.as<Flush>())
        refuse(upper_words(kind_of(statement)));
    definition(statement);
}

void Builder::session_statement(const sqlparse::Statement& statement) {
    if (const auto* set = statement.as<sqlparse::Set>(); set && set->statement != nullptr)
        refuse("SET STATEMENT");
    draft_.plan.strategy = Strategy::session;
    draft_.plan.kind = StatementKind::session;
}

void Builder::query(const sqlparse::Query& query) {
    draft_.plan.kind = StatementKind::select;
    draft_.plan.returns_rows = true;
    bound_query_ = binder_.query(query, no_block);
    query_ = &query;
    draft_.plan.locking_read = binder_.bound().locking;
    place();
}

void Builder::call(const sqlparse::Call& call) {
    draft_.plan.kind = StatementKind::call;
    const std::string_view name = call.procedure.database ? call.procedure.database.text : context_.database;
    if (name.empty()) throw protocol::SqlErrorException{protocol::no_database_selected()};
    const rules::DatabaseState* database = named_database(name);
    if (database == nullptr || !database->is_single_node()) refuse("CALL on a sharded database");
    const BlockId block = binder_.add_block(no_block);
    for (const sqlparse::Expr& argument : call.arguments) binder_.expression(argument, block);
    draft_.plan.writes = true;
    draft_.plan.returns_rows = true;
    place();
    go_to(database->rule->default_node);
}

void Builder::explain(const sqlparse::Explain& explain) {
    if (explain.statement == nullptr) refuse("EXPLAIN FOR CONNECTION");
    if (explain.into) refuse("EXPLAIN INTO");
    if (explain.schema) refuse("EXPLAIN FOR SCHEMA");
    data_statement(*explain.statement);
    if (explain.analyze && draft_.plan.writes) refuse("EXPLAIN ANALYZE of a write");
    if (draft_.plan.strategy == Strategy::session || draft_.plan.kind == StatementKind::ddl)
        refuse("EXPLAIN");
    // Every node would say the same of a reference table.
    if (draft_.route.choice == NodeChoice::every) draft_.route.choice = NodeChoice::rotate;
    draft_.plan.strategy = Strategy::one_place;
    draft_.plan.kind = StatementKind::explain;
    draft_.plan.writes = false;
    draft_.plan.locking_read = false;
    draft_.plan.returns_rows = true;
}

void Builder::assigned(std::optional<ColumnId> column, std::string_view what) {
    if (!column) return;
    Instance& instance = binder_.bound().instances[column->instance];
    instance.write_target = true;
    if (instance.kind == TargetKind::sharded &&
        std::find(instance.table->key_columns.begin(), instance.table->key_columns.end(), column->column) !=
            instance.table->key_columns.end())
        refuse(what);
}

void Builder::update(const sqlparse::Update& update) {
    draft_.plan.kind = StatementKind::update;
    draft_.plan.writes = true;
    const BlockId block = binder_.add_block(no_block);
    binder_.with(update.with, no_block);
    binder_.from(update.tables, block);
    binder_.where(update.where, block);
    for (const sqlparse::Assignment& assignment : update.set) {
        binder_.expression(assignment.target, block);
        binder_.expression(assignment.value, block);
        const auto* target = assignment.target.as<sqlparse::Column>();
        if (target == nullptr) continue;
        const auto column = binder_.column(*target, block);
        // The column may be unknown to us, the table is not.
        if (!column && !update.multi_table())
            binder_.bound().instances[binder_.bound().blocks[block].instances.front()].write_target = true;
        if (!column && update.multi_table() && target->table)
            if (const auto instance = binder_.named({target->database, target->table}, block))
                binder_.bound().instances[*instance].write_target = true;
        assigned(column, "UPDATE of the shard key");
    }
    binder_.order(update.order_by, block);
    binder_.limit(update.limit, block);
    limited_ = update.limit != nullptr;
    place();
}

void Builder::delete_rows(const sqlparse::Delete& statement) {
    draft_.plan.kind = StatementKind::delete_;
    draft_.plan.writes = true;
    if (statement.portion != nullptr) refuse("FOR PORTION OF");
    const BlockId block = binder_.add_block(no_block);
    binder_.with(statement.with, no_block);
    binder_.from(statement.from, block);
    binder_.where(statement.where, block);
    Bound& bound = binder_.bound();
    if (statement.form == sqlparse::DeleteForm::single) {
        bound.instances[bound.blocks[block].instances.front()].write_target = true;
    } else {
        for (const sqlparse::DeleteTarget& target : statement.targets) {
            const auto instance = binder_.named(target.name, block);
            if (!instance)
                throw protocol::SqlErrorException{
                    protocol::unknown_table(target.name.name.text, "MULTI DELETE")};
            bound.instances[*instance].write_target = true;
            // Without an alias a target is found by its whole name only: the table in FROM has one.
            const Instance& table = bound.instances[*instance];
            if (!table.aliased && table.kind == TargetKind::sharded) {
                binder_.edit({.span = target.name.span(), .fill = Fill::table, .instance = *instance});
            } else {
                binder_.edit_table_name(target.name, *instance);
            }
        }
    }
    binder_.order(statement.order_by, block);
    binder_.limit(statement.limit, block);
    binder_.select_items(statement.returning, block);
    draft_.plan.returns_rows = !statement.returning.empty();
    limited_ = statement.limit != nullptr;
    place();
}

// Placing.

void Builder::place() {
    binder_.finish();
    Bound& bound = binder_.bound();
    for (const Instance& instance : bound.instances) {
        if (!instance.is_base()) continue;
        TableName name{std::string{instance.database_name}, std::string{instance.name.name.text}};
        if (std::find(draft_.plan.tables.begin(), draft_.plan.tables.end(), name) == draft_.plan.tables.end())
            draft_.plan.tables.push_back(std::move(name));
        // Two tables of different nodes never meet.
        if (instance.kind == TargetKind::single || instance.kind == TargetKind::plain) {
            if (draft_.route.fixed_node && draft_.route.node != instance.node)
                refuse("tables of several nodes in one statement");
            draft_.route.fixed_node = true;
            draft_.route.node = instance.node;
        }
    }
    for (const std::string_view name : bound.databases) draft_.plan.databases.emplace_back(name);
    draft_.plan.reads_clock = bound.reads_clock;
    for (const Instance& instance : bound.instances)
        if (instance.write_target && instance.columns != nullptr)
            for (const schema::Column& column : instance.columns->columns)
                draft_.plan.reads_clock |= column.default_is_clock || column.on_update_clock;
    const bool sharded =
        std::any_of(bound.instances.begin(), bound.instances.end(),
                    [](const Instance& instance) { return instance.kind == TargetKind::sharded; });
    if (sharded)
        place_sharded();
    else
        place_unsharded();
}

void Builder::place_sharded() {
    Bound& bound = binder_.bound();
    std::vector<std::uint32_t> route_of(bound.instances.size(), no_route);
    const auto scope_of = [&](InstanceId id) { return bound.instances[id].scope; };
    for (InstanceId id = 0; id < bound.instances.size(); ++id) {
        const Instance& instance = bound.instances[id];
        if (instance.write_target && instance.kind == TargetKind::reference)
            refuse("a write to a reference table that reads sharded tables");
        if (instance.kind != TargetKind::sharded) continue;
        TableRoute table{.database = instance.database, .table = instance.table};
        for (std::uint32_t part = 0; part < instance.table->key_columns.size(); ++part) {
            const ColumnId key{id, static_cast<std::uint32_t>(instance.table->key_columns[part])};
            table.condition = both(std::move(table.condition),
                                   bound.facts.condition_of(key, instance.scope, part, scope_of));
        }
        table.write_target = instance.write_target;
        route_of[id] = static_cast<std::uint32_t>(draft_.route.sharded.size());
        if (draft_.route.insert && instance.write_target) draft_.route.insert->route = route_of[id];
        draft_.route.sharded.push_back(std::move(table));
    }
    draft_.plan.access = AccessPath::shard_key;
    draft_.route.default_database = none_database;
    draft_.route.scattered =
        draft_.route.sharded.size() > 1
            ? fmt::format("{} that joins tables of several shards", name_of(draft_.plan.kind))
            : fmt::format("{} over several shards of '{}'", name_of(draft_.plan.kind),
                          draft_.route.sharded.front().table->name);
    qualify_names();
    scatter();
    take_edits(draft_.route, bound.edits, route_of, scan_);
}

// Statements on sharded tables run in an empty database, so tables that keep their names need their database
// before them.
void Builder::qualify_names() {
    Bound& bound = binder_.bound();
    for (const Instance& instance : bound.instances) {
        if (!instance.is_base() || instance.kind == TargetKind::sharded || instance.name.database) continue;
        Edit edit{.span = {instance.name.name.span.offset, 0}, .fill = Fill::text};
        edit.text = sqlparse::quote_name(instance.database_name) + ".";
        binder_.keep_labels(instance.items);
        binder_.edit(std::move(edit));
    }
}

void Builder::place_unsharded() {
    Bound& bound = binder_.bound();
    bool reference = false;
    bool writes_reference = false;
    bool system = false;
    const rules::DatabaseState* of_reference = nullptr;
    for (const Instance& instance : bound.instances) {
        system |= instance.kind == TargetKind::system;
        if (instance.kind != TargetKind::reference) continue;
        reference = true;
        writes_reference |= instance.write_target;
        if (of_reference == nullptr) of_reference = instance.database;
    }
    RouteTemplate& route = draft_.route;
    if (writes_reference) {
        if (route.fixed_node || system) refuse("a write to a reference table that reads other tables");
        if (bound.not_repeatable != nullptr)
            refuse(fmt::format("{}() in a write to a reference table", bound.not_repeatable));
        if (limited_) refuse("LIMIT in a write to a reference table");
        route.choice = NodeChoice::every;
        draft_.plan.strategy = Strategy::everywhere_write;
        draft_.plan.access = AccessPath::any_node;
    } else if (route.fixed_node) {
        route.choice = NodeChoice::fixed;
        draft_.plan.access = AccessPath::its_node;
    } else if (reference && draft_.plan.locking_read) {
        // A lock is held against other lockers only where all of them ask.
        route.choice = NodeChoice::fixed;
        route.node = of_reference->rule->default_node;
        draft_.plan.access = AccessPath::any_node;
    } else if (reference && !system) {
        route.choice = NodeChoice::rotate;
        draft_.plan.access = AccessPath::any_node;
    } else {
        go_home(context_.topology.database(context_.database));
        draft_.plan.access = system ? AccessPath::its_node : AccessPath::none;
    }
    // Where the session's database is not on the node, no name without a database is there either.
    const bool one_node = route.choice == NodeChoice::fixed;
    route.default_database = default_database(context_, one_node ? std::optional{route.node} : std::nullopt);
    take_edits(route, bound.edits, {}, scan_);
}

void Builder::go_home(const rules::DatabaseState* database) {
    if (database != nullptr && database->is_single_node()) return go_to(database->rule->default_node);
    draft_.route.choice = NodeChoice::home;
    if (database != nullptr) draft_.route.home = database->rule->default_node;
    draft_.route.default_database = default_database(context_, draft_.route.home);
}

void Builder::go_to(rules::NodeId node) {
    draft_.route.choice = NodeChoice::fixed;
    draft_.route.fixed_node = true;
    draft_.route.node = node;
    draft_.plan.access = AccessPath::its_node;
    draft_.route.default_database = default_database(context_, node);
}

std::string_view default_database(const PlanContext& context, std::optional<rules::NodeId> node) {
    for (const std::string_view system : {"information_schema", "performance_schema", "mysql", "sys"})
        if (context.database == system) return system;
    const rules::DatabaseState* database = context.topology.database(context.database);
    if (database == nullptr) return none_database;
    if (database->is_single_node() && node != database->rule->default_node) return none_database;
    return database->rule->name;
}

}  // namespace shardway::plan
