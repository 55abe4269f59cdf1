// A set of slots of one group, 0 … size-1.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

#include "rules/slot_map.hpp"

namespace shardway::rules {

// Up to 256 slots (the usual size) need no heap. Sets that meet in an operation are of one size.
class Slots {
public:
    static Slots none(std::uint32_t size) { return Slots{size}; }
    static Slots all(std::uint32_t size);
    static Slots one(std::uint32_t size, Slot slot) {
        Slots set{size};
        set.add(slot);
        return set;
    }
    static Slots range(std::uint32_t size, std::uint32_t first, std::uint32_t last);

    std::uint32_t size() const { return size_; }
    bool has(Slot slot) const { return (words()[slot.value / 64] >> (slot.value % 64) & 1) != 0; }
    void add(Slot slot) {
        assert(slot.value < size_);
        words()[slot.value / 64] |= std::uint64_t{1} << (slot.value % 64);
    }
    void add_range(std::uint32_t first, std::uint32_t last);
    std::uint32_t count() const;
    bool empty() const {
        for (std::size_t i = 0; i < word_count(); ++i)
            if (words()[i] != 0) return false;
        return true;
    }
    bool is_all() const { return count() == size_; }
    // The only slot of a set of one.
    std::optional<Slot> single() const;

    Slots& operator|=(const Slots& other);
    Slots& operator&=(const Slots& other);
    friend Slots operator|(Slots left, const Slots& right) { return left |= right; }
    friend Slots operator&(Slots left, const Slots& right) { return left &= right; }
    bool operator==(const Slots& other) const;

    // In rising order.
    template <class F>
    void for_each(F&& visit) const {
        for (std::size_t i = 0; i < word_count(); ++i)
            for (std::uint64_t word = words()[i]; word != 0; word &= word - 1)
                visit(Slot{i * 64 + static_cast<std::size_t>(std::countr_zero(word))});
    }
    // The shards that hold any of these slots, in rising order.
    std::vector<ShardId> shards(const SlotMap& map) const;

private:
    explicit Slots(std::uint32_t size);
    std::size_t word_count() const { return (size_ + 63) / 64; }
    std::uint64_t* words() { return large_.empty() ? small_.data() : large_.data(); }
    const std::uint64_t* words() const { return large_.empty() ? small_.data() : large_.data(); }

    std::uint32_t size_;
    std::array<std::uint64_t, 4> small_{};
    std::vector<std::uint64_t> large_;  // used instead of small_ when size_ > 256
};

}  // namespace shardway::rules
