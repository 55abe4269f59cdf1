#include "sqlparse/charset_names.hpp"

namespace shardway::sqlparse {

namespace {

constexpr std::string_view charsets[] = {
    "armscii8", "ascii",   "big5",   "binary",   "cp1250",  "cp1251", "cp1256",  "cp1257", "cp850",
    "cp852",    "cp866",   "cp932",  "dec8",     "eucjpms", "euckr",  "gb18030", "gb2312", "gbk",
    "geostd8",  "greek",   "hebrew", "hp8",      "keybcs2", "koi8r",  "koi8u",   "latin1", "latin2",
    "latin5",   "latin7",  "macce",  "macroman", "sjis",    "swe7",   "tis620",  "ucs2",   "ujis",
    "utf16",    "utf16le", "utf32",  "utf8mb3",  "utf8mb4",
};

bool equals_lower(std::string_view name, std::string_view lower) {
    if (name.size() != lower.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i] >= 'A' && name[i] <= 'Z' ? static_cast<char>(name[i] + 32) : name[i];
        if (c != lower[i]) return false;
    }
    return true;
}

}  // namespace

std::string_view charset_name(std::string_view name) {
    if (equals_lower(name, "utf8")) return "utf8mb3";
    for (const std::string_view charset : charsets)
        if (equals_lower(name, charset)) return charset;
    return {};
}

bool is_charset_name(std::string_view name) { return !charset_name(name).empty(); }

}  // namespace shardway::sqlparse
