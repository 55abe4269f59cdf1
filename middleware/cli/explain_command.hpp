// `shardway explain`: what a statement will do, asked without a running Shardway.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shardway::cli {

struct ExplainOptions {
    std::string config;     // rules file
    std::string schema;     // schema file; empty: the nodes' templates are read
    std::string database;   // the session's; empty: the rules' only one, else none
    std::string user;       // of the rules; empty: the first that may use the database
    std::string data;       // where the metadata file lies; empty: as the rules say
    std::string statement;  // or "-": standard input
    bool mariadb = false;   // with `schema`: read both as MariaDB does
    bool json = false;
};

// 0: explained. 1: the statement would be refused, or the tables could not be read. 2: the files or options
// are wrong.
int run_explain(const ExplainOptions& options);

// Adds the subcommand. Its callback ends the program by CLI::RuntimeError with run_explain's status.
void add_explain_command(CLI::App& app);

}  // namespace shardway::cli
