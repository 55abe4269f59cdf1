// Operands of expressions. parser_operator.cpp has what joins them, parser_call.cpp the calls with a syntax
// of their own.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

std::uint32_t Parser::hole_of(const Token& token) {
    if (!scan_) return no_hole;
    const auto& literals = scan_->literals;
    // Nearly always the next one; the parser seldom looks back.
    while (literal_cursor_ > 0 &&
           (literal_cursor_ >= literals.size() || literals[literal_cursor_].offset > token.offset))
        --literal_cursor_;
    while (literal_cursor_ < literals.size() && literals[literal_cursor_].offset < token.offset)
        ++literal_cursor_;
    if (literal_cursor_ >= literals.size() || literals[literal_cursor_].offset != token.offset)
        return no_hole;
    return literals[literal_cursor_].hole;
}

Expr Parser::make_literal(const Token& first, LiteralKind kind, Span span, bool introduced, bool pieces) {
    Expr result;
    result.span = span;
    result.node = Literal{kind, introduced, pieces, hole_of(first)};
    return result;
}

bool Parser::is_literal_start() const { return is_value(current().kind) || is(T::introducer); }

Expr Parser::literal() {
    const Token token = current();
    const auto simple = [&](LiteralKind kind) {
        take();
        return make_literal(token, kind, token.span(), false, false);
    };
    switch (token.kind) {
    case T::integer: return simple(LiteralKind::integer);
    case T::decimal: return simple(LiteralKind::decimal);
    case T::floating: return simple(LiteralKind::floating);
    case T::hex: return simple(LiteralKind::hex);
    case T::bit: return simple(LiteralKind::bit);
    case T::parameter: {
        take();
        Expr result;
        result.span = token.span();
        result.node = Parameter{parameters_++, hole_of(token)};
        return result;
    }
    case T::string:
    case T::national_string: {
        take();
        bool pieces = false;
        while (is(T::string)) {
            take();
            pieces = true;
        }
        const LiteralKind kind = token.kind == T::string ? LiteralKind::string : LiteralKind::national_string;
        return make_literal(token, kind, since(token.offset), false, pieces);
    }
    case T::introducer: {
        take();
        const Token value = current();
        if (value.kind != T::string && value.kind != T::hex && value.kind != T::bit) fail("a string");
        take();
        bool pieces = false;
        if (value.kind == T::string) {
            while (is(T::string)) {
                take();
                pieces = true;
            }
        }
        LiteralKind kind = LiteralKind::string;
        if (value.kind == T::hex) kind = LiteralKind::hex;
        if (value.kind == T::bit) kind = LiteralKind::bit;
        return make_literal(value, kind, since(token.offset), true, pieces);
    }
    default: fail("a literal");
    }
}

Expr Parser::string_literal() {
    if (!is(T::string)) fail("a string");
    const Token token = take();
    return make_literal(token, LiteralKind::string, token.span(), false, false);
}

Expr Parser::text_literal() {
    if (!is_text() && !is(T::hex) && !is(T::bit) && !is(T::parameter) && !is(T::introducer)) fail("a string");
    return literal();
}

Expr Parser::integer_literal() {
    if (!is(T::integer) && !is(T::hex)) fail("a number");
    return literal();
}

Expr Parser::signed_number() {
    const std::uint32_t start = here();
    if (is(T::minus) || is(T::plus)) {
        const UnaryOp op = take().kind == T::minus ? UnaryOp::minus : UnaryOp::plus;
        if (!is(T::integer) && !is(T::decimal) && !is(T::floating)) fail("a number");
        const Expr value = literal();
        return wrap(start, Unary{op, value});
    }
    if (!is(T::integer) && !is(T::decimal) && !is(T::floating)) fail("a number");
    return literal();
}

