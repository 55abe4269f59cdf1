#include "rules/slots.hpp"

namespace shardway::rules {

Slots::Slots(std::uint32_t size) : size_{size} {
    if (word_count() > small_.size()) large_.resize(word_count());
}

Slots Slots::all(std::uint32_t size) { return range(size, 0, size - 1); }

Slots Slots::range(std::uint32_t size, std::uint32_t first, std::uint32_t last) {
    Slots set{size};
    set.add_range(first, last);
    return set;
}

void Slots::add_range(std::uint32_t first, std::uint32_t last) {
    assert(first <= last && last < size_);
    for (std::uint32_t slot = first; slot <= last;) {
        if (slot % 64 == 0 && last - slot >= 63) {
            words()[slot / 64] = ~std::uint64_t{0};
            slot += 64;
        } else {
            add(Slot{slot++});
        }
    }
}

std::uint32_t Slots::count() const {
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < word_count(); ++i)
        total += static_cast<std::uint32_t>(std::popcount(words()[i]));
    return total;
}

std::optional<Slot> Slots::single() const {
    std::optional<Slot> only;
    for (std::size_t i = 0; i < word_count(); ++i) {
        const std::uint64_t word = words()[i];
        if (word == 0) continue;
        if (only || !std::has_single_bit(word)) return std::nullopt;
        only = static_cast<Slot>(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
    return only;
}

Slots& Slots::operator|=(const Slots& other) {
    assert(size_ == other.size_);
    for (std::size_t i = 0; i < word_count(); ++i) words()[i] |= other.words()[i];
    return *this;
}

Slots& Slots::operator&=(const Slots& other) {
    assert(size_ == other.size_);
    for (std::size_t i = 0; i < word_count(); ++i) words()[i] &= other.words()[i];
    return *this;
}

bool Slots::operator==(const Slots& other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < word_count(); ++i)
        if (words()[i] != other.words()[i]) return false;
    return true;
}

std::vector<ShardId> Slots::shards(const SlotMap& map) const {
    std::vector<ShardId> result;
    for_each([&](Slot slot) {
        const ShardId shard = map.shard_of(slot);
        // Shards are runs of slots, so equal ones come one after the other.
        if (result.empty() || result.back() != shard) result.push_back(shard);
    });
    return result;
}

}  // namespace shardway::rules
