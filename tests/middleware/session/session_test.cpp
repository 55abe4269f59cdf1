#include "middleware/session/like.hpp"
#include "middleware/session/settings.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::session;

namespace {

ServerIdentity mysql() {
    ServerIdentity identity;
    identity.sql_mode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES";
    return identity;
}

}  // namespace

TEST_CASE("what follows from the state outlives it: a SET of something else replaces it") {
    Settings settings = Settings::after_login(mysql(), 45, false);
    CHECK(settings.set_client_charset(mysql(), "latin1").has_value());
    const std::weak_ptr<const backend::SessionState> old = settings.state;
    settings.state = settings.state->with("character_set_results", "NULL");
    REQUIRE(old.expired());
    const Settings copy = settings;
    settings = Settings::after_login(mysql(), 45, false);
    CHECK(copy.client_charset == "latin1");
    CHECK(settings.client_charset == "utf8mb4");
}

TEST_CASE("LIKE of SHOW statements") {
    CHECK(is_like("t_order", "t_order"));
    CHECK(is_like("T_Order", "t\\_order"));
    CHECK(is_like("txorder", "t_order"));
    CHECK_FALSE(is_like("txorder", "t\\_order"));
    CHECK(is_like("t_order_item", "%order%"));
    CHECK(is_like("", "%"));
    CHECK_FALSE(is_like("", "_"));
    CHECK(is_like("aXbXc", "a%b%c"));
    CHECK_FALSE(is_like("aXbX", "a%b%c"));
    CHECK(is_like("\xc3\xa9t\xc3\xa9", "_t_"));
}

TEST_CASE("a client's character set is one that it can speak") {
    const ServerIdentity identity = mysql();
    Settings settings = Settings::after_login(identity, 45, false);
    CHECK(settings.set_names(identity, "latin1", "").has_value());
    CHECK(*settings.state->find("character_set_results") == "latin1");
    CHECK(settings.set_names(identity, "nosuch", "").error().code == 1115);
    CHECK(settings.set_names(identity, "utf16", "").error().code == 1231);
    CHECK(settings.set_names(identity, "utf8mb4", "nosuch_ci").error().code == 1273);
    CHECK(settings.set_names(identity, "utf8mb4", "latin1_swedish_ci").error().code == 1253);
    // What failed changed nothing.
    CHECK(*settings.state->find("character_set_client") == "latin1");
}

TEST_CASE("a collation of the login that no server knows gives the default, not another's") {
    const ServerIdentity identity = mysql();
    for (const std::uint16_t collation : {std::uint16_t{0}, std::uint16_t{54}, std::uint16_t{9999}})
        CHECK(*Settings::after_login(identity, collation, false).state->find("character_set_client") ==
              "utf8mb4");
    CHECK(*Settings::after_login(identity, 8, false).state->find("character_set_client") == "latin1");
}

TEST_CASE("how text is read follows sql_mode and the client's character set") {
    const ServerIdentity identity = mysql();
    Settings settings = Settings::after_login(identity, 45, false);
    CHECK(settings.keys.strict);
    CHECK_FALSE(settings.keys.utc_offset_minutes);
    settings.state =
        settings.state->with("sql_mode", "'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'")->with("time_zone", "'-02:30'");
    settings.follow_state(identity);
    CHECK(settings.parse_options.modes.ansi_quotes);
    CHECK(settings.no_backslash_escapes());
    CHECK_FALSE(settings.keys.strict);
    CHECK(settings.keys.utc_offset_minutes == -150);
    CHECK(settings.set_names(identity, "gbk", "").has_value());
    CHECK(settings.parse_options.charset == sqlparse::CharsetClass::gbk);
    CHECK(settings.parse_options.modes.ansi_quotes);
}

TEST_CASE("values become the literals that set them again") {
    CHECK(literal_of("42") == "42");
    CHECK(literal_of("-1.5") == "-1.5");
    CHECK(literal_of("it's") == "'it''s'");
    CHECK(literal_of("") == "''");
    CHECK(literal_of("1.2.3") == "'1.2.3'");
    CHECK(literal_of(std::nullopt) == "NULL");
}

TEST_CASE("state that must not leak is refused, not carried") {
    for (const char* name : {"timestamp", "insert_id", "gtid_next", "rand_seed1", "sql_log_bin"})
        CHECK(class_of(name) == VariableClass::refused);
    CHECK(class_of("sql_mode") == VariableClass::carried);
    CHECK(class_of("wait_timeout") == VariableClass::local);
    CHECK(class_of("autocommit") == VariableClass::autocommit);
}
