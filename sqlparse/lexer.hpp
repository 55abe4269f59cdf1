// Text to tokens. Allocates nothing, and never reads past the text.
#pragma once

#include <cstdint>
#include <string_view>

#include "sqlparse/options.hpp"
#include "sqlparse/token.hpp"

namespace shardway::sqlparse {

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
    // `text` outlives the lexer. Text beyond options.text_bytes_max is an error token at once.
    Lexer(std::string_view text, const ParseOptions& options, std::uint32_t start = 0);

    // The next token. Behind the last it is `end`, again and again; an error token likewise repeats.
    Token next();

    LexError error() const { return error_; }
    std::string_view text() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
    const ParseOptions& options() const { return options_; }

private:
    Token word(const char* start);
    Token number(const char* start);
    Token at(const char* start);
    Token quoted(const char* start, TokenKind kind, char quote);
    Token name_after_dot(const char* start);
    Token token(TokenKind kind, const char* start, const char* finish, Keyword keyword = Keyword::none);
    Token fail(LexError error, const char* start);
    // Behind spaces and comments; false when an error token is due.
    bool skip_space();
    bool skip_comment();
    const char* skip_quoted(const char* from, char quote, bool backslash) const;
    // Bytes of the character at `at`: more than 1 only for a whole multi-byte character of such a charset.
    std::size_t character_bytes(const char* at) const;
    const char* word_end(const char* at) const;
    bool is_hint_place() const;

    const char* begin_;
    const char* end_;
    const char* next_;
    const ParseOptions options_;
    LexError error_ = LexError::none;
    bool multi_byte_;
    bool after_dot_ = false;        // a name that is never a keyword comes next
    bool after_word_ = false;       // a dot directly here goes with the word before it
    bool after_at_at_ = false;      // a variable's name or scope comes next
    bool in_code_comment_ = false;  // inside /*! … */, whose end is to be skipped
    Keyword last_keyword_ = Keyword::none;
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
