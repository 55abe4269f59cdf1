#include "sqlparse/options.hpp"

#include <algorithm>
#include <cstddef>

namespace shardway::sqlparse {

namespace {

bool equal_nocase(std::string_view left, std::string_view right) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [&](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

SqlModes SqlModes::from_text(std::string_view sql_mode) {
    SqlModes modes;
    while (!sql_mode.empty()) {
        const std::size_t comma = sql_mode.find(',');
        std::string_view name = sql_mode.substr(0, comma);
        while (name.starts_with(' ')) name.remove_prefix(1);
        while (name.ends_with(' ')) name.remove_suffix(1);
        if (equal_nocase(name, "ANSI_QUOTES")) modes.ansi_quotes = true;
        if (equal_nocase(name, "PIPES_AS_CONCAT")) modes.pipes_as_concat = true;
        if (equal_nocase(name, "IGNORE_SPACE")) modes.ignore_space = true;
        if (equal_nocase(name, "NO_BACKSLASH_ESCAPES")) modes.no_backslash_escapes = true;
        if (equal_nocase(name, "HIGH_NOT_PRECEDENCE")) modes.high_not_precedence = true;
        for (const std::string_view combination : {"ANSI", "ORACLE", "MSSQL", "POSTGRESQL", "DB2", "MAXDB"})
            if (equal_nocase(name, combination))
                modes.ansi_quotes = modes.pipes_as_concat = modes.ignore_space = true;
        if (comma == sql_mode.npos) break;
        sql_mode.remove_prefix(comma + 1);
    }
    return modes;
}

CharsetClass charset_class(std::string_view charset) {
    if (equal_nocase(charset, "gbk")) return CharsetClass::gbk;
    if (equal_nocase(charset, "gb18030")) return CharsetClass::gb18030;
    if (equal_nocase(charset, "big5")) return CharsetClass::big5;
    if (equal_nocase(charset, "sjis")) return CharsetClass::sjis;
    if (equal_nocase(charset, "cp932")) return CharsetClass::cp932;
    return CharsetClass::ascii_safe;
}

}  // namespace shardway::sqlparse
