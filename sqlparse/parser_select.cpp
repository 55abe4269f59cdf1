// Queries: SELECT, set operations, WITH, VALUES, TABLE, and their clauses. parser_table.cpp has FROM.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

// What may follow a query in parentheses to make it part of a larger one.
bool Parser::continues_query() {
    switch (current().keyword) {
    case K::union_:
    case K::except_:
    case K::intersect_:
    case K::order_:
    case K::limit_:
    case K::for_:
    case K::into_: return true;
    case K::lock_: return next_is(K::in_);
    default: return false;
    }
}

const Query* Parser::query() {
    const DepthGuard guard{*this};
    const std::uint32_t start = here();
    const std::uint32_t outer = height_;
    height_ = 0;
    const bool into_allowed = std::exchange(into_allowed_, false);
    const With* with = is(K::with_) ? with_clause() : nullptr;
    into_allowed_ = into_allowed;
    const Query* result = query_from_term({}, {}, with, start);
    into_allowed_ = false;
    grow();
    height_ = std::max(outer, height_);
    return result;
}

const Query* Parser::paren_query(Span* body) {
    const std::uint32_t start = here();
    left_paren();
    if (!query_starts() && !is(T::left_paren)) fail("SELECT");
    const Query* result = query();
    right_paren();
    if (body) *body = since(start);
    return result;
}

// SELECT …, VALUES …, TABLE …, or a query in parentheses.
QueryTerm Parser::query_term() {
    switch (current().keyword) {
    case K::select_: return select();
    case K::values_: return values_table();
    case K::table_: {
        if (mariadb()) break;
        take();
        return node(TableQuery{qualified_name()});
    }
    default: break;
    }
    if (!is(T::left_paren)) fail("SELECT");
    return paren_query();
}

QueryTerm Parser::intersect_chain(QueryTerm first, Span first_span, Span* span) {
    *span = first_span;
    if (!is(K::intersect_)) return first;
    ListBuilder<SetOperand, 2> operands;
    operands.push({SetOp::none, SetQuantifier::none, first, first_span});
    while (accept(K::intersect_)) {
        SetOperand operand;
        operand.op = SetOp::intersect;
        if (accept(K::all_))
            operand.quantifier = SetQuantifier::all;
        else if (accept(K::distinct_))
            operand.quantifier = SetQuantifier::distinct;
        const std::uint32_t start = here();
        operand.term = query_term();
        operand.span = since(start);
        operands.push(operand);
    }
    grow();
    *span = since(first_span.offset);
    return node(SetOperation{operands.list(arena_)});
}

// From the first term on; `first` may have been read already (a query in parentheses).
const Query* Parser::query_from_term(QueryTerm first, Span first_span, const With* with,
                                     std::uint32_t start) {
    const bool into_here = into_allowed_;
    auto* result = arena_.make<Query>();
    result->with = with;
    if (first.index() == 0) {
        const std::uint32_t term_start = here();
        first = query_term();
        first_span = since(term_start);
    }
    // INTO in front of FROM belongs to the whole query, so only its last SELECT may have it.
    const auto another_term = [&](bool follows) {
        if (follows && into_seed_)
            reject(current(), 3954,
                   "Misplaced INTO clause, INTO is not allowed inside subqueries, and must be placed at end "
                   "of UNION "
                   "clauses.");
        return follows;
    };
    another_term(is(K::intersect_));
    Span span;
    first = intersect_chain(first, first_span, &span);
    if (another_term(is(K::union_) || is(K::except_))) {
        ListBuilder<SetOperand, 4> operands;
        operands.push({SetOp::none, SetQuantifier::none, first, span});
        while (another_term(is(K::union_) || is(K::except_))) {
            SetOperand operand;
            operand.op = take().keyword == K::union_ ? SetOp::union_ : SetOp::except_;
            if (accept(K::all_))
                operand.quantifier = SetQuantifier::all;
            else if (accept(K::distinct_))
                operand.quantifier = SetQuantifier::distinct;
            const std::uint32_t term_start = here();
            const QueryTerm term = query_term();
            another_term(is(K::intersect_));
            operand.term = intersect_chain(term, since(term_start), &operand.span);
            operands.push(operand);
        }
        result->term = node(SetOperation{operands.list(arena_)});
    } else {
        result->term = first;
    }
    result->into = into_seed_;
    into_seed_ = nullptr;
    if (current().keyword != K::none) query_tail(*result, into_here);
    // A query in parentheses with nothing around it is that query itself.
    if (const auto* inner = std::get_if<const Query*>(&result->term);
        inner && !with && result->order_by.empty() && !result->limit && result->locking.empty() &&
        !result->into) {
        return *inner;
    }
    result->span = since(start);
    return result;
}

