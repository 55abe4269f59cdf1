// Ids from blocks of the metadata store: 1, 2, 3, … with gaps where a process ended. Small numbers for those
// who want them; snowflake ids cost no store.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "schema/meta_store.hpp"
#include "schema/snowflake.hpp"

namespace shardway::schema {

// One sequence, such as the ids of one column. While one block is used up the next is fetched; blocks grow
// where they do not last.
class Segment {
public:
    static constexpr std::uint64_t block_size_min = 1'000;
    static constexpr std::uint64_t block_size_max = 64'000;

    // `key` is the sequence's entry in the store, "ids/segment/shop/t_order/order_id"; its value is the next
    // number that nobody was given. Numbers end at `last`, the largest that the column can hold. `store`
    // outlives this.
    Segment(MetaStore& store, std::string key, std::uint64_t last = INT64_MAX);
    ~Segment();

    // Any thread, without a lock. not_ready when no block is left: fill(), and ask again.
    IdResult next();
    // Less than one block is left. Any thread.
    bool wants_fill() const;
    // Fetches a block. Control threads; throws MetaError when the store fails.
    void fill();

private:
    // Blocks form a list and live as long as the segment, so that no reader meets a freed one.
    struct Block {
        std::uint64_t first = 0, size = 0;
        std::atomic<std::uint64_t> taken = 0;
        std::atomic<Block*> next = nullptr;
    };

    MetaStore& store_;
    const std::string key_;
    const std::uint64_t last_;
    std::atomic<Block*> current_;
    std::atomic<bool> ended_ = false;
    std::mutex filling_;  // for fill() alone
    Block* oldest_;
    Block* newest_;
    std::uint64_t block_size_ = block_size_min;
};

}  // namespace shardway::schema
