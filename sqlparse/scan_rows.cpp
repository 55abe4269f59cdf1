// The rows of VALUES: runs of rows that are equal but for plain values.
#include <cstring>

#include "sqlparse/byte_table.hpp"
#include "sqlparse/scanner.hpp"

namespace shardway::sqlparse::scanning {

// At the parenthesis of a row of VALUES.
void Scanner::begin_row(Token parenthesis) {
    in_row_ = true;
    if (!rows_) rows_.emplace(Rows{});
    rows_->outside = hashes_;
    rows_->offset = parenthesis.offset;
    rows_->tokens = out_.tokens.size();
    rows_->literals = static_cast<std::uint32_t>(out_.literals.size());
    rows_->holes = out_.holes;
    hashes_ = {key_low, key_high, key_bytes};
    last_kind_ = TokenKind::comma;
    open(parenthesis);
    context_ = plain_values;
}

// Rows that are equal but for plain values, one behind the other, are a run and count once.
void Scanner::count_row() {
    const auto literals = static_cast<std::uint32_t>(out_.literals.size()) - rows_->literals;
    const bool same = !out_.rows.empty() && hashes_.low == rows_->previous.low &&
                      hashes_.high == rows_->previous.high && literals == rows_->run_literal_count;
    if (out_.rows.empty() || hashes_.digest != rows_->previous.digest)
        rows_->outside.for_people(hashes_.digest + row_tag);
    if (same) {
        for (std::uint32_t i = 0; i < literals; ++i)
            out_.literals[rows_->literals + i].hole = out_.literals[rows_->run_literals + i].hole;
        out_.holes = rows_->holes;
        out_.tokens.shrink(rows_->tokens);
    } else {
        if (!out_.rows.empty()) ++rows_->run;
        rows_->outside.key(hashes_.low + row_tag);
        rows_->outside.key(hashes_.high);
        rows_->run_literals = rows_->literals;
        rows_->run_literal_count = literals;
        rows_->run_tokens = rows_->tokens;
        rows_->run_tokens_end = out_.tokens.size();
        rows_->pattern.clear();
        rows_->no_pattern = false;
    }
    rows_->previous = hashes_;
    out_.rows.push_back({{rows_->offset, last_end() - rows_->offset}, rows_->literals, rows_->run});
}

// Behind a row. Gives the next token that is still to be counted.
Token Scanner::end_row() {
    in_row_ = false;
    out_.rows_end = out_.tokens.back().end();  // before the row's tokens may go
    count_row();
    repeat_rows();
    hashes_ = rows_->outside;
    const Token token = lexer_.next();
    if (token.kind != TokenKind::comma) return token;
    const Token behind = lexer_.next();
    if (behind.kind == TokenKind::left_paren) {
        begin_row(behind);
        return lexer_.next();
    }
    other(token, tag(TokenKind::comma));
    return behind;
}

// The run's first row as a pattern. False when it holds what repeat_row does not know.
bool Scanner::make_pattern() {
    std::size_t literal = rows_->run_literals;
    bool after_simple = true;
    std::uint32_t last_end = 0;
    for (std::size_t i = rows_->run_tokens; i < rows_->run_tokens_end; ++i) {
        const Span token = out_.tokens[i];
        PatternItem item{LiteralKind::null_value,
                         false,
                         begin_[token.offset],
                         false,
                         false,
                         {begin_ + token.offset, token.length}};
        if (literal < out_.literals.size() && out_.literals[literal].offset == token.offset) {
            item.kind = out_.literals[literal].kind;
            if (!out_.literals[literal].plain || out_.literals[literal].length != token.length) return false;
            if (item.kind != LiteralKind::integer && item.kind != LiteralKind::decimal &&
                item.kind != LiteralKind::string && item.kind != LiteralKind::parameter)
                return false;
            ++literal;
        }
        const bool simple =
            item.kind != LiteralKind::null_value || item.text == "," || item.text == "(" || item.text == ")";
        item.same_gap = !simple || !after_simple;
        item.gap = token.offset != last_end;
        item.character = item.kind == LiteralKind::null_value && simple && !item.same_gap;
        rows_->pattern.push_back(item);
        after_simple = simple;
        last_end = token.end();
    }
    return literal == rows_->run_literals + rows_->run_literal_count;
}

// Behind a row: takes the rows that repeat the run's first one straight from the text, as far as they go.
// What is not spelled plainly (comments, escapes of an unusual kind, other cases) is left to the lexer, which
// finds the same.
void Scanner::repeat_rows() {
    const char* done = begin_ + last_end();
    for (;;) {
        const char* at = done;
        while (at < end_ && is_space_byte(*at)) ++at;
        if (at >= end_ || *at != ',' || options_.charset != CharsetClass::ascii_safe) break;
        ++at;
        while (at < end_ && is_space_byte(*at)) ++at;
        if (at >= end_ || *at != '(') break;
        if (rows_->pattern.empty() && !rows_->no_pattern && !make_pattern()) {
            rows_->pattern.clear();
            rows_->no_pattern = true;
        }
        if (rows_->no_pattern) break;
        const std::size_t literals = out_.literals.size();
        const std::uint32_t parameters = out_.parameters;
        const char* behind = repeat_row(at);
        if (!behind) {
            out_.literals.resize(literals);
            out_.parameters = parameters;
            break;
        }
        const auto offset = static_cast<std::uint32_t>(at - begin_);
        out_.rows.push_back({{offset, static_cast<std::uint32_t>(behind - at)},
                             static_cast<std::uint32_t>(literals),
                             rows_->run});
        done = behind;
    }
    out_.rows_end = static_cast<std::uint32_t>(done - begin_);
    lexer_.restart(out_.rows_end);
}

// Behind a literal of that kind at `at`, or null.
inline const char* Scanner::repeat_literal(const char* at, LiteralKind kind) const {
    if (at >= end_) return nullptr;
    if (kind == LiteralKind::parameter) return *at == '?' ? at + 1 : nullptr;
    if (kind == LiteralKind::string) {
        const char quote = *at++;
        if (quote != '\'' && (quote != '"' || options_.modes.ansi_quotes)) return nullptr;
        for (;; ++at) {
            at = skip_plain_text(at, end_);
            if (at >= end_) return nullptr;
            if (*at == quote) {
                if (end_ - at < 2 || at[1] != quote) return at + 1;
                ++at;
            } else if (*at == '\\' && !options_.modes.no_backslash_escapes) {
                ++at;
            }
        }
    }
    if (!is_digit(*at)) return nullptr;
    at = skip_digit_bytes(at, end_);
    if (kind == LiteralKind::decimal) {
        if (at >= end_ || *at != '.') return nullptr;
        ++at;
        while (at < end_ && is_digit(*at)) ++at;
    }
    return at < end_ && (is_word_byte(*at) || *at == '.') ? nullptr : at;
}

// Behind the row at `at`, or null where it does not repeat the pattern.
const char* Scanner::repeat_row(const char* at) {
    std::size_t literal = rows_->run_literals;
    for (const PatternItem& item : rows_->pattern) {
        if (item.character && at < end_ && *at == item.first) {
            ++at;
            continue;
        }
        const char* start = at;
        if (start < end_ && is_space_byte(*start)) [[unlikely]] {
            while (start < end_ && is_space_byte(*start)) ++start;
            if (item.same_gap && !item.gap) return nullptr;
        } else if (item.same_gap && item.gap) {
            return nullptr;
        }
        if (item.kind == LiteralKind::null_value) {
            const std::size_t size = item.text.size();
            if (static_cast<std::size_t>(end_ - start) < size) return nullptr;
            if (std::memcmp(start, item.text.data(), size) != 0) return nullptr;
            at = start + size;
            if (is_word_byte(at[-1]) && at < end_ && (is_word_byte(*at) || *at == '.')) return nullptr;
            continue;
        }
        at = repeat_literal(start, item.kind);
        if (!at) return nullptr;
        out_.literals.push_back({static_cast<std::uint32_t>(start - begin_),
                                 static_cast<std::uint32_t>(at - start), out_.literals[literal++].hole,
                                 item.kind, true});
        if (item.kind == LiteralKind::parameter) ++out_.parameters;
    }
    return at;
}

}  // namespace shardway::sqlparse::scanning
