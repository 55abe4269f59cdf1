// INSERT and REPLACE.
#include <algorithm>

#include <fmt/format.h>

#include "middleware/plan/build.hpp"
#include "middleware/protocol/errors.hpp"

namespace shardway::plan {

namespace {

bool names_column(const sqlparse::Expr& expr, std::string_view name) {
    const auto* column = expr.as<sqlparse::Column>();
    return column != nullptr && schema::same_identifier(column->name.text, name);
}

// Where a column stands in a row of values: in the list of columns, or among the table's visible ones.
std::optional<std::size_t> position_of(const sqlparse::Insert& insert, const schema::Table& table,
                                       std::size_t column) {
    if (insert.has_columns) {
        for (std::size_t i = 0; i < insert.columns.size(); ++i)
            if (names_column(insert.columns[i], table.columns[column].name)) return i;
        return std::nullopt;
    }
    if (table.columns[column].invisible) return std::nullopt;
    std::size_t position = 0;
    for (std::size_t i = 0; i < column; ++i) position += !table.columns[i].invisible;
    return position;
}

std::size_t width_of(const sqlparse::Insert& insert, const schema::Table& table) {
    if (insert.has_columns) return insert.columns.size();
    std::size_t width = 0;
    for (const schema::Column& column : table.columns) width += !column.invisible;
    return width;
}

// What MySQL says when it is the one to refuse, else that we do not do it.
[[noreturn]] void refuse_missing_key(const schema::Column& column) {
    if (!column.has_default && !column.nullable && !column.auto_increment)
        throw protocol::SqlErrorException{protocol::no_default_for_column(column.name)};
    refuse(fmt::format("INSERT without a value for the shard key '{}'", column.name));
}

// Is `value`, assigned to the column, the value that the same literal would be compared as?
bool assigns_exactly(const ValueRef& value, const schema::Column& column) {
    if (schema::is_integer(column.type)) return value.kind == sqlparse::LiteralKind::integer;
    return (column.type == schema::ColumnType::varchar || column.type == schema::ColumnType::char_) &&
           value.kind == sqlparse::LiteralKind::string && !value.negative;
}

}  // namespace

void Builder::insert(const sqlparse::Insert& insert) {
    draft_.plan.kind = insert.replace ? StatementKind::replace : StatementKind::insert;
    draft_.plan.writes = true;
    const BlockId block = binder_.add_block(no_block);
    const InstanceId target = binder_.table(insert.table, {}, block, binder_.bound().blocks[block].scope);
    binder_.bound().instances[target].write_target = true;
    for (const sqlparse::Expr& column : insert.columns) binder_.expression(column, block);
    for (const sqlparse::InsertRow& row : insert.rows)
        for (const sqlparse::Expr& value : row.values) binder_.expression(value, block);
    for (const sqlparse::Assignment& assignment : insert.set) {
        binder_.expression(assignment.target, block);
        binder_.expression(assignment.value, block);
    }
    const Instance& instance = binder_.bound().instances[target];
    if (instance.kind == TargetKind::sharded && insert.query == nullptr) insert_rows(insert, target);
    if (insert.query != nullptr) insert_query(insert, target);
    for (const sqlparse::Assignment& assignment : insert.on_duplicate) {
        binder_.expression(assignment.target, block);
        binder_.expression(assignment.value, block);
        if (const auto* column = assignment.target.as<sqlparse::Column>())
            assigned(binder_.column(*column, block), "ON DUPLICATE KEY UPDATE of the shard key");
    }
    if (!insert.returning.empty()) {
        binder_.select_items(insert.returning, block);
        draft_.plan.returns_rows = true;
    }
    if (binder_.bound().instances[target].kind == TargetKind::reference) {
        const schema::Table* columns = binder_.bound().instances[target].columns;
        const auto generated = columns == nullptr ? std::nullopt : columns->auto_increment_column();
        // Nodes would count on their own.
        if (generated && (insert.query != nullptr || insert.source == sqlparse::InsertSource::set ||
                          !position_of(insert, *columns, *generated)))
            refuse("AUTO_INCREMENT in a reference table");
        if (columns == nullptr && !insert.has_columns && insert.query != nullptr) refuse("INSERT ... SELECT");
    }
    place();
    if (draft_.plan.returns_rows && draft_.plan.strategy == Strategy::everywhere_write) refuse("RETURNING");
}

void Builder::insert_rows(const sqlparse::Insert& insert, InstanceId target) {
    const rules::TableState& table = *binder_.bound().instances[target].table;
    const schema::Table& columns = *table.columns;
    InsertTemplate rows;
    rows.ignore = insert.ignore;
    rows.set_form = insert.source == sqlparse::InsertSource::set;
    const auto constant = [&](const sqlparse::Expr& expr, const schema::Column& column) {
        if (const auto value = binder_.value(expr)) return *value;
        if (expr.as<sqlparse::DefaultOf>() != nullptr) refuse_missing_key(column);
        refuse(fmt::format("an expression as value of the shard key '{}'", column.name));
    };
    const auto automatic = columns.auto_increment_column();
    const bool counts = automatic && std::find(table.key_columns.begin(), table.key_columns.end(),
                                               *automatic) == table.key_columns.end();
    const auto add_automatic = [&](const sqlparse::Expr* given) {
        const auto value = given == nullptr ? std::nullopt : binder_.value(*given);
        const bool generated = given == nullptr || given->as<sqlparse::DefaultOf>() != nullptr ||
                               (value && value->kind == sqlparse::LiteralKind::null_value);
        if (generated) refuse("AUTO_INCREMENT in a sharded table");
        rows.runs.back().push_back(value.value_or(ValueRef{.kind = sqlparse::LiteralKind::true_value}));
    };
    rows.has_auto = counts;
    if (rows.set_form) {
        rows.runs.emplace_back();
        for (const std::size_t key : table.key_columns) {
            const sqlparse::Assignment* found = nullptr;
            for (const sqlparse::Assignment& assignment : insert.set)
                if (names_column(assignment.target, columns.columns[key].name)) found = &assignment;
            if (found == nullptr) refuse_missing_key(columns.columns[key]);
            rows.runs.front().push_back(constant(found->value, columns.columns[key]));
        }
        if (counts) {
            const sqlparse::Assignment* found = nullptr;
            for (const sqlparse::Assignment& assignment : insert.set)
                if (names_column(assignment.target, columns.columns[*automatic].name)) found = &assignment;
            add_automatic(found == nullptr ? nullptr : &found->value);
        }
        draft_.route.insert = std::move(rows);
        return;
    }
    const std::size_t width = width_of(insert, columns);
    for (std::size_t row = 0; row < insert.rows.size(); ++row)
        if (insert.rows[row].values.size() != width && !insert.rows[row].values.empty())
            throw protocol::SqlErrorException{protocol::column_count_mismatch(row + 1)};
    // Rows are found again by the scan, so both must see the same.
    if (scan_.rows.size() != insert.rows.size()) refuse("this form of VALUES");
    for (std::size_t row = 0; row < insert.rows.size(); ++row) {
        if (scan_.rows[row].run < rows.runs.size()) continue;
        rows.runs.emplace_back();
        for (const std::size_t key : table.key_columns) {
            const auto position = position_of(insert, columns, key);
            if (!position || insert.rows[row].values.empty()) refuse_missing_key(columns.columns[key]);
            rows.runs.back().push_back(constant(insert.rows[row].values[*position], columns.columns[key]));
        }
        if (counts) {
            const auto position = position_of(insert, columns, *automatic);
            add_automatic(position ? &insert.rows[row].values[*position] : nullptr);
        }
    }
    draft_.route.insert = std::move(rows);
}

// The rows must be made in the shard that takes them: the SELECT's key column is the table's.
void Builder::insert_query(const sqlparse::Insert& insert, InstanceId target) {
    const Binder::BoundQuery query = binder_.query(*insert.query, no_block);
    const Instance& instance = binder_.bound().instances[target];
    if (instance.kind != TargetKind::sharded || query.arms.size() != 1 || !context_.keys.strict) return;
    const Binder::Arm& arm = query.arms.front();
    if (!arm.known) return;
    const schema::Table& columns = *instance.table->columns;
    if (arm.outputs.size() != width_of(insert, columns))
        throw protocol::SqlErrorException{protocol::column_count_mismatch(1)};
    const ScopeId scope = instance.scope;
    for (const std::size_t key : instance.table->key_columns) {
        const auto position = position_of(insert, columns, key);
        if (!position) refuse_missing_key(columns.columns[key]);
        const Binder::Output& output = arm.outputs[*position];
        const ColumnId subject{target, static_cast<std::uint32_t>(key)};
        if (output.source) {
            binder_.equate(scope, subject, output.source);
        } else if (output.expr != nullptr) {
            const auto value = binder_.value(*output.expr);
            if (!value || !assigns_exactly(*value, columns.columns[key])) continue;
            Filter filter;
            filter.kind = Condition::Kind::equal;
            filter.subject = subject;
            filter.column = &columns.columns[key];
            filter.values.push_back(*value);
            binder_.bound().facts.add_filter(scope, std::move(filter));
        }
    }
}

}  // namespace shardway::plan
