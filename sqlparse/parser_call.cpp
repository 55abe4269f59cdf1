// Calls: functions and the built-in forms with a syntax of their own. parser_window.cpp has aggregates and
// windows.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

Expr Parser::function(std::uint32_t start, const QualifiedName& name, List<Expr> arguments, FunctionForm form,
                      Name word) {
    grow();
    return wrap(start, Function{name, arguments, form, word, nullptr, {}});
}

Expr Parser::keyword_primary() {
    const Token token = current();
    const bool call_follows = next_is(T::left_paren);
    const auto constant = [&](LiteralKind kind) {
        take();
        Expr result;
        result.span = token.span();
        result.node = Literal{kind, false, false, no_hole};
        return result;
    };
    switch (token.keyword) {
    case K::null_: return constant(LiteralKind::null_value);
    case K::true_: return constant(LiteralKind::true_value);
    case K::false_: return constant(LiteralKind::false_value);
    case K::date_:
    case K::time_:
    case K::timestamp_:
        if (next_is(T::string)) {
            take();
            const Token value = take();
            const LiteralKind kind = token.keyword == K::date_   ? LiteralKind::date
                                     : token.keyword == K::time_ ? LiteralKind::time
                                                                 : LiteralKind::timestamp;
            return make_literal(value, kind, since(token.offset), false, false);
        }
        break;
    case K::case_: return case_expr();
    case K::exists_: {
        if (!call_follows) break;
        take();
        const Query* below = paren_query();
        grow();
        return wrap(token.offset, Exists{below});
    }
    case K::row_: {
        if (!call_follows) break;
        take();
        const List<Expr> items = paren_expr_list();
        if (items.size() < 2) fail(",");
        grow();
        return wrap(token.offset, Row{items, true});
    }
    case K::interval_: {
        const std::uint32_t start = here();
        const Expr interval = interval_primary();
        if (!interval.as<Interval>()) return interval;
        // INTERVAL … + expr; MySQL reads the operand as far as a comparison reaches.
        expect(T::plus, "+");
        const Expr right = bool_primary();
        grow();
        return wrap(start, Binary{BinaryOp::add, interval, right});
    }
    case K::match_: return match_expr();
    case K::default_: return default_expr();
    case K::values_:
        if (call_follows) return values_expr();
        break;
    case K::convert_:
        if (call_follows) return convert_expr();
        break;
    case K::cast_: return cast_expr();
    case K::count_: return aggregate(AggregateKind::count);
    case K::sum_: return aggregate(AggregateKind::sum);
    case K::avg_:
        if (call_follows) return aggregate(AggregateKind::avg);
        break;
    case K::min_: return aggregate(AggregateKind::min);
    case K::max_: return aggregate(AggregateKind::max);
    case K::bit_and_: return aggregate(AggregateKind::bit_and);
    case K::bit_or_: return aggregate(AggregateKind::bit_or);
    case K::bit_xor_: return aggregate(AggregateKind::bit_xor);
    case K::std_:
    case K::stddev_:
    case K::stddev_pop_: return aggregate(AggregateKind::std);
    case K::stddev_samp_: return aggregate(AggregateKind::stddev_samp);
    case K::variance_:
    case K::var_pop_: return aggregate(AggregateKind::var_pop);
    case K::var_samp_: return aggregate(AggregateKind::var_samp);
    case K::group_concat_: return aggregate(AggregateKind::group_concat);
    case K::json_arrayagg_: return aggregate(AggregateKind::json_arrayagg);
    case K::json_objectagg_: return aggregate(AggregateKind::json_objectagg);
    case K::st_collect_: return aggregate(AggregateKind::st_collect);
    case K::row_number_:
    case K::rank_:
    case K::dense_rank_:
    case K::cume_dist_:
    case K::percent_rank_:
    case K::ntile_:
    case K::lead_:
    case K::lag_:
    case K::first_value_:
    case K::last_value_:
    case K::nth_value_:
        if (call_follows) return window_function();
        break;
    case K::trim_: return trim_expr();
    case K::extract_: return extract_expr();
    case K::substring_:
    case K::substr_:
    case K::mid_: return substring_expr();
    case K::position_: return position_expr();
    case K::char_:
        if (call_follows) return char_expr();
        break;
    case K::weight_string_:
        if (call_follows) return weight_string_expr();
        break;
    case K::timestampadd_:
    case K::timestampdiff_:
    case K::get_format_:
        if (call_follows) return unit_first_expr();
        break;
    case K::json_value_:
        if (call_follows && mysql()) return json_value_expr();
        break;
    case K::current_user_:
    case K::current_role_:
    case K::current_date_:
    case K::curdate_:
    case K::utc_date_:
    case K::current_time_:
    case K::curtime_:
    case K::current_timestamp_:
    case K::localtime_:
    case K::localtimestamp_:
    case K::utc_time_:
    case K::utc_timestamp_:
    case K::now_:
    case K::sysdate_: return time_function();
    case K::date_add_:
    case K::date_sub_:
    case K::adddate_:
    case K::subdate_: {
        take();
        left_paren();
        ListBuilder<Expr, 2> arguments;
        arguments.push(expr());
        expect(T::comma, ",");
        if (is(K::interval_)) {
            const std::uint32_t start = here();
            const Expr second = interval_primary();
            if (!second.as<Interval>()) {
                seed(second, start);
                arguments.push(expr());
            } else {
                arguments.push(second);
            }
        } else {
            arguments.push(expr());
        }
        right_paren();
        const Name name{token.span().of(text_), token.span()};
        return function(token.offset, {{}, name}, arguments.list(arena_));
    }
    // Reserved words that are functions in front of a parenthesis.
    case K::if_:
    case K::left_:
    case K::right_:
    case K::repeat_:
    case K::replace_:
    case K::insert_:
    case K::mod_:
    case K::database_:
    case K::schema_:
    case K::grouping_:
    case K::session_user_:
    case K::system_user_:
        if (call_follows) {
            take();
            const Name name{token.span().of(text_), token.span()};
            return function(token.offset, {{}, name}, paren_expr_list());
        }
        break;
    case K::next_:
    case K::previous_:
        if (mariadb() && next_is(K::value_) && next_is(K::for_, 2)) return sequence_value();
        break;
    default: break;
    }
    return name_primary();
}

