// Column definitions as a thread's clients get them, so that a statement that runs again pays a comparison
// instead of decoding and encoding its columns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "middleware/plan/plan.hpp"
#include "middleware/protocol/bytes.hpp"

namespace shardway::session {

// One per thread. What is found was made of exactly the same bytes and names, whatever the topology: nothing
// has to be dropped when that changes. Bounded by entries_max × 2 × frames_bytes_max and the names.
class ColumnMemo {
public:
    static constexpr std::size_t entries_max = 128;
    static constexpr std::size_t frames_bytes_max = 4096;  // larger ones are not kept

    // What `frames`, shown by `names`, became when the first packet of it had number `sequence`; empty when
    // that is not known. Lives until the next keep().
    protocol::Bytes find(protocol::Bytes frames, std::span<const plan::NameMapping> names,
                         std::uint8_t sequence) const;
    void keep(protocol::Bytes frames, std::span<const plan::NameMapping> names, std::uint8_t sequence,
              protocol::Bytes shown);

private:
    struct Names {
        std::string physical_database, physical_table, logical_database, logical_table;
        bool operator==(const plan::NameMapping& names) const;
    };
    struct Entry {
        std::vector<std::uint8_t> frames, shown;
        std::vector<Names> names;
        std::uint8_t sequence = 0;
    };
    static std::size_t place_of(protocol::Bytes frames);

    std::array<Entry, entries_max> entries_;
};

}  // namespace shardway::session
