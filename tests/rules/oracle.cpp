// Asks a server what it does with literals beside key columns, and holds rules/key.hpp and the algorithms
// against it:
//   - what an INSERT stores is what stored_key says, or the error is;
//   - each row that a comparison finds is where key_of or range_of look for it (invariant 1);
//   - rows that the server calls equal have equal keys;
//   - sql_expression computes slot_of, over many random values.
// Usage: rules_oracle [values], with SHARDWAY_TEST_NODES, _USER, _PASSWORD as tests/cluster sets them.
#include "oracle.hpp"

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rules/algorithm.hpp"
#include "rules/key.hpp"
#include "rules/moment.hpp"
#include "schema/catalog.hpp"

namespace {

using namespace rules_oracle;

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
        fmt::print("{:<55} {:>10} {:>9} {:>11} {:>9} {:>8}\n", "type", "checks", "values", "comparisons",
                   "scattered", "failures");
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
        const long checks_before = checks_, failures_before = failures_, comparisons_before = comparisons_,
                   scattered_before = scattered_;
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
        fmt::print("{:<55} {:>10} {:>9} {:>11} {:>9} {:>8}\n", type_, checks_ - checks_before, values_done_,
                   comparisons_ - comparisons_before, scattered_ - scattered_before,
                   failures_ - failures_before);
        std::fflush(stdout);
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
        values_done_ = 0;
        server_.query("BEGIN");
        for (int done = 0; done < values_; done += 1000) {
            std::string sql = "INSERT INTO t (k) VALUES ";
            for (int i = 0; i < std::min(1000, values_ - done); ++i)
                sql += (i == 0 ? "(" : ",(") + random_value() + ")";
            try {
                server_.query(sql);
            } catch (const ServerError& error) {
                return fail("random values: " + error.text);
            }
            values_done_ += std::min(1000, values_ - done);
        }
        server_.query("COMMIT");
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
    int values_done_ = 0;  // random ones, of the type
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
