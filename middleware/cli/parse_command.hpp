// `shardway parse`: reads SQL statements and says which of them parse, as what. Lints an application's SQL,
// and shows the parser to tests from outside. Needs neither rules nor servers.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shardway::cli {

struct ParseCommandOptions {
    std::string file = "-";  // standard input
    bool json = false;       // one line of JSON per statement, flushed
    bool lines = false;      // each line of input is one statement, as a JSON string
    std::string dialect = "mysql";
    std::string sql_mode;
    std::string charset = "utf8mb4";
};

// 0: every statement parses. 1: some do not; each was printed. 2: the options or the input are wrong.
int run_parse(const ParseCommandOptions& options);

// Adds the subcommand. Its callback ends the program by CLI::RuntimeError with run_parse's status.
void add_parse_command(CLI::App& app);

}  // namespace shardway::cli
