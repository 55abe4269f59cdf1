#include "schema/from_ddl.hpp"

#include <algorithm>
#include <cctype>

#include "sqlparse/literal.hpp"

namespace shardway::schema {

namespace {

using sqlparse::ColumnAttributeKind;
using sqlparse::ColumnDefinition;
using sqlparse::DataType;
using sqlparse::TypeKind;

std::string in_lower_case(std::string_view text) {
    std::string result{text};
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

struct CharsetAndCollation {
    std::string charset, collation;
};

std::string charset_of_collation(std::string_view collation) {
    return std::string{collation.substr(0, collation.find('_'))};
}

// utf8 is an alias whose collations begin with the longer name.
std::string charset_named(std::string_view name) {
    std::string lower = in_lower_case(name);
    return lower == "utf8" ? "utf8mb3" : lower;
}
std::string collation_named(std::string_view name) {
    std::string lower = in_lower_case(name);
    return lower.starts_with("utf8_") ? "utf8mb3" + lower.substr(4) : lower;
}

std::string bin_collation(const std::string& charset) {
    return charset == "binary" ? charset : charset + "_bin";
}

ColumnType type_of(TypeKind kind) {
    switch (kind) {
    case TypeKind::tinyint:
    case TypeKind::boolean: return ColumnType::tinyint;
    case TypeKind::smallint: return ColumnType::smallint;
    case TypeKind::mediumint: return ColumnType::mediumint;
    case TypeKind::int_: return ColumnType::integer;
    case TypeKind::bigint:
    case TypeKind::serial:
    case TypeKind::signed_:
    case TypeKind::unsigned_: return ColumnType::bigint;
    case TypeKind::decimal: return ColumnType::decimal;
    case TypeKind::float_: return ColumnType::float_;
    case TypeKind::double_: return ColumnType::double_;
    case TypeKind::bit: return ColumnType::bit;
    case TypeKind::date: return ColumnType::date;
    case TypeKind::time: return ColumnType::time;
    case TypeKind::datetime: return ColumnType::datetime;
    case TypeKind::timestamp: return ColumnType::timestamp;
    case TypeKind::year: return ColumnType::year;
    case TypeKind::char_: return ColumnType::char_;
    case TypeKind::varchar: return ColumnType::varchar;
    case TypeKind::binary: return ColumnType::binary;
    case TypeKind::varbinary: return ColumnType::varbinary;
    case TypeKind::tinytext: return ColumnType::tinytext;
    case TypeKind::text: return ColumnType::text;
    case TypeKind::mediumtext: return ColumnType::mediumtext;
    case TypeKind::longtext: return ColumnType::longtext;
    case TypeKind::tinyblob: return ColumnType::tinyblob;
    case TypeKind::blob: return ColumnType::blob;
    case TypeKind::mediumblob: return ColumnType::mediumblob;
    case TypeKind::longblob: return ColumnType::longblob;
    case TypeKind::enum_: return ColumnType::enum_;
    case TypeKind::set: return ColumnType::set;
    case TypeKind::json: return ColumnType::json;
    case TypeKind::geometry:
    case TypeKind::point:
    case TypeKind::linestring:
    case TypeKind::polygon:
    case TypeKind::multipoint:
    case TypeKind::multilinestring:
    case TypeKind::multipolygon:
    case TypeKind::geometrycollection: return ColumnType::geometry;
    case TypeKind::vector: return ColumnType::vector;
    case TypeKind::uuid: return ColumnType::uuid;
    case TypeKind::inet4: return ColumnType::inet4;
    case TypeKind::inet6: return ColumnType::inet6;
    }
    return ColumnType::unknown;
}

// CHAR and its kin in the charset "binary" are BINARY and its kin.
ColumnType binary_kin(ColumnType type) {
    switch (type) {
    case ColumnType::char_: return ColumnType::binary;
    case ColumnType::varchar: return ColumnType::varbinary;
    case ColumnType::tinytext: return ColumnType::tinyblob;
    case ColumnType::text: return ColumnType::blob;
    case ColumnType::mediumtext: return ColumnType::mediumblob;
    case ColumnType::longtext: return ColumnType::longblob;
    default: return type;
    }
}

// What a type has when no number is written behind it.
std::uint32_t default_length(ColumnType type) {
    switch (type) {
    case ColumnType::char_:
    case ColumnType::binary:
    case ColumnType::bit: return 1;
    case ColumnType::tinytext:
    case ColumnType::tinyblob: return 255;
    case ColumnType::text:
    case ColumnType::blob: return 65'535;
    case ColumnType::mediumtext:
    case ColumnType::mediumblob: return 16'777'215;
    case ColumnType::longtext:
    case ColumnType::longblob: return UINT32_MAX;
    default: return 0;
    }
}

class DdlReader {
public:
    DdlReader(std::string_view text, const sqlparse::ParseOptions& options)
        : text_{text}, options_{options} {}

    Table read(const sqlparse::CreateTable& create, const DdlDefaults& defaults) {
        table_.name = create.table.name.text;
        table_.charset = defaults.charset;
        table_.collation = defaults.collation.empty() ? default_collation(defaults.charset, options_.dialect)
                                                      : defaults.collation;
        read_options(create);
        for (const auto& element : create.elements)
            if (const auto* column = std::get_if<const ColumnDefinition*>(&element)) add_column(**column);
        for (const auto& element : create.elements)
            if (const auto* key = std::get_if<const sqlparse::KeyDefinition*>(&element)) add_key(**key);
        std::stable_partition(table_.unique_keys.begin(), table_.unique_keys.end(),
                              [](const auto& key) { return key.name == "PRIMARY"; });
        if (const auto* primary = table_.primary_key())
            for (const std::size_t position : primary->columns) set_not_null(table_.columns[position]);
        return std::move(table_);
    }

private:
    std::string word_of(const sqlparse::Option& option) const {
        std::string_view raw = option.value_span.of(text_);
        const bool quoted =
            raw.size() >= 2 && (raw.front() == '\'' || raw.front() == '"' || raw.front() == '`');
        return std::string{quoted ? raw.substr(1, raw.size() - 2) : raw};
    }

    void read_options(const sqlparse::CreateTable& create) {
        const auto* charset = sqlparse::find_option(create.options, "character set");
        const auto* collate = sqlparse::find_option(create.options, "collate");
        if (charset != nullptr) {
            table_.charset = charset_named(word_of(*charset));
            table_.collation = default_collation(table_.charset, options_.dialect);
        }
        if (collate != nullptr) {
            table_.collation = collation_named(word_of(*collate));
            table_.charset = charset_of_collation(table_.collation);
        }
    }

    static void set_not_null(Column& column) {
        column.nullable = false;
        column.has_default = column.default_text || column.auto_increment;
    }

    CharsetAndCollation charset_of(const ColumnDefinition& definition) const {
        const DataType& type = *definition.type;
        std::string charset, collation;
        if (type.charset) charset = charset_named(type.charset.text);
        if (type.national) charset = "utf8mb3";
        if (type.ascii) charset = "latin1";
        if (type.unicode) charset = "ucs2";
        if (type.byte) charset = "binary";
        if (const auto* attribute = definition.find(ColumnAttributeKind::charset))
            charset = charset_named(attribute->name.text);
        if (type.collation) collation = collation_named(type.collation.text);
        if (const auto* attribute = definition.find(ColumnAttributeKind::collate))
            collation = collation_named(attribute->name.text);
        if (!collation.empty()) return {charset_of_collation(collation), collation};
        if (charset.empty() && !type.binary) return {table_.charset, table_.collation};
        if (charset.empty()) charset = table_.charset;
        return {charset, type.binary ? bin_collation(charset) : default_collation(charset, options_.dialect)};
    }

    // A default that is an expression counts as a clock when its text names one: see the catalog's reading.
    bool reads_clock(const sqlparse::Expr& expr) const {
        if (expr.as<sqlparse::Literal>() != nullptr) return false;
        const std::string words = in_lower_case(expr.span.of(text_));
        for (const std::string_view word :
             {"current_timestamp", "now", "localtime", "curdate", "curtime", "current_date", "current_time",
              "sysdate", "utc_", "unix_timestamp"})
            if (words.find(word) != std::string::npos) return true;
        return false;
    }

    void read_default(Column& column, const sqlparse::Expr& expr) {
        column.default_is_clock = reads_clock(expr);
        const std::string_view raw = expr.span.of(text_);
        const auto* literal = expr.as<sqlparse::Literal>();
        if (literal == nullptr) {
            column.default_text = raw;
        } else if (literal->kind != sqlparse::LiteralKind::null_value) {
            column.default_text = sqlparse::literal_bytes(literal->kind, raw, options_);
        }
    }

    void add_column(const ColumnDefinition& definition) {
        if (definition.type == nullptr) return;
        const DataType& type = *definition.type;
        Column column;
        column.name = definition.name.text;
        column.type = type_of(type.kind);
        column.type_text = in_lower_case(type.span.of(text_));
        column.is_unsigned = type.is_unsigned || type.zerofill || type.kind == TypeKind::serial;
        if (is_text(column.type) || column.type == ColumnType::enum_ || column.type == ColumnType::set) {
            const auto written = charset_of(definition);
            column.charset = written.charset;
            column.collation = written.collation;
            if (column.charset == "binary" && is_text(column.type)) {
                column.type = binary_kin(column.type);
                column.charset.clear();
                column.collation.clear();
            }
        }
        const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(type.length, UINT32_MAX));
        column.length = type.has_length ? length : default_length(column.type);
        if (column.type == ColumnType::decimal) {
            column.precision =
                static_cast<std::uint8_t>(type.has_length ? std::min<std::uint32_t>(length, 65) : 10);
            column.scale = static_cast<std::uint8_t>(std::min<std::uint32_t>(type.decimals, 38));
        }
        const bool has_fsp = is_dated(column.type) || column.type == ColumnType::time;
        if (has_fsp) column.fsp = static_cast<std::uint8_t>(std::min<std::uint32_t>(length, 6));
        for (const auto& attribute : definition.attributes) {
            switch (attribute.kind) {
            case ColumnAttributeKind::not_null: column.nullable = false; break;
            case ColumnAttributeKind::default_value: read_default(column, attribute.expr); break;
            case ColumnAttributeKind::on_update: column.on_update_clock = true; break;
            case ColumnAttributeKind::generated: column.generated = true; break;
            case ColumnAttributeKind::invisible: column.invisible = true; break;
            default: break;
            }
        }
        const bool serial =
            type.kind == TypeKind::serial || definition.has(ColumnAttributeKind::serial_default);
        column.auto_increment = definition.auto_increment() || serial;
        if (column.auto_increment) column.nullable = false;
        column.has_default = column.default_text || column.nullable || column.auto_increment;
        const std::size_t position = table_.columns.size();
        const std::string name = column.name;
        table_.columns.push_back(std::move(column));
        if (definition.primary_key()) table_.unique_keys.push_back({"PRIMARY", {position}});
        if (definition.has(ColumnAttributeKind::unique) || serial)
            table_.unique_keys.push_back({free_key_name(name), {position}});
    }

    // As MySQL names a key without one: the first column's name, then _2, _3, …
    std::string free_key_name(const std::string& column) const {
        std::string name = column;
        const auto taken = [&] {
            return std::any_of(table_.unique_keys.begin(), table_.unique_keys.end(),
                               [&](const auto& key) { return same_identifier(key.name, name); });
        };
        for (int number = 2; taken(); ++number) name = column + "_" + std::to_string(number);
        return name;
    }

    void add_key(const sqlparse::KeyDefinition& definition) {
        if (definition.kind != sqlparse::KeyKind::primary && definition.kind != sqlparse::KeyKind::unique)
            return;
        UniqueKey key;
        for (const auto& part : definition.columns) {
            const auto position = part.column ? table_.find_column(part.column.text) : std::nullopt;
            if (position) key.columns.push_back(*position);
            if (!position) key.has_expression = true;
            if (part.prefix != 0) key.has_prefix = true;
        }
        if (definition.kind == sqlparse::KeyKind::primary) {
            key.name = "PRIMARY";
        } else if (definition.name) {
            key.name = definition.name.text;
        } else if (definition.constraint) {
            key.name = definition.constraint.text;
        } else {
            key.name = free_key_name(key.columns.empty() ? "functional_index"
                                                         : table_.columns[key.columns.front()].name);
        }
        table_.unique_keys.push_back(std::move(key));
    }

    std::string_view text_;
    const sqlparse::ParseOptions& options_;
    Table table_;
};

}  // namespace

std::string default_collation(std::string_view charset, sqlparse::Dialect dialect) {
    struct Entry {
        std::string_view charset, collation;
    };
    // Those that are not <charset>_general_ci.
    constexpr Entry entries[] = {
        {"binary", "binary"},
        {"big5", "big5_chinese_ci"},
        {"cp932", "cp932_japanese_ci"},
        {"dec8", "dec8_swedish_ci"},
        {"eucjpms", "eucjpms_japanese_ci"},
        {"euckr", "euckr_korean_ci"},
        {"gb18030", "gb18030_chinese_ci"},
        {"gb2312", "gb2312_chinese_ci"},
        {"gbk", "gbk_chinese_ci"},
        {"hp8", "hp8_english_ci"},
        {"latin1", "latin1_swedish_ci"},
        {"latin5", "latin5_turkish_ci"},
        {"sjis", "sjis_japanese_ci"},
        {"swe7", "swe7_swedish_ci"},
        {"tis620", "tis620_thai_ci"},
        {"ujis", "ujis_japanese_ci"},
    };
    if (charset == "utf8mb4" && dialect == sqlparse::Dialect::mysql) return "utf8mb4_0900_ai_ci";
    for (const auto& entry : entries)
        if (entry.charset == charset) return std::string{entry.collation};
    return std::string{charset} + "_general_ci";
}

std::optional<Table> table_from_ddl(const sqlparse::CreateTable& create, std::string_view text,
                                    const sqlparse::ParseOptions& options, const DdlDefaults& defaults) {
    if (create.like != nullptr || create.query != nullptr) return std::nullopt;
    return DdlReader{text, options}.read(create, defaults);
}

}  // namespace shardway::schema
