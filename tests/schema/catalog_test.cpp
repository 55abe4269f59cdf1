#include "schema/catalog.hpp"

#include "tests/catch.hpp"

using namespace shardway::schema;

namespace {

using Cell = std::optional<std::string>;
constexpr auto none = std::nullopt;

TextRow column(const char* table, const char* name, const char* type, const char* full, const char* nullable,
               Cell length, Cell precision, Cell scale, Cell fsp, Cell charset, Cell collation, Cell fallback,
               const char* extra) {
    return {table, name, type,    full,      nullable, length, precision,
            scale, fsp,  charset, collation, fallback, extra};
}

}  // namespace

TEST_CASE("a table is built from rows of information_schema") {
    const std::vector<TextRow> tables{
        {"t", "BASE TABLE", "utf8mb4_0900_ai_ci"}, {"v", "VIEW", none}, {"broken"}};
    const std::vector<TextRow> columns{
        column("t", "id", "bigint", "bigint unsigned", "NO", none, "20", "0", none, none, none, none,
               "auto_increment"),
        column("t", "name", "varchar", "varchar(64)", "NO", "64", none, none, none, "utf8mb4", "utf8mb4_bin",
               "", ""),
        column("t", "price", "decimal", "decimal(12,2)", "YES", none, "12", "2", none, none, none, none, ""),
        column("t", "made", "datetime", "datetime(6)", "NO", none, none, none, "6", none, none,
               "CURRENT_TIMESTAMP(6)", "DEFAULT_GENERATED on update CURRENT_TIMESTAMP(6)"),
        column("t", "kind", "enum", "enum('x unsigned','y)')", "YES", "10", none, none, none, "utf8mb4",
               "utf8mb4_bin", "y)", ""),
        column("t", "word", "varchar", "varchar(20)", "NO", "20", none, none, none, "utf8mb4", "utf8mb4_bin",
               "now()", ""),
        column("t", "sum", "int", "int", "YES", none, "10", "0", none, none, none, none,
               "STORED GENERATED INVISIBLE"),
        column("gone", "x", "int", "int", "YES", none, "10", "0", none, none, none, none, ""),
        column("v", "id", "bigint", "bigint", "YES", none, "19", "0", none, none, none, none, ""),
    };
    const std::vector<TextRow> keys{{"t", "a_name", "name", "10"},
                                    {"t", "a_name", "price", none},
                                    {"t", "PRIMARY", "id", none},
                                    {"t", "z_expr", none, none}};
    const Catalog catalog{{{"shop", tables_from_rows(tables, columns, keys)}}};
    CHECK(catalog.size() == 2);
    CHECK(catalog.find("shop", "T") == nullptr);
    CHECK(catalog.find("shop", "v")->is_view);
    const Table* t = catalog.find("shop", "t");
    REQUIRE(t != nullptr);
    CHECK(t->charset == "utf8mb4");
    REQUIRE(t->columns.size() == 7);
    CHECK(t->find_column("NAME") == std::size_t{1});
    CHECK_FALSE(t->find_column("nam"));
    CHECK(t->columns[0].is_unsigned);
    CHECK(t->columns[0].auto_increment);
    CHECK(t->auto_increment_column() == std::size_t{0});
    CHECK(t->columns[1].length == 64);
    CHECK_FALSE(t->columns[1].nullable);
    CHECK(t->columns[1].has_default);
    CHECK(t->columns[2].precision == 12);
    CHECK(t->columns[2].scale == 2);
    CHECK(t->columns[3].fsp == 6);
    CHECK(t->columns[3].default_is_clock);
    CHECK(t->columns[3].on_update_clock);
    CHECK_FALSE(t->columns[4].is_unsigned);
    CHECK(t->columns[4].default_text == "y)");
    CHECK(t->columns[6].generated);
    CHECK(t->columns[6].invisible);
    REQUIRE(t->primary_key() != nullptr);
    CHECK(t->primary_key()->columns == std::vector<std::size_t>{0});
    REQUIRE(t->unique_keys.size() == 3);
    CHECK(t->unique_keys[1].columns == std::vector<std::size_t>{1, 2});
    CHECK(t->unique_keys[1].has_prefix);
    CHECK(t->unique_keys[2].has_expression);
}

TEST_CASE("MariaDB writes defaults another way") {
    const std::vector<TextRow> tables{{"t", "BASE TABLE", "utf8mb4_general_ci"}};
    const std::vector<TextRow> columns{
        column("t", "a", "datetime", "datetime", "NO", none, none, none, "0", none, none,
               "current_timestamp()", "on update current_timestamp()"),
        column("t", "b", "int", "int(11)", "YES", none, "10", "0", none, none, none, "NULL", ""),
        column("t", "c", "varchar", "varchar(9)", "NO", "9", none, none, none, "utf8mb4", "utf8mb4_bin",
               "'now()'", ""),
        column("t", "d", "date", "date", "NO", none, none, none, none, none, none, "'2026-01-01'", ""),
    };
    const auto built = tables_from_rows(tables, columns, {});
    const Table& t = *built.at("t");
    CHECK(t.columns[0].default_is_clock);
    CHECK(t.columns[0].on_update_clock);
    CHECK_FALSE(t.columns[1].default_text);
    CHECK(t.columns[1].has_default);
    CHECK_FALSE(t.columns[2].default_is_clock);
    CHECK_FALSE(t.columns[3].default_is_clock);
    CHECK(t.primary_key() == nullptr);
}

TEST_CASE("queries name the database in a way that no sql_mode reads differently") {
    CHECK(tables_query("a'b").find("x'612762'") != std::string::npos);
    CHECK(columns_query("shop").find("'shop'") == std::string::npos);
}

TEST_CASE("a catalog with one database exchanged shares the others") {
    const std::vector<TextRow> tables{{"t", "BASE TABLE", "utf8mb4_bin"}};
    const Catalog one{{{"a", tables_from_rows(tables, {}, {})}, {"b", tables_from_rows(tables, {}, {})}}};
    const Catalog two = one.with_database("b", {});
    CHECK(two.find("a", "t") == one.find("a", "t"));
    CHECK(two.find("b", "t") == nullptr);
    CHECK(one.find("b", "t") != nullptr);
}

TEST_CASE("types by name, and back") {
    for (int i = 0; i < static_cast<int>(ColumnType::unknown); ++i) {
        const auto type = static_cast<ColumnType>(i);
        CHECK((column_type_named(name_of(type)) == type));
    }
    CHECK((column_type_named("BIGINT") == ColumnType::bigint));
    CHECK((column_type_named("multipolygon") == ColumnType::geometry));
    CHECK((column_type_named("whatever") == ColumnType::unknown));
    CHECK(pads_space("utf8mb4_bin"));
    CHECK_FALSE(pads_space("utf8mb4_0900_bin"));
    CHECK_FALSE(pads_space("binary"));
    CHECK_FALSE(pads_space("utf8mb4_nopad_bin"));
    CHECK(is_binary_collation("utf8mb4_0900_bin"));
    CHECK_FALSE(is_binary_collation("utf8mb4_0900_ai_ci"));
}
