#include "middleware/cli/parse_command.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "sqlparse/arena.hpp"
#include "sqlparse/charset_names.hpp"
#include "sqlparse/lexer.hpp"
#include "sqlparse/parser.hpp"
#include "sqlparse/print.hpp"
#include "sqlparse/scan.hpp"
#include "sqlparse/tables.hpp"

namespace shardway::cli {

namespace {

namespace json = boost::json;

std::optional<sqlparse::ParseOptions> parse_options_of(const ParseCommandOptions& options) {
    sqlparse::ParseOptions result;
    if (options.dialect == "mariadb") {
        result.dialect = sqlparse::Dialect::mariadb;
        result.server_version = sqlparse::ParseOptions::mariadb_version_default;
    } else if (options.dialect != "mysql") {
        fmt::print(stderr, "shardway parse: dialect '{}' is neither mysql nor mariadb\n", options.dialect);
        return std::nullopt;
    }
    if (!sqlparse::is_charset_name(options.charset)) {
        fmt::print(stderr, "shardway parse: unknown charset '{}'\n", options.charset);
        return std::nullopt;
    }
    result.modes = sqlparse::SqlModes::from_text(options.sql_mode);
    result.charset = sqlparse::charset_class(options.charset);
    return result;
}

// Where a statement's text begins in the input, from 1.
struct Place {
    std::size_t line = 1;
    std::size_t column = 1;

    void pass(std::string_view text) {
        for (const char c : text) {
            ++column;
            if (c != '\n') continue;
            ++line;
            column = 1;
        }
    }
};

class ParseReport {
public:
    ParseReport(const ParseCommandOptions& options, const sqlparse::ParseOptions& parse_options)
        : options_{options}, parse_options_{parse_options} {}

    // One statement, which begins at `place` of the input.
    void statement(std::string_view text, Place place) {
        ++statements_;
        arena_.reset();
        sqlparse::scan(text, parse_options_, scan_);
        const sqlparse::Parsed parsed = sqlparse::parse(text, parse_options_, arena_, &scan_);
        if (!parsed) {
            place.pass(text.substr(0, parsed.error.offset));
            failed(parsed.error.code, parsed.error.message(), place,
                   sqlparse::digest_text(text, parse_options_));
        } else if (options_.json) {
            accepted(*parsed.statement, text);
        }
    }

    void failed(int code, const std::string& message, Place place, const std::string& digest = {}) {
        ++failures_;
        if (!options_.json) {
            fmt::print("{}:{}:{}: {}\n", options_.file == "-" ? "stdin" : options_.file, place.line,
                       place.column, message);
            return;
        }
        json::object error;
        error["code"] = code;
        error["message"] = message;
        error["line"] = place.line;
        error["column"] = place.column;
        json::object line;
        line["ok"] = false;
        if (!digest.empty()) line["digest"] = digest;
        line["error"] = std::move(error);
        print_line(line);
    }

    int finish() const {
        if (!options_.json) fmt::print("{} statements, {} with errors\n", statements_, failures_);
        return failures_ == 0 ? 0 : 1;
    }

private:
    void accepted(const sqlparse::Statement& statement, std::string_view text) {
        json::array tables;
        for (const sqlparse::QualifiedName& table : sqlparse::tables_of(statement)) {
            std::string name;
            if (table.database) name = std::string{table.database.text} + ".";
            name += table.name.text;
            tables.emplace_back(name);
        }
        json::object line;
        line["ok"] = true;
        line["kind"] = json::string{sqlparse::kind_of(statement)};
        line["digest"] = sqlparse::digest_text(text, parse_options_);
        line["tables"] = std::move(tables);
        line["printed"] = sqlparse::print(statement, parse_options_);
        print_line(line);
    }

    static void print_line(const json::object& line) {
        std::cout << json::serialize(line) << std::endl;  // flushed: a test may wait for it
    }

