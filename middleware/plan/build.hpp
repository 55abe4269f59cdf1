// From a tree to a plan: the slow way, taken when the cache has none.
#pragma once

#include <memory>
#include <string_view>

#include "middleware/plan/bind.hpp"
#include "middleware/plan/template.hpp"

namespace shardway::plan {

// What a builder makes; `plan.route` is `route` once it is finished.
struct Draft {
    Plan plan;
    RouteTemplate route;
};

class Builder {
public:
    Builder(const PlanContext& context, const sqlparse::Scan& scan, std::string_view text)
        : context_{context}, scan_{scan}, text_{text}, binder_{context, scan, text} {}

    // Throws protocol::SqlErrorException.
    Draft build(const sqlparse::Statement& statement);

private:
    void data_statement(const sqlparse::Statement& statement);
    void query(const sqlparse::Query& query);
    void insert(const sqlparse::Insert& insert);
    void insert_rows(const sqlparse::Insert& insert, InstanceId target);
    void insert_query(const sqlparse::Insert& insert, InstanceId target);
    // The id column (build_ids.cpp).
    std::optional<IdTemplate> id_template(const sqlparse::Insert& insert, const Instance& instance);
    IdTemplate::Given given_id(const sqlparse::Expr& value, const IdTemplate& ids) const;
    void insert_ids(const sqlparse::Insert& insert, InstanceId target);
    void insert_set_id(const sqlparse::Insert& insert, IdTemplate& ids);
    void insert_query_id(const sqlparse::Insert& insert, InstanceId target, const Binder::BoundQuery& query);
    void update(const sqlparse::Update& update);
    void delete_rows(const sqlparse::Delete& statement);
    void call(const sqlparse::Call& call);
    void show(const sqlparse::Show& show);
    void describe(const sqlparse::Describe& describe);
    void explain(const sqlparse::Explain& explain);
    void definition(const sqlparse::Statement& statement);
    void unread(const sqlparse::Unread& unread, sqlparse::Span span);
    void session_statement(const sqlparse::Statement& statement);

    // After binding: where the statement goes.
    void place();
    void place_sharded();
    void place_unsharded();
    void qualify_names();
    // How the statement would run over several shards; sets route.scatter, or says in route.scattered what
    // prevents it.
    void scatter();
    void assigned(std::optional<ColumnId> column, std::string_view what);
    // A statement about databases by name: checks right and existence, answers its state, or null for system
    // ones.
    const rules::DatabaseState* named_database(std::string_view name);
    void metadata_of(const rules::DatabaseState* database, std::string_view table);
    void go_home(const rules::DatabaseState* database);
    void go_to(rules::NodeId node);

    const PlanContext& context_;
    const sqlparse::Scan& scan_;
    std::string_view text_;
    Binder binder_;
    Draft draft_;
    const sqlparse::Query* query_ = nullptr;  // the statement, where it is a SELECT
    Binder::BoundQuery bound_query_;          // and what it was bound to
    bool limited_ = false;                    // LIMIT without ORDER BY in a write
};

// Where a column stands in a row of values: in the list of columns, or among the table's visible ones.
std::optional<std::size_t> insert_position(const sqlparse::Insert& insert, const schema::Table& table,
                                           std::size_t column);

// May text that does not parse (or whose inside is not read) run as it is? Only when the session's database
// is a single-node one and no name before a dot is another database of the rules (DESIGN.md 6.3).
bool may_pass_unread(const PlanContext& context, std::string_view text);

// 1044 for this user.
protocol::SqlError database_denied(const PlanContext& context, std::string_view database);

// What a statement's default database is on the node it runs on when all its tables keep their names.
std::string_view default_database(const PlanContext& context, std::optional<rules::NodeId> node);

}  // namespace shardway::plan
