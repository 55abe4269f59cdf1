#include "schema/catalog.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace shardway::schema {

namespace {

// Cells of the three queries, in the order they are selected.
enum TableCell { table_name, table_type, table_collation, table_cells };
enum ColumnCell {
    in_table,
    column_name,
    data_type,
    column_type,
    is_nullable,
    char_length,
    numeric_precision,
    numeric_scale,
    datetime_precision,
    character_set,
    collation_name,
    column_default,
    extra,
    column_cells
};
enum KeyCell { key_table, index_name, key_column, sub_part, key_cells };

// A string literal that means the same under every sql_mode.
std::string quoted_literal(std::string_view text) {
    std::string hex;
    for (const unsigned char byte : text) hex += fmt::format("{:02x}", byte);
    return text.empty() ? "''" : "CONVERT(x'" + hex + "' USING utf8mb4)";
}

std::string lower(std::string_view text) {
    std::string result{text};
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

template <class Number>
Number number_in(const std::optional<std::string>& cell) {
    if (!cell) return 0;
    std::uint64_t value = 0;
    std::from_chars(cell->data(), cell->data() + cell->size(), value);
    return static_cast<Number>(std::min<std::uint64_t>(value, std::numeric_limits<Number>::max()));
}

// Whether a default reads the clock. A plain literal never does: `text` is looked at only where it is an
// expression, and then any function of time counts; taking too many for clocks only pins the time of a
// statement.
bool reads_clock(const std::string& text) {
    for (const std::string_view function :
         {"current_timestamp", "now(", "localtime", "curdate", "curtime", "current_date", "current_time",
          "sysdate", "utc_", "unix_timestamp("})
        if (text.find(function) != std::string::npos) return true;
    return false;
}

Column column_from(const TextRow& row) {
    const auto text = [&](ColumnCell cell) { return row[cell].value_or(""); };
    Column column;
    column.name = text(column_name);
    column.type = column_type_named(text(data_type));
    column.type_text = text(column_type);
    const std::string type_words = lower(column.type_text);
    // Behind the last parenthesis: an ENUM's value may say "unsigned" too.
    const std::size_t attributes = type_words.rfind(')') == std::string::npos ? 0 : type_words.rfind(')');
    column.is_unsigned = type_words.find(" unsigned", attributes) != std::string::npos;
    column.length = column.type == ColumnType::bit ? number_in<std::uint32_t>(row[numeric_precision])
                                                   : number_in<std::uint32_t>(row[char_length]);
    column.precision = number_in<std::uint8_t>(row[numeric_precision]);
    column.scale = number_in<std::uint8_t>(row[numeric_scale]);
    column.fsp = number_in<std::uint8_t>(row[datetime_precision]);
    column.nullable = text(is_nullable) == "YES";
    column.charset = text(character_set);
    column.collation = text(collation_name);

    const std::string extras = lower(text(extra));
    const auto says = [&](std::string_view word) { return extras.find(word) != std::string::npos; };
    column.auto_increment = says("auto_increment");
    column.generated = says("virtual generated") || says("stored generated") || says("persistent");
    column.invisible = says("invisible");
    column.on_update_clock = says("on update");
    // MariaDB writes a missing default of a nullable column as the word NULL, strings in quotes.
    if (row[column_default] && *row[column_default] != "NULL") column.default_text = row[column_default];
    column.has_default = column.default_text || column.nullable || column.auto_increment;
    if (column.default_text) {
        const std::string words = lower(*column.default_text);
        const bool is_expression = says("default_generated") || is_dated(column.type) ||
                                   (!words.empty() && words.front() != '\'' && words.back() == ')');
        column.default_is_clock = is_expression && reads_clock(words);
    }
    return column;
}

std::string charset_of(std::string_view collation) {
    return std::string{collation.substr(0, collation.find('_'))};
}

}  // namespace

const Table* Catalog::find(std::string_view database, std::string_view table) const {
    const auto in = databases_.find(database);
    if (in == databases_.end()) return nullptr;
    const auto found = in->second.find(table);
    return found == in->second.end() ? nullptr : found->second.get();
}

std::vector<const Table*> Catalog::tables_of(std::string_view database) const {
    std::vector<const Table*> result;
    if (const auto in = databases_.find(database); in != databases_.end())
        for (const auto& [name, table] : in->second) result.push_back(table.get());
    return result;
}

std::size_t Catalog::size() const {
    std::size_t tables = 0;
    for (const auto& [name, in] : databases_) tables += in.size();
    return tables;
}

Catalog Catalog::with_database(std::string_view database, Tables tables) const {
    Databases databases = databases_;
    databases.insert_or_assign(std::string{database}, std::move(tables));
    return Catalog{std::move(databases)};
}

std::string tables_query(std::string_view database) {
    return "SELECT TABLE_NAME, TABLE_TYPE, TABLE_COLLATION FROM information_schema.TABLES WHERE TABLE_SCHEMA "
           "= " +
           quoted_literal(database);
}

std::string columns_query(std::string_view database) {
    return "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, CHARACTER_MAXIMUM_LENGTH, "
           "NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, CHARACTER_SET_NAME, COLLATION_NAME, "
           "COLUMN_DEFAULT, "
           "EXTRA FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = " +
           quoted_literal(database) + " ORDER BY TABLE_NAME, ORDINAL_POSITION";
}

std::string keys_query(std::string_view database) {
    return "SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS "
           "WHERE NON_UNIQUE = 0 AND TABLE_SCHEMA = " +
           quoted_literal(database) + " ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";
}

Catalog::Tables tables_from_rows(std::span<const TextRow> tables, std::span<const TextRow> columns,
                                 std::span<const TextRow> keys) {
    std::map<std::string, std::shared_ptr<Table>, std::less<>> building;
    for (const auto& row : tables) {
        if (row.size() != table_cells || !row[table_name]) continue;
        auto table = std::make_shared<Table>();
        table->name = *row[table_name];
        table->is_view = row[table_type].value_or("").find("VIEW") != std::string::npos;
        table->collation = row[table_collation].value_or("");
        table->charset = charset_of(table->collation);
        building.emplace(table->name, std::move(table));
    }
    const auto table_in = [&](const std::optional<std::string>& cell) -> Table* {
        const auto found = building.find(cell.value_or(""));
        return found == building.end() ? nullptr : found->second.get();
    };
    for (const auto& row : columns) {
        if (row.size() != column_cells || !row[column_name]) continue;
        if (Table* const table = table_in(row[in_table])) table->columns.push_back(column_from(row));
    }
    for (const auto& row : keys) {
        if (row.size() != key_cells || !row[index_name]) continue;
        Table* const table = table_in(row[key_table]);
        if (table == nullptr) continue;
        auto& unique = table->unique_keys;
        if (unique.empty() || unique.back().name != *row[index_name])
            unique.push_back({*row[index_name], {}});
        const auto position = row[key_column] ? table->find_column(*row[key_column]) : std::nullopt;
        if (position) unique.back().columns.push_back(*position);
        if (!position) unique.back().has_expression = true;
        if (row[sub_part]) unique.back().has_prefix = true;
    }
    Catalog::Tables result;
    for (auto& [name, table] : building) {
        std::stable_partition(table->unique_keys.begin(), table->unique_keys.end(),
                              [](const UniqueKey& key) { return key.name == "PRIMARY"; });
        result.emplace(name, std::move(table));
    }
    return result;
}

}  // namespace shardway::schema
