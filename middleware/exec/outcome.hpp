// How a statement ended, before the session says so to its client.
#pragma once

#include <cstdint>
#include <string>

#include "middleware/protocol/status.hpp"

namespace shardway::exec {

struct Outcome {
    bool has_rows = false;  // a result set went to the sink; else the client gets an OK packet
    std::uint64_t affected_rows = 0;
    std::uint64_t last_insert_id = 0;
    std::uint64_t row_count = 0;  // rows that went to the sink, where they were counted
    std::uint32_t warnings = 0;
    protocol::StatusFlags status;  // the node's; of its flags the session keeps those of the statement
    std::string info;              // "Records: 3  Duplicates: 0  Warnings: 0"
};

// Adds the answer of another part of the same statement: counts are summed, in the info text too. The first
// id that was generated stays.
void add(Outcome& sum, const Outcome& part);

}  // namespace shardway::exec
