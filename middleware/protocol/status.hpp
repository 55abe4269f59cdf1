// Status flags of OK and EOF packets: what the session looks like after the command.
#pragma once

#include <algorithm>
#include <cstdint>

namespace shardway::protocol {

// SERVER_STATUS_IN_TRANS is StatusFlag::in_transaction, and so on.
enum class StatusFlag : std::uint16_t {
    in_transaction = 0x0001,
    autocommit = 0x0002,
    more_results = 0x0008,
    no_good_index_used = 0x0010,
    no_index_used = 0x0020,
    cursor_exists = 0x0040,
    last_row_sent = 0x0080,
    database_dropped = 0x0100,
    no_backslash_escapes = 0x0200,  // drivers quote by it: wrong is an injection
    metadata_changed = 0x0400,
    query_was_slow = 0x0800,
    ps_out_params = 0x1000,
    in_read_only_transaction = 0x2000,
    session_state_changed = 0x4000,
};

class StatusFlags {
public:
    constexpr StatusFlags() = default;
    constexpr explicit StatusFlags(std::uint16_t bits) : bits_{bits} {}
    constexpr StatusFlags(StatusFlag flag) : bits_{static_cast<std::uint16_t>(flag)} {}  // a set of one

    constexpr std::uint16_t bits() const { return bits_; }
    constexpr bool has(StatusFlag flag) const { return (bits_ & static_cast<std::uint16_t>(flag)) != 0; }
    constexpr void set(StatusFlag flag, bool on = true) {
        const auto bit = static_cast<std::uint16_t>(flag);
        bits_ = static_cast<std::uint16_t>(on ? bits_ | bit : bits_ & ~bit);
    }
    friend constexpr StatusFlags operator|(StatusFlags a, StatusFlags b) {
        return StatusFlags{static_cast<std::uint16_t>(a.bits_ | b.bits_)};
    }
    friend constexpr StatusFlags operator&(StatusFlags a, StatusFlags b) {
        return StatusFlags{static_cast<std::uint16_t>(a.bits_ & b.bits_)};
    }
    friend constexpr bool operator==(StatusFlags, StatusFlags) = default;

private:
    std::uint16_t bits_ = 0;
};

constexpr StatusFlags operator|(StatusFlag a, StatusFlag b) { return StatusFlags{a} | StatusFlags{b}; }

// Packets count warnings in 16 bits and stop at the largest number; sums over nodes do not.
constexpr std::uint16_t capped_warnings(std::uint64_t warnings) {
    return static_cast<std::uint16_t>(std::min<std::uint64_t>(warnings, 0xffff));
}

}  // namespace shardway::protocol