// A number that is part of a type or an option, saturated: the server checks its range.
std::uint64_t Parser::number(bool fraction) {
    if (!is(T::integer) && !(fraction && is(T::decimal))) fail("a number");
    const std::string_view digits = take().span().of(text_);
    std::uint64_t value = 0;
    for (const char c : digits) {
        if (c == '.') break;
        if (value > (UINT64_MAX - 9) / 10) return UINT64_MAX;
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return value;
}

List<Expr> Parser::expr_list() {
    ListBuilder<Expr, 4> items;
    do items.push(expr());
    while (accept(T::comma));
    return items.list(arena_);
}

List<Expr> Parser::paren_expr_list() {
    left_paren();
    List<Expr> items;
    if (!is(T::right_paren)) items = expr_list();
    right_paren();
    return items;
}

Expr Parser::postfix(Expr value, std::uint32_t start) {
    while (is(K::collate_)) {
        take();
        const Name collation = collation_name();
        grow();
        value = wrap(start, Collate{value, collation});
    }
    return value;
}

Expr Parser::primary() {
    if (seed_) {
        const Expr value = seed_;
        seed_ = {};
        return value;
    }
    if (is_literal_start()) return literal();
    switch (current().kind) {
    case T::word: return current().keyword == K::none ? name_primary() : keyword_primary();
    case T::quoted_word: return name_primary();
    case T::left_paren: return parenthesized();
    case T::user_variable: return user_variable();
    case T::system_variable: return system_variable();
    case T::left_brace: return odbc_escape();
    default: fail("an expression");
    }
}

// `(expr)`, `(a, b)`, `(SELECT …)`. The last is a Subquery whose span has the parentheses.
Expr Parser::parenthesized() {
    const DepthGuard guard{*this};
    const std::uint32_t start = here();
    left_paren();
    if (query_starts() && !(is(K::values_) && next_is(T::left_paren) && mysql())) {
        const Query* below = query();
        right_paren();
        grow();
        return wrap(start, Subquery{below});
    }
    if (is(T::left_paren)) {
        const std::uint32_t first_start = here();
        const Expr first = parenthesized();
        const Subquery* subquery = first.as<Subquery>();
        if (subquery && continues_query()) {
            const Query* below = query_from_term(subquery->query, first.span, nullptr, first.span.offset);
            right_paren();
            return wrap(start, Subquery{below});
        }
        seed(first, first_start);
    }
    const Expr first = expr();
    if (!is(T::comma)) {
        right_paren();
        return first;
    }
    ListBuilder<Expr, 4> items;
    items.push(first);
    while (accept(T::comma)) items.push(expr());
    right_paren();
    grow();
    return wrap(start, Row{items.list(arena_), false});
}

Expr Parser::column_ref() {
    const std::uint32_t start = here();
    Column column;
    column.name = name("a column's name");
    for (int parts = 1; parts < 3 && is(T::dot); ++parts) {
        take();
        column.database = column.table;
        column.table = column.name;
        column.name = name_after_dot();
    }
    return wrap(start, column);
}

// Keywords that are also functions of MySQL's; behind others no parenthesis may follow.
bool Parser::is_function_keyword(K keyword) {
    switch (keyword) {
    case K::adddate_:
    case K::ascii_:
    case K::charset_:
    case K::coalesce_:
    case K::collation_:
    case K::database_:
    case K::date_:
    case K::day_:
    case K::format_:
    case K::geomcollection_:
    case K::geometrycollection_:
    case K::hour_:
    case K::linestring_:
    case K::log_:
    case K::microsecond_:
    case K::minute_:
    case K::month_:
    case K::multilinestring_:
    case K::multipoint_:
    case K::multipolygon_:
    case K::point_:
    case K::polygon_:
    case K::quarter_:
    case K::reverse_:
    case K::row_count_:
    case K::schema_:
    case K::second_:
    case K::session_user_:
    case K::subdate_:
    case K::system_user_:
    case K::time_:
    case K::timestamp_:
    case K::truncate_:
    case K::user_:
    case K::week_:
    case K::year_: return true;
    default: return false;
    }
}

Expr Parser::column_path(Expr column, std::uint32_t start) {
    if (!mysql() || !(is(T::arrow) || is(T::double_arrow))) return column;
    const BinaryOp op = take().kind == T::arrow ? BinaryOp::json_extract : BinaryOp::json_unquote;
    const Expr path = string_literal();
    return wrap(start, Binary{op, column, path});
}

Expr Parser::name_primary() {
    const Token first = current();
    if (!is_name(first)) fail("an expression");
    take();
    const Name first_name = make_name(first);
    if (is(T::left_paren)) {
        if (mysql() && first.keyword != K::none && !is_function_keyword(first.keyword)) fail("an operator");
        return call(first, {{}, first_name});
    }
    if (!is(T::dot)) {
        auto* column = arena_.make<Column>();
        column->name = first_name;
        return column_path({first.span(), column}, first.offset);
    }
    take();
    const Name second = name_after_dot();
    if (is(T::left_paren)) return call(first, {first_name, second});
    Column column{{}, first_name, second};
    if (accept(T::dot)) column = {first_name, second, name_after_dot()};
    return column_path(wrap(first.offset, column), first.offset);
}

Expr Parser::user_variable() {
    const Token token = take();
    const std::string_view raw = token.span().of(text_).substr(1);
    UserVariable variable;
    variable.name = {raw, {token.offset + 1, token.length - 1}};
    if (!raw.empty() && raw.front() == '`') {
        variable.name = make_name({token.offset + 1, token.length - 1, T::quoted_word, K::none});
    } else if (!raw.empty() && (raw.front() == '\'' || raw.front() == '"')) {
        variable.name = text_name({token.offset + 1, token.length - 1, T::string, K::none});
    }
    if (accept(T::assign)) variable.assigned = expr();
    return wrap(token.offset, variable);
}

bool Parser::accept_scope(VariableScope& scope) {
    switch (current().keyword) {
    case K::global_: scope = VariableScope::global; break;
    case K::session_: scope = VariableScope::session; break;
    case K::local_: scope = VariableScope::local; break;
    case K::persist_:
        if (!mysql()) return false;
        scope = VariableScope::persist;
        break;
    case K::persist_only_:
        if (!mysql()) return false;
        scope = VariableScope::persist_only;
        break;
    default: return false;
    }
    take();
    return true;
}

bool Parser::names_scope(const Token& token) const {
    return is_word(token, "global") || is_word(token, "session") || is_word(token, "local");
}

Expr Parser::system_variable() {
    const std::uint32_t start = take().offset;
    SystemVariable variable;
    if (next_is(T::dot) && accept_scope(variable.scope)) take();
    const Token first = current();
    variable.name = name_or_text();
    if (accept(T::dot)) {
        if (mysql() && names_scope(first)) fail("a variable");
        variable.base = variable.name;
        variable.name = name_after_dot();
    }
    return wrap(start, variable);
}

Expr Parser::odbc_escape() {
    const std::uint32_t start = take().offset;
    const Name word = name();
    const Expr operand = expr();
    expect(T::right_brace, "}");
    grow();
    return wrap(start, OdbcEscape{word, operand});
}

Expr Parser::case_expr() {
    const std::uint32_t start = take().offset;
    Case result;
    if (!is(K::when_)) result.operand = expr();
    ListBuilder<When, 4> whens;
    if (!is(K::when_)) fail("WHEN");
    while (accept(K::when_)) {
        When when;
        when.condition = expr();
        expect(K::then_);
        when.value = expr();
        whens.push(when);
    }
    if (accept(K::else_)) result.otherwise = expr();
    expect(K::end_);
    result.whens = whens.list(arena_);
    grow();
    return wrap(start, result);
}

// INTERVAL value unit, or the function INTERVAL(a, b, …).
Expr Parser::interval_primary() {
    const DepthGuard guard{*this};
    const Token keyword = take();
    if (is(T::left_paren)) {
        const std::uint32_t first_start = here();
        const Expr first = parenthesized();
        const Row* row = first.as<Row>();
        if (row && !row->keyword && !is_interval_unit(current())) {
            const Name name{keyword.span().of(text_), keyword.span()};
            return function(keyword.offset, {{}, name}, row->items);
        }
        seed(first, first_start);
    }
    Interval interval;
    interval.value = expr();
    if (!is_interval_unit(current())) fail("a unit of time");
    interval.unit = make_name(take());
    grow();
    return wrap(keyword.offset, interval);
}

bool Parser::is_interval_unit(const Token& token) const {
    switch (token.keyword) {
    case K::microsecond_:
    case K::second_:
    case K::minute_:
    case K::hour_:
    case K::day_:
    case K::week_:
    case K::month_:
    case K::quarter_:
    case K::year_:
    case K::second_microsecond_:
    case K::minute_microsecond_:
    case K::minute_second_:
    case K::hour_microsecond_:
    case K::hour_second_:
    case K::hour_minute_:
    case K::day_microsecond_:
    case K::day_second_:
    case K::day_minute_:
    case K::day_hour_:
    case K::year_month_:
    case K::sql_tsi_second_:
    case K::sql_tsi_minute_:
    case K::sql_tsi_hour_:
    case K::sql_tsi_day_:
    case K::sql_tsi_week_:
    case K::sql_tsi_month_:
    case K::sql_tsi_quarter_:
    case K::sql_tsi_year_: return true;
    default: return false;
    }
}

}  // namespace shardway::sqlparse
