#include "schema/segment.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace shardway::schema {

Segment::Segment(MetaStore& store, std::string key, std::uint64_t last)
    : store_{store}, key_{std::move(key)}, last_{last} {
    oldest_ = newest_ = new Block;  // an empty one: readers never meet a null
    current_ = oldest_;
}

Segment::~Segment() {
    while (oldest_ != nullptr) delete std::exchange(oldest_, oldest_->next.load());
}

IdResult Segment::next() {
    Block* block = current_.load(std::memory_order_acquire);
    for (;;) {
        const std::uint64_t at = block->taken.fetch_add(1, std::memory_order_relaxed);
        if (at < block->size) return block->first + at;
        Block* const behind = block->next.load(std::memory_order_acquire);
        if (behind == nullptr)
            return ended_.load(std::memory_order_acquire) ? IdProblem::exhausted : IdProblem::not_ready;
        // Whoever comes first moves on; the others find the new block in `block`.
        if (current_.compare_exchange_strong(block, behind, std::memory_order_acq_rel)) block = behind;
    }
}

bool Segment::wants_fill() const {
    const Block* const block = current_.load(std::memory_order_acquire);
    return block->next.load(std::memory_order_acquire) == nullptr && !ended_.load(std::memory_order_relaxed);
}

void Segment::fill() {
    const std::lock_guard lock{filling_};
    if (!wants_fill()) return;
    const Block* const block = current_.load(std::memory_order_acquire);
    const bool too_late = block->size != 0 && block->taken.load(std::memory_order_relaxed) >= block->size;
    if (too_late) block_size_ = std::min(block_size_ * 2, block_size_max);
    for (;;) {
        const auto entry = store_.get(key_);
        std::uint64_t first = 1;
        if (entry) {
            const auto [end, error] =
                std::from_chars(entry->value.data(), entry->value.data() + entry->value.size(), first);
            if (error != std::errc{} || end != entry->value.data() + entry->value.size())
                throw MetaError(fmt::format("metadata store: {} is '{}', no number", key_, entry->value));
        }
        if (first > last_) {
            ended_.store(true, std::memory_order_release);
            return;
        }
        const std::uint64_t size = std::min(block_size_ - 1, last_ - first) + 1;
        // Another process may have been faster: then behind its block.
        if (!store_.compare_and_set(key_, entry ? entry->revision : 0, std::to_string(first + size)))
            continue;
        auto* const added = new Block;
        added->first = first;
        added->size = size;
        newest_->next.store(added, std::memory_order_release);
        newest_ = added;
        return;
    }
}

}  // namespace shardway::schema
