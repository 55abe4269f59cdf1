#include "sqlparse/literal.hpp"

#include <cstddef>

#include "sqlparse/charset.hpp"
#include "sqlparse/charset_names.hpp"
#include "sqlparse/lexer.hpp"

namespace shardway::sqlparse {

namespace {

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 0x20) - 'a' + 10;
}

std::string hex_bytes(std::string_view digits) {
    std::string result;
    std::size_t at = 0;
    if (digits.size() % 2 != 0) result += static_cast<char>(hex_value(digits[at++]));
    for (; at < digits.size(); at += 2)
        result += static_cast<char>(hex_value(digits[at]) * 16 + hex_value(digits[at + 1]));
    return result;
}

std::string bit_bytes(std::string_view digits) {
    std::string result((digits.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const std::size_t bit = digits.size() - 1 - i;
        if (digits[i] == '1') {
            char& byte = result[result.size() - 1 - bit / 8];
            byte = static_cast<char>(static_cast<unsigned char>(byte) | (1u << (bit % 8)));
        }
    }
    return result;
}

// What a backslash and this character mean; `%` and `_` keep their backslash, for LIKE.
void append_escape(char c, std::string& out) {
    switch (c) {
    case 'n': out += '\n'; return;
    case 't': out += '\t'; return;
    case 'r': out += '\r'; return;
    case 'b': out += '\b'; return;
    case '0': out += '\0'; return;
    case 'Z': out += '\x1a'; return;
    case '%':
    case '_': out += '\\'; [[fallthrough]];
    default: out += c;
    }
}

void append_unquoted(std::string_view raw, const ParseOptions& options, std::string& out) {
    const char quote = raw.front();
    const char* at = raw.data() + 1;
    const char* end = raw.data() + raw.size() - 1;
    while (at < end) {
        const std::size_t bytes = multi_byte_length(options.charset, at, end);
        if (bytes > 1) {
            out.append(at, bytes);
            at += bytes;
        } else if (*at == '\\' && !options.modes.no_backslash_escapes && at + 1 < end) {
            const std::size_t escaped = multi_byte_length(options.charset, at + 1, end);
            if (escaped > 1)
                out.append(at + 1, escaped);
            else
                append_escape(at[1], out);
            at += 1 + escaped;
        } else {
            out += *at;
            at += *at == quote ? 2 : 1;
        }
    }
}

// x'…', 0x…, b'…', 0b…: the digits.
std::string_view digits_of(std::string_view raw) {
    if (raw.size() > 2 && raw[1] == '\'') return raw.substr(2, raw.size() - 3);
    return raw.substr(raw.size() < 2 ? raw.size() : 2);
}

}  // namespace

std::string literal_bytes(LiteralKind kind, std::string_view raw, const ParseOptions& options) {
    switch (kind) {
    case LiteralKind::integer:
    case LiteralKind::decimal:
    case LiteralKind::floating: return std::string{raw};
    case LiteralKind::null_value:
    case LiteralKind::parameter: return {};
    case LiteralKind::true_value: return "1";
    case LiteralKind::false_value: return "0";
    default: break;
    }
    std::string result;
    Lexer lexer{raw, options};
    for (Token token = lexer.next(); token.kind != TokenKind::end && token.kind != TokenKind::error;
         token = lexer.next()) {
        const std::string_view piece = token.span().of(raw);
        if (token.kind == TokenKind::string) append_unquoted(piece, options, result);
        if (token.kind == TokenKind::national_string) append_unquoted(piece.substr(1), options, result);
        if (token.kind == TokenKind::hex) result += hex_bytes(digits_of(piece));
        if (token.kind == TokenKind::bit) result += bit_bytes(digits_of(piece));
    }
    return result;
}

std::optional<std::uint64_t> integer_value(std::string_view raw) {
    std::uint64_t value = 0;
    if (raw.empty()) return std::nullopt;
    for (const char c : raw) {
        if (c < '0' || c > '9') return std::nullopt;
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
        value = value * 10 + digit;
    }
    return value;
}

std::string_view literal_charset(std::string_view raw) {
    if (raw.empty() || raw.front() != '_') return {};
    std::size_t end = 1;
    while (end < raw.size() && ((raw[end] >= '0' && raw[end] <= '9') ||
                                (raw[end] >= 'a' && raw[end] <= 'z') || (raw[end] >= 'A' && raw[end] <= 'Z')))
        ++end;
    return charset_name(raw.substr(1, end - 1));
}

std::string quote_string(std::string_view bytes, const ParseOptions& options) {
    std::string result = "'";
    const char* at = bytes.data();
    const char* end = at + bytes.size();
    while (at < end) {
        const std::size_t length = multi_byte_length(options.charset, at, end);
        if (length > 1) {
            result.append(at, length);
            at += length;
            continue;
        }
        if (*at == '\'') result += '\'';
        if (*at == '\\' && !options.modes.no_backslash_escapes) result += '\\';
        result += *at++;
    }
    return result + "'";
}

std::string quote_name(std::string_view name) {
    std::string result = "`";
    for (const char c : name) {
        if (c == '`') result += '`';
        result += c;
    }
    return result + "`";
}

}  // namespace shardway::sqlparse
