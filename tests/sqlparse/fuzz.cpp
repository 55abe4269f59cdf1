// libFuzzer targets, chosen by SQLPARSE_FUZZ when compiled: 1 lexer and scanner, 2 parser, 3 printer. See
// fuzz.sh.
//
// The first byte of an input picks dialect, modes and charset; the rest is the text.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sqlparse/edits.hpp"
#include "sqlparse/lexer.hpp"
#include "sqlparse/literal.hpp"
#include "sqlparse/parser.hpp"
#include "sqlparse/print.hpp"
#include "sqlparse/scan.hpp"
#include "sqlparse/walk.hpp"

using namespace shardway::sqlparse;

namespace {

[[noreturn]] void wrong(const char* what, std::string_view text) {
    std::fprintf(stderr, "%s\n%.*s\n", what, static_cast<int>(text.size()), text.data());
    std::abort();
}

ParseOptions options_of(std::uint8_t byte) {
    ParseOptions options;
    if ((byte & 1) != 0) {
        options.dialect = Dialect::mariadb;
        options.server_version = ParseOptions::mariadb_version_default;
    }
    options.modes.ansi_quotes = (byte & 2) != 0;
    options.modes.no_backslash_escapes = (byte & 4) != 0;
    options.modes.ignore_space = options.modes.pipes_as_concat = (byte & 8) != 0;
    options.modes.high_not_precedence = (byte & 16) != 0;
    if ((byte & 32) != 0) options.charset = (byte & 64) != 0 ? CharsetClass::gb18030 : CharsetClass::sjis;
    options.depth_max = 100;
    return options;
}

void check_scan(std::string_view text, const ParseOptions& options) {
    Scan scanned;
    scan(text, options, scanned);
    for (const ScanLiteral& literal : scanned.literals) {
        if (literal.span().end() > text.size() || literal.hole >= scanned.holes)
            wrong("a literal outside", text);
        literal_bytes(literal.kind, literal.span().of(text), options);
    }
    if (scanned.status == ScanStatus::invalid) return;
    // Without collapsing, the scanner's tokens are the lexer's.
    if (scanned.rows.empty() && scanned.tokens.size() > 0 && scanned.tokens.back().end() > text.size())
        wrong("a token outside", text);
    digest_text(text, options);
}

// The loop over common tokens is not used for client charsets like gbk; ASCII text means the same in them.
void check_loop(std::string_view text, ParseOptions options) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0x80) return;
    Scan common;
    Scan careful;
    options.charset = CharsetClass::ascii_safe;
    scan(text, options, common);
    options.charset = CharsetClass::gb18030;
    scan(text, options, careful);
    if (common.status != careful.status || common.key != careful.key || common.digest != careful.digest ||
        common.first != careful.first || common.holes != careful.holes || common.end != careful.end ||
        common.literals.size() != careful.literals.size() || common.rows.size() != careful.rows.size() ||
        common.tokens.size() != careful.tokens.size())
        wrong("another scan", text);
}

void check_lexer(std::string_view text, const ParseOptions& options) {
    Lexer lexer{text, options};
    std::uint32_t end = 0;
    for (;;) {
        const Token token = lexer.next();
        if (token.offset < end || token.end() > text.size()) wrong("a token out of order", text);
        if (token.kind == TokenKind::end || token.kind == TokenKind::error) break;
        if (token.length == 0) wrong("an empty token", text);
        end = token.end();
    }
    split_first(text, options);
}

std::size_t visit(const Expr& expr, std::string_view text) {
    if (expr.span.end() > text.size()) wrong("an expression outside", text);
    std::size_t count = 1;
    for_each_child(expr,
                   Overloaded{[&](const Expr& child) { count += visit(child, text); }, [](const auto&) {}});
    return count;
}

void check_parser(std::string_view text, const ParseOptions& options) {
    Arena arena;
    Scan scanned;
    scan(text, options, scanned);
    const Parsed parsed = parse(text, options, arena, &scanned);
    if (!parsed) {
        if (parsed.error.offset > text.size()) wrong("an error outside", text);
        parsed.error.message();
        return;
    }
    dump_shape(*parsed.statement, scanned, options);
    for_each_child(*parsed.statement,
                   Overloaded{[&](const Expr& expr) { visit(expr, text); }, [](const auto&) {}});
    if (Edits{}.apply(text) != text) wrong("no edit changed the text", text);
}

void check_printer(std::string_view text, const ParseOptions& options) {
    Arena arena;
    const Parsed parsed = parse(text, options, arena);
    if (!parsed) return;
    const std::string printed = print(*parsed.statement, options);
    Arena second;
    const Parsed again = parse(printed, options, second);
    // Parentheses that the printer adds may reach the limit where the text did not.
    if (again.error.kind == ParseErrorKind::too_deep) return;
    if (!again) wrong(("does not parse again: " + printed).c_str(), text);
    if (dump(*again.statement, options) != dump(*parsed.statement, options))
        wrong(("another tree: " + printed).c_str(), text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const ParseOptions options = options_of(data[0]);
    // A copy of the exact size, so that reading past it is seen.
    const std::string copy{reinterpret_cast<const char*>(data) + 1, size - 1};
    const std::string_view text{copy};
#if SQLPARSE_FUZZ == 1
    check_lexer(text, options);
    check_scan(text, options);
    check_loop(text, options);
#elif SQLPARSE_FUZZ == 2
    check_parser(text, options);
#else
    check_printer(text, options);
#endif
    return 0;
}
