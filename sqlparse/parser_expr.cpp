// Expressions by precedence, from OR down to operands. parser_call.cpp has the calls with a syntax of their
// own.
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

bool Parser::is_literal_start() const {
    switch (current().kind) {
    case T::string:
    case T::national_string:
    case T::integer:
    case T::decimal:
    case T::floating:
    case T::hex:
    case T::bit:
    case T::parameter:
    case T::introducer: return true;
    default: return false;
    }
}

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

Expr Parser::expr() {
    const DepthGuard guard{*this};
    const std::uint32_t outer = height_;
    height_ = 0;
    const Expr result = or_expr();
    grow();
    height_ = std::max(outer, height_);
    return result;
}

Expr Parser::or_expr() {
    const std::uint32_t start = operand_start();
    const Expr first = xor_expr();
    const auto at_or = [&] { return is(K::or_) || (is(T::or_or) && !options_.modes.pipes_as_concat); };
    if (!at_or()) return first;
    ListBuilder<Expr, 4> operands;
    operands.push(first);
    while (at_or()) {
        take();
        operands.push(beside([&] { return xor_expr(); }));
    }
    grow();
    return wrap(start, Logical{LogicalOp::or_, operands.list(arena_)});
}

Expr Parser::xor_expr() {
    const std::uint32_t start = operand_start();
    Expr left = and_expr();
    while (accept(K::xor_)) {
        const Expr right = beside([&] { return and_expr(); });
        grow();
        left = wrap(start, Binary{BinaryOp::logical_xor, left, right});
    }
    return left;
}

Expr Parser::and_expr() {
    const std::uint32_t start = operand_start();
    const Expr first = not_expr();
    if (!is(K::and_) && !is(T::and_and)) return first;
    ListBuilder<Expr, 4> operands;
    operands.push(first);
    while (is(K::and_) || is(T::and_and)) {
        take();
        operands.push(beside([&] { return not_expr(); }));
    }
    grow();
    return wrap(start, Logical{LogicalOp::and_, operands.list(arena_)});
}

Expr Parser::not_expr() {
    if (!is(K::not_) || options_.modes.high_not_precedence || seed_) return bool_primary();
    const DepthGuard guard{*this};
    const std::uint32_t start = take().offset;
    const Expr operand = not_expr();
    grow();
    return wrap(start, Unary{UnaryOp::logical_not, operand});
}

namespace {

// The comparison a token stands for, or `count`.
constexpr int no_comparison = -1;
int comparison_of(TokenKind kind) {
    switch (kind) {
    case TokenKind::equal: return static_cast<int>(BinaryOp::equal);
    case TokenKind::null_safe_equal: return static_cast<int>(BinaryOp::null_safe_equal);
    case TokenKind::not_equal: return static_cast<int>(BinaryOp::not_equal);
    case TokenKind::less: return static_cast<int>(BinaryOp::less);
    case TokenKind::less_equal: return static_cast<int>(BinaryOp::less_equal);
    case TokenKind::greater: return static_cast<int>(BinaryOp::greater);
    case TokenKind::greater_equal: return static_cast<int>(BinaryOp::greater_equal);
    default: return no_comparison;
    }
}

}  // namespace

Expr Parser::bool_primary() {
    const std::uint32_t start = operand_start();
    Expr left = predicate();
    for (;;) {
        const int comparison = comparison_of(current().kind);
        if (comparison != no_comparison) {
            const auto op = static_cast<BinaryOp>(comparison);
            take();
            if (is_any({K::all_, K::any_, K::some_}) && next_is(T::left_paren)) {
                if (op == BinaryOp::null_safe_equal) fail("an expression");
                const Quantifier quantifier = take().keyword == K::all_ ? Quantifier::all : Quantifier::any;
                const Query* below = paren_query();
                grow();
                left = wrap(start, Quantified{op, quantifier, left, below});
                continue;
            }
            const Expr right = beside([&] { return predicate(); });
            grow();
            left = wrap(start, Binary{op, left, right});
            continue;
        }
        if (is(K::is_)) {
            take();
            const bool negated = accept(K::not_);
            grow();
            if (accept(K::null_)) {
                left = wrap(start, IsTest{left, IsKind::null_, negated});
                continue;
            }
            // Behind these no further comparison may follow in MySQL.
            if (accept(K::true_)) return wrap(start, IsTest{left, IsKind::true_, negated});
            if (accept(K::false_)) return wrap(start, IsTest{left, IsKind::false_, negated});
            if (accept(K::unknown_)) return wrap(start, IsTest{left, IsKind::unknown, negated});
            fail("NULL, TRUE, FALSE or UNKNOWN");
        }
        return left;
    }
}

