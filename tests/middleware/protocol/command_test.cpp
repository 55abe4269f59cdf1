#include "middleware/protocol/command.hpp"

#include "test_bytes.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;

TEST_CASE("a command is its first byte and the rest") {
    const auto packet = bytes({0x03, 's', 'e', 'l'});
    const auto command = decode_command(packet);
    REQUIRE(command);
    CHECK(command->kind == CommandKind::query);
    CHECK(command->text() == "sel");
    CHECK_FALSE(decode_command(Bytes{}));
    CHECK(name_of(command->kind) == "Query");
    CHECK(name_of(decode_command(bytes({0x20}))->kind) == "Error");
    CHECK(name_of(CommandKind::reset_connection) == "Reset Connection");
    const Buffer written = payload_of([](Writer& out) { encode_command(out, CommandKind::query, "sel"); });
    CHECK(text_of(written.view()) == text_of(packet));
}

TEST_CASE("the bodies of commands are read, and cut ones are malformed") {
    const auto table = bytes({'t', 0, 'a', '%'});
    const auto list = decode_field_list(table);
    REQUIRE(list);
    CHECK(list->table == "t");
    CHECK(list->wildcard == "a%");
    CHECK(decode_field_list(bytes({'t', 0}))->wildcard.empty());
    CHECK_FALSE(decode_field_list(bytes({'t'})));

    CHECK(decode_set_option(bytes({0, 0})) == SetOption::multi_statements_on);
    CHECK(decode_set_option(bytes({1, 0})) == SetOption::multi_statements_off);
    CHECK_FALSE(decode_set_option(bytes({2, 0})));
    CHECK_FALSE(decode_set_option(bytes({0})));

    CHECK(decode_process_kill(bytes({1, 2, 0, 0})) == 513U);
    CHECK_FALSE(decode_process_kill(bytes({1, 2, 0})));
    CHECK(decode_statement_id(bytes({7, 0, 0, 0})) == 7U);

    const auto fetch = decode_statement_fetch(bytes({7, 0, 0, 0, 100, 0, 0, 0}));
    REQUIRE(fetch);
    CHECK(fetch->statement_id == 7);
    CHECK(fetch->rows == 100);
    CHECK_FALSE(decode_statement_fetch(bytes({7, 0, 0, 0, 100, 0, 0})));

    const auto packet = bytes({7, 0, 0, 0, 1, 0, 'x', 'y'});
    const auto part = decode_statement_long_data(packet);
    REQUIRE(part);
    CHECK(part->statement_id == 7);
    CHECK(part->parameter == 1);
    CHECK(text_of(part->data) == "xy");
    CHECK_FALSE(decode_statement_long_data(bytes({7, 0, 0, 0, 1})));

    const auto execution = bytes({7, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1});
    const auto execute = decode_statement_execute(execution);
    REQUIRE(execute);
    CHECK(execute->statement_id == 7);
    CHECK(execute->cursor_flags == 1);
    CHECK(execute->parameters.size() == 2);
    CHECK_FALSE(decode_statement_execute(bytes({7, 0, 0, 0, 1, 2, 0, 0, 0})));
    CHECK_FALSE(decode_statement_execute(bytes({7, 0, 0, 0, 1, 1, 0, 0})));
}

TEST_CASE("silent commands are those that are never answered") {
    CHECK(is_silent(CommandKind::quit));
    CHECK(is_silent(CommandKind::stmt_close));
    CHECK(is_silent(CommandKind::stmt_send_long_data));
    CHECK_FALSE(is_silent(CommandKind::stmt_reset));
    CHECK_FALSE(is_silent(CommandKind::query));
}
