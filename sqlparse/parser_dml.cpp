// INSERT, REPLACE, UPDATE, DELETE, LOAD DATA, CALL, DO, HANDLER.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

Expr Parser::value_or_default() {
    if (is(K::default_) && !next_is(T::left_paren)) {
        const std::uint32_t start = take().offset;
        return wrap(start, DefaultOf{});
    }
    if (mariadb() && is(K::ignore_)) {
        const std::uint32_t start = take().offset;
        return wrap(start, DefaultOf{{}, true});
    }
    return expr();
}

Assignment Parser::assignment() {
    Assignment result;
    const std::uint32_t start = here();
    result.target = column_ref();
    if (!accept(T::equal)) expect(T::assign, "=");
    result.value = value_or_default();
    result.span = since(start);
    return result;
}

List<Assignment> Parser::assignments() {
    ListBuilder<Assignment, 4> items;
    do items.push(assignment());
    while (accept(T::comma));
    return items.list(arena_);
}

List<SelectItem> Parser::opt_returning() {
    if (!mariadb() || !accept(K::returning_)) return {};
    return select_items();
}

InsertRow Parser::insert_row() {
    InsertRow row;
    const std::uint32_t start = here();
    left_paren();
    ListBuilder<Expr, 16> values;
    if (!is(T::right_paren)) {
        do {
            // Nearly all values of large inserts are bare literals.
            if (is_literal_start() && (next_is(T::comma) || next_is(T::right_paren)))
                values.push(literal());
            else
                values.push(value_or_default());
        } while (accept(T::comma));
    }
    right_paren();
    row.values = values.list(arena_);
    row.span = since(start);
    return row;
}

void Parser::insert_rows(Insert& insert) {
    const std::uint32_t start = here();
    insert.value_keyword = take().keyword == K::value_;
    insert.source = InsertSource::values;
    ListBuilder<InsertRow, 4> rows;
    if (is(K::row_) && mysql()) {
        insert.row_keyword = true;
        do {
            const std::uint32_t row_start = here();
            expect(K::row_);
            InsertRow row = insert_row();
            row.span = since(row_start);
            rows.push(row);
        } while (accept(T::comma));
    } else {
        do rows.push(insert_row());
        while (accept(T::comma));
    }
    insert.rows = rows.list(arena_);
    insert.rows_span = since(start);
}

void Parser::insert_source(Insert& insert) {
    if (is(K::values_) || is(K::value_)) {
        if (is(K::values_) && next_is(K::row_) && mysql()) {
            // VALUES ROW(…) is a query; where it is no more than that, its rows are kept as rows.
            const std::uint32_t start = here();
            const Query* below = query();
            const auto* table = std::get_if<const ValuesTable*>(&below->term);
            if (!table || !below->order_by.empty() || below->limit) {
                insert.source = InsertSource::query;
                insert.query = below;
                return;
            }
            ListBuilder<InsertRow, 4> rows;
            for (const ValuesRow& row : (*table)->rows) rows.push({row.span, row.values});
            insert.row_keyword = true;
            insert.rows = rows.list(arena_);
            insert.rows_span = since(start);
            return;
        }
        insert_rows(insert);
        return;
    }
    insert.source = InsertSource::query;
    if (is(T::left_paren)) {
        const std::uint32_t start = here();
        const Query* inner = paren_query();
        if (continues_query()) {
            insert.query = query_from_term(inner, since(start), nullptr, start);
        } else {
            insert.query = inner;
            insert.query_parenthesized = true;
        }
        return;
    }
    if (!query_starts()) fail("VALUES");
    insert.query = query();
}

const Insert* Parser::insert(bool replace) {
    auto* result = arena_.make<Insert>();
    Insert& insert = *result;
    insert.replace = replace;
    take();
    if (is(T::hint)) insert.hint = take().span();
    if (!replace && accept(K::high_priority_))
        insert.priority = Priority::high;
    else if (accept(K::low_priority_))
        insert.priority = Priority::low;
    else if (accept(K::delayed_))
        insert.priority = Priority::delayed;
    if (!replace && accept(K::ignore_)) insert.ignore = true;
    insert.into = accept(K::into_);
    if (mariadb()) accept(K::table_);
    insert.table = qualified_name();
    if (is(K::partition_)) {
        take();
        insert.partitions = paren_names();
    }
    insert.columns_span = {last_end_, 0};
    if (is(K::set_)) {
        const std::uint32_t start = take().offset;
        insert.source = InsertSource::set;
        insert.set = assignments();
        insert.set_span = since(start);
    } else {
        if (is(T::left_paren) && !(next_is(K::select_) || next_is(K::with_) || next_is(T::left_paren) ||
                                   (mysql() && next_is(K::table_)) || (next_is(K::values_)))) {
            const std::uint32_t start = take().offset;
            insert.has_columns = true;
            ListBuilder<Expr, 16> columns;
            if (!is(T::right_paren)) {
                do columns.push(column_ref());
                while (accept(T::comma));
            }
            right_paren();
            insert.columns = columns.list(arena_);
            insert.columns_span = since(start);
        }
        insert_source(insert);
    }
    if (mysql() && !replace && insert.source != InsertSource::query && accept(K::as_)) {
        insert.row_alias = name("an alias");
        insert.column_aliases = opt_paren_names();
    }
    if (!replace && is(K::on_)) {
        const std::uint32_t start = take().offset;
        expect(K::duplicate_);
        expect(K::key_);
        expect(K::update_);
        insert.on_duplicate = assignments();
        insert.on_duplicate_span = since(start);
    }
    insert.returning = opt_returning();
    return result;
}