// ORDER BY, LIMIT, INTO, locking.
void Parser::query_tail(Query& query, bool into_here) {
    query.order_by = opt_order_by(&query.order_by_span);
    query.limit = opt_limit();
    if (is(K::procedure_) && mariadb()) {  // PROCEDURE ANALYSE(…)
        take();
        name();
        paren_expr_list();
    }
    const auto into = [&] {
        if (!is(K::into_)) return;
        if (query.into) reject(current(), 3953, "Multiple INTO clauses in one query block.");
        query.into = into_clause(into_here);
    };
    into();
    ListBuilder<Locking, 1> locks;
    locking_clauses(locks);
    query.locking = locks.list(arena_);
    into();
}

const With* Parser::with_clause() {
    const std::uint32_t start = take().offset;
    With with;
    with.recursive = accept(K::recursive_);
    ListBuilder<CommonTable, 2> tables;
    do {
        CommonTable table;
        table.name = name("a table's name");
        table.columns = opt_paren_names();
        expect(K::as_);
        table.query = paren_query(&table.body);
        if (mariadb() && accept(K::cycle_)) {
            table.cycle = name_list();
            expect(K::restrict_);
        }
        tables.push(table);
    } while (accept(T::comma));
    with.tables = tables.list(arena_);
    with.span = since(start);
    return node(with);
}

const Select* Parser::select() {
    auto* result = arena_.make<Select>();
    const bool into_here = std::exchange(into_allowed_, false);
    const std::uint32_t start = take().offset;
    if (is(T::hint)) result->hint = take().span();
    const auto option = [&](SelectOption bit) {
        take();
        result->options |= static_cast<std::uint16_t>(bit);
    };
    for (bool more = true; more;) {
        switch (current().keyword) {
        case K::all_: option(SelectOption::all); break;
        case K::distinct_:
        case K::distinctrow_: option(SelectOption::distinct); break;
        case K::high_priority_: option(SelectOption::high_priority); break;
        case K::straight_join_: option(SelectOption::straight_join); break;
        case K::sql_small_result_: option(SelectOption::sql_small_result); break;
        case K::sql_big_result_: option(SelectOption::sql_big_result); break;
        case K::sql_buffer_result_:
            if (!next_is(T::dot)) {
                option(SelectOption::sql_buffer_result);
                break;
            }
            more = false;
            break;
        case K::sql_no_cache_: option(SelectOption::sql_no_cache); break;
        case K::sql_cache_:
            if (mariadb()) {
                option(SelectOption::sql_cache);
                break;
            }
            more = false;
            break;
        case K::sql_calc_found_rows_: option(SelectOption::sql_calc_found_rows); break;
        default: more = false;
        }
    }
    if (result->has(SelectOption::all) && result->has(SelectOption::distinct))
        reject(current(), 1221, "Incorrect usage of ALL and DISTINCT");
    const std::uint32_t items_start = here();
    result->items = select_items();
    result->items_span = since(items_start);
    const Into* early_into = nullptr;
    if (is(K::into_)) {
        early_into = into_clause(into_here);
        // `SELECT a INTO @x` alone, or with the other clauses behind.
    }
    if (is(K::from_)) from_clause(*result);
    if (accept(K::where_)) result->where = expr();
    if (current().keyword != K::none) grouping(*result);
    result->span = since(start);
    into_seed_ = early_into;
    into_allowed_ = into_here;
    return result;
}

// GROUP BY, HAVING, WINDOW, QUALIFY.
void Parser::grouping(Select& select) {
    if (is(K::group_)) {
        const std::uint32_t group_start = take().offset;
        expect(K::by_);
        select.group_by = group_by_items(select);
        select.group_by_span = since(group_start);
    }
    if (accept(K::having_)) select.having = expr();
    if (is(K::window_)) select.windows = window_clause();
    if (mysql() && accept(K::qualify_)) select.qualify = expr();
}

List<SelectItem> Parser::select_items() {
    ListBuilder<SelectItem, 4> items;
    // MySQL takes a bare * only in front.
    if (is(T::star)) {
        const Token token = take();
        SelectItem item;
        item.expr.span = token.span();
        item.expr.node = node(Star{});
        item.label = item.span = token.span();
        items.push(item);
        if (!accept(T::comma)) return items.list(arena_);
    }
    do items.push(select_item());
    while (accept(T::comma));
    return items.list(arena_);
}

