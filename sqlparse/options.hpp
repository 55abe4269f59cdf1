// What the meaning of a statement's text depends on besides the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shardway::sqlparse {

enum class Dialect : std::uint8_t { mysql, mariadb };

// The parts of sql_mode that change how text is read. The rest is the server's business.
struct SqlModes {
    bool ansi_quotes = false;           // "…" is an identifier
    bool pipes_as_concat = false;       // || is string concatenation, binding tighter than ^
    bool ignore_space = false;          // count (*) is count(*)
    bool no_backslash_escapes = false;  // \ is an ordinary byte in strings
    bool high_not_precedence = false;   // NOT a BETWEEN b AND c is (NOT a) BETWEEN b AND c

    // From a value of sql_mode, `STRICT_TRANS_TABLES,ANSI_QUOTES`; names it does not know are passed over,
    // and the combination modes (ANSI, ORACLE, …) count as what they stand for.
    static SqlModes from_text(std::string_view sql_mode);
    friend bool operator==(const SqlModes&, const SqlModes&) = default;
};

// Client charsets with characters whose later bytes look like ASCII (a backslash, a quote): these must be
// read character by character. All others are ascii_safe.
enum class CharsetClass : std::uint8_t { ascii_safe, gbk, gb18030, big5, sjis, cp932 };

// By the charset's MySQL name, in any case.
CharsetClass charset_class(std::string_view charset);

struct ParseOptions {
    static constexpr std::uint32_t mysql_version_default = 90700;
    static constexpr std::uint32_t mariadb_version_default = 101100;
    static constexpr std::uint32_t depth_max_default = 500;
    static constexpr std::size_t text_bytes_max_default = std::size_t{1} << 30;

    Dialect dialect = Dialect::mysql;
    SqlModes modes;
    CharsetClass charset = CharsetClass::ascii_safe;
    // Which /*!NNNNN … */ are code: those with NNNNN up to this, such as 90700 (MySQL 9.7.0) or 101100.
    std::uint32_t server_version = mysql_version_default;
    // How deep expressions, subqueries and joins may nest; also how long a chain like a + b + c may be, since
    // it makes a tree as deep. AND, OR, UNION, commas are flat and do not count.
    std::uint32_t depth_max = depth_max_default;
    // At most 4 GiB - 1, since spans are 32 bits.
    std::size_t text_bytes_max = text_bytes_max_default;
};

}  // namespace shardway::sqlparse
