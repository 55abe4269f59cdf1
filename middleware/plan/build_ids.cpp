// The id column of an INSERT: what each row gives for it, and where one that is missing goes.
#include <fmt/format.h>

#include "middleware/plan/build.hpp"
#include "middleware/protocol/errors.hpp"
#include "rules/ids.hpp"
#include "sqlparse/literal.hpp"

namespace shardway::plan {

namespace {

using Form = IdTemplate::Given::Form;

const sqlparse::Assignment* assignment_of(const sqlparse::Insert& insert, std::string_view name) {
    const sqlparse::Assignment* found = nullptr;
    for (const sqlparse::Assignment& assignment : insert.set)
        if (const auto* column = assignment.target.as<sqlparse::Column>();
            column != nullptr && schema::same_identifier(column->name.text, name))
            found = &assignment;
    return found;
}

// A list of all columns that a row without a list gives, and `more`.
std::string column_list(const schema::Table& table, bool empty_rows, std::string_view more) {
    std::string list = " (";
    if (!empty_rows)
        for (const schema::Column& column : table.columns)
            if (!column.invisible) list += sqlparse::quote_name(column.name) + ", ";
    return list + sqlparse::quote_name(more) + ")";
}

}  // namespace

IdTemplate::Given Builder::given_id(const sqlparse::Expr& value, const IdTemplate& ids) const {
    if (value.as<sqlparse::DefaultOf>() != nullptr) return {.form = Form::missing};
    if (const auto known = binder_.value(value); known && known->charset.empty())
        return {.form = Form::value, .value = *known};
    // It may be NULL or 0, and then the shard would count; or carry another slot than its row's.
    const bool trusted = ids.source == IdSource::server || !ids.column->auto_increment;
    if (!trusted || ids.gene_bits != 0)
        refuse(fmt::format("an expression as value of the id column '{}'", ids.column->name));
    return {.form = Form::unknown};
}

std::optional<IdTemplate> Builder::id_template(const sqlparse::Insert& insert, const Instance& instance) {
    if (instance.table == nullptr || instance.columns == nullptr) return std::nullopt;
    const schema::Table& columns = *instance.columns;
    const auto counted = columns.auto_increment_column();
    const rules::IdRule* rule =
        instance.table->rule == nullptr ? nullptr : rules::id_rule_of(*instance.table->rule);
    const auto ruled = rule == nullptr ? std::nullopt : columns.find_column(rule->column);
    if (!counted && !ruled) return std::nullopt;
    if (counted && ruled && counted != ruled && instance.kind != TargetKind::single)
        refuse("ids by rule beside another AUTO_INCREMENT column");
    IdTemplate ids;
    ids.database = instance.database;
    ids.table = instance.table;
    ids.position = ruled ? *ruled : *counted;
    ids.column = &columns.columns[ids.position];
    ids.source = ruled                                 ? IdSource::generator
                 : instance.kind == TargetKind::single ? IdSource::server
                                                       : IdSource::nobody;
    ids.gene_bits = ruled ? rules::gene_bits_of(*instance.table->rule, *rule) : 0;
    ids.on_duplicate = !insert.on_duplicate.empty();
    ids.set_form = insert.source == sqlparse::InsertSource::set;
    return ids;
}

void Builder::insert_ids(const sqlparse::Insert& insert, InstanceId target) {
    auto ids = id_template(insert, binder_.bound().instances[target]);
    if (!ids) return;
    const schema::Table& columns = *binder_.bound().instances[target].columns;
    if (ids->set_form) {
        insert_set_id(insert, *ids);
        draft_.route.ids = std::move(ids);
        return;
    }
    if (scan_.rows.size() != insert.rows.size()) {
        if (ids->source == IdSource::server) return;
        refuse("this form of VALUES");
    }
    bool absent = false, empty_rows = false;
    const auto position = insert_position(insert, columns, ids->position);
    for (std::size_t row = 0; row < insert.rows.size(); ++row) {
        if (scan_.rows[row].run < ids->runs.size()) continue;
        const auto& values = insert.rows[row].values;
        IdTemplate::Given given{.form = Form::absent};
        if (values.empty() && insert.has_columns && !insert.columns.empty())
            throw protocol::SqlErrorException{protocol::column_count_mismatch(row + 1)};
        if (position && !values.empty()) {
            if (values.size() <= *position)
                throw protocol::SqlErrorException{protocol::column_count_mismatch(row + 1)};
            given = given_id(values[*position], *ids);
            given.index = static_cast<std::uint32_t>(*position);
        }
        given.empty_row = values.empty();
        absent |= given.form == Form::absent;
        empty_rows |= values.empty();
        ids->runs.push_back(std::move(given));
    }
    if (absent && ids->source == IdSource::generator) {
        if (!insert.column_aliases.empty()) refuse("names for the columns of new rows without the id column");
        Edit edit;
        if (insert.has_columns) {
            edit.span = {insert.columns_span.end() - 1, 0};
            edit.text = (insert.columns.empty() ? "" : ", ") + sqlparse::quote_name(ids->column->name);
        } else {
            edit.span = {insert.columns_span.offset, 0};
            edit.text = column_list(columns, empty_rows, ids->column->name);
        }
        binder_.edit(std::move(edit));
    }
    draft_.route.ids = std::move(ids);
}

void Builder::insert_set_id(const sqlparse::Insert& insert, IdTemplate& ids) {
    const sqlparse::Assignment* found = assignment_of(insert, ids.column->name);
    Edit edit{.span = {insert.set_span.end(), 0}, .fill = Fill::id};
    if (found == nullptr) {
        edit.text = ", " + sqlparse::quote_name(ids.column->name) + " = ";
        ids.runs.push_back({.form = Form::absent});
    } else {
        edit.span = found->value.span;
        ids.runs.push_back(given_id(found->value, ids));
    }
    if (ids.source == IdSource::generator) binder_.edit(std::move(edit));
}

// INSERT … SELECT: the ids must come with the rows, since the shards would count.
void Builder::insert_query_id(const sqlparse::Insert& insert, InstanceId target,
                              const Binder::BoundQuery& query) {
    const Instance& instance = binder_.bound().instances[target];
    if (instance.kind != TargetKind::sharded && instance.kind != TargetKind::reference) return;
    const auto ids = id_template(insert, instance);
    if (!ids) return;
    const auto position = insert_position(insert, *instance.columns, ids->position);
    if (!position) refuse(fmt::format("INSERT ... SELECT without the id column '{}'", ids->column->name));
    if (ids->gene_bits != 0) refuse("INSERT ... SELECT of ids that carry a slot");
    if (!ids->column->auto_increment) return;  // of NULL the server says what it thinks
    for (const Binder::Arm& arm : query.arms) {
        const bool known = arm.known && *position < arm.outputs.size() && arm.outputs[*position].source;
        const schema::Column* source = known ? binder_.type_of(*arm.outputs[*position].source) : nullptr;
        if (source == nullptr || source->nullable)
            refuse(fmt::format("INSERT ... SELECT of what may be NULL as id column '{}'", ids->column->name));
    }
}

}  // namespace shardway::plan