SelectItem Parser::select_item() {
    SelectItem item;
    const std::uint32_t start = here();
    if (is_name() && dot_may_follow() && next_is(T::dot) &&
        (next_is(T::star, 2) || (is_name(peek(2)) && next_is(T::dot, 3) && next_is(T::star, 4)))) {
        Star star;
        star.table = name();
        take();
        if (!is(T::star)) {
            star.database = star.table;
            star.table = name_after_dot();
            take();
        }
        take();
        item.expr = wrap(start, star);
        item.label = item.span = since(start);
        return item;
    }
    item.expr = expr();
    item.label = since(start);
    if (accept(K::as_)) {
        if (is(T::string))
            item.alias = text_name(take());
        else
            item.alias = name("an alias");
    } else if (is(T::string)) {
        item.alias = text_name(take());
    } else if (is_name() && (current().keyword == K::none || alias_may_follow())) {
        item.alias = name();
    }
    item.span = since(start);
    return item;
}

void Parser::from_clause(Select& select) {
    const std::uint32_t start = take().offset;
    if (is(K::dual_)) {
        take();
        select.dual = true;
    } else {
        select.from = table_refs();
    }
    select.from_span = since(start);
}

List<OrderItem> Parser::order_items() {
    ListBuilder<OrderItem, 4> items;
    do {
        OrderItem item;
        const std::uint32_t start = here();
        item.expr = expr();
        if (is(K::asc_) || is(K::desc_)) {
            item.direction_given = true;
            item.descending = take().keyword == K::desc_;
        }
        item.span = since(start);
        items.push(item);
    } while (accept(T::comma));
    return items.list(arena_);
}

List<OrderItem> Parser::opt_order_by(Span* span) {
    if (!is(K::order_)) return {};
    const std::uint32_t start = take().offset;
    expect(K::by_);
    const List<OrderItem> items = order_items();
    if (span) *span = since(start);
    return items;
}

List<OrderItem> Parser::group_by_items(Select& select) {
    if (mysql() && is(K::rollup_) && next_is(T::left_paren)) {
        take();
        left_paren();
        const List<OrderItem> items = order_items();
        right_paren();
        select.rollup = select.rollup_call = true;
        return items;
    }
    if (mysql() && ((is(K::cube_) && next_is(T::left_paren)) || (is(K::grouping_) && next_is(K::sets_)))) {
        const std::uint32_t start = take().offset;
        if (is(K::sets_)) take();
        balanced_parens();
        select.grouping_sets = since(start);
        return {};
    }
    ListBuilder<OrderItem, 4> items;
    do {
        OrderItem item;
        const std::uint32_t start = here();
        item.expr = expr();
        if (mariadb() && (is(K::asc_) || is(K::desc_))) {
            item.direction_given = true;
            item.descending = take().keyword == K::desc_;
        }
        item.span = since(start);
        items.push(item);
    } while (accept(T::comma));
    if (accept(K::with_, K::rollup_)) select.rollup = true;
    return items.list(arena_);
}

Expr Parser::limit_value() {
    if (is(T::integer) || is(T::parameter) || is(T::hex)) return literal();
    return column_ref();
}

const Limit* Parser::opt_limit() {
    if (is(K::fetch_) || (is(K::offset_) && mariadb())) {  // MariaDB: [OFFSET n ROWS] FETCH FIRST n ROWS ONLY
        if (mysql()) return nullptr;
        Limit limit;
        const std::uint32_t start = here();
        if (accept(K::offset_)) {
            limit.offset = limit_value();
            if (!accept(K::row_)) expect(K::rows_);
        }
        if (accept(K::fetch_)) {
            if (!accept(K::first_)) expect(K::next_);
            if (!is(K::row_) && !is(K::rows_)) limit.count = limit_value();
            if (!accept(K::row_)) expect(K::rows_);
            if (!accept_word("only")) {
                expect(K::with_);
                expect(K::ties_);
            }
        }
        limit.span = since(start);
        limit.fetch_form = true;
        return node(limit);
    }
    if (!is(K::limit_)) return nullptr;
    const std::uint32_t start = take().offset;
    Limit limit;
    limit.count = limit_value();
    if (accept(T::comma)) {
        limit.offset = limit.count;
        limit.count = limit_value();
        limit.comma_form = true;
    } else if (accept(K::offset_)) {
        limit.offset = limit_value();
    }
    limit.span = since(start);
    if (mariadb() && accept(K::rows_)) {  // LIMIT … ROWS EXAMINED n
        expect(K::examined_);
        limit.examined = limit_value();
        limit.span = since(start);
    }
    return node(limit);
}

