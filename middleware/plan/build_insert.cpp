// INSERT and REPLACE.
#include <algorithm>

#include <fmt/format.h>

#include "middleware/plan/build.hpp"
#include "middleware/protocol/errors.hpp"
#include "rules/ids.hpp"

namespace shardway::plan {

namespace {

bool names_column(const sqlparse::Expr& expr, std::string_view name) {
    const auto* column = expr.as<sqlparse::Column>();
    return column != nullptr && schema::same_identifier(column->name.text, name);
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

std::optional<std::size_t> insert_position(const sqlparse::Insert& insert, const schema::Table& table,
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
    if (binder_.bound().instances[target].kind == TargetKind::reference &&
        binder_.bound().instances[target].columns == nullptr && !insert.has_columns &&
        insert.query != nullptr)
        refuse("INSERT ... SELECT");
    if (insert.query == nullptr) insert_ids(insert, target);
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
    const rules::IdRule* id = table.rule == nullptr ? nullptr : rules::id_rule_of(*table.rule);
    if (id != nullptr)
        for (std::size_t part = 0; part < table.key_columns.size(); ++part)
            if (schema::same_identifier(id->column, columns.columns[table.key_columns[part]].name))
                rows.id_part = part;
    // A key that the generator fills may be missing.
    const auto key_value = [&](std::size_t part, const sqlparse::Expr* given) {
        const schema::Column& column = columns.columns[table.key_columns[part]];
        const bool missing = given == nullptr || given->as<sqlparse::DefaultOf>() != nullptr;
        if (missing && rows.id_part == part) return ValueRef{};
        if (given == nullptr) refuse_missing_key(column);
        return constant(*given, column);
    };
    if (rows.set_form) {
        rows.runs.emplace_back();
        for (std::size_t part = 0; part < table.key_columns.size(); ++part) {
            const sqlparse::Assignment* found = nullptr;
            for (const sqlparse::Assignment& assignment : insert.set)
                if (names_column(assignment.target, columns.columns[table.key_columns[part]].name))
                    found = &assignment;
            rows.runs.front().push_back(key_value(part, found == nullptr ? nullptr : &found->value));
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
        for (std::size_t part = 0; part < table.key_columns.size(); ++part) {
            const auto position = insert_position(insert, columns, table.key_columns[part]);
            const bool there = position && !insert.rows[row].values.empty();
            rows.runs.back().push_back(
                key_value(part, there ? &insert.rows[row].values[*position] : nullptr));
        }
    }
    draft_.route.insert = std::move(rows);
}

// The rows must be made in the shard that takes them: the SELECT's key column is the table's.
void Builder::insert_query(const sqlparse::Insert& insert, InstanceId target) {
    const Binder::BoundQuery query = binder_.query(*insert.query, no_block);
    insert_query_id(insert, target, query);
    const Instance& instance = binder_.bound().instances[target];
    if (instance.kind != TargetKind::sharded || query.arms.size() != 1 || !context_.keys.strict) return;
    const Binder::Arm& arm = query.arms.front();
    if (!arm.known) return;
    const schema::Table& columns = *instance.table->columns;
    if (arm.outputs.size() != width_of(insert, columns))
        throw protocol::SqlErrorException{protocol::column_count_mismatch(1)};
    const ScopeId scope = instance.scope;
    for (const std::size_t key : instance.table->key_columns) {
        const auto position = insert_position(insert, columns, key);
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
