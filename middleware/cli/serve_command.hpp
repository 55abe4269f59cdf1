// `shardway serve`: the proxy.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shardway::cli {

struct ServeOptions {
    std::string config;  // rules file
    std::string data;    // where the metadata file lies; empty: as the rules say
};

// Until SIGINT or SIGTERM. 0: ended as asked. 1: a node or an address could not be had. 2: the rules are
// wrong.
int run_serve(const ServeOptions& options);

// Adds the subcommand. Its callback ends the program by CLI::RuntimeError with run_serve's status.
void add_serve_command(CLI::App& app);

}  // namespace shardway::cli
