#include "sqlparse/lexer.hpp"

#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>

#include "sqlparse/byte_table.hpp"
#include "sqlparse/charset.hpp"
#include "sqlparse/charset_names.hpp"
#include "sqlparse/keyword_table.hpp"

namespace shardway::sqlparse {

Token Lexer::fail(LexError error, const char* start) {
    error_ = error;
    mode_ |= failed;
    next_ = start;
    return {static_cast<std::uint32_t>(start - begin_), static_cast<std::uint32_t>(end_ - start),
            TokenKind::error, Keyword::none};
}

void Lexer::restart(std::uint32_t offset) {
    next_ = begin_ + offset;
    last_ = Keyword::none;
}

void Lexer::next_uncommon(Token& out) { out = next_from(next_); }

// Behind what word_bits_ knows: once more, with the words from `at` on.
void Lexer::look_and_next(Token& out, const char* at) {
    const auto rest = static_cast<std::size_t>(end_ - at);
    next_ = at;
    bits_from_ = static_cast<std::size_t>(at - begin_);
    if (rest >= 64) {
        word_bits_ = word_bits(at, rest);
    } else {
        TextWindow::Copy copy;
        word_bits_ = text_window(at, rest, copy).words;
    }
    next(out);
}

// The common tokens; next_from has the rest. Calls nothing but as its last act, since each token comes by
// here.
void Lexer::next(Token& out) {
    const char* at = next_;
    const char* const end = end_;
    if (mode_ != 0 || at == end) [[unlikely]]
        return next_uncommon(out);
    if (*at == ' ' && at + 1 != end) ++at;
    const auto offset = static_cast<std::size_t>(at - begin_);
    std::size_t size = 1;
    Keyword keyword = Keyword::none;
    TokenKind kind;
    const FastClass type = byte_table.fast[static_cast<unsigned char>(*at)];
    if (type == FastClass::word || (type == FastClass::prefix && at + 1 != end && at[1] != '\'')) [[likely]] {
        constexpr std::size_t known = 63 - 9;  // a word of 8 bytes and the byte behind it
        const std::size_t from = offset - bits_from_;
        if (from > known) [[unlikely]]
            return look_and_next(out, at);
        size = static_cast<unsigned>(__builtin_ctzll(~(word_bits_ >> from)));
        if (size > 8) return next_uncommon(out);
        if (at + size != end && byte_table.behind_word[static_cast<unsigned char>(at[size])] > 1)
            return next_uncommon(out);
        const WordInfo& info = short_words.find(load_bytes(at, size, begin_, end));
        keyword = info.keyword;
        if ((info.flags & (KeywordFlags::only_before_parenthesis | KeywordFlags::mariadb_only)) != 0) {
            if ((info.flags & KeywordFlags::only_before_parenthesis) != 0) return next_uncommon(out);
            if (options_.dialect == Dialect::mysql) keyword = Keyword::none;
        }
        kind = TokenKind::word;
    } else if (type == FastClass::digit) {
        while (at + size != end && is_digit(at[size])) ++size;
        if (at + size != end && (is_word_byte(at[size]) || at[size] == '.')) return next_uncommon(out);
        kind = TokenKind::integer;
    } else if (type == FastClass::comma) {
        kind = TokenKind::comma;
    } else if (type == FastClass::equal && at + 1 != end && !is_comparison_byte(at[1])) {
        kind = TokenKind::equal;
    } else {
        return next_uncommon(out);
    }
    out.offset = static_cast<std::uint32_t>(offset);
    out.length = static_cast<std::uint32_t>(size);
    out.kind = kind;
    out.keyword = last_ = keyword;
    next_ = at + size;
}

Token Lexer::next_from(const char* at) {
    if (error_ != LexError::none) [[unlikely]]
        return fail(error_, next_);
    for (;;) {
        if (at >= end_) {
            if ((mode_ & in_code_comment) != 0) return fail(LexError::unterminated_comment, end_);
            return make(TokenKind::end, end_, end_);
        }
        switch (class_of(*at)) {
        case ByteClass::space:
            ++at;
            mode_ &= static_cast<std::uint8_t>(~(after_dot | after_at_at));
            continue;
        case ByteClass::word:
        case ByteClass::underscore: return word(at);
        case ByteClass::prefix:
            if (end_ - at > 1 && at[1] == '\'' && (mode_ & after_dot) == 0) {
                const char letter = static_cast<char>(*at | 0x20);
                if (letter == 'n') return string(at, at + 1, TokenKind::national_string);
                return prefixed_digits(at, letter == 'x' ? TokenKind::hex : TokenKind::bit);
            }
            return word(at);
        case ByteClass::digit:
            if ((mode_ & (after_dot | after_at_at)) != 0) return word(at);
            return number(at);
        case ByteClass::double_quote:
            if (options_.modes.ansi_quotes) return quoted_name(at);
            [[fallthrough]];
        case ByteClass::quote: return string(at, at, TokenKind::string);
        case ByteClass::backtick: return quoted_name(at);
        case ByteClass::at: return at_sign(at);
        case ByteClass::dot: {
            const bool belongs = (mode_ & after_word) != 0;
            mode_ &= static_cast<std::uint8_t>(~after_word);
            if (!belongs && end_ - at > 1 && is_digit(at[1])) return fraction(at, at + 1);
            if (end_ - at > 1 && is_word_at(at + 1)) mode_ |= after_dot;
            return make(TokenKind::dot, at, at + 1);
        }
        case ByteClass::star:
            if ((mode_ & in_code_comment) != 0 && end_ - at > 1 && at[1] == '/') {
                mode_ &= static_cast<std::uint8_t>(~in_code_comment);
                at += 2;
                continue;
            }
            return make(TokenKind::star, at, at + 1);
        case ByteClass::hash:
        case ByteClass::minus:
        case ByteClass::slash: {
            next_ = at;
            const Comment outcome = comment(at);
            if (outcome == Comment::skipped) {
                at = next_;
                mode_ &= static_cast<std::uint8_t>(~(after_dot | after_at_at));
                continue;
            }
            if (outcome == Comment::unterminated) return fail(LexError::unterminated_comment, at);
            if (outcome == Comment::hint) return make(TokenKind::hint, at, next_);
            return punctuation(at);
        }
        case ByteClass::single: return make(byte_table.single[static_cast<unsigned char>(*at)], at, at + 1);
        case ByteClass::punctuation: return punctuation(at);
        case ByteClass::bad: return fail(LexError::bad_byte, at);
        }
    }
}

bool Lexer::is_word_at(const char* at) const { return at < end_ && is_word_byte(*at); }

const char* Lexer::word_end(const char* at) const {
    if ((mode_ & multi_byte) == 0) {
        while (at < end_ && is_word_byte(*at)) ++at;
        return at;
    }
    while (at < end_ && is_word_byte(*at)) at += multi_byte_length(options_.charset, at, end_);
    return at;
}

bool Lexer::dot_and_name_follow(const char* at) const {
    return end_ - at > 1 && *at == '.' && is_word_byte(at[1]);
}

bool Lexer::parenthesis_follows(const char* at) const {
    if (options_.modes.ignore_space)
        while (at < end_ && is_space_byte(*at)) ++at;
    return at < end_ && *at == '(';
}

Token Lexer::word(const char* start) {
    if ((mode_ & after_dot) != 0) return name_after_dot(start);
    if ((mode_ & after_at_at) != 0) return variable_word(start);
    const char* finish = word_end(start + 1);
    if ((mode_ & multi_byte) != 0) finish = word_end(start);
    const auto size = static_cast<std::size_t>(finish - start);
    if (finish < end_ && *finish == '.' && dot_and_name_follow(finish)) {
        mode_ |= after_word;
        return make(TokenKind::word, start, finish);
    }
    if (*start == '_' && is_charset_name({start + 1, size - 1}))
        return make(TokenKind::introducer, start, finish);
    return make(TokenKind::word, start, finish,
                keyword_of(keyword_table.find(start, size, begin_, end_), finish));
}

// What the keyword counts as here: some are names to MySQL, others everywhere but before a parenthesis.
Keyword Lexer::keyword_of(Keyword found, const char* finish) const {
    const std::uint8_t flags = keyword_table.flags[static_cast<std::size_t>(found)];
    if ((flags & KeywordFlags::mariadb_only) != 0 && options_.dialect == Dialect::mysql) return Keyword::none;
    if ((flags & KeywordFlags::only_before_parenthesis) != 0 && !parenthesis_follows(finish))
        return Keyword::none;
    return found;
}

Token Lexer::name_after_dot(const char* start) {
    mode_ &= static_cast<std::uint8_t>(~after_dot);
    const char* finish = word_end(start);
    if (dot_and_name_follow(finish)) mode_ |= after_word;
    return make(TokenKind::word, start, finish);
}

// Behind @@: a scope is a keyword although a dot follows.
Token Lexer::variable_word(const char* start) {
    mode_ &= static_cast<std::uint8_t>(~after_at_at);
    const char* finish = word_end(start);
    if (dot_and_name_follow(finish)) mode_ |= after_word;
    const Keyword keyword = keyword_table.find(start, static_cast<std::size_t>(finish - start), begin_, end_);
    return make(TokenKind::word, start, finish, keyword);
}

Token Lexer::number(const char* start) {
    if (*start == '0' && end_ - start > 2 && (start[1] == 'x' || start[1] == 'b')) {
        const char* at = start + 2;
        if (start[1] == 'x')
            while (at < end_ && is_hex_digit(*at)) ++at;
        else
            while (at < end_ && (*at == '0' || *at == '1')) ++at;
        if (at > start + 2 && !is_word_at(at))
            return make(start[1] == 'x' ? TokenKind::hex : TokenKind::bit, start, at);
        return name_after_dot(start);  // 0xfog is a name
    }
    const char* at = skip_digits(start, end_);
    if (!is_word_at(at)) {
        if (at < end_ && *at == '.') return fraction(start, at + 1);
        return make(TokenKind::integer, start, at);
    }
    if (*at == 'e' || *at == 'E') {
        const char* exponent = at + 1;
        if (exponent < end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
        if (exponent < end_ && is_digit(*exponent)) {
            const char* finish = skip_digits(exponent, end_);
            return make(TokenKind::floating, start, finish);
        }
    }
    return name_after_dot(start);  // 1st is a name
}

// `at` is behind the dot.
Token Lexer::fraction(const char* start, const char* at) {
    at = skip_digits(at, end_);
    if (at < end_ && (*at == 'e' || *at == 'E')) {
        const char* exponent = at + 1;
        if (exponent < end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
        if (exponent >= end_ || !is_digit(*exponent)) return fail(LexError::bad_byte, start);
        return make(TokenKind::floating, start, skip_digits(exponent, end_));
    }
    return make(TokenKind::decimal, start, at);
}

Token Lexer::prefixed_digits(const char* start, TokenKind kind) {
    const char* at = start + 2;
    if (kind == TokenKind::hex)
        while (at < end_ && is_hex_digit(*at)) ++at;
    else
        while (at < end_ && (*at == '0' || *at == '1')) ++at;
    if (at >= end_ || *at != '\'') return fail(LexError::bad_byte, start);
    if (kind == TokenKind::hex && (at - start) % 2 != 0) return fail(LexError::bad_byte, start);
    return make(kind, start, at + 1);
}

const char* Lexer::quoted_end(const char* quote_at, bool escapes) const {
    const char quote = *quote_at;
    const char* at = quote_at + 1;
    for (;;) {
        if ((mode_ & multi_byte) != 0) {
            while (at < end_ && !byte_table.string_end[static_cast<unsigned char>(*at)])
                at += multi_byte_length(options_.charset, at, end_);
        } else {
            at = skip_plain_text(at, end_);
        }
        if (at >= end_) return nullptr;
        if (*at == quote) {
            if (end_ - at > 1 && at[1] == quote) {
                at += 2;
                continue;
            }
            return at + 1;
        }
        if (*at == '\\' && escapes) {
            ++at;
            if (at >= end_) return nullptr;
            at += (mode_ & multi_byte) != 0 ? multi_byte_length(options_.charset, at, end_) : 1;
            continue;
        }
        ++at;
    }
}

Token Lexer::string(const char* start, const char* quote_at, TokenKind kind) {
    const char* finish = quoted_end(quote_at, !options_.modes.no_backslash_escapes);
    if (!finish) return fail(LexError::unterminated_string, start);
    return make(kind, start, finish);
}

Token Lexer::quoted_name(const char* start) {
    const char* finish = quoted_end(start, false);
    if (!finish) return fail(LexError::unterminated_name, start);
    mode_ &= static_cast<std::uint8_t>(~(after_dot | after_at_at));
    return make(TokenKind::quoted_word, start, finish);
}

Token Lexer::at_sign(const char* start) {
    const char* at = start + 1;
    if (at < end_) {
        if (*at == '@') {
            if (end_ - at > 1 && is_word_at(at + 1)) mode_ |= after_at_at;
            return make(TokenKind::system_variable, start, at + 1);
        }
        if (*at == '\'' || *at == '"' || *at == '`') {
            const bool escapes = *at != '`' && !options_.modes.no_backslash_escapes &&
                                 !(*at == '"' && options_.modes.ansi_quotes);
            const char* finish = quoted_end(at, escapes);
            if (!finish) return fail(LexError::unterminated_string, start);
            return make(TokenKind::user_variable, start, finish);
        }
    }
    while (at < end_ && (is_word_byte(*at) || *at == '.'))
        at += (mode_ & multi_byte) != 0 ? multi_byte_length(options_.charset, at, end_) : 1;
    return make(TokenKind::user_variable, start, at);
}

// MySQL takes one byte of = ! < > behind another of them, and behind < and such a byte a third but for <;
// what is no operator then is an error, except behind !, which is read alone while the other byte is gone:
// !!0 is !0.
Token Lexer::comparison(const char* start) {
    const auto at = [&](int index) { return end_ - start > index ? start[index] : '\0'; };
    const auto token = [&](TokenKind kind, int size) { return make(kind, start, start + size); };
    const bool strict = options_.dialect == Dialect::mysql;
    const char second = at(1);
    const auto one = [&] {
        switch (*start) {
        case '!': return token(TokenKind::exclamation, 1);
        case '=': return token(TokenKind::equal, 1);
        case '<': return token(TokenKind::less, 1);
        default: return token(TokenKind::greater, 1);
        }
    };
    if (!is_comparison_byte(second)) return one();
    if (*start == '!') {
        if (second == '=') return token(TokenKind::not_equal, 2);
        return token(TokenKind::exclamation, strict ? 2 : 1);
    }
    if (*start == '<') {
        const char third = at(2);
        if (second == '=' && third == '>') return token(TokenKind::null_safe_equal, 3);
        if (strict && third != '<' && is_comparison_byte(third)) return fail(LexError::bad_byte, start);
        if (second == '=') return token(TokenKind::less_equal, 2);
        if (second == '<') return token(TokenKind::shift_left, 2);
        if (second == '>') return token(TokenKind::not_equal, 2);
    } else if (*start == '>') {
        if (second == '=') return token(TokenKind::greater_equal, 2);
        if (second == '>') return token(TokenKind::shift_right, 2);
    }
    return strict ? fail(LexError::bad_byte, start) : one();
}

Token Lexer::punctuation(const char* start) {
    const char second = end_ - start > 1 ? start[1] : '\0';
    const char third = end_ - start > 2 ? start[2] : '\0';
    const auto one = [&](TokenKind kind) { return make(kind, start, start + 1); };
    const auto two = [&](TokenKind kind) { return make(kind, start, start + 2); };
    switch (*start) {
    case '/': return one(TokenKind::slash);
    case '!':
    case '=':
    case '<':
    case '>': return comparison(start);
    case '-':
        if (second == '>' && options_.dialect == Dialect::mysql) {
            if (third == '>') return make(TokenKind::double_arrow, start, start + 3);
            return two(TokenKind::arrow);
        }
        return one(TokenKind::minus);
    case '&': return second == '&' ? two(TokenKind::and_and) : one(TokenKind::ampersand);
    case '|': return second == '|' ? two(TokenKind::or_or) : one(TokenKind::pipe);
    case ':': return second == '=' ? two(TokenKind::assign) : one(TokenKind::colon);
    case '\\':
        // MariaDB still reads \N as NULL.
        if (second == 'N' && options_.dialect == Dialect::mariadb)
            return make(TokenKind::word, start, start + 2, Keyword::null_);
        break;
    default: break;
    }
    return fail(LexError::bad_byte, start);
}

bool Lexer::hint_may_follow() const {
    return options_.dialect == Dialect::mysql &&
           (last_ == Keyword::select_ || last_ == Keyword::insert_ || last_ == Keyword::replace_ ||
            last_ == Keyword::update_ || last_ == Keyword::delete_);
}

// Moves next_ behind the comment that begins at `start`, unless none does.
Lexer::Comment Lexer::comment(const char* start) {
    const char second = end_ - start > 1 ? start[1] : '\0';
    const bool to_line_end =
        *start == '#' || (*start == '-' && second == '-' &&
                          (end_ - start <= 2 || is_space_byte(start[2]) || is_control(start[2])));
    if (to_line_end) {
        const void* newline = std::memchr(start, '\n', static_cast<std::size_t>(end_ - start));
        next_ = newline ? static_cast<const char*>(newline) + 1 : end_;
        return Comment::skipped;
    }
    if (*start != '/' || second != '*') return Comment::none;
    const char third = end_ - start > 2 ? start[2] : '\0';
    const bool code = third == '!' || (options_.dialect == Dialect::mariadb && third == 'M' &&
                                       end_ - start > 3 && start[3] == '!');
    if (code && (mode_ & in_code_comment) == 0) return code_comment(start);
    const char* finish = skip_comment_body(start + 2, false);
    if (!finish) return Comment::unterminated;
    next_ = finish;
    return third == '+' && hint_may_follow() ? Comment::hint : Comment::skipped;
}

// /*! … */ is code, /*!50100 … */ for servers from that version on. MariaDB leaves out the versions of MySQL
// that came after the fork, unless it says /*M!.
Lexer::Comment Lexer::code_comment(const char* start) {
    const bool mariadb_only = start[2] == 'M';
    const char* digits = start + (mariadb_only ? 4 : 3);
    const char* at = skip_digits(digits, end_ - digits > 6 ? digits + 6 : end_);
    bool runs = true;
    // MySQL takes a sixth digit only in front of a space.
    if (at - digits == 6 && options_.dialect == Dialect::mysql && !(at < end_ && is_space_byte(*at))) --at;
    if (at - digits >= 5) {
        std::uint32_t version = 0;
        for (const char* digit = digits; digit < at; ++digit)
            version = version * 10 + static_cast<std::uint32_t>(*digit - '0');
        runs = version <= options_.server_version;
        if (options_.dialect == Dialect::mariadb && !mariadb_only && version >= 50700 && version <= 99999)
            runs = false;
    } else {
        at = digits;
    }
    if (runs) {
        mode_ |= in_code_comment;
        next_ = at;
        return Comment::skipped;
    }
    const char* finish = skip_comment_body(at, true);
    if (!finish) return Comment::unterminated;
    next_ = finish;
    return Comment::skipped;
}

// Behind the comment's end, or null. A comment that is left out by its version may hold whole comments.
const char* Lexer::skip_comment_body(const char* from, bool nested) const {
    for (const char* at = from; end_ - at > 1; ++at) {
        if (*at == '*' && at[1] == '/') return at + 2;
        if (nested && *at == '/' && at[1] == '*') {
            at = skip_comment_body(at + 2, false);
            if (!at) return nullptr;
            --at;
        }
    }
    return nullptr;
}

SplitResult split_first(std::string_view text, const ParseOptions& options) {
    Lexer lexer{text, options};
    SplitResult result{text, text.size(), false, true};
    for (Token token = lexer.next();; token = lexer.next()) {
        if (token.kind == TokenKind::semicolon) {
            result.statement = text.substr(0, token.offset);
            result.next = token.end();
            result.terminated = true;
            return result;
        }
        if (token.kind == TokenKind::end) return result;
        result.blank = false;
        if (token.kind == TokenKind::error) return result;
    }
}

}  // namespace shardway::sqlparse
