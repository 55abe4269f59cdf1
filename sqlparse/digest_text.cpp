#include <cstddef>
#include <string>

#include "sqlparse/lexer.hpp"
#include "sqlparse/scan.hpp"

namespace shardway::sqlparse {

namespace {

// The scanner's rules for the digest, with text in place of the hash.
class DigestWriter {
public:
    DigestWriter(std::string_view text, const ParseOptions& options)
        : text_{text}, lexer_{text, options}, dialect_{options.dialect} {}

    std::string write() {
        Token token = lexer_.next();
        rows_possible_ = token.keyword == Keyword::insert_ || token.keyword == Keyword::replace_;
        while (token.kind != TokenKind::end && token.kind != TokenKind::semicolon &&
               token.kind != TokenKind::error)
            token = step(token);
        return std::move(out_);
    }

private:
    void put(std::string_view what) {
        const bool tight = what == "," || what == ")" || what == "." || out_.empty() || out_.ends_with('(') ||
                           out_.ends_with('.') || (out_.ends_with('@') && what != "@");
        if (!tight) out_ += ' ';
        out_ += what;
    }

    static std::string capitals(std::string_view word) {
        std::string result{word};
        for (char& c : result)
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
        return result;
    }

    Token step(Token token) {
        const std::string_view raw = token.span().of(text_);
        const Token before = last_;
        last_ = token;
        if (is_value(token.kind)) {
            const bool continues =
                token.kind == TokenKind::string &&
                (before.kind == TokenKind::string || before.kind == TokenKind::national_string);
            if (!continues) put("?");
            return lexer_.next();
        }
        switch (token.kind) {
        case TokenKind::hint: last_ = before; break;
        case TokenKind::quoted_word: put(raw.substr(1, raw.size() - 2)); break;
        case TokenKind::word:
            put(is_reserved(token.keyword, dialect_) ? capitals(raw) : std::string{raw});
            break;
        case TokenKind::left_paren:
            ++depth_;
            if (before.kind == TokenKind::word && before.keyword == Keyword::in_) return in_list();
            if (before.kind == TokenKind::word && depth_ == 1 && rows_possible_ &&
                (before.keyword == Keyword::values_ || before.keyword == Keyword::value_)) {
                rows_possible_ = false;
                return rows();
            }
            put("(");
            break;
        case TokenKind::right_paren:
            if (depth_ > 0) --depth_;
            put(")");
            break;
        default: put(raw); break;
        }
        return lexer_.next();
    }

    Token in_list() {
        const std::size_t start = out_.size();
        put("(");
        bool first = true;
        for (;;) {
            Token token = lexer_.next();
            if (!is_value(token.kind)) return token;
            if (!first) put(",");
            first = false;
            put("?");
            last_ = token;
            token = lexer_.next();
            if (token.kind == TokenKind::right_paren) {
                out_.resize(start);
                put("(...)");
                --depth_;
                last_ = token;
                return lexer_.next();
            }
            if (token.kind != TokenKind::comma) return token;
            last_ = token;
        }
    }

    Token rows() {
        std::string previous;
        for (bool first = true;; first = false) {
            const std::size_t start = out_.size();
            if (!first) put(",");
            const std::size_t row_start = out_.size();
            put("(");
            Token token = lexer_.next();
            while (depth_ > 0 && token.kind != TokenKind::end && token.kind != TokenKind::semicolon &&
                   token.kind != TokenKind::error)
                token = step(token);
            const std::string row = out_.substr(row_start);
            if (row == previous)
                out_.resize(start);
            else
                previous = row;
            if (token.kind != TokenKind::comma) return token;
            last_ = token;
            token = lexer_.next();
            if (token.kind != TokenKind::left_paren) {
                put(",");
                return token;
            }
            ++depth_;
            last_ = token;
        }
    }

    std::string_view text_;
    Lexer lexer_;
    Dialect dialect_;
    std::string out_;
    Token last_{};
    std::size_t depth_ = 0;
    bool rows_possible_ = false;
};

}  // namespace

std::string digest_text(std::string_view text, const ParseOptions& options) {
    return DigestWriter{text, options}.write();
}

}  // namespace shardway::sqlparse
