#include "middleware/protocol/errors.hpp"

#include <set>
#include <string>

#include "tests/catch.hpp"

using namespace shardway::protocol;

TEST_CASE("the table of errors holds complete rows under stable names") {
    std::set<std::string_view> names;
    std::set<std::uint16_t> ours;
    for (const ErrorRow& row : error_table()) {
        CAPTURE(row.name);
        CHECK(names.insert(row.name).second);
        CHECK(row.sqlstate.size() == 5);
        CHECK_FALSE(row.wording.empty());
        CHECK_FALSE(row.advice.empty());
        if (row.code >= 9000) {
            CHECK(row.code <= 9999);
            CHECK(row.sqlstate == "HY000");
            CHECK(ours.insert(row.code).second);
        } else {
            CHECK(row.code >= 1000);
            CHECK(row.code < 6000);
        }
    }
    CHECK(names.size() > 100);
}

TEST_CASE("errors are worded as MySQL words them") {
    CHECK(no_such_table("shop", "t_order") == SqlError{1146, "42S02", "Table 'shop.t_order' doesn't exist"});
    CHECK(access_denied("bob", "10.0.0.7", true) ==
          SqlError{1045, "28000", "Access denied for user 'bob'@'10.0.0.7' (using password: YES)"});
    CHECK(access_denied("", "::1", false).message == "Access denied for user ''@'::1' (using password: NO)");
    CHECK(unknown_database("x") == SqlError{1049, "42000", "Unknown database 'x'"});
    CHECK(not_grouped("SELECT list", 2, "shop.t.a")
              .message.starts_with("Expression #2 of SELECT list is not in GROUP BY clause and contains "
                                   "nonaggregated column 'shop.t.a' which"));
    CHECK(unknown_statement_handle(7, "mysqld_stmt_execute").message ==
          "Unknown prepared statement handler (7) given to mysqld_stmt_execute");
}

TEST_CASE("errors of our own say what happened, to what, and what to do") {
    const SqlError error = connections_exhausted("a", 12, std::chrono::milliseconds{1500});
    CHECK(error.code == 9003);
    CHECK(error.sqlstate == "HY000");
    CHECK(error.message ==
          "All 12 connections to node 'a' stayed busy for 1500 ms. Shorten transactions, or raise the node's "
          "connections in the rules.");
    const std::string_view committed[] = {"a", "b"};
    const std::string_view failed[] = {"c"};
    CHECK(partial_commit(committed, failed, "lost")
              .message.starts_with("Committed on 'a', 'b', but not on 'c': lost. "));
}

TEST_CASE("messages are cut at MySQL's limit, between two characters") {
    const std::string at_limit(message_bytes_max, 'x');
    CHECK(make_error(1105, "HY000", at_limit).message == at_limit);
    CHECK(make_error(1105, "HY000", at_limit + "y").message == at_limit);
    // "ä" is two bytes: after one "x" the limit falls behind one, after two into one.
    for (const std::size_t first : {1, 2}) {
        std::string umlauts(first, 'x');
        while (umlauts.size() < 600) umlauts += "\xc3\xa4";
        CHECK(make_error(1105, "HY000", umlauts).message == umlauts.substr(0, first == 1 ? 511 : 510));
    }
    // A long argument does not push the rest of the message out.
    CHECK(access_denied(std::string(10'000, 'u'), "h", true).message.ends_with("(using password: YES)"));
}

TEST_CASE("a braced name in an argument is text") {
    CHECK(unknown_database("{}{0}").message == "Unknown database '{}{0}'");
    CHECK(node_unreachable("{1}", "%s").message.starts_with("Node '{1}' cannot be reached: %s."));
}

TEST_CASE("a result holds a value or an error") {
    const Result<int> value = 7;
    const Result<int> error = deadlock();
    const Result<void> nothing;
    CHECK(*value == 7);
    CHECK(error.has_error());
    CHECK(error.error().code == 1213);
    CHECK_FALSE(nothing.has_error());
    CHECK_THROWS_AS(error.value(), SqlErrorException);
}
