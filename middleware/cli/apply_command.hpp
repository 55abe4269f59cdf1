// `shardway apply`: creates a schema on all nodes. Safe to run again: it makes what is missing and says what
// differs.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shardway::cli {

struct ApplyOptions {
    std::string config;     // rules file
    std::string schema;     // schema file
    std::string database;   // of tables that the file gives none; empty: the rules' only one
    std::string data;       // where the metadata file lies; empty: as the rules say
    bool progress = false;  // a bar also where standard error is no terminal
    bool json = false;
};

// 0: all is as the files say. 1: something differs, or failed; what, was printed. 2: the files are wrong,
// nothing was done.
int run_apply(const ApplyOptions& options);

// Adds the subcommand. Its callback ends the program by CLI::RuntimeError with run_apply's status.
void add_apply_command(CLI::App& app);

}  // namespace shardway::cli