// Behind a name of one or two parts, at the parenthesis.
Expr Parser::call(const Token& start, const QualifiedName& name) {
    if (!name.database && is_word(start, "any_value")) {
        left_paren();
        ListBuilder<Expr, 1> argument;
        argument.push(expr());
        right_paren();
        grow();
        Aggregate any{};
        any.kind = AggregateKind::any_value;
        any.name = name.name;
        any.arguments = argument.list(arena_);
        return wrap(start.offset, any);
    }
    if (!name.database && mariadb() &&
        (is_word(start, "percentile_cont") || is_word(start, "percentile_disc") ||
         is_word(start, "median"))) {
        WindowFunction percentile;
        percentile.name = name.name;
        percentile.arguments = paren_expr_list();
        if (accept(K::within_)) {
            expect(K::group_);
            left_paren();
            expect(K::order_);
            expect(K::by_);
            percentile.within_group = order_items();
            right_paren();
        }
        percentile.over = over_clause();
        grow();
        return wrap(start.offset, percentile);
    }
    left_paren();
    bool named = false;
    ListBuilder<Expr, 4> arguments;
    ListBuilder<Name, 4> names;
    if (!is(T::right_paren)) {
        do {
            arguments.push(expr());
            // A loadable function may name its arguments: f(a AS b), f(a b).
            Name argument_name;
            if (accept(K::as_))
                argument_name = name_or_text();
            else if (!name.database && (is_name() || is(T::string)))
                argument_name = name_or_text();
            if (argument_name) named = true;
            names.push(argument_name);
        } while (accept(T::comma));
    }
    right_paren();
    grow();
    Function result{};
    result.name = name;
    result.arguments = arguments.list(arena_);
    if (named) result.argument_names = names.list(arena_);
    return wrap(start.offset, result);
}

// CURRENT_USER, CURRENT_DATE, NOW(6), …
Expr Parser::time_function() {
    const Token token = take();
    const Name name{token.span().of(text_), token.span()};
    const bool must_call = token.keyword == K::now_ || token.keyword == K::sysdate_ ||
                           token.keyword == K::curdate_ || token.keyword == K::curtime_;
    if (!is(T::left_paren)) {
        if (must_call) fail("(");
        return function(token.offset, {{}, name}, {}, FunctionForm::bare);
    }
    take();
    ListBuilder<Expr, 1> precision;
    const bool takes_precision = token.keyword != K::current_user_ && token.keyword != K::current_date_ &&
                                 token.keyword != K::curdate_ && token.keyword != K::utc_date_ &&
                                 token.keyword != K::current_role_;
    if (takes_precision && is(T::integer)) precision.push(literal());
    right_paren();
    return function(token.offset, {{}, name}, precision.list(arena_));
}

