#include "middleware/protocol/charset.hpp"

#include "tests/catch.hpp"

using namespace shardway::protocol;

TEST_CASE("collations are found by number, and the number depends on the kind of server") {
    const auto mysql = find_collation(ServerKind::mysql, 255);
    REQUIRE(mysql);
    CHECK(mysql->name == "utf8mb4_0900_ai_ci");
    CHECK(mysql->charset == "utf8mb4");
    CHECK(mysql->is_default);
    CHECK_FALSE(mysql->pads);
    CHECK_FALSE(find_collation(ServerKind::mariadb, 255));

    CHECK(find_collation(ServerKind::mysql, 245)->name == "utf8mb4_croatian_ci");
    CHECK(find_collation(ServerKind::mariadb, 245)->name == "utf8mb4_croatian_mysql561_ci");
    CHECK(find_collation(ServerKind::mysql, 8)->name == "latin1_swedish_ci");
    CHECK(find_collation(ServerKind::mysql, 8)->pads);
    CHECK(find_collation(ServerKind::mysql, binary_collation)->name == "binary");
    CHECK(find_collation(ServerKind::mariadb, utf8mb4_general_collation)->name == "utf8mb4_general_ci");
}

TEST_CASE("numbers above one byte are known, and unknown ones are told") {
    CHECK(find_collation(ServerKind::mysql, 309)->name == "utf8mb4_0900_bin");
    CHECK(find_collation(ServerKind::mariadb, 2304)->name == "utf8mb4_uca1400_ai_ci");
    CHECK_FALSE(find_collation(ServerKind::mariadb, 2308)->pads);
    CHECK_FALSE(find_collation(ServerKind::mysql, 0));
    CHECK_FALSE(find_collation(ServerKind::mysql, 2304));
    CHECK_FALSE(find_collation(ServerKind::mysql, 65535));
    CHECK_FALSE(find_collation(ServerKind::mariadb, 65535));
}

TEST_CASE("names are compared without case, and utf8 means utf8mb3") {
    CHECK(find_collation(ServerKind::mysql, "UTF8MB4_Bin")->id == 46);
    CHECK(find_collation(ServerKind::mysql, "utf8_general_ci")->id == 33);
    CHECK(find_charset(ServerKind::mysql, "UTF8")->name == "utf8mb3");
    CHECK(find_charset(ServerKind::mysql, "utf8")->char_bytes_max == 3);
    CHECK(find_charset(ServerKind::mysql, "gb18030")->char_bytes_max == 4);
    CHECK_FALSE(find_charset(ServerKind::mariadb, "gb18030"));
    CHECK_FALSE(find_collation(ServerKind::mysql, "utf8"));
    CHECK_FALSE(find_collation(ServerKind::mysql, ""));
    CHECK(default_collation(ServerKind::mysql, "utf8mb4")->id == 255);
    CHECK(default_collation(ServerKind::mariadb, "utf8mb4")->id == 45);
    CHECK(default_collation(ServerKind::mariadb, "latin1")->id == 8);
    CHECK_FALSE(default_collation(ServerKind::mysql, "klingon"));
}

TEST_CASE("every character set has a default collation") {
    for (const auto kind : {ServerKind::mysql, ServerKind::mariadb}) {
        int defaults = 0;
        for (std::uint16_t id = 0; id < 4096; ++id) {
            const auto collation = find_collation(kind, id);
            if (!collation) continue;
            CHECK(collation->id == id);
            CHECK(find_collation(kind, collation->name)->id == id);
            REQUIRE(find_charset(kind, collation->charset));
            CHECK(default_collation(kind, collation->charset)->charset == collation->charset);
            defaults += collation->is_default;
        }
        CHECK(defaults == (kind == ServerKind::mysql ? 41 : 40));
    }
}

TEST_CASE("character sets whose trail bytes look like ASCII are told") {
    for (const auto* name : {"gbk", "SJIS", "big5", "cp932", "gb18030", "utf16"})
        CHECK_FALSE(is_ascii_safe(name));
    for (const auto* name : {"utf8mb4", "latin1", "euckr", "ujis", "gb2312", "ascii"})
        CHECK(is_ascii_safe(name));
}
