// Asks a server what it does with literals beside key columns, and holds rules/key.hpp and the algorithms
// against it:
//   - what an INSERT stores is what stored_key says, or the error is;
//   - each row that a comparison finds is where key_of or range_of look for it (invariant 1);
//   - rows that the server calls equal have equal keys;
//   - sql_expression computes slot_of, over many random values.
// Usage: rules_oracle [values], with SHARDWAY_TEST_NODES, _USER, _PASSWORD as tests/cluster sets them.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mysql.h>

#include "rules/algorithm.hpp"
#include "rules/key.hpp"
#include "rules/moment.hpp"
#include "schema/catalog.hpp"

namespace {

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

std::string quoted_sql(const std::string& text) {
    std::string sql = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') sql += '\\';
        sql += c;
    }
    return sql + "'";
}

Written as_number(const std::string& text) {
    return {text, text.find('.') == std::string::npos ? LiteralKind::integer : LiteralKind::decimal, text};
}
Written as_string(const std::string& text) { return {quoted_sql(text), LiteralKind::string, text}; }

std::vector<Written> number_literals() {
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

std::vector<Written> text_literals() {
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

std::vector<Written> moment_literals() {
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

class Oracle {
public:
    Oracle(Server& server, int values) : server_{server}, values_{values} {}

    bool run() {
        server_.query("CREATE DATABASE IF NOT EXISTS rules_oracle");
        server_.query("USE rules_oracle");
        try {
            // From 9.6 on MySQL has MD5 in a component.
            server_.query("INSTALL COMPONENT 'file://component_classic_hashing'");
        } catch (const ServerError&) {}
        try {
            server_.query("SELECT MD5('a')");
        } catch (const ServerError&) {
            has_md5_ = false;
            fmt::print("this server has no MD5(): its expressions are not checked\n");
        }
        const bool mariadb = server_.query("SELECT VERSION()")[0][0]->find("MariaDB") != std::string::npos;
        for (const std::string type :
             {"TINYINT", "TINYINT UNSIGNED", "SMALLINT", "SMALLINT UNSIGNED", "MEDIUMINT",
              "MEDIUMINT UNSIGNED", "INT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED",
              "INT UNSIGNED ZEROFILL", "BIGINT(20) UNSIGNED ZEROFILL"})
            check_type(type, number_literals());
        const std::string no_pad = mariadb ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin";
        for (const std::string type :
             {"VARCHAR(10) COLLATE utf8mb4_bin", "CHAR(10) COLLATE utf8mb4_bin",
              "VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_bin",
              "VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin",
              "VARCHAR(10) CHARACTER SET gbk COLLATE gbk_bin",
              "VARCHAR(10) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin", "VARBINARY(10)", "BINARY(4)"})
            check_type(type, text_literals());
        check_type("VARCHAR(10) COLLATE " + no_pad, text_literals());
        check_type("CHAR(10) COLLATE " + no_pad, text_literals());
        for (const std::string type :
             {"DATE", "DATETIME", "DATETIME(3)", "DATETIME(6)", "TIMESTAMP", "TIMESTAMP(6)"})
            check_type(type, moment_literals());
        server_.query("DROP DATABASE rules_oracle");
        fmt::print("{} checks, {} failures; of {} comparisons {} scattered\n", checks_, failures_,
                   comparisons_, scattered_);
        return failures_ == 0;
    }

private:
    void fail(const std::string& what) {
        ++failures_;
        if (failures_ <= 60) fmt::print("FAILED {}: {}\n", type_, what);
    }

    void check_type(const std::string& type, const std::vector<Written>& literals) {
        type_ = type;
        for (const int offset : {0, 330}) {
            const bool has_zone = type.starts_with("TIMESTAMP");
            if (offset != 0 && !has_zone) continue;
            context_.utc_offset_minutes = offset;
            zone_ = fmt::format("'{}{:02}:{:02}'", '+', offset / 60, offset % 60);
            server_.query("SET time_zone = " + zone_);
            check_literals(literals);
        }
        server_.query("SET time_zone = '+00:00'");
        context_.utc_offset_minutes = 0;
        check_equal_rows();
        check_expressions();
    }

    void check_literals(const std::vector<Written>& literals) {
        server_.query("DROP TABLE IF EXISTS t, u");
        server_.query("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, k " + type_ + " NOT NULL)");
        const auto built = schema::tables_from_rows(server_.query(schema::tables_query("rules_oracle")),
                                                    server_.query(schema::columns_query("rules_oracle")), {});
        column_ = built.at("t")->columns[1];
        if (const auto problem = key_problem(column_); !problem.empty()) fail("key_problem: " + problem);
        for (const auto& written : literals) insert(written);
        read_keys();
        // The same rows behind an index: another plan, the same comparison.
        server_.query("CREATE TABLE u (id INT PRIMARY KEY, k " + type_ + " NOT NULL, KEY (k))");
        server_.query("INSERT INTO u SELECT * FROM t");
        for (const auto& written : literals) compare_with(written);
    }

    // The column as the key is read from it: strings by their bytes.
    std::string selected() const { return is_text(column_.type) || is_bytes(column_.type) ? "HEX(k)" : "k"; }
    std::optional<Key> key_in(const std::string& cell) const {
        if (selected() == "k") return key_of_row(column_, cell);
        std::string bytes;
        for (std::size_t i = 0; i < cell.size(); i += 2)
            bytes += static_cast<char>(std::stoi(cell.substr(i, 2), nullptr, 16));
        return key_of_row(column_, bytes, column_.charset);
    }

    void insert(const Written& written) {
        ++checks_;
        const auto expected = stored_key(column_, written.literal(), context_);
        std::optional<ServerError> error;
        try {
            server_.query(fmt::format("INSERT INTO t (k) VALUES ({})", written.sql));
        } catch (const ServerError& thrown) {
            error = thrown;
        }
        if (const auto* refused = std::get_if<NotStorable>(&expected)) {
            if (!error || error->code != refused->code)
                fail(fmt::format("INSERT {}: expected error {}, got {}", written.sql, refused->code,
                                 error ? error->text : "a row"));
        } else if (const auto* key = std::get_if<Key>(&expected)) {
            if (error) return fail(fmt::format("INSERT {}: {}", written.sql, error->text));
            server_.query("SET time_zone = '+00:00'");
            const auto rows = server_.query("SELECT " + selected() + " FROM t WHERE id = LAST_INSERT_ID()");
            server_.query("SET time_zone = " + zone_);
            const auto stored = key_in(*rows[0][0]);
            if (!stored || !(*stored == *key))
                fail(fmt::format("INSERT {}: expected {}, stored {}", written.sql, key->text(), *rows[0][0]));
        }
    }

    void read_keys() {
        keys_.clear();
        server_.query("SET time_zone = '+00:00'");
        for (const auto& row : server_.query("SELECT id, " + selected() + " FROM t")) {
            const auto key = key_in(*row[1]);
            if (!key) fail("no key for the stored " + *row[1]);
            if (key) keys_.emplace(*row[0], *key);
        }
        server_.query("SET time_zone = " + zone_);
    }

    void compare_with(const Written& written) {
        const auto match = key_of(column_, written.literal(), context_);
        for (const std::string table : {"t", "u"}) {
            for (const std::string condition :
                 {"k = {}", "{} = k", "k IN ({})", "k IN ({0}, {0})", "k <=> {}", "k BETWEEN {0} AND {0}"}) {
                if (condition == "k <=> {}" && written.kind == LiteralKind::null) continue;
                check_rows(table, condition, written, [&](const Key& key) {
                    if (std::holds_alternative<Unroutable>(match)) return true;
                    const auto* wanted = std::get_if<Key>(&match);
                    return wanted != nullptr && *wanted == key;
                });
            }
            constexpr std::pair<const char*, Comparison> comparisons[] = {
                {"k < {}", Comparison::less},
                {"k <= {}", Comparison::less_equal},
                {"k > {}", Comparison::greater},
                {"k >= {}", Comparison::greater_equal}};
            for (const auto& [condition, comparison] : comparisons) {
                const auto range = range_of(column_, comparison, written.literal(), context_);
                check_rows(table, condition, written, [&](const Key& key) {
                    if (std::holds_alternative<Unroutable>(range)) return true;
                    const auto* wanted = std::get_if<KeyRange>(&range);
                    if (wanted == nullptr) return false;
                    const bool above = !wanted->low || compare(key, *wanted->low) > 0 ||
                                       (wanted->low_included && compare(key, *wanted->low) == 0);
                    const bool below = !wanted->high || compare(key, *wanted->high) < 0 ||
                                       (wanted->high_included && compare(key, *wanted->high) == 0);
                    return above && below;
                });
            }
        }
        ++comparisons_;
        if (std::holds_alternative<Unroutable>(match)) ++scattered_;
    }

    template <class F>
    void check_rows(const std::string& table, const std::string& condition, const Written& written,
                    F&& may_match) {
        ++checks_;
        const std::string where = fmt::format(fmt::runtime(condition), written.sql);
        std::vector<schema::TextRow> rows;
        try {
            rows = server_.query(fmt::format("SELECT id FROM {} WHERE {}", table, where));
        } catch (const ServerError&) {
            return;  // the statement fails wherever it goes
        }
        for (const auto& row : rows) {
            const auto key = keys_.find(*row[0]);
            if (key != keys_.end() && !may_match(key->second))
                return fail(fmt::format("WHERE {} finds {} in {}", where, key->second.text(), table));
        }
    }

    void check_equal_rows() {
        for (const auto& row :
             server_.query("SELECT a.id, b.id FROM t a JOIN t b ON a.k = b.k AND a.id < b.id")) {
            ++checks_;
            const auto one = keys_.find(*row[0]), two = keys_.find(*row[1]);
            if (one == keys_.end() || two == keys_.end()) continue;
            if (!(one->second == two->second) || one->second.text() != two->second.text())
                fail(fmt::format("'{}' = '{}' for the server, not for us", one->second.text(),
                                 two->second.text()));
        }
    }

    std::string random_value() {
        const std::uint64_t bits = random_() >> (random_() % 64);
        if (is_integer(column_.type)) {
            const bool negative = !column_.is_unsigned && random_() % 2 == 0;
            const int width = column_.type == schema::ColumnType::tinyint     ? 7
                              : column_.type == schema::ColumnType::smallint  ? 15
                              : column_.type == schema::ColumnType::mediumint ? 23
                              : column_.type == schema::ColumnType::integer   ? 31
                                                                              : 63;
            const std::uint64_t value = bits & ((std::uint64_t{1} << width) - 1);
            return (negative ? "-" : "") + std::to_string(value);
        }
        if (is_dated(column_.type)) {
            const bool stamp = column_.type == schema::ColumnType::timestamp;
            const std::int64_t low = stamp ? to_days(1970, 1, 2) : to_days(1, 1, 1),
                               high = stamp ? to_days(2038, 1, 18) : to_days(9999, 12, 30);
            const auto day = Key::of(from_days(low + static_cast<std::int64_t>(
                                                         random_() % static_cast<std::uint64_t>(high - low))),
                                     Key::day_only)
                                 .text();
            return quoted_sql(fmt::format("{} {:02}:{:02}:{:02}.{:06}", day, random_() % 24, random_() % 60,
                                          random_() % 60, random_() % 1'000'000));
        }
        std::string text;
        const std::size_t length = random_() % (column_.type == schema::ColumnType::binary ? 5 : 11);
        const bool ascii_only = column_.charset != "utf8mb4" && column_.charset != "utf8mb3";
        for (std::size_t i = 0; i < length; ++i)
            text += !ascii_only && random_() % 8 == 0
                        ? "\xc3\xa4"
                        : std::string(1, static_cast<char>(' ' + random_() % 95));
        return quoted_sql(text);
    }

    std::vector<std::pair<std::string, std::shared_ptr<const Algorithm>>> algorithms() const {
        std::vector<std::pair<std::string, std::shared_ptr<const Algorithm>>> all;
        const bool stamp = column_.type == schema::ColumnType::timestamp;
        if (!stamp) {
            all.emplace_back("crc32", make_algorithm(HashRule{HashFunction::crc32, 256}));
            if (has_md5_) all.emplace_back("md5", make_algorithm(HashRule{HashFunction::md5, 1000}));
            all.emplace_back("ring", make_algorithm(RingRule{20, HashFunction::crc32, {"a", "b", "c"}}));
            if (has_md5_)
                all.emplace_back("ring md5",
                                 make_algorithm(RingRule{20, HashFunction::md5, {"a", "b", "c"}}));
        }
        if (is_integer(column_.type)) {
            all.emplace_back("mod", make_algorithm(ModRule{17}));
            all.emplace_back("range",
                             make_algorithm(RangeRule{{Key::of(std::int64_t{-100}), Key::of(std::int64_t{0}),
                                                       Key::of(std::int64_t{99}), Key::of(UINT64_MAX - 5)}}));
            all.emplace_back("list", make_algorithm(ListRule{{{Key::of(std::int64_t{1}), Slot{0u}},
                                                              {Key::of(std::int64_t{42}), Slot{1u}}},
                                                             Slot{2u},
                                                             3}));
        }
        if (is_text(column_.type) || is_bytes(column_.type)) {
            all.emplace_back(
                "range", make_algorithm(RangeRule{{Key::of("!"), Key::of("H"), Key::of("a"), Key::of("p")}}));
            all.emplace_back("list",
                             make_algorithm(ListRule{
                                 {{Key::of("a"), Slot{0u}}, {Key::of("42"), Slot{1u}}}, std::nullopt, 2}));
        }
        if (is_dated(column_.type))
            for (const auto unit :
                 {TimeUnit::day, TimeUnit::week, TimeUnit::month, TimeUnit::quarter, TimeUnit::year}) {
                const auto begin = [&](const Moment& moment) {
                    return unit_begin(unit, unit_number(unit, moment));
                };
                all.emplace_back("time",
                                 make_algorithm(TimeRule{unit, begin({2000, 1, 1}), begin({2100, 1, 1})}));
            }
        return all;
    }

    void check_expressions() {
        for (int done = 0; done < values_; done += 1000) {
            std::string sql = "INSERT INTO t (k) VALUES ";
            for (int i = 0; i < std::min(1000, values_ - done); ++i)
                sql += (i == 0 ? "(" : ",(") + random_value() + ")";
            try {
                server_.query(sql);
            } catch (const ServerError& error) {
                return fail("random values: " + error.text);
            }
        }
        const std::vector<std::string> columns{key_sql(column_, "`k`")};
        for (const auto& [name, algorithm] : algorithms())
            for (const auto& row : server_.query(
                     fmt::format("SELECT {}, {} FROM t", selected(), algorithm->sql_expression(columns)))) {
                ++checks_;
                const auto key = key_in(*row[0]);
                const auto slot = key ? algorithm->slot_of(*key) : std::nullopt;
                const std::string ours = slot ? std::to_string(slot->value) : "NULL";
                if (ours != row[1].value_or("NULL")) {
                    fail(fmt::format("{} of '{}': {} here, {} there", name, *row[0], ours,
                                     row[1].value_or("NULL")));
                    break;
                }
            }
    }

    Server& server_;
    int values_;
    bool has_md5_ = true;
    std::string type_, zone_;
    schema::Column column_;
    KeyContext context_;
    std::map<std::string, Key> keys_;  // by id
    std::mt19937_64 random_{7};
    long checks_ = 0, failures_ = 0, comparisons_ = 0, scattered_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        Server server;
        return Oracle{server, argc > 1 ? std::atoi(argv[1]) : 20'000}.run() ? 0 : 1;
    } catch (const ServerError& error) {
        fmt::print(stderr, "{} ({})\n", error.text, error.code);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
    }
    return 2;
}
