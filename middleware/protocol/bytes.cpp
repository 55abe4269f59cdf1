#include "middleware/protocol/bytes.hpp"

#include <algorithm>

namespace shardway::protocol {

namespace {
constexpr std::size_t first_capacity = 512;
}

void Buffer::make_room(std::size_t size) {
    const std::size_t used = end_ - begin_;
    // Moving to the front is worth it while at least half of the block was consumed; else a queue that stays
    // nearly full would be moved for every few bytes.
    if (capacity_ - used >= size && begin_ >= capacity_ / 2) {
        std::memmove(storage_.get(), storage_.get() + begin_, used);
    } else {
        const std::size_t wanted = std::max({used + size, capacity_ + capacity_ / 2, first_capacity});
        auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(wanted);
        if (used > 0) std::memcpy(larger.get(), storage_.get() + begin_, used);
        storage_ = std::move(larger);
        capacity_ = wanted;
    }
    begin_ = 0;
    end_ = used;
}

}  // namespace shardway::protocol
