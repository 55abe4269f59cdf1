// Compares what our parser accepts with what a real server accepts: reads statements, each ended by a zero
// byte, has the server prepare each, and prints what differs. See acceptance.sh.
//
//   sqlparse_acceptance STATEMENTS ANSWERS [--server HOST PORT USER [PASSWORD]] [--mariadb] [--list N]
//
// ANSWERS keeps the server's error numbers from run to run; with --server they are asked for anew. Only 1064
// counts as refused. Ends with 1 when fewer than 99.5 % of the accepted statements are ours too, or when we
// accept more than 2 % of the refused ones.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <mysql.h>

#include "sqlparse/parser.hpp"
#include "sqlparse/print.hpp"
#include "sqlparse/scan.hpp"

using namespace shardway::sqlparse;

namespace {

std::string read_file(const char* path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<std::string_view> split(std::string_view all) {
    std::vector<std::string_view> statements;
    while (!all.empty()) {
        const std::size_t end = all.find('\0');
        if (end == all.npos) break;
        statements.push_back(all.substr(0, end));
        all.remove_prefix(end + 1);
    }
    return statements;
}

MYSQL* connect(const char* host, unsigned port, const char* user, const char* password) {
    MYSQL* connection = mysql_init(nullptr);
    if (!mysql_real_connect(connection, host, user, password, nullptr, port, nullptr, 0)) {
        std::fprintf(stderr, "cannot connect: %s\n", mysql_error(connection));
        std::exit(2);
    }
    // Bytes arrive as they are in the test files.
    mysql_set_character_set(connection, "utf8mb4");
    mysql_query(connection, "CREATE DATABASE IF NOT EXISTS parse_acceptance");
    mysql_select_db(connection, "parse_acceptance");
    return connection;
}

unsigned prepare(MYSQL* connection, std::string_view text) {
    MYSQL_STMT* statement = mysql_stmt_init(connection);
    const bool failed = mysql_stmt_prepare(statement, text.data(), text.size()) != 0;
    const unsigned code = failed ? mysql_stmt_errno(statement) : 0;
    mysql_stmt_close(statement);
    return code;
}

// The server's error number for each statement, 0 where it accepts it.
std::vector<std::uint16_t> ask(MYSQL* connection, const std::vector<std::string_view>& statements) {
    std::vector<std::uint16_t> answers;
    for (const std::string_view text : statements) {
        const unsigned code = prepare(connection, text);
        if (code == 2006 || code == 2013) {
            std::fprintf(stderr, "the server went away at: %.*s\n", static_cast<int>(text.size()),
                         text.data());
            std::exit(2);
        }
        answers.push_back(static_cast<std::uint16_t>(code));
    }
    return answers;
}

// All values of a query's result as one text; its error number where it fails.
std::string result_of(MYSQL* connection, std::string_view text) {
    if (mysql_real_query(connection, text.data(), text.size()) != 0)
        return "error " + std::to_string(mysql_errno(connection));
    MYSQL_RES* rows = mysql_store_result(connection);
    if (!rows) return "error " + std::to_string(mysql_errno(connection));
    std::string values;
    const unsigned fields = mysql_num_fields(rows);
    while (MYSQL_ROW row = mysql_fetch_row(rows)) {
        const unsigned long* lengths = mysql_fetch_lengths(rows);
        for (unsigned i = 0; i < fields; ++i) {
            values += row[i] ? std::string{row[i], lengths[i]} : "NULL";
            values += '\t';
        }
        values += '\n';
    }
    mysql_free_result(rows);
    return values;
}

// A query whose result is the same each time, and that changes nothing.
bool may_run(const Statement& statement) {
    const Query* query = statement.as<Query>();
    if (!query || query->into || statement.parameters > 0) return false;
    std::string lower{statement.text};
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    for (const char* word : {"sleep",
                             "lock",
                             "benchmark",
                             "rand",
                             "uuid",
                             "now",
                             "time",
                             "date",
                             "connection_id",
                             "version",
                             "@",
                             "into",
                             "information_schema",
                             "performance_schema",
                             "mysql.",
                             "sys.",
                             "random",
                             "row_count",
                             "found_rows",
                             "user",
                             "last_insert_id",
                             "wait",
                             "load_file",
                             "name_const",
                             "statement_digest",
                             "explain",
                             "ps_",
                             "shutdown"})
        if (lower.find(word) != lower.npos) return false;
    return true;
}

struct Count {
    std::size_t accepted = 0;
    std::size_t accepted_by_us = 0;
    std::size_t refused = 0;
    std::size_t refused_but_ours = 0;
};

std::string first_words(std::string_view text) {
    std::string words;
    for (const char c : text) {
        if (words.size() >= 8 || !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) break;
        words += static_cast<char>(c >= 'a' ? c - 32 : c);
    }
    return words;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr,
                     "usage: sqlparse_acceptance STATEMENTS ANSWERS [--server HOST PORT USER [PASSWORD]]\n");
        return 2;
    }
    ParseOptions options;
    const char* host = nullptr;
    unsigned port = 3306;
    const char* user = "root";
    const char* password = "";
    std::size_t list_max = 100000;
    for (int i = 3; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--mariadb") {
            options.dialect = Dialect::mariadb;
            options.server_version = ParseOptions::mariadb_version_default;
        } else if (argument == "--list" && i + 1 < argc) {
            list_max = static_cast<std::size_t>(std::atoi(argv[++i]));
        } else if (argument == "--server" && i + 3 < argc) {
            host = argv[++i];
            port = static_cast<unsigned>(std::atoi(argv[++i]));
            user = argv[++i];
            if (i + 1 < argc && argv[i + 1][0] != '-') password = argv[++i];
        }
    }
    const std::string all = read_file(argv[1]);
    const std::vector<std::string_view> statements = split(all);
    std::vector<std::uint16_t> answers;
    if (host) {
        MYSQL* asked = connect(host, port, user, password);
        answers = ask(asked, statements);
        mysql_close(asked);
        std::ofstream file{argv[2], std::ios::binary};
        file.write(reinterpret_cast<const char*>(answers.data()),
                   static_cast<std::streamsize>(answers.size() * 2));
    } else {
        const std::string kept = read_file(argv[2]);
        answers.resize(kept.size() / 2);
        std::memcpy(answers.data(), kept.data(), answers.size() * 2);
    }
    if (answers.size() != statements.size()) {
        std::fprintf(stderr, "%zu answers for %zu statements\n", answers.size(), statements.size());
        return 2;
    }

    std::map<std::string, Count> counts;
    Count total;
    std::size_t listed = 0;
    std::size_t unread = 0;
    std::size_t prints = 0;
    std::size_t wrong_prints = 0;
    std::size_t printed_answers = 0;
    std::size_t other_answers = 0;
    std::size_t runs = 0;
    std::size_t other_results = 0;
    MYSQL* connection = host ? connect(host, port, user, password) : nullptr;
    if (connection) mysql_query(connection, "SET max_execution_time = 2000");
    Arena arena;
    Arena second_arena;
    Scan scanned;
    for (std::size_t i = 0; i < statements.size(); ++i) {
        const std::string_view text = statements[i];
        arena.reset();
        scan(text, options, scanned);
        const Parsed parsed = parse(text, options, arena, &scanned);
        Count& count = counts[first_words(text)];
        const bool server_accepts = answers[i] != 1064 && answers[i] != 1065;
        const bool ours = parsed.statement != nullptr;
        if (server_accepts) {
            ++total.accepted, ++count.accepted;
            if (ours) ++total.accepted_by_us, ++count.accepted_by_us;
        } else {
            ++total.refused, ++count.refused;
            if (ours) ++total.refused_but_ours, ++count.refused_but_ours;
        }
        if (ours != server_accepts && listed < list_max) {
            ++listed;
            std::printf("%s [%u] %.*s\n", server_accepts ? "REFUSED BY US" : "ONLY OURS", answers[i],
                        static_cast<int>(text.size()), text.data());
            if (!ours)
                std::printf("    near: %.*s | expected %.*s\n",
                            static_cast<int>(parsed.error.near_text.size()), parsed.error.near_text.data(),
                            static_cast<int>(parsed.error.expected.size()), parsed.error.expected.data());
        }
        if (!ours) continue;
        if (parsed.statement->as<Unread>()) {
            ++unread;
            continue;
        }
        ++prints;
        const std::string printed = print(*parsed.statement, options);
        second_arena.reset();
        const Parsed again = parse(printed, options, second_arena);
        if (connection && server_accepts) {
            ++printed_answers;
            const unsigned code = prepare(connection, printed);
            if (code != answers[i]) {
                ++other_answers;
                std::printf("OTHER ANSWER [%u] not [%u] %.*s\n    printed: %s\n", code, answers[i],
                            static_cast<int>(text.size()), text.data(), printed.c_str());
            } else if (code == 0 && may_run(*parsed.statement)) {
                ++runs;
                const std::string first = result_of(connection, text);
                if (first != result_of(connection, printed) && first == result_of(connection, text)) {
                    ++other_results;
                    std::printf("OTHER RESULT %.*s\n    printed: %s\n", static_cast<int>(text.size()),
                                text.data(), printed.c_str());
                }
            }
        }
        if (!again || dump(*again.statement, options) != dump(*parsed.statement, options)) {
            ++wrong_prints;
            if (listed < list_max) {
                ++listed;
                std::printf("PRINT DIFFERS %.*s\n    printed: %s\n", static_cast<int>(text.size()),
                            text.data(), printed.c_str());
                if (!again)
                    std::printf("    near: %.*s | expected %.*s\n",
                                static_cast<int>(again.error.near_text.size()), again.error.near_text.data(),
                                static_cast<int>(again.error.expected.size()), again.error.expected.data());
            }
        }
    }
    if (connection) mysql_close(connection);
    std::printf("\n%-10s %10s %10s %10s %10s\n", "kind", "accepted", "ours", "refused", "ours");
    for (const auto& [kind, count] : counts)
        std::printf("%-10s %10zu %10zu %10zu %10zu\n", kind.c_str(), count.accepted, count.accepted_by_us,
                    count.refused, count.refused_but_ours);
    const double accepted =
        100.0 * static_cast<double>(total.accepted_by_us) / static_cast<double>(total.accepted);
    const double wrong = total.refused == 0 ? 0
                                            : 100.0 * static_cast<double>(total.refused_but_ours) /
                                                  static_cast<double>(total.refused);
    std::printf("accepted by the server: %zu, by us: %zu (%.3f %%)\n", total.accepted, total.accepted_by_us,
                accepted);
    std::printf("refused by the server: %zu, accepted by us: %zu (%.3f %%)\n", total.refused,
                total.refused_but_ours, wrong);
    std::printf("printed and parsed again: %zu, different: %zu; not read inside: %zu\n", prints, wrong_prints,
                unread);
    std::printf(
        "printed statements prepared: %zu, answered otherwise: %zu; queries run: %zu, other results: %zu\n",
        printed_answers, other_answers, runs, other_results);
    return accepted >= 99.5 && wrong <= 2.0 && wrong_prints == 0 ? 0 : 1;
}