Expr Parser::cast_expr() {
    const std::uint32_t start = take().offset;
    left_paren();
    Cast cast{};
    cast.form = CastForm::cast;
    cast.operand = expr();
    if (mysql() && is_word("at")) {
        take();
        expect(K::time_);
        expect(K::zone_);
        accept(K::interval_);
        cast.at_time_zone = string_literal();
        if (!is(K::as_) || !next_is(K::datetime_)) fail("AS DATETIME");
    }
    expect(K::as_);
    cast.type = cast_type();
    if (mysql() && accept(K::array_)) cast.array = true;
    right_paren();
    grow();
    return wrap(start, cast);
}

Expr Parser::convert_expr() {
    const std::uint32_t start = take().offset;
    left_paren();
    Cast cast{};
    cast.form = CastForm::convert;
    cast.operand = expr();
    if (accept(K::using_)) {
        cast.form = CastForm::convert_using;
        cast.charset = charset_name_value();
    } else {
        expect(T::comma, ",");
        cast.type = cast_type();
    }
    right_paren();
    grow();
    return wrap(start, cast);
}

Expr Parser::match_expr() {
    const std::uint32_t start = take().offset;
    Match match;
    const bool parentheses = accept(T::left_paren);
    ListBuilder<Expr, 4> columns;
    do columns.push(column_ref());
    while (accept(T::comma));
    match.columns = columns.list(arena_);
    if (parentheses) right_paren();
    expect(K::against_);
    left_paren();
    match.against = bit_expr();
    if (accept(K::in_)) {
        if (accept(K::boolean_)) {
            expect(K::mode_);
            match.mode = MatchMode::boolean;
        } else {
            expect(K::natural_);
            expect(K::language_);
            expect(K::mode_);
            match.mode = MatchMode::natural;
        }
    }
    if (match.mode != MatchMode::boolean && accept(K::with_)) {
        expect(K::query_);
        expect(K::expansion_);
        match.mode = match.mode == MatchMode::natural ? MatchMode::natural_expansion : MatchMode::expansion;
    }
    right_paren();
    grow();
    return wrap(start, match);
}

Expr Parser::trim_expr() {
    const Token token = take();
    const Name name{token.span().of(text_), token.span()};
    left_paren();
    ListBuilder<Expr, 2> arguments;
    Name side;
    if (is_any({K::leading_, K::trailing_, K::both_})) {
        side = make_name(take());
        if (!is(K::from_)) arguments.push(expr());
        expect(K::from_);
        arguments.push(expr());
    } else {
        arguments.push(expr());
        if (accept(K::from_)) arguments.push(expr());
    }
    right_paren();
    return function(token.offset, {{}, name}, arguments.list(arena_), FunctionForm::trim, side);
}

Expr Parser::extract_expr() {
    const Token token = take();
    const Name name{token.span().of(text_), token.span()};
    left_paren();
    if (!is_interval_unit(current())) fail("a unit of time");
    const Name unit = make_name(take());
    expect(K::from_);
    ListBuilder<Expr, 1> argument;
    argument.push(expr());
    right_paren();
    return function(token.offset, {{}, name}, argument.list(arena_), FunctionForm::extract, unit);
}

Expr Parser::substring_expr() {
    const Token token = take();
    const Name name{token.span().of(text_), token.span()};
    left_paren();
    ListBuilder<Expr, 3> arguments;
    arguments.push(expr());
    FunctionForm form = FunctionForm::call;
    if (accept(K::from_)) {
        form = FunctionForm::from_for;
        arguments.push(expr());
        if (accept(K::for_)) arguments.push(expr());
    } else {
        expect(T::comma, ",");
        arguments.push(expr());
        if (accept(T::comma)) arguments.push(expr());
    }
    right_paren();
    return function(token.offset, {{}, name}, arguments.list(arena_), form);
}

Expr Parser::position_expr() {
    const Token token = take();
    const Name name{token.span().of(text_), token.span()};
    left_paren();
    ListBuilder<Expr, 2> arguments;
    arguments.push(bit_expr());
    expect(K::in_);
    arguments.push(expr());
    right_paren();
    return function(token.offset, {{}, name}, arguments.list(arena_), FunctionForm::position);
}

Expr Parser::char_expr() {
    const Token token = take();
    const Name name{token.span().of(text_), token.span()};
    left_paren();
    const List<Expr> arguments = expr_list();
    FunctionForm form = FunctionForm::call;
    Name charset;
    if (accept(K::using_)) {
        form = FunctionForm::char_using;
        charset = charset_name_value();
    }
    right_paren();
    return function(token.offset, {{}, name}, arguments, form, charset);
}

