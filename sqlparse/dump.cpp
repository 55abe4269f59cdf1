// The tree as text, by the members of its structs.
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "sqlparse/lexer.hpp"
#include "sqlparse/print.hpp"
#include "sqlparse/scan.hpp"
#include "sqlparse/walk.hpp"

namespace shardway::sqlparse {

namespace {

class Dumper {
public:
    Dumper(std::string_view text, const Scan* scan, const ParseOptions& options)
        : text_{text}, scan_{scan}, options_{options} {
        if (!scan) return;
        plain_.resize(scan->holes);
        for (const ScanLiteral& literal : scan->literals) plain_[literal.hole] = literal.plain;
    }

    template <class T>
    void put(const T& part) {
        using namespace walk_detail;
        if constexpr (std::is_same_v<T, std::monostate>) {
            out_ += '-';
        } else if constexpr (std::is_same_v<T, Span>) {
        } else if constexpr (std::is_same_v<T, Raw>) {
            if (!part.empty()) raw(part);
        } else if constexpr (std::is_same_v<T, Name>) {
            if (part) name(part);
        } else if constexpr (std::is_same_v<T, std::string_view>) {
            put_text(part);
        } else if constexpr (std::is_same_v<T, bool>) {
            out_ += part ? 'y' : '.';
        } else if constexpr (std::is_arithmetic_v<T>) {
            out_ += std::to_string(part);
            out_ += ' ';
        } else if constexpr (std::is_enum_v<T>) {
            out_ += std::to_string(static_cast<unsigned>(part));
            out_ += ' ';
        } else if constexpr (std::is_pointer_v<T>) {
            if (part)
                put(*part);
            else
                out_ += '0';
        } else if constexpr (IsList<T>::value) {
            list(part);
        } else if constexpr (IsVariant<T>::value) {
            out_ += '<';
            out_ += std::to_string(part.index());
            out_ += ' ';
            std::visit([&](const auto& alternative) { put(alternative); }, part);
            out_ += '>';
        } else if constexpr (std::is_same_v<T, Expr>) {
            expr(part);
        } else if constexpr (std::is_same_v<T, Option>) {
            put(part.name);
            put(part.by_default);
            put(part.value_span);
        } else if constexpr (std::is_same_v<T, Do>) {
            // Its results go nowhere, so they have no labels.
            for (const SelectItem& item : part.expressions) put(item.expr);
        } else if constexpr (std::is_same_v<T, InList>) {
            in_list(part);
        } else if constexpr (std::is_same_v<T, Statement>) {
            put(part.node);
        } else {
            out_ += '(';
            reflect::for_each_member(part, [&](const auto& member) { put(member); });
            if constexpr (std::is_same_v<T, SelectItem>)
                if (scan_ && !part.alias) put_text(part.label.of(text_));
            out_ += ')';
        }
    }

    std::string take() { return std::move(out_); }

private:
    void put_text(std::string_view text) {
        out_ += '"';
        out_ += text;
        out_ += '"';
    }

    // The case of reserved words (IF, LEFT, ON, … as names of functions and values) is no part of a shape.
    void name(const Name& name) {
        if (!scan_ || name.quoted() || !is_reserved(find_keyword(name.text), Dialect::mysql)) {
            put_text(name.text);
            return;
        }
        put_text(keyword_text(find_keyword(name.text)));
    }

    // The tokens of a span, without the spaces and comments between.
    void raw(Span span) {
        // In the whole text: at the end of a part two signs would begin a comment.
        Lexer lexer{text_, options_};
        lexer.restart(span.offset);
        out_ += '{';
        for (Token token = lexer.next();; token = lexer.next()) {
            if (token.kind == TokenKind::end || token.offset >= span.end()) break;
            if (scan_ && token.kind == TokenKind::word && is_reserved(token.keyword, Dialect::mysql))
                out_ += keyword_text(token.keyword);
            else
                out_ += token.span().of(text_);
            out_ += ' ';
            if (token.kind == TokenKind::error) break;
        }
        out_ += '}';
    }

    void first_token(Span span) {
        const std::string_view part = span.of(text_);
        put_text(Lexer{part, options_}.next().span().of(part));
    }

    bool is_plain(std::uint32_t hole) const { return scan_ && hole < plain_.size() && plain_[hole]; }

    void expr(const Expr& expr) {
        if (const Literal* literal = expr.as<Literal>()) {
            out_ += 'L';
            put(literal->kind);
            put(literal->introduced);
            put(literal->pieces);
            if (literal->kind == LiteralKind::null_value || literal->kind == LiteralKind::true_value ||
                literal->kind == LiteralKind::false_value)
                return;
            if (!is_plain(literal->hole))
                raw(expr.span);
            else if (literal->introduced)
                first_token(expr.span);
            return;
        }
        if (expr.as<Parameter>()) {
            out_ += '?';
            return;
        }
        put(expr.node);
    }

    // Only literals with a plain hole, and without introducers: what the scanner collapses.
    bool collapses(const InList& list) const {
        if (!scan_) return false;
        for (const Expr& item : list.items) {
            const Literal* literal = item.as<Literal>();
            const Parameter* parameter = item.as<Parameter>();
            if (!parameter && (!literal || literal->introduced || literal->pieces)) return false;
            if (!is_plain(literal ? literal->hole : parameter->hole)) return false;
        }
        return true;
    }

    void in_list(const InList& list) {
        out_ += "(in ";
        put(list.operand);
        put(list.negated);
        if (!collapses(list)) {
            put(list.items);
        } else {
            std::uint64_t kinds = 0;
            for (const Expr& item : list.items) {
                const Literal* literal = item.as<Literal>();
                kinds |= std::uint64_t{1}
                         << static_cast<unsigned>(literal ? literal->kind : LiteralKind::parameter);
            }
            out_ += '*';
            put(kinds);
        }
        out_ += ')';
    }

    template <class T>
    void list(const List<T>& items) {
        out_ += '[';
        std::string previous;
        for (const T& item : items) {
            if constexpr (std::is_same_v<T, InsertRow>) {
                if (scan_) {
                    const std::size_t start = out_.size();
                    put(item);
                    if (out_.compare(start, out_.npos, previous) == 0)
                        out_.resize(start);
                    else
                        previous = out_.substr(start);
                    continue;
                }
            }
            put(item);
            out_ += ',';
        }
        out_ += ']';
    }

    std::string_view text_;
    const Scan* scan_;
    const ParseOptions& options_;
    std::vector<bool> plain_;
    std::string out_;
};

}  // namespace

std::string dump(const Statement& statement, const ParseOptions& options) {
    Dumper dumper{statement.text, nullptr, options};
    dumper.put(statement);
    return dumper.take();
}

std::string dump_shape(const Statement& statement, const Scan& scan, const ParseOptions& options) {
    Dumper dumper{statement.text, &scan, options};
    dumper.put(statement);
    return dumper.take();
}

}  // namespace shardway::sqlparse
