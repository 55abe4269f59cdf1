// Aggregates, window functions, and windows.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

Expr Parser::aggregate(AggregateKind kind) {
    const Token token = take();
    Aggregate result;
    result.kind = kind;
    result.name = {token.span().of(text_), token.span()};
    left_paren();
    if (kind == AggregateKind::count && is(T::star)) {
        take();
        result.star = true;
    } else if (kind == AggregateKind::count && is(K::all_) && next_is(T::star)) {
        take();
        take();
        result.star = true;
    } else {
        const bool may_be_distinct =
            kind != AggregateKind::json_objectagg && (kind != AggregateKind::json_arrayagg || mariadb()) &&
            kind != AggregateKind::bit_and && kind != AggregateKind::bit_or && kind != AggregateKind::bit_xor;
        if (may_be_distinct && accept(K::distinct_))
            result.distinct = true;
        else
            accept(K::all_);
        ListBuilder<Expr, 4> arguments;
        arguments.push(expr());
        const bool several = (kind == AggregateKind::count && result.distinct) ||
                             kind == AggregateKind::group_concat || kind == AggregateKind::json_objectagg;
        while (several && accept(T::comma)) arguments.push(expr());
        result.arguments = arguments.list(arena_);
    }
    if (kind == AggregateKind::group_concat || (kind == AggregateKind::json_arrayagg && mariadb())) {
        result.order_by = opt_order_by();
        if (kind == AggregateKind::group_concat && accept(K::separator_)) result.separator = text_literal();
        if (mariadb()) result.limit = opt_limit();
    }
    if (mysql() && (kind == AggregateKind::json_arrayagg || kind == AggregateKind::json_objectagg) &&
        (is(K::null_) || is_word("absent"))) {
        const std::uint32_t clause = take().offset;
        expect(K::on_);
        expect(K::null_);
        result.null_clause = since(clause);
    }
    right_paren();
    result.over = opt_over();
    grow();
    return wrap(token.offset, result);
}

const WindowSpec* Parser::opt_over() { return is(K::over_) ? over_clause() : nullptr; }

const WindowSpec* Parser::over_clause() {
    expect(K::over_);
    WindowSpec spec;
    if (accept(T::left_paren)) {
        spec = window_spec_body();
        right_paren();
    } else {
        spec.reference = name("a window");
        spec.bare = true;
    }
    return node(spec);
}

WindowSpec Parser::window_spec_body() {
    WindowSpec spec;
    if (is_name() && !is_any({K::partition_, K::rows_, K::range_, K::groups_})) spec.reference = name();
    if (accept(K::partition_)) {
        expect(K::by_);
        spec.partition_by = expr_list();
    }
    spec.order_by = opt_order_by();
    if (is_any({K::rows_, K::range_, K::groups_})) spec.frame = frame();
    return spec;
}

const Frame* Parser::frame() {
    Frame result;
    const K unit = take().keyword;
    result.unit = unit == K::rows_    ? FrameUnit::rows
                  : unit == K::range_ ? FrameUnit::range
                                      : FrameUnit::groups;
    if (accept(K::between_)) {
        result.between = true;
        result.start = frame_edge();
        expect(K::and_);
        result.finish = frame_edge();
    } else {
        result.start = frame_edge();
    }
    if (accept(K::exclude_)) {
        result.exclude = any_word();
        if (result.exclude.text.size() == 7) expect(K::row_);                                // CURRENT ROW
        if (result.exclude.text.size() == 2) expect(is(K::others_) ? K::others_ : K::none);  // NO OTHERS
    }
    return node(result);
}

FrameEdge Parser::frame_edge() {
    if (accept(K::unbounded_)) {
        if (accept(K::preceding_)) return {FrameBound::unbounded_preceding, {}};
        expect(K::following_);
        return {FrameBound::unbounded_following, {}};
    }
    if (accept(K::current_)) {
        expect(K::row_);
        return {FrameBound::current_row, {}};
    }
    FrameEdge edge;
    if (is(K::interval_)) {
        edge.amount = interval_primary();
    } else if (mariadb()) {
        edge.amount = expr();
    } else {
        if (!is(T::integer) && !is(T::decimal) && !is(T::floating) && !is(T::parameter)) fail("a number");
        edge.amount = literal();
    }
    if (accept(K::preceding_)) {
        edge.bound = FrameBound::preceding;
    } else {
        expect(K::following_);
        edge.bound = FrameBound::following;
    }
    return edge;
}

Expr Parser::steady_integer() {
    if (is(T::integer) || is(T::parameter)) return literal();
    if (is(T::user_variable) && !next_is(T::assign)) return user_variable();
    if (is_name() && next_is(T::right_paren)) return column_ref();
    fail("a number");
}

// NTILE(n), LEAD(x [, n [, default]]), NTH_VALUE(x, n), and those without arguments.
List<Expr> Parser::window_arguments(K function) {
    left_paren();
    ListBuilder<Expr, 3> arguments;
    switch (function) {
    case K::ntile_: arguments.push(steady_integer()); break;
    case K::lead_:
    case K::lag_:
        arguments.push(expr());
        if (accept(T::comma)) {
            arguments.push(steady_integer());
            if (accept(T::comma)) arguments.push(expr());
        }
        break;
    case K::nth_value_:
        arguments.push(expr());
        expect(T::comma, ",");
        arguments.push(steady_integer());
        break;
    case K::first_value_:
    case K::last_value_: arguments.push(expr()); break;
    default: break;
    }
    right_paren();
    return arguments.list(arena_);
}

Expr Parser::window_function() {
    const Token token = take();
    WindowFunction result;
    result.name = {token.span().of(text_), token.span()};
    if (mysql())
        result.arguments = window_arguments(token.keyword);
    else
        result.arguments = paren_expr_list();
    if (token.keyword == K::nth_value_ && accept(K::from_)) {
        if (accept(K::first_)) {
            result.from_first = true;
        } else {
            expect(K::last_);
            result.from_last = true;
        }
    }
    if (is(K::respect_) || (is(K::ignore_) && next_is(K::nulls_))) {
        result.nulls = take().keyword == K::respect_ ? NullTreatment::respect : NullTreatment::ignore;
        expect(K::nulls_);
    }
    result.over = over_clause();
    grow();
    return wrap(token.offset, result);
}

}  // namespace shardway::sqlparse
