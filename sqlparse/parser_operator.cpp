// Expressions by precedence, from OR down to signs. Each level reads an operand of the next and goes on only
// where an operator of its own follows; most expressions have few, so the levels ask once, together.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

namespace {

// What a token does behind an operand.
enum class Infix : std::uint8_t { none, logical, comparison, is, predicate, bit, collate };

struct Infixes {
    Infix of_kind[64];
    Infix of_keyword[keyword_count_all];
};

constexpr Infixes make_infixes() {
    Infixes infixes{};
    const auto set = [&](Infix infix, std::initializer_list<TokenKind> kinds) {
        for (const TokenKind kind : kinds) infixes.of_kind[static_cast<std::size_t>(kind)] = infix;
    };
    const auto set_words = [&](Infix infix, std::initializer_list<Keyword> keywords) {
        for (const Keyword keyword : keywords) infixes.of_keyword[static_cast<std::size_t>(keyword)] = infix;
    };
    using enum TokenKind;
    set(Infix::logical, {and_and, or_or});
    set(Infix::comparison, {equal, null_safe_equal, not_equal, less, less_equal, greater, greater_equal});
    set(Infix::bit, {pipe, ampersand, shift_left, shift_right, plus, minus, star, slash, percent, caret});
    set_words(Infix::logical, {Keyword::and_, Keyword::or_, Keyword::xor_});
    set_words(Infix::is, {Keyword::is_});
    set_words(Infix::predicate, {Keyword::not_, Keyword::in_, Keyword::between_, Keyword::like_,
                                 Keyword::regexp_, Keyword::rlike_, Keyword::sounds_, Keyword::member_});
    set_words(Infix::bit, {Keyword::div_, Keyword::mod_});
    set_words(Infix::collate, {Keyword::collate_});
    return infixes;
}

constexpr Infixes infixes = make_infixes();

inline Infix infix_of(const Token& token) {
    return token.kind == TokenKind::word ? infixes.of_keyword[static_cast<std::size_t>(token.keyword)]
                                         : infixes.of_kind[static_cast<std::size_t>(token.kind)];
}

}  // namespace

Expr Parser::expr() {
    const DepthGuard guard{*this};
    const std::uint32_t outer = height_;
    height_ = 0;
    const std::uint32_t start = operand_start();
    Expr result = not_expr();
    if (infix_of(current()) == Infix::logical)
        result = or_rest(xor_rest(and_rest(result, start), start), start);
    grow();
    height_ = std::max(outer, height_);
    return result;
}

Expr Parser::or_rest(Expr first, std::uint32_t start) {
    const auto at_or = [&] { return is(K::or_) || (is(T::or_or) && !options_.modes.pipes_as_concat); };
    if (!at_or()) return first;
    return logical(LogicalOp::or_, first, start, at_or, [&] {
        const std::uint32_t operand_at = operand_start();
        return xor_rest(and_rest(not_expr(), operand_at), operand_at);
    });
}

Expr Parser::xor_rest(Expr left, std::uint32_t start) {
    while (accept(K::xor_)) {
        const Expr right = beside([&] {
            const std::uint32_t operand_at = operand_start();
            return and_rest(not_expr(), operand_at);
        });
        grow();
        left = wrap(start, Binary{BinaryOp::logical_xor, left, right});
    }
    return left;
}

Expr Parser::and_rest(Expr first, std::uint32_t start) {
    const auto at_and = [&] { return is(K::and_) || is(T::and_and); };
    if (!at_and()) return first;
    return logical(LogicalOp::and_, first, start, at_and, [&] { return not_expr(); });
}

Expr Parser::logical_not() {
    const DepthGuard guard{*this};
    const std::uint32_t start = take().offset;
    const Expr operand = not_expr();
    grow();
    return wrap(start, Unary{UnaryOp::logical_not, operand});
}

namespace {

BinaryOp comparison_of(TokenKind kind) {
    switch (kind) {
    case TokenKind::null_safe_equal: return BinaryOp::null_safe_equal;
    case TokenKind::not_equal: return BinaryOp::not_equal;
    case TokenKind::less: return BinaryOp::less;
    case TokenKind::less_equal: return BinaryOp::less_equal;
    case TokenKind::greater: return BinaryOp::greater;
    case TokenKind::greater_equal: return BinaryOp::greater_equal;
    default: return BinaryOp::equal;
    }
}

}  // namespace

Expr Parser::bool_primary() {
    const std::uint32_t start = operand_start();
    Expr left = predicate();
    for (;;) {
        const Infix infix = infix_of(current());
        if (infix == Infix::comparison) {
            const BinaryOp op = comparison_of(take().kind);
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
        if (infix != Infix::is) return left;
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
}

Expr Parser::predicate() {
    const std::uint32_t start = operand_start();
    Expr left = operand();
    Infix infix = infix_of(current());
    if (infix == Infix::bit) {
        left = bit_rest(left, start, 0);
        infix = infix_of(current());
    }
    return infix == Infix::predicate ? predicate_rest(left, start) : left;
}

Expr Parser::predicate_rest(Expr left, std::uint32_t start) {
    if (!is(K::not_)) return predicate_tail(left, false, start);
    if (!next_is(K::in_) && !next_is(K::between_) && !next_is(K::like_) && !next_is(K::regexp_) &&
        !next_is(K::rlike_))
        return left;
    take();
    return predicate_tail(left, true, start);
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

// An operand with its signs and collation. A bare literal or name needs no look at the rules between.
Expr Parser::operand() {
    const T kind = current().kind;
    if (seed_ || options_.modes.pipes_as_concat) return simple_expr();
    if (kind == T::integer) {
        const std::uint32_t start = here();
        const Expr value = literal();
        return is(K::collate_) ? postfix(value, start) : value;
    }
    if (kind == T::word && current().keyword == K::none) {
        const std::uint32_t start = here();
        const Expr value = name_primary();
        return is(K::collate_) ? postfix(value, start) : value;
    }
    return simple_expr();
}

Expr Parser::bit_expr(int min_precedence) {
    const std::uint32_t start = operand_start();
    const Expr left = operand();
    return infix_of(current()) == Infix::bit ? bit_rest(left, start, min_precedence) : left;
}

Expr Parser::bit_rest(Expr left, std::uint32_t start, int min_precedence) {
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

}  // namespace shardway::sqlparse