Expr Parser::predicate() {
    const std::uint32_t start = operand_start();
    const Expr left = bit_expr();
    switch (current().keyword) {
    case K::none: return left;
    case K::not_:
        if (next_is(K::in_) || next_is(K::between_) || next_is(K::like_) || next_is(K::regexp_) ||
            next_is(K::rlike_)) {
            take();
            return predicate_tail(left, true, start);
        }
        return left;
    case K::in_:
    case K::between_:
    case K::like_:
    case K::regexp_:
    case K::rlike_:
    case K::sounds_:
    case K::member_: return predicate_tail(left, false, start);
    default: return left;
    }
}

Expr Parser::predicate_tail(Expr left, bool negated, std::uint32_t start) {
    const DepthGuard guard{*this};
    grow();
    if (accept(K::in_)) {
        const std::uint32_t list_start = here();
        left_paren();
        if (query_starts() && !(is(K::values_) && next_is(T::left_paren) && mysql())) {
            const Query* below = query();
            right_paren();
            return wrap(start, InQuery{left, below, since(list_start), negated});
        }
        if (is(T::left_paren)) {
            // (SELECT …), ((1, 2), (3, 4)), or a query that begins with a parenthesis.
            const std::uint32_t first_start = here();
            const Expr first = parenthesized();
            const Subquery* subquery = first.as<Subquery>();
            if (subquery && (is(T::right_paren) || continues_query())) {
                const Query* below = subquery->query;
                if (continues_query()) below = query_from_term(below, first.span, nullptr, first.span.offset);
                right_paren();
                return wrap(start, InQuery{left, below, since(list_start), negated});
            }
            seed(first, first_start);
        }
        const List<Expr> items = expr_list();
        right_paren();
        return wrap(start, InList{left, items, since(list_start), negated});
    }
    if (accept(K::between_)) {
        const Expr low = bit_expr();
        expect(K::and_);
        const Expr high = predicate();
        return wrap(start, Between{left, low, high, negated});
    }
    if (accept(K::like_)) {
        const Expr pattern = simple_expr();
        Expr escape;
        if (accept(K::escape_)) escape = simple_expr();
        return wrap(start, Like{left, pattern, escape, negated});
    }
    if (is(K::regexp_) || is(K::rlike_)) {
        take();
        const Expr pattern = bit_expr();
        return wrap(start, Binary{negated ? BinaryOp::not_regexp : BinaryOp::regexp, left, pattern});
    }
    if (is(K::sounds_) && next_is(K::like_)) {
        take();
        take();
        const Expr right = bit_expr();
        return wrap(start, Binary{BinaryOp::sounds_like, left, right});
    }
    if (is(K::member_) && (next_is(K::of_) || next_is(T::left_paren)) && mysql()) {
        take();
        accept(K::of_);
        left_paren();
        const Expr right = simple_expr();
        right_paren();
        return wrap(start, Binary{BinaryOp::member_of, left, right});
    }
    return left;
}

namespace {

struct Operator {
    int precedence = 0;  // 0 is none
    BinaryOp op = BinaryOp::add;
};

Operator operator_of(const Token& token) {
    switch (token.kind) {
    case TokenKind::pipe: return {1, BinaryOp::bit_or};
    case TokenKind::ampersand: return {2, BinaryOp::bit_and};
    case TokenKind::shift_left: return {3, BinaryOp::shift_left};
    case TokenKind::shift_right: return {3, BinaryOp::shift_right};
    case TokenKind::plus: return {4, BinaryOp::add};
    case TokenKind::minus: return {4, BinaryOp::subtract};
    case TokenKind::star: return {5, BinaryOp::multiply};
    case TokenKind::slash: return {5, BinaryOp::divide};
    case TokenKind::percent: return {5, BinaryOp::modulo};
    case TokenKind::caret: return {6, BinaryOp::bit_xor};
    case TokenKind::word:
        if (token.keyword == Keyword::div_) return {5, BinaryOp::int_divide};
        if (token.keyword == Keyword::mod_) return {5, BinaryOp::modulo};
        return {};
    default: return {};
    }
}

}  // namespace

