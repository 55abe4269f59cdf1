// Character sets and collations as the wire names them: by number. Numbers and names are a server's, so every
// question says which kind of server is meant: 245 is utf8mb4_croatian_ci on MySQL and
// utf8mb4_croatian_mysql561_ci on MariaDB.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardway::protocol {

enum class ServerKind : std::uint8_t { mysql, mariadb };  // MySQL 8 and 9; MariaDB 10.11

struct Collation {  // views of static text
    std::uint16_t id;
    std::string_view name;     // "utf8mb4_0900_ai_ci"
    std::string_view charset;  // "utf8mb4"
    bool is_default;           // of its character set
    bool pads;                 // PAD SPACE: 'a' = 'a '
};

struct Charset {  // views of static text
    std::string_view name;
    std::uint8_t char_bytes_max;  // what a column's length in a column definition is a multiple of
    std::uint16_t default_collation;
};

constexpr std::uint16_t binary_collation = 63;           // numbers, dates and BLOBs carry it
constexpr std::uint16_t utf8mb4_general_collation = 45;  // known to every server of either kind

// All answer nullopt for what the server does not know. Names are compared without case; "utf8" is utf8mb3.
std::optional<Collation> find_collation(ServerKind kind, std::uint16_t id);
std::optional<Collation> find_collation(ServerKind kind, std::string_view name);
std::optional<Charset> find_charset(ServerKind kind, std::string_view name);
std::optional<Collation> default_collation(ServerKind kind, std::string_view charset);

// False for character sets whose second bytes may look like ASCII (a backslash or a quote): gbk, sjis, cp932,
// big5, gb18030. Statement text in them must not be lexed byte by byte, and ucs2, utf16 and utf32 cannot be a
// client's at all.
bool is_ascii_safe(std::string_view charset);

}  // namespace shardway::protocol
