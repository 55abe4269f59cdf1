// Tokens of MySQL's and MariaDB's SQL, and places in a statement's text.
#pragma once

#include <cstdint>
#include <string_view>

#include "sqlparse/keywords.hpp"

namespace shardway::sqlparse {

// A piece of the statement's text, in bytes from its start.
struct Span {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;

    std::uint32_t end() const { return offset + length; }
    bool empty() const { return length == 0; }
    std::string_view of(std::string_view text) const { return text.substr(offset, length); }
    friend bool operator==(Span, Span) = default;
};

// The smallest span that holds both.
inline Span cover(Span first, Span last) { return {first.offset, last.end() - first.offset}; }

// A span whose text is itself part of the tree, unread: what stands there counts, not only where.
struct Raw : Span {
    Raw() = default;
    Raw(Span span) : Span{span} {}
};

enum class TokenKind : std::uint8_t {
    end,              // of the text, or of the statement: Lexer says which
    word,             // an identifier or a keyword, unquoted: Token::keyword tells
    quoted_word,      // `…`, or "…" with ANSI_QUOTES
    string,           // '…' or "…"; from here to `parameter` a value that stands in the text
    national_string,  // N'…'
    integer,
    decimal,
    floating,
    hex,              // 0x… or x'…'
    bit,              // 0b… or b'…'
    parameter,        // ?
    user_variable,    // @name, @'name', @`name`, also the host part of an account
    system_variable,  // the two @ before a system variable's name
    introducer,       // _utf8mb4 and the like, before a string
    hint,             // /*+ … */ behind SELECT, INSERT, REPLACE, UPDATE, DELETE
    comma,
    left_paren,
    right_paren,
    dot,
    semicolon,
    plus,
    minus,
    star,
    slash,
    percent,
    caret,
    tilde,
    ampersand,
    pipe,
    exclamation,
    equal,
    not_equal,  // <> and !=
    less,
    less_equal,
    greater,
    greater_equal,
    null_safe_equal,  // <=>
    shift_left,
    shift_right,
    and_and,
    or_or,
    assign,        // :=
    arrow,         // ->
    double_arrow,  // ->>
    left_brace,
    right_brace,
    colon,
    error,  // a byte that begins no token, or a token without its end
};

constexpr bool is_value(TokenKind kind) { return kind >= TokenKind::string && kind <= TokenKind::parameter; }

struct Token {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
    TokenKind kind = TokenKind::end;
    // For a word token. A word directly behind a dot, or directly before one, is never a keyword.
    Keyword keyword = Keyword::none;

    Span span() const { return {offset, length}; }
    std::uint32_t end() const { return offset + length; }
};

}  // namespace shardway::sqlparse
