// Ids that need no round trip: 41 bits of milliseconds since 2024-01-01T00:00:00Z, 10 bits of worker id, 12
// bits of sequence; the sign bit stays 0. Storage format. In the year 2093 the milliseconds end.
//
// A worker id belongs to one process at a time. In the metadata store each has a mark, the millisecond up to
// which its owner may give ids; the owner moves it ahead as it goes, and whoever takes a worker id over
// begins behind it. So no id is given twice, whatever clocks do: neither by a process that lost its worker id
// and does not know yet, nor by one whose clock was set back. A clock that goes back is refused until it has
// caught up.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/base/clock.hpp"
#include "schema/meta_store.hpp"

namespace shardway::schema {

constexpr std::int64_t snowflake_epoch_ms = 1'704'067'200'000;
constexpr int worker_bits = 10;
constexpr int sequence_bits = 12;
constexpr std::uint32_t workers_max = 1u << worker_bits;

struct SnowflakeParts {
    std::int64_t unix_ms;
    std::uint32_t worker;
    std::uint32_t sequence;  // its low bits are the gene, where there is one
};
SnowflakeParts parts_of_snowflake(std::uint64_t id);

enum class IdProblem : std::uint8_t {
    clock_went_back,  // further than corrections go; nothing was given
    too_fast,         // more ids at once than ahead_ms_max has room for; the next milliseconds bring more
    not_ready,  // no worker id, or the mark or block is used up and not moved yet: keep() is late or the
                // store down
    exhausted   // a segment reached the end of its numbers
};
std::string_view text_of(IdProblem problem);
using IdResult = std::variant<std::uint64_t, IdProblem>;

// The worker id of this process. keep() is called by one control thread every `keep_interval` or sooner;
// grant() by any.
class SnowflakeWorker {
public:
    // How far the mark is moved ahead, and so how long a store may be down before ids end.
    static constexpr std::int64_t window_ms = 60'000;
    static constexpr std::chrono::milliseconds keep_interval{10'000};

    // Takes a worker id whose mark has passed, the longest unused first. `store` and `clock` outlive this.
    // Throws MetaError when the store fails. When the clock is behind all marks there is no grant; keep()
    // tries again.
    SnowflakeWorker(MetaStore& store, const base::Clock& clock);

    // Moves the mark ahead, or takes another worker id when this one was lost. Throws MetaError.
    void keep();

    // The worker id, and which milliseconds since the epoch it may use: after < ms <= until.
    struct Grant {
        std::uint32_t worker = 0;
        std::uint64_t after = 0;
        std::uint64_t until = 0;  // 0: no worker id
    };
    Grant grant() const;
    // Milliseconds since the epoch, now; 0 for a clock before 2024.
    std::uint64_t now_ms() const;

private:
    void take();
    void publish(const Grant& grant);

    MetaStore& store_;
    const base::Clock& clock_;
    Grant held_;  // keep()'s own
    Revision revision_ = 0;
    // The same for readers, who take no lock: odd while it is being written.
    std::atomic<std::uint64_t> version_ = 0;
    std::atomic<std::uint64_t> worker_ = 0, after_ = 0, until_ = 0;
};

// The ids of one process, or those with one gene. Any thread takes blocks, without a lock.
class SnowflakeSource {
public:
    // Corrections of a clock that are bridged by going on in the sequence.
    static constexpr std::uint64_t clock_slack_ms = 20;
    // A burst may use milliseconds that are still to come.
    static constexpr std::uint64_t ahead_ms_max = 2'000;

    // `worker` outlives this. With `gene_bits`, 1 … 12, the low bits of all ids are `gene`.
    explicit SnowflakeSource(const SnowflakeWorker& worker, int gene_bits = 0, std::uint32_t gene = 0)
        : worker_{worker}, gene_bits_{gene_bits}, gene_{gene} {}

    // Ticks next … end-1, each a millisecond and a sequence number.
    struct Block {
        std::uint64_t next = 0, end = 0;
        std::uint32_t worker = 0;
    };
    // 1 to `size` ids.
    std::variant<Block, IdProblem> take(std::uint32_t size);
    // The id of a tick.
    std::uint64_t id(std::uint64_t tick, std::uint32_t worker) const;

private:
    int tick_bits() const { return sequence_bits - gene_bits_; }

    const SnowflakeWorker& worker_;
    const int gene_bits_;
    const std::uint32_t gene_;
    std::atomic<std::uint64_t> state_ = 0;      // worker id << 53 | next tick
    std::atomic<std::uint64_t> latest_ms_ = 0;  // that the clock has shown
};

// One thread's ids from a source: takes them in blocks.
class Snowflakes {
public:
    static constexpr std::uint32_t block_size = 64;
    explicit Snowflakes(SnowflakeSource& source) : source_{&source} {}
    IdResult next();

private:
    SnowflakeSource* source_;
    SnowflakeSource::Block block_;
};

// Ids whose low bits are a gene, the slot of another key: a source for each gene. Any thread.
class GeneSnowflakes {
public:
    // `worker` outlives this; `bits` 1 … 12.
    GeneSnowflakes(const SnowflakeWorker& worker, int bits);
    // `gene` < 2^bits.
    IdResult next(std::uint32_t gene);

private:
    std::vector<std::unique_ptr<SnowflakeSource>> sources_;
};

}  // namespace shardway::schema
