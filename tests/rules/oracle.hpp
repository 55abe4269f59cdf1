// A real server, and literals to hold against it: shared by oracle.cpp and router_oracle.cpp.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <mysql.h>

#include "rules/key.hpp"
#include "rules/moment.hpp"
#include "schema/catalog.hpp"

namespace rules_oracle {

using namespace shardway;
using namespace shardway::rules;

struct ServerError {
    unsigned code;
    std::string text;
};

class Server {
public:
    Server() {
        const std::string nodes = std::getenv("SHARDWAY_TEST_NODES");
        const std::string address = nodes.substr(0, nodes.find(','));
        const std::size_t colon = address.rfind(':');
        const auto port = static_cast<unsigned>(std::stoi(address.substr(colon + 1)));
        mysql_ = mysql_init(nullptr);
        mysql_options(mysql_, MYSQL_SET_CHARSET_NAME, "utf8mb4");
        if (mysql_real_connect(mysql_, address.substr(0, colon).c_str(), std::getenv("SHARDWAY_TEST_USER"),
                               std::getenv("SHARDWAY_TEST_PASSWORD"), nullptr, port, nullptr, 0) == nullptr)
            throw std::runtime_error(mysql_error(mysql_));
    }
    ~Server() { mysql_close(mysql_); }

    std::vector<schema::TextRow> query(const std::string& sql) {
        if (mysql_real_query(mysql_, sql.data(), sql.size()) != 0)
            throw ServerError{mysql_errno(mysql_), mysql_error(mysql_)};
        std::vector<schema::TextRow> rows;
        MYSQL_RES* const result = mysql_store_result(mysql_);
        if (result == nullptr) return rows;
        const unsigned columns = mysql_num_fields(result);
        while (const MYSQL_ROW row = mysql_fetch_row(result)) {
            const unsigned long* const lengths = mysql_fetch_lengths(result);
            schema::TextRow cells;
            for (unsigned i = 0; i < columns; ++i) {
                if (row[i] == nullptr)
                    cells.emplace_back();
                else
                    cells.emplace_back(std::string{row[i], lengths[i]});
            }
            rows.push_back(std::move(cells));
        }
        mysql_free_result(result);
        return rows;
    }

private:
    MYSQL* mysql_;
};

// A literal as the statement has it and as key.hpp is handed it.
struct Written {
    std::string sql;
    LiteralKind kind;
    std::string text;
    Literal literal() const { return {kind, text}; }
};

inline std::string quoted_sql(const std::string& text) {
    std::string sql = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') sql += '\\';
        sql += c;
    }
    return sql + "'";
}

inline Written as_number(const std::string& text) {
    return {text, text.find('.') == std::string::npos ? LiteralKind::integer : LiteralKind::decimal, text};
}
inline Written as_string(const std::string& text) { return {quoted_sql(text), LiteralKind::string, text}; }

inline std::vector<Written> number_literals() {
    std::vector<Written> all;
    for (const std::string text : {"0",
                                   "1",
                                   "-1",
                                   "42",
                                   "0042",
                                   "126",
                                   "127",
                                   "128",
                                   "255",
                                   "256",
                                   "-127",
                                   "-128",
                                   "-129",
                                   "32767",
                                   "32768",
                                   "-32768",
                                   "65535",
                                   "65536",
                                   "8388607",
                                   "8388608",
                                   "-8388608",
                                   "16777215",
                                   "16777216",
                                   "2147483647",
                                   "2147483648",
                                   "-2147483648",
                                   "-2147483649",
                                   "4294967295",
                                   "4294967296",
                                   "9007199254740991",
                                   "9007199254740992",
                                   "9007199254740993",
                                   "-9007199254740993",
                                   "9223372036854775806",
                                   "9223372036854775807",
                                   "9223372036854775808",
                                   "-9223372036854775807",
                                   "-9223372036854775808",
                                   "-9223372036854775809",
                                   "18446744073709551614",
                                   "18446744073709551615",
                                   "18446744073709551616",
                                   "99999999999999999999999999",
                                   "42.0",
                                   "42.5",
                                   "41.5",
                                   "-1.5",
                                   "-0.5",
                                   "0.5",
                                   "0.4",
                                   "127.5",
                                   "126.5",
                                   "-128.5",
                                   "255.5",
                                   "255.4",
                                   "9223372036854775807.4",
                                   "18446744073709551614.5",
                                   "-0"}) {
        all.push_back(as_number(text));
        all.push_back(as_string(text));
    }
    for (const std::string text :
         {"", " 42", "42 ", "+42", "42abc", "abc", "4.2e1", "0x2a", "1e3", "-", "4 2"})
        all.push_back(as_string(text));
    all.push_back({"4.2e1", LiteralKind::floating, "4.2e1"});
    all.push_back({"9007199254740993e0", LiteralKind::floating, "9007199254740993e0"});
    all.push_back({"TRUE", LiteralKind::boolean, "1"});
    all.push_back({"FALSE", LiteralKind::boolean, "0"});
    all.push_back({"NULL", LiteralKind::null, ""});
    all.push_back({"x'2a'", LiteralKind::bytes, "*"});
    all.push_back({"DATE '2026-01-31'", LiteralKind::date, "2026-01-31"});
    return all;
}