Expr Parser::bit_expr(int min_precedence) {
    const std::uint32_t start = operand_start();
    // A bare literal or name needs no look at the rules between.
    const T kind = current().kind;
    const bool bare = !seed_ && (kind == T::integer || (kind == T::word && current().keyword == K::none)) &&
                      !options_.modes.pipes_as_concat;
    Expr left = !bare ? simple_expr() : kind == T::integer ? literal() : name_primary();
    if (bare && is(K::collate_)) left = postfix(left, start);
    for (;;) {
        const Operator found = operator_of(current());
        if (found.precedence == 0 || found.precedence <= min_precedence) return left;
        take();
        Expr right;
        if (is(K::interval_) && (found.op == BinaryOp::add || found.op == BinaryOp::subtract)) {
            const std::uint32_t right_start = here();
            right = interval_primary();
            if (!right.as<Interval>()) {
                seed(right, right_start);
                right = bit_expr(found.precedence);
            }
        } else {
            right = beside([&] { return bit_expr(found.precedence); });
        }
        grow();
        left = wrap(start, Binary{found.op, left, right});
    }
}

// With PIPES_AS_CONCAT, a chain of ||.
Expr Parser::simple_expr() {
    const std::uint32_t start = operand_start();
    Expr left = unary_expr();
    while (options_.modes.pipes_as_concat && is(T::or_or)) {
        take();
        const Expr right = beside([&] { return unary_expr(); });
        grow();
        left = wrap(start, Binary{BinaryOp::concat, left, right});
    }
    return left;
}

Expr Parser::unary_expr() {
    const std::uint32_t operand_at = operand_start();
    if (seed_) return postfix(primary(), operand_at);
    UnaryOp op;
    switch (current().kind) {
    case T::minus: op = UnaryOp::minus; break;
    case T::plus: op = UnaryOp::plus; break;
    case T::tilde: op = UnaryOp::bit_not; break;
    case T::exclamation: op = UnaryOp::bang; break;
    case T::word:
        if (is(K::binary_)) {
            op = UnaryOp::binary;
            break;
        }
        if (is(K::not_) && options_.modes.high_not_precedence) {
            op = UnaryOp::bang;
            break;
        }
        [[fallthrough]];
    default: return postfix(primary(), operand_at);
    }
    const DepthGuard guard{*this};
    const std::uint32_t start = take().offset;
    const Expr operand = unary_expr();
    grow();
    return wrap(start, Unary{op, operand});
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
    switch (current().kind) {
    case T::word: return current().keyword == K::none ? name_primary() : keyword_primary();
    case T::quoted_word: return name_primary();
    case T::string:
    case T::national_string:
    case T::integer:
    case T::decimal:
    case T::floating:
    case T::hex:
    case T::bit:
    case T::parameter:
    case T::introducer: return literal();
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

Expr Parser::name_primary() {
    const std::uint32_t start = here();
    const Token first = current();
    if (!is_name()) fail("an expression");
    const Name first_name = make_name(take());
    if (is(T::left_paren)) {
        if (mysql() && first.keyword != K::none && !is_function_keyword(first.keyword)) fail("an operator");
        return call(first, {{}, first_name});
    }
    if (!is(T::dot)) {
        const Expr result = wrap(start, Column{{}, {}, first_name});
        if (mysql() && (is(T::arrow) || is(T::double_arrow))) {
            const BinaryOp op = take().kind == T::arrow ? BinaryOp::json_extract : BinaryOp::json_unquote;
            const Expr path = string_literal();
            return wrap(start, Binary{op, result, path});
        }
        return result;
    }
    take();
    const Name second = name_after_dot();
    if (is(T::left_paren)) return call(first, {first_name, second});
    Column column{{}, first_name, second};
    if (accept(T::dot)) column = {first_name, second, name_after_dot()};
    const Expr result = wrap(start, column);
    if (mysql() && (is(T::arrow) || is(T::double_arrow))) {
        const BinaryOp op = take().kind == T::arrow ? BinaryOp::json_extract : BinaryOp::json_unquote;
        const Expr path = string_literal();
        return wrap(start, Binary{op, result, path});
    }
    return result;
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