const Update* Parser::update(const With* with) {
    auto* result = arena_.make<Update>();
    result->with = with;
    take();
    if (is(T::hint)) result->hint = take().span();
    result->low_priority = accept(K::low_priority_);
    result->ignore = accept(K::ignore_);
    result->tables = table_refs();
    if (mariadb() && is(K::for_) && next_is(K::portion_)) result->portion = portion();
    const std::uint32_t start = here();
    expect(K::set_);
    result->set = assignments();
    result->set_span = since(start);
    if (accept(K::where_)) result->where = expr();
    result->order_by = opt_order_by();
    result->limit = opt_simple_limit();
    return result;
}

// MariaDB: FOR PORTION OF period FROM x TO y
const Period* Parser::portion() {
    take();
    take();
    expect(K::of_);
    Period period;
    period.name = name();
    expect(K::from_);
    period.from = bit_expr();
    expect(K::to_);
    period.to = bit_expr();
    return node(period);
}

// LIMIT n, as UPDATE and DELETE take it. The server says no to it in the multi-table forms.
const Limit* Parser::opt_simple_limit() {
    if (!is(K::limit_)) return nullptr;
    const Limit* limit = opt_limit();
    if (limit->offset && mysql()) fail("the end of the statement");
    return limit;
}

DeleteTarget Parser::delete_target() {
    DeleteTarget target;
    const std::uint32_t start = here();
    target.name.name = name("a table's name");
    while (accept(T::dot)) {
        if (accept(T::star)) {
            target.dot_star = true;
            break;
        }
        if (target.name.database) fail("*");
        target.name.database = target.name.name;
        target.name.name = name_after_dot();
    }
    target.span = since(start);
    return target;
}

const Delete* Parser::delete_statement(const With* with) {
    auto* result = arena_.make<Delete>();
    result->with = with;
    take();
    if (is(T::hint)) result->hint = take().span();
    for (;;) {
        if (accept(K::low_priority_))
            result->low_priority = true;
        else if (is(K::quick_) && !next_is(T::dot)) {
            take();
            result->quick = true;
        } else if (accept(K::ignore_))
            result->ignore = true;
        else
            break;
    }
    if (mariadb() && accept(K::history_)) {  // DELETE HISTORY FROM t [BEFORE SYSTEM_TIME x]
        expect(K::from_);
        ListBuilder<TableRef, 1> tables;
        tables.push(table_name_ref());
        result->from = tables.list(arena_);
        result->history = true;
        if (accept(K::before_)) {
            expect(K::system_time_);
            if (is(K::timestamp_) || is(K::transaction_)) take();
            result->before = expr();
        }
        return result;
    }
    const auto targets = [&] {
        ListBuilder<DeleteTarget, 2> list;
        do list.push(delete_target());
        while (accept(T::comma));
        result->targets = list.list(arena_);
    };
    if (accept(K::from_)) {
        const std::uint32_t start = here();
        const DeleteTarget first = delete_target();
        if (is(T::comma) || is(K::using_) || first.dot_star) {
            ListBuilder<DeleteTarget, 2> list;
            list.push(first);
            while (accept(T::comma)) list.push(delete_target());
            result->targets = list.list(arena_);
            result->form = DeleteForm::from_using;
            expect(K::using_);
            result->from = table_refs();
        } else {
            TableName table;
            table.name = first.name;
            if (mariadb() && is(K::for_) && next_is(K::portion_)) result->portion = portion();
            table.alias = opt_table_alias();
            if (is(K::partition_)) {
                take();
                table.partitions = paren_names();
            }
            ListBuilder<TableRef, 1> tables;
            tables.push({since(start), node(table)});
            result->from = tables.list(arena_);
        }
    } else {
        targets();
        result->form = DeleteForm::from;
        expect(K::from_);
        result->from = table_refs();
    }
    if (accept(K::where_)) result->where = expr();
    if (result->form == DeleteForm::single || mariadb()) {
        result->order_by = opt_order_by();
        result->limit = opt_simple_limit();
    }
    if (result->form == DeleteForm::single) result->returning = opt_returning();
    return result;
}