Expr Parser::weight_string_expr() {
    const Token token = take();
    Function result;
    result.form = FunctionForm::weight_string;
    result.name.name = {token.span().of(text_), token.span()};
    left_paren();
    ListBuilder<Expr, 4> arguments;
    arguments.push(expr());
    if (accept(T::comma)) {  // WEIGHT_STRING(x, a, b, c), as the server prints it
        for (int i = 0; i < 3; ++i) {
            if (i > 0) expect(T::comma, ",");
            if (!is(T::integer) && !is(T::hex)) fail("a number");
            arguments.push(literal());
        }
    } else {
        if (accept(K::as_)) {
            if (!is(K::char_) && !is(K::binary_)) fail("CHAR or BINARY");
            result.type = cast_type();
            if (mysql() && (!result.type->has_length || result.type->length == 0)) fail("a length");
        }
        if (mariadb() && is_word("level")) {
            const std::uint32_t start = here();
            take();
            number();
            while (is(T::comma) || is(T::minus) || is(K::asc_) || is(K::desc_) || is_word("reverse")) {
                const bool list = is(T::comma) || is(T::minus);
                take();
                if (list) number();
            }
            result.word = {since(start).of(text_), since(start)};
        }
    }
    right_paren();
    result.arguments = arguments.list(arena_);
    grow();
    return wrap(token.offset, result);
}

// TIMESTAMPADD(unit, …), TIMESTAMPDIFF, GET_FORMAT(DATE, …)
Expr Parser::unit_first_expr() {
    const Token token = take();
    const Name name{token.span().of(text_), token.span()};
    left_paren();
    const bool format = token.keyword == K::get_format_;
    if (format ? !is_any({K::date_, K::time_, K::datetime_, K::timestamp_}) : !is_interval_unit(current()))
        fail(format ? "DATE, TIME or DATETIME" : "a unit of time");
    const Name unit = make_name(take());
    expect(T::comma, ",");
    const List<Expr> arguments = expr_list();
    right_paren();
    return function(token.offset, {{}, name}, arguments, FunctionForm::unit_first, unit);
}

JsonOn Parser::json_on() {
    JsonOn on;
    if (accept(K::null_)) {
        on.kind = JsonOnKind::null_;
    } else if (accept(K::error_)) {
        on.kind = JsonOnKind::error;
    } else {
        expect(K::default_);
        on.kind = JsonOnKind::default_;
        if (is(T::minus) || is(T::plus))
            on.value = signed_number();
        else if (is_any({K::true_, K::false_, K::null_, K::date_, K::time_, K::timestamp_}))
            on.value = keyword_primary();
        else
            on.value = literal();
    }
    return on;
}

// [… ON EMPTY] [… ON ERROR]; MariaDB takes them in either order.
void Parser::json_on_clauses(JsonOn& on_empty, JsonOn& on_error) {
    while (is_any({K::null_, K::error_, K::default_})) {
        const JsonOn on = json_on();
        expect(K::on_);
        if (accept(K::empty_)) {
            if (on_empty.kind != JsonOnKind::none || (mysql() && on_error.kind != JsonOnKind::none))
                fail("ON ERROR");
            on_empty = on;
        } else {
            expect(K::error_);
            if (on_error.kind != JsonOnKind::none) fail(")");
            on_error = on;
        }
    }
}

Expr Parser::json_value_expr() {
    const std::uint32_t start = take().offset;
    JsonValue value;
    left_paren();
    value.document = expr();
    expect(T::comma, ",");
    value.path = text_literal();
    if (accept(K::returning_)) value.returning = cast_type();
    json_on_clauses(value.on_empty, value.on_error);
    right_paren();
    grow();
    return wrap(start, value);
}

Expr Parser::values_expr() {
    const Token token = take();
    const Name name{token.span().of(text_), token.span()};
    left_paren();
    ListBuilder<Expr, 1> argument;
    argument.push(column_ref());
    right_paren();
    return function(token.offset, {{}, name}, argument.list(arena_), FunctionForm::values);
}

Expr Parser::default_expr() {
    const std::uint32_t start = here();
    expect(K::default_);
    DefaultOf result;
    left_paren();
    result.column = column_ref();
    right_paren();
    grow();
    return wrap(start, result);
}

Expr Parser::sequence_value() {
    const Token token = take();
    SequenceValue value;
    value.previous = token.keyword == K::previous_;
    take();
    take();
    value.sequence = qualified_name();
    return wrap(token.offset, value);
}

}  // namespace shardway::sqlparse
