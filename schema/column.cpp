#include "schema/column.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "schema/table.hpp"

namespace shardway::schema {

namespace {

struct TypeName {
    std::string_view name;
    ColumnType type;
};

// The first name of a type is the one it is printed with.
constexpr TypeName type_names[] = {
    {"tinyint", ColumnType::tinyint},
    {"smallint", ColumnType::smallint},
    {"mediumint", ColumnType::mediumint},
    {"int", ColumnType::integer},
    {"bigint", ColumnType::bigint},
    {"decimal", ColumnType::decimal},
    {"float", ColumnType::float_},
    {"double", ColumnType::double_},
    {"bit", ColumnType::bit},
    {"year", ColumnType::year},
    {"date", ColumnType::date},
    {"time", ColumnType::time},
    {"datetime", ColumnType::datetime},
    {"timestamp", ColumnType::timestamp},
    {"char", ColumnType::char_},
    {"varchar", ColumnType::varchar},
    {"binary", ColumnType::binary},
    {"varbinary", ColumnType::varbinary},
    {"tinytext", ColumnType::tinytext},
    {"text", ColumnType::text},
    {"mediumtext", ColumnType::mediumtext},
    {"longtext", ColumnType::longtext},
    {"tinyblob", ColumnType::tinyblob},
    {"blob", ColumnType::blob},
    {"mediumblob", ColumnType::mediumblob},
    {"longblob", ColumnType::longblob},
    {"enum", ColumnType::enum_},
    {"set", ColumnType::set},
    {"json", ColumnType::json},
    {"geometry", ColumnType::geometry},
    {"vector", ColumnType::vector},
    {"uuid", ColumnType::uuid},
    {"inet4", ColumnType::inet4},
    {"inet6", ColumnType::inet6},
    {"point", ColumnType::geometry},
    {"linestring", ColumnType::geometry},
    {"polygon", ColumnType::geometry},
    {"multipoint", ColumnType::geometry},
    {"multilinestring", ColumnType::geometry},
    {"multipolygon", ColumnType::geometry},
    {"geometrycollection", ColumnType::geometry},
    {"geomcollection", ColumnType::geometry},
    {"integer", ColumnType::integer},
    {"int1", ColumnType::tinyint},
    {"int2", ColumnType::smallint},
    {"int3", ColumnType::mediumint},
    {"int4", ColumnType::integer},
    {"int8", ColumnType::bigint},
    {"middleint", ColumnType::mediumint},
    {"bool", ColumnType::tinyint},
    {"boolean", ColumnType::tinyint},
    {"serial", ColumnType::bigint},
    {"dec", ColumnType::decimal},
    {"numeric", ColumnType::decimal},
    {"fixed", ColumnType::decimal},
    {"real", ColumnType::double_},
    {"float4", ColumnType::float_},
    {"float8", ColumnType::double_},
    {"character", ColumnType::char_},
    {"nchar", ColumnType::char_},
    {"nvarchar", ColumnType::varchar},
};

}  // namespace

ColumnType column_type_named(std::string_view name) {
    for (const auto& entry : type_names)
        if (same_identifier(entry.name, name)) return entry.type;
    return ColumnType::unknown;
}

std::string_view name_of(ColumnType type) {
    for (const auto& entry : type_names)
        if (entry.type == type) return entry.name;
    return "unknown";
}

bool pads_space(std::string_view collation) {
    return collation != "binary" && !collation.empty() && collation.find("0900") == std::string_view::npos &&
           collation.find("nopad") == std::string_view::npos;
}

bool is_binary_collation(std::string_view collation) {
    return collation == "binary" || collation.ends_with("_bin");
}

}  // namespace shardway::schema