const LoadData* Parser::load_data() {
    auto* result = arena_.make<LoadData>();
    LoadData& load = *result;
    take();
    load.xml = take().keyword == K::xml_;
    if (accept(K::low_priority_))
        load.priority = Priority::low;
    else if (accept(K::concurrent_))
        load.concurrent = true;
    if (is(K::local_)) {
        load.local_span = take().span();
        load.local = true;
    }
    const std::uint32_t bulk = here();
    if (mysql() && accept(K::from_)) load.bulk = since(bulk);
    if (mysql() && (is(K::url_) || is_word("uri") || is(K::s3_))) {
        load.bulk = take().span();
    } else {
        expect(K::infile_);
    }
    load.file = string_literal();
    if (mysql()) {
        const std::uint32_t rest = here();
        if (accept_word("count")) number();
        if (accept(K::in_)) {
            expect(K::primary_);
            expect(K::key_);
            expect(K::order_);
        }
        load.bulk_rest = since(rest > last_end_ ? last_end_ : rest);
    }
    if (accept(K::replace_))
        load.duplicates = DuplicateRows::replace;
    else if (accept(K::ignore_))
        load.duplicates = DuplicateRows::ignore;
    expect(K::into_);
    expect(K::table_);
    load.table = qualified_name();
    if (is(K::partition_)) {
        take();
        load.partitions = paren_names();
    }
    if (accept(K::character_, K::set_) || accept(K::char_, K::set_) || accept(K::charset_))
        load.charset = charset_name_value();
    if (is(K::rows_)) {
        take();
        expect(K::identified_);
        expect(K::by_);
        load.rows_identified = text_literal();
    }
    const std::uint32_t format_start = here();
    load.format = file_format();
    load.format_span = since(format_start > last_end_ ? last_end_ : format_start);
    if (accept(K::ignore_)) {
        load.ignore_lines = literal();
        if (accept(K::rows_))
            load.ignore_rows_word = true;
        else
            expect(K::lines_);
    }
    if (is(T::left_paren)) {
        const std::uint32_t start = take().offset;
        ListBuilder<Expr, 8> columns;
        if (!is(T::right_paren)) {
            do {
                if (is(T::user_variable))
                    columns.push(user_variable());
                else
                    columns.push(column_ref());
            } while (accept(T::comma));
        }
        right_paren();
        load.columns = columns.list(arena_);
        load.columns_span = since(start);
    }
    if (is(K::set_)) {
        const std::uint32_t start = take().offset;
        load.set = assignments();
        load.set_span = since(start);
    }
    return result;
}

const Call* Parser::call_statement() {
    take();
    Call call;
    call.procedure = qualified_name();
    if (is(T::left_paren)) {
        call.parentheses = true;
        call.arguments = paren_expr_list();
    }
    return node(call);
}

const Do* Parser::do_statement() {
    take();
    ListBuilder<SelectItem, 4> items;
    do items.push(select_item());
    while (accept(T::comma));
    return node(Do{items.list(arena_)});
}

const Handler* Parser::handler() {
    take();
    Handler result{};
    result.table = qualified_name();
    if (mysql() && result.table.database && !is(K::open_)) fail("OPEN");
    if (accept(K::open_)) {
        result.form = HandlerForm::open;
        result.alias = opt_table_alias();
        return node(result);
    }
    if (accept(K::close_)) {
        result.form = HandlerForm::close;
        return node(result);
    }
    expect(K::read_);
    result.form = HandlerForm::read;
    if (is_any({K::first_, K::next_}) && !next_is(T::left_paren) && !next_is(T::equal)) {
        result.direction = make_name(take());
    } else {
        result.index = is(K::primary_) && mariadb() ? make_name(take()) : name("an index");
        if (is_any({K::first_, K::next_, K::prev_, K::last_})) {
            result.direction = make_name(take());
        } else {
            switch (current().kind) {
            case T::equal: result.compare = BinaryOp::equal; break;
            case T::less: result.compare = BinaryOp::less; break;
            case T::less_equal: result.compare = BinaryOp::less_equal; break;
            case T::greater: result.compare = BinaryOp::greater; break;
            case T::greater_equal: result.compare = BinaryOp::greater_equal; break;
            default: fail("a comparison");
            }
            take();
            result.has_values = true;
            left_paren();
            ListBuilder<Expr, 4> values;
            do values.push(value_or_default());
            while (accept(T::comma));
            right_paren();
            result.values = values.list(arena_);
        }
    }
    if (accept(K::where_)) result.where = expr();
    result.limit = opt_limit();
    return node(result);
}

}  // namespace shardway::sqlparse
