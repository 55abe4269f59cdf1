// A column as MySQL describes it: what binding, routing, merging and id generation need to know of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardway::schema {

// MySQL's and MariaDB's column types. BOOLEAN is tinyint(1), SERIAL a bigint, NCHAR a char with a charset.
enum class ColumnType : std::uint8_t {
    tinyint,
    smallint,
    mediumint,
    integer,
    bigint,
    decimal,
    float_,
    double_,
    bit,
    year,
    date,
    time,
    datetime,
    timestamp,
    char_,
    varchar,
    binary,
    varbinary,
    tinytext,
    text,
    mediumtext,
    longtext,
    tinyblob,
    blob,
    mediumblob,
    longblob,
    enum_,
    set,
    json,
    geometry,  // and all its kinds
    vector,
    uuid,   // MariaDB
    inet4,  // MariaDB
    inet6,  // MariaDB
    unknown
};

// "bigint", "varchar", … as information_schema.COLUMNS.DATA_TYPE has it, in any case; unknown for what we do
// not know.
ColumnType column_type_named(std::string_view name);
std::string_view name_of(ColumnType type);

constexpr bool is_integer(ColumnType type) { return type <= ColumnType::bigint; }
constexpr bool is_floating(ColumnType type) {
    return type == ColumnType::float_ || type == ColumnType::double_;
}
constexpr bool is_text(ColumnType type) {
    return type == ColumnType::char_ || type == ColumnType::varchar ||
           (type >= ColumnType::tinytext && type <= ColumnType::longtext);
}
constexpr bool is_blob(ColumnType type) {
    return type >= ColumnType::tinyblob && type <= ColumnType::longblob;
}
constexpr bool is_bytes(ColumnType type) {
    return type == ColumnType::binary || type == ColumnType::varbinary || is_blob(type);
}
// DATE, DATETIME, TIMESTAMP: a point in time that starts with a day.
constexpr bool is_dated(ColumnType type) {
    return type == ColumnType::date || type == ColumnType::datetime || type == ColumnType::timestamp;
}

struct Column {
    std::string name;
    ColumnType type = ColumnType::unknown;
    std::string type_text;  // as SHOW CREATE TABLE has it: "decimal(12,2) unsigned", "enum('a','b')"
    bool is_unsigned = false;
    std::uint32_t length = 0;    // characters of text, bytes of binary strings, bits of BIT
    std::uint8_t precision = 0;  // digits of DECIMAL
    std::uint8_t scale = 0;      // digits of DECIMAL behind the point
    std::uint8_t fsp = 0;        // digits behind the second of TIME, DATETIME, TIMESTAMP
    bool nullable = true;
    std::string charset;    // empty where the type has none
    std::string collation;  // empty where the type has none
    // A DEFAULT is written (or implied by NULL, AUTO_INCREMENT): an INSERT may leave the column out.
    bool has_default = false;
    std::optional<std::string> default_text;  // as the server reports it; absent for none or NULL
    bool default_is_clock = false;  // the default reads the clock: CURRENT_TIMESTAMP, (CURDATE()), …
    bool on_update_clock = false;
    bool auto_increment = false;
    bool generated = false;  // STORED or VIRTUAL: no value may be given
    bool invisible = false;  // not in SELECT *, nor in an INSERT without a column list
};

// How values of a text collation compare at their end: with 'a' = 'a ' (PAD SPACE) or not (the 0900 family,
// binary, MariaDB's nopad_ ones).
bool pads_space(std::string_view collation);
// Equal exactly when the bytes are (but for padding): "binary" and the _bin collations.
bool is_binary_collation(std::string_view collation);

}  // namespace shardway::schema
