// Characters of the client charsets whose later bytes look like ASCII.
#pragma once

#include <cstddef>

#include "sqlparse/options.hpp"

namespace shardway::sqlparse {

// How many bytes the character at `at` has: more than 1 only for a complete one of several bytes. `at` <
// `end`.
inline std::size_t multi_byte_length(CharsetClass charset, const char* at, const char* end) {
    const auto byte = [at](int index) { return static_cast<unsigned char>(at[index]); };
    const auto within = [](unsigned char value, unsigned low, unsigned high) {
        return value >= low && value <= high;
    };
    if (end - at < 2 || byte(0) < 0x80) return 1;
    switch (charset) {
    case CharsetClass::ascii_safe: return 1;
    case CharsetClass::gbk:
        return within(byte(0), 0x81, 0xfe) && (within(byte(1), 0x40, 0x7e) || within(byte(1), 0x80, 0xfe))
                   ? 2
                   : 1;
    case CharsetClass::big5:
        return within(byte(0), 0xa1, 0xf9) && (within(byte(1), 0x40, 0x7e) || within(byte(1), 0xa1, 0xfe))
                   ? 2
                   : 1;
    case CharsetClass::sjis:
    case CharsetClass::cp932:
        return (within(byte(0), 0x81, 0x9f) || within(byte(0), 0xe0, 0xfc)) &&
                       (within(byte(1), 0x40, 0x7e) || within(byte(1), 0x80, 0xfc))
                   ? 2
                   : 1;
    case CharsetClass::gb18030:
        if (!within(byte(0), 0x81, 0xfe)) return 1;
        if (within(byte(1), 0x40, 0x7e) || within(byte(1), 0x80, 0xfe)) return 2;
        return end - at >= 4 && within(byte(1), 0x30, 0x39) && within(byte(2), 0x81, 0xfe) &&
                       within(byte(3), 0x30, 0x39)
                   ? 4
                   : 1;
    }
    return 1;
}

}  // namespace shardway::sqlparse