inline std::vector<Written> text_literals() {
    std::vector<Written> all;
    for (const std::string text :
         {"",           " ",           "a",           "A",          "a ",  "a  ",      "a\t",
          "a\t ",       " a",          "ann",         "Ann",        "ANN", "\xc3\xa4", "\xc3\x84",
          "a\xcc\x88",  "ss",          "\xc3\x9f",    "42",         "042", "42abc",    "42 ",
          "-1",         "1.50",        "z",           "zz",         "a'b", "a\\b",     "\xf0\x9f\x98\x80",
          "0123456789", "0123456789a", "0123456789 ", "2026-01-31", "ab",  "abc",      "abcd",
          "abcd "})
        all.push_back(as_string(text));
    for (const std::string text : {"42", "0", "-1", "1.5", "007", "12345678901"})
        all.push_back(as_number(text));
    all.push_back({"TRUE", LiteralKind::boolean, "1"});
    all.push_back({"NULL", LiteralKind::null, ""});
    all.push_back({"x'61'", LiteralKind::bytes, "a"});
    all.push_back({"x'6100'", LiteralKind::bytes, std::string("a\0", 2)});
    all.push_back({"x'61620000'", LiteralKind::bytes, std::string("ab\0\0", 4)});
    all.push_back({"x'ff'", LiteralKind::bytes, "\xff"});
    all.push_back({"4.2e1", LiteralKind::floating, "4.2e1"});
    all.push_back({"DATE '2026-01-31'", LiteralKind::date, "2026-01-31"});
    return all;
}

inline std::vector<Written> moment_literals() {
    std::vector<Written> all;
    for (const std::string text : {"2026-01-31",
                                   "2026-02-28",
                                   "2026-02-29",
                                   "2024-02-29",
                                   "2026-01-31 00:00:00",
                                   "2026-01-31 23:59:59",
                                   "2026-01-31T23:59:59",
                                   "2026-02-01",
                                   "2026-01-31 23:59:59.4",
                                   "2026-01-31 23:59:59.5",
                                   "2026-01-31 23:59:59.999999",
                                   "2026-01-31 23:59:59.123",
                                   "2026-01-31 23:59:59.120000",
                                   "2026-1-31",
                                   "20260131",
                                   "26-01-31",
                                   "2026-01-31 10:00",
                                   "1970-01-01 00:00:00",
                                   "1970-01-01 00:00:01",
                                   "2038-01-19 03:14:07",
                                   "2038-01-19 03:14:08",
                                   "0001-01-01",
                                   "9999-12-31",
                                   "9999-12-31 23:59:59",
                                   "9999-12-31 23:59:59.6",
                                   "2026/01/31",
                                   "2026-01-31 ",
                                   "2026-03-29 02:30:00",
                                   "2026-01-31 12:00:00.000001"}) {
        all.push_back(as_string(text));
        if (!parse_moment(text)) continue;
        if (text.size() == 10)
            all.push_back({"DATE " + quoted_sql(text), LiteralKind::date, text});
        else
            all.push_back({"TIMESTAMP " + quoted_sql(text), LiteralKind::timestamp, text});
    }
    all.push_back(as_number("20260131"));
    all.push_back(as_number("20260131235959"));
    all.push_back({"NULL", LiteralKind::null, ""});
    all.push_back({"20260131e0", LiteralKind::floating, "20260131e0"});
    return all;
}

}  // namespace rules_oracle
