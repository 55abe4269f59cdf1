// `shardway check`: finds what is wrong with a rules file, and with a schema under it, before a row is
// written.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shardway::cli {

struct CheckOptions {
    std::string config;    // rules file
    std::string schema;    // schema file; empty: the rules alone
    std::string database;  // of tables that the schema file gives none; empty: the rules' only one
    std::string data;      // where the metadata file lies; empty: as the rules say
    bool mariadb = false;  // read the schema file as MariaDB does
    bool live = false;     // ask the nodes too
    bool ping = false;     // ask the running Shardway, see ping.hpp
    bool json = false;
};

// 0: clean. 1: findings, which were printed. 2: a file cannot be read.
int run_check(const CheckOptions& options);

// Adds the subcommand. Its callback ends the program by CLI::RuntimeError with run_check's status.
void add_check_command(CLI::App& app);

}  // namespace shardway::cli