void Parser::locking_clauses(ListBuilder<Locking, 1>& out) {
    for (;;) {
        Locking lock;
        const std::uint32_t start = here();
        if (is(K::lock_) && next_is(K::in_)) {
            take();
            take();
            expect(K::share_);
            expect(K::mode_);
            lock.strength = LockStrength::share_mode;
            if (mysql()) {
                lock.span = since(start);
                out.push(lock);
                return;
            }
        } else if (is(K::for_) && (next_is(K::update_) || next_is(K::share_))) {
            take();
            lock.strength = take().keyword == K::update_ ? LockStrength::update : LockStrength::share;
            if (mysql() && accept(K::of_)) {
                ListBuilder<Name, 2> tables;
                do {
                    Name table = name();
                    if (accept(T::dot)) {
                        const Name last = name_after_dot();
                        table = {last.text, cover(table.span, last.span)};
                    }
                    tables.push(table);
                } while (accept(T::comma));
                lock.of = tables.list(arena_);
            }
        } else {
            return;
        }
        if (accept(K::nowait_)) {
            lock.wait = LockWait::nowait;
        } else if (is(K::skip_)) {
            take();
            expect(K::locked_);
            lock.wait = LockWait::skip_locked;
        } else if (mariadb() && accept(K::wait_)) {
            lock.wait = LockWait::wait;
            lock.seconds = signed_number();
        }
        lock.span = since(start);
        out.push(lock);
        if (mariadb()) return;
    }
}

const Into* Parser::into_clause(bool into_here) {
    const std::uint32_t start = take().offset;
    if (!into_here)
        throw ParseFailure{ParseErrorKind::syntax, {start, 4, T::word, K::into_}, "no INTO in a subquery"};
    Into into{};
    if (is(K::outfile_) || is(K::dumpfile_)) {
        into.kind = take().keyword == K::outfile_ ? IntoKind::outfile : IntoKind::dumpfile;
        into.file = string_literal();
        if (into.kind == IntoKind::outfile) {
            if (accept(K::character_, K::set_) || accept(K::char_, K::set_) || accept(K::charset_))
                into.charset = charset_name_value();
            into.format = file_format();
        }
    } else {
        into.kind = IntoKind::variables;
        ListBuilder<Expr, 4> variables;
        do {
            if (is(T::user_variable))
                variables.push(user_variable());
            else
                variables.push(column_ref());
        } while (accept(T::comma));
        into.variables = variables.list(arena_);
    }
    into.span = since(start);
    return node(into);
}

FileFormat Parser::file_format() {
    FileFormat format;
    if (is(K::fields_) || is(K::columns_)) {
        take();
        bool any = false;
        for (;; any = true) {
            if (accept(K::terminated_)) {
                expect(K::by_);
                format.fields_terminated = text_literal();
            } else if (is(K::optionally_) || is(K::enclosed_)) {
                if (accept(K::optionally_)) format.optionally = true;
                expect(K::enclosed_);
                expect(K::by_);
                format.enclosed = text_literal();
            } else if (accept(K::escaped_)) {
                expect(K::by_);
                format.escaped = text_literal();
            } else {
                break;
            }
        }
        if (!any) fail("TERMINATED");
    }
    if (accept(K::lines_)) {
        bool any = false;
        for (;; any = true) {
            if (accept(K::terminated_)) {
                expect(K::by_);
                format.lines_terminated = text_literal();
            } else if (accept(K::starting_)) {
                expect(K::by_);
                format.lines_starting = text_literal();
            } else {
                break;
            }
        }
        if (!any) fail("TERMINATED");
    }
    return format;
}

List<NamedWindow> Parser::window_clause() {
    take();
    ListBuilder<NamedWindow, 2> windows;
    do {
        NamedWindow window;
        window.name = name();
        expect(K::as_);
        left_paren();
        window.spec = window_spec_body();
        right_paren();
        windows.push(window);
    } while (accept(T::comma));
    return windows.list(arena_);
}

const ValuesTable* Parser::values_table() {
    take();
    ValuesTable table;
    ListBuilder<ValuesRow, 4> rows;
    table.row_keyword = is(K::row_);
    if (!table.row_keyword && mysql()) fail("ROW");
    do {
        ValuesRow row;
        const std::uint32_t start = here();
        if (table.row_keyword) expect(K::row_);
        left_paren();
        ListBuilder<Expr> values;
        if (!is(T::right_paren)) {
            do values.push(value_or_default());
            while (accept(T::comma));
        }
        right_paren();
        row.values = values.list(arena_);
        row.span = since(start);
        rows.push(row);
    } while (accept(T::comma));
    table.rows = rows.list(arena_);
    return node(table);
}

}  // namespace shardway::sqlparse