    const ParseCommandOptions& options_;
    const sqlparse::ParseOptions& parse_options_;
    sqlparse::Arena arena_;
    sqlparse::Scan scan_;
    std::size_t statements_ = 0;
    std::size_t failures_ = 0;
};

void read_lines(std::istream& input, ParseReport& report) {
    std::string line;
    while (std::getline(input, line)) {
        if (line.empty()) continue;
        boost::system::error_code error;
        const json::value value = json::parse(line, error);
        if (error || !value.is_string()) {
            report.failed(0, "this line is no JSON string", {});
            continue;
        }
        report.statement(value.get_string(), {});
    }
}

// The statement at the front of `text`, up to `delimiter`, and what follows.
sqlparse::SplitResult split(std::string_view text, std::string_view delimiter,
                            const sqlparse::ParseOptions& options) {
    if (delimiter == ";") return sqlparse::split_first(text, options);
    sqlparse::Lexer lexer{text, options};
    sqlparse::SplitResult result{text, text.size(), false, true};
    std::uint32_t last_end = 0;
    for (;;) {
        const sqlparse::Token token = lexer.next();
        const bool ends = token.kind == sqlparse::TokenKind::end || token.kind == sqlparse::TokenKind::error;
        // The delimiter may stand at the end of a word (END$$) or be what the lexer makes no token of.
        const std::size_t at = text.substr(0, ends ? text.size() : token.end()).find(delimiter, last_end);
        if (at != text.npos) {
            result.statement = text.substr(0, at);
            result.next = at + delimiter.size();
            result.terminated = true;
            result.blank = result.blank && at <= last_end;
            return result;
        }
        if (ends) return result;
        result.blank = false;
        last_end = token.end();
    }
}

// `DELIMITER x`, the command of the mysql client: the new delimiter, and the rest of the text behind the
// line.
std::optional<std::string_view> delimiter_command(std::string_view& text) {
    constexpr std::string_view word = "delimiter";
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == text.npos || text.size() - start <= word.size()) return std::nullopt;
    for (std::size_t i = 0; i < word.size(); ++i)
        if ((text[start + i] | 0x20) != word[i]) return std::nullopt;
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view rest = text.substr(start + word.size(), end - start - word.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) return std::nullopt;
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
    const std::size_t stop = rest.find_first_of(" \t\r");
    rest = rest.substr(0, stop);
    if (rest.empty()) return std::nullopt;
    text.remove_prefix(end);
    return rest;
}

void read_statements(std::string_view text, const sqlparse::ParseOptions& options, ParseReport& report) {
    Place place;
    std::string_view delimiter = ";";
    while (!text.empty()) {
        std::string_view rest = text;
        if (const auto changed = delimiter_command(rest)) {
            place.pass(text.substr(0, text.size() - rest.size()));
            text = rest;
            delimiter = *changed;
            continue;
        }
        const sqlparse::SplitResult first = split(text, delimiter, options);
        if (!first.blank) {
            // Clients leave out the spaces in front, and so does the server's count of lines.
            const std::size_t start = first.statement.find_first_not_of(" \t\r\n");
            Place begins = place;
            begins.pass(first.statement.substr(0, start));
            report.statement(first.statement.substr(start), begins);
        }
        place.pass(text.substr(0, first.next));
        text.remove_prefix(first.next);
    }
}

}  // namespace

int run_parse(const ParseCommandOptions& options) {
    const auto parse_options = parse_options_of(options);
    if (!parse_options) return 2;
    std::ifstream file;
    if (options.file != "-") {
        file.open(options.file, std::ios::binary);
        if (!file) {
            fmt::print(stderr, "shardway parse: cannot read '{}'\n", options.file);
            return 2;
        }
    }
    std::istream& input = options.file == "-" ? std::cin : file;
    ParseReport report{options, *parse_options};
    if (options.lines) {
        read_lines(input, report);
    } else {
        const std::string text{std::istreambuf_iterator<char>{input}, {}};
        read_statements(text, *parse_options, report);
    }
    return report.finish();
}

void add_parse_command(CLI::App& app) {
    const auto options = std::make_shared<ParseCommandOptions>();
    auto* command =
        app.add_subcommand("parse", "Parse SQL statements and say what they are, or what is wrong");
    command->add_option("file", options->file, "File with statements, split at `;`; - is standard input");
    command->add_flag("--json", options->json, "One line of JSON per statement");
    command->add_flag("--lines", options->lines, "Each line of input is one statement, as a JSON string");
    command->add_option("--dialect", options->dialect, "mysql or mariadb")->capture_default_str();
    command->add_option("--sql-mode", options->sql_mode, "sql_mode of the session, such as ANSI_QUOTES");
    command->add_option("--charset", options->charset, "Client charset, such as gbk")->capture_default_str();
    command->callback([options] { throw CLI::RuntimeError(run_parse(*options)); });
}

}  // namespace shardway::cli
