// Text to tokens. Allocates nothing, and never reads past the text.
#pragma once

#include <cstdint>
#include <string_view>

#include "sqlparse/options.hpp"
#include "sqlparse/token.hpp"
#include "sqlparse/word_window.hpp"

namespace shardway::sqlparse {

namespace scanning {
class Scanner;
}

enum class LexError : std::uint8_t {
    none,
    unterminated_string,
    unterminated_name,
    unterminated_comment,
    bad_byte,    // begins no token
    empty_name,  // ``
    text_too_long,
};

// Reads one statement's text, or several: `;` is a token like others. Comments and spaces are skipped; /*! …
// */ that the server would execute is read as if the comment marks were spaces.
class Lexer {
public:
    // `text` and `options` outlive the lexer. Text beyond options.text_bytes_max is an error token at once.
    Lexer(std::string_view text, const ParseOptions& options)
        : begin_{text.data()},
          end_{text.data() + text.size()},
          next_{begin_},
          options_{options},
          mode_{static_cast<std::uint8_t>(options.charset == CharsetClass::ascii_safe ? 0 : multi_byte)} {
        if (text.size() > options.text_bytes_max || text.size() >= UINT32_MAX) {
            error_ = LexError::text_too_long;
            mode_ |= failed;
            end_ = begin_;
        }
    }

    // The next token. Behind the last it is `end`, again and again; an error token likewise repeats.
    Token next() {
        Token token;
        next(token);
        return token;
    }
    void next(Token& out);
    // Goes on at `offset`, behind a token that is no name.
    void restart(std::uint32_t offset);

    LexError error() const { return error_; }
    std::string_view text() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
    const ParseOptions& options() const { return options_; }

private:
    friend class scanning::Scanner;  // scan.cpp: its loop is where each instruction counts

    // What came before and matters for the next token, as bits.
    enum Mode : std::uint8_t {
        after_dot = 1,        // a name that is never a keyword comes next
        after_word = 2,       // a dot and a name come next, and belong to the word before
        after_at_at = 4,      // a variable's name or its scope comes next
        in_code_comment = 8,  // inside /*! … */, whose end is to be skipped
        failed = 16,
        multi_byte = 32,  // always, for client charsets that must be read character by character
    };

    Token make(TokenKind kind, const char* start, const char* finish, Keyword keyword = Keyword::none) {
        next_ = finish;
        last_ = keyword;
        return {static_cast<std::uint32_t>(start - begin_), static_cast<std::uint32_t>(finish - start), kind,
                keyword};
    }
    Token next_from(const char* at);
    Token word(const char* start);
    Token variable_word(const char* start);
    Token name_after_dot(const char* start);
    Token number(const char* start);
    Token fraction(const char* start, const char* at);
    Token at_sign(const char* start);
    Token string(const char* start, const char* quote_at, TokenKind kind);
    Token quoted_name(const char* start);
    Token prefixed_digits(const char* start, TokenKind kind);
    Token punctuation(const char* start);
    Token comparison(const char* start);
    Token fail(LexError error, const char* start);

    enum class Comment : std::uint8_t { none, skipped, hint, unterminated };
    Comment comment(const char* start);
    Comment code_comment(const char* start);
    const char* skip_comment_body(const char* from, bool nested) const;

    void next_uncommon(Token& out);
    void look_and_next(Token& out, const char* at);
    Keyword keyword_of(Keyword found, const char* finish) const;
    bool is_word_at(const char* at) const;
    const char* word_end(const char* at) const;
    // Behind the closing quote, or null.
    const char* quoted_end(const char* quote_at, bool escapes) const;
    bool parenthesis_follows(const char* at) const;
    bool dot_and_name_follow(const char* at) const;
    bool hint_may_follow() const;

    const char* begin_;
    const char* end_;
    const char* next_;
    const ParseOptions& options_;
    LexError error_ = LexError::none;
    std::uint8_t mode_;
    Keyword last_ = Keyword::none;
    // The words around next_: the bits of the text from there on, as word_bits gives them.
    std::uint64_t word_bits_ = 0;
    std::size_t bits_from_ = SIZE_MAX / 2;  // as if far away
};

// Where the first statement of `text` ends: `statement` is its text without the `;`, `next` the offset behind
// the `;` (the text's size when there is none). Also for text that does not parse, as long as it can be
// lexed; else the whole.
struct SplitResult {
    std::string_view statement;
    std::size_t next = 0;
    bool terminated = false;  // a `;` was there
    bool blank = false;       // only spaces and comments
};
SplitResult split_first(std::string_view text, const ParseOptions& options);

}  // namespace shardway::sqlparse
