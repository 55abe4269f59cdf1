// Routing by data: cases/*.txt. A case is
//   == a sentence
//   @database legacy            settings, if any: database, node (the transaction's), dialect, lax, zero
//   > the SQL                   one line or more, each with its >
//   what the session is told, line by line
// SHARDWAY_PLAN_CASES=print prints what is, in the files' own form.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "fixture.hpp"
#include "tests/catch.hpp"

namespace {

using namespace plan_test;

struct Case {
    std::string sentence, sql, expected;
    std::vector<std::pair<std::string, std::string>> settings;
};

struct CaseFile {
    std::string rules = "model";
    std::vector<Case> cases;
};

CaseFile read_cases(const std::string& file) {
    CaseFile out;
    std::istringstream in{read_whole(file)};
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        if (line.rfind("@rules ", 0) == 0) {
            out.rules = line.substr(7);
        } else if (line.rfind("== ", 0) == 0) {
            out.cases.push_back({line.substr(3), {}, {}, {}});
        } else if (line[0] == '@') {
            const std::size_t space = std::min(line.find(' '), line.size());
            out.cases.back().settings.emplace_back(line.substr(1, space - 1),
                                                   space < line.size() ? line.substr(space + 1) : "");
        } else if (line.rfind("> ", 0) == 0) {
            std::string& sql = out.cases.back().sql;
            sql += (sql.empty() ? "" : "\n") + line.substr(2);
        } else {
            out.cases.back().expected += line + "\n";
        }
    }
    return out;
}

void apply(Bench& bench, const Case& one) {
    for (const auto& [name, value] : one.settings) {
        if (name == "database")
            bench.database = value;
        else if (name == "node")
            bench.preferred = rules::NodeId{std::stoul(value)};
        else if (name == "dialect")
            bench.options.dialect = sqlparse::Dialect::mariadb;
        else if (name == "zero")
            bench.zero_is_a_value = true;
        else if (name == "lax")
            bench.keys.strict = false;
        else if (name == "ansi")
            bench.options.modes.ansi_quotes = true;
        else
            FAIL("unknown setting " + name);
    }
}

}  // namespace

TEST_CASE("routing cases (invariants 1, 2, 9)") {
    const bool print = std::getenv("SHARDWAY_PLAN_CASES") != nullptr;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator{SHARDWAY_TESTS_DIR "/middleware/plan/cases"})
        files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    REQUIRE_FALSE(files.empty());
    for (const std::string& file : files) {
        const CaseFile cases = read_cases(file);
        plan::Planner warm;
        for (const Case& one : cases.cases) {
            Bench bench{cases.rules};
            apply(bench, one);
            // Each case is planned cold, and then twice by a planner that has seen all cases before it.
            plan::Planner cold;
            const std::string actual = render(cold.plan(one.sql, bench.context()), *bench.topology);
            const bool rotates = actual.find("any node") != std::string::npos;
            if (print) {
                std::cout << "== " << one.sentence << "\n";
                for (const auto& [name, value] : one.settings)
                    std::cout << "@" << name << (value.empty() ? "" : " ") << value << "\n";
                std::istringstream lines{one.sql};
                for (std::string line; std::getline(lines, line);) std::cout << "> " << line << "\n";
                std::cout << actual << "\n";
                continue;
            }
            INFO(file << ": " << one.sentence << "\n" << one.sql);
            CHECK(actual == one.expected);
            if (rotates) continue;
            CHECK(render(warm.plan(one.sql, bench.context()), *bench.topology) == actual);
            CHECK(render(warm.plan(one.sql, bench.context()), *bench.topology) == actual);
        }
    }
}
