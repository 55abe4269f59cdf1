// `shardway skew`: how evenly a table's rows lie, or would lie by another key: "what if the key were X?".
// Works on sharded tables, on single ones, and on those of single-node databases, before anything is sharded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace shardway::cli {

struct SkewOptions {
    std::string config;             // rules file
    std::string data;               // where the metadata file lies; empty: as the rules say
    std::string database;           // logical; empty: the rules' only one
    std::string table;              // logical
    std::vector<std::string> keys;  // candidates; empty: the table's own key
    std::uint32_t slots = 256;      // for tables without a group: crc32 over as many slots, in 16 shards
    std::uint64_t rows = 0;         // read at most so many of each place; 0: all
    bool json = false;
};

// 0: printed, the most even key first. 1: a node or the table failed. 2: the files or options are wrong.
int run_skew(const SkewOptions& options);

// Adds the subcommand. Its callback ends the program by CLI::RuntimeError with run_skew's status.
void add_skew_command(CLI::App& app);

}  // namespace shardway::cli
