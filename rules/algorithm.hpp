// From keys to slots. The mappings are storage formats: rows lie where they put them, for ever.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/key.hpp"
#include "rules/slot_map.hpp"
#include "rules/slots.hpp"

namespace shardway::rules {

// Which kind of keys an algorithm takes; the column's type must fit (check says so).
enum class KeyKind : std::uint8_t { any, number, text, moment };

// Immutable, shared by all threads. Most algorithms have one part, the shard key; a composite one has several
// columns, in the order of TableRule::keys.
class Algorithm {
public:
    virtual ~Algorithm() = default;

    std::uint32_t slot_count() const { return slot_count_; }
    virtual std::size_t part_count() const { return 1; }
    virtual KeyKind kind_of_part(std::size_t part) const = 0;

    // Where the row with these keys (one per part) lies. Absent when it has no slot: a date outside the years
    // that are laid out, a value that a list does not name. An INSERT of it is refused; a comparison with it
    // matches no row.
    virtual std::optional<Slot> slot_of(std::span<const Key> keys) const = 0;
    std::optional<Slot> slot_of(const Key& key) const { return slot_of(std::span{&key, 1}); }

    // All slots in which rows with this value of one part may lie. For an AND over several parts intersect
    // the sets.
    virtual Slots slots_with(std::size_t part, const Key& key) const = 0;
    // The same for all values of a range. Algorithms that keep no order answer all slots.
    virtual Slots slots_of(std::size_t part, const KeyRange& range) const = 0;

    // An expression that computes the slot on a MySQL server from expressions for the parts, for moving and
    // checking rows; `columns` are quoted names. Empty where there is none (fnv1a, murmur3, ring on them).
    virtual std::string sql_expression(std::span<const std::string> columns) const = 0;

    // The slots of a slot's parts, of a composite algorithm's keys in their order; of others the slot itself.
    virtual std::vector<std::uint32_t> digits_of(Slot slot) const { return {slot.value}; }

    // Slots made ahead by time carry a name, such as 2026_01, that a layout may use; empty elsewhere.
    virtual std::string slot_label(Slot) const { return {}; }

protected:
    explicit Algorithm(std::uint32_t slots) : slot_count_{slots} {}

private:
    std::uint32_t slot_count_;
};

// The base of algorithms over one column.
class OnePartAlgorithm : public Algorithm {
public:
    std::optional<Slot> slot_of(std::span<const Key> keys) const final { return slot_for(keys.front()); }
    using Algorithm::slot_of;
    Slots slots_with(std::size_t, const Key& key) const final;
    KeyKind kind_of_part(std::size_t) const final { return kind_; }

protected:
    OnePartAlgorithm(std::uint32_t slots, KeyKind kind) : Algorithm{slots}, kind_{kind} {}
    virtual std::optional<Slot> slot_for(const Key& key) const = 0;

private:
    KeyKind kind_;
};

// What the rules file says of an algorithm; checked by load_rules.
// The last is kingshard's, for its fleets: a number is its own hash, and so is a text of digits alone that
// fits 64 bits; other texts take their CRC32.
enum class HashFunction : std::uint8_t { crc32, fnv1a, murmur3, md5, kingshard };
enum class TimeUnit : std::uint8_t { day, week, month, quarter, year };

struct HashRule {
    HashFunction function = HashFunction::crc32;
    std::uint32_t slots = 256;
};
struct ModRule {
    std::uint32_t slots = 0;
};
struct RangeRule {
    std::vector<Key> boundaries;  // rising; all of one kind
};
struct ListRule {
    struct Entry {
        Key key;
        Slot slot;
    };
    std::vector<Entry> entries;
    std::optional<Slot> rest;  // `default`
    std::uint32_t slots = 0;
};
struct TimeRule {
    TimeUnit unit = TimeUnit::month;
    Moment from;  // first day of the first unit
    Moment to;    // first day of the last unit
};
struct RingRule {
    std::uint32_t vnodes = 160;
    HashFunction function = HashFunction::crc32;
    std::vector<std::string> members;  // names; the slot of a member is its position
};
struct CompositeRule;
using AlgorithmRule = std::variant<HashRule, ModRule, RangeRule, ListRule, TimeRule, RingRule,
                                   std::shared_ptr<const CompositeRule>>;
struct CompositeRule {
    struct Part {
        std::string column;
        AlgorithmRule algorithm;  // never composite itself
    };
    std::vector<Part> parts;  // slot = ((slot of part 0) * slots of part 1 + slot of part 1) …
};

std::uint32_t slot_count_of(const AlgorithmRule& rule);
// Equal exactly when the rules put every key into the same slot by the same means: "hash crc32 256". For
// comparing rules on a reload and for naming an algorithm to people.
std::string identity_of(const AlgorithmRule& rule);
std::shared_ptr<const Algorithm> make_algorithm(const AlgorithmRule& rule);

// The hash functions themselves, over bytes.
std::uint32_t crc32(std::string_view bytes);
std::uint32_t fnv1a(std::string_view bytes);
std::uint32_t murmur3(std::string_view bytes);
std::uint64_t md5_head(std::string_view bytes);  // first 8 bytes, big-endian

// Units of time: which one a day lies in, counted from the unit that holds 0000-01-01 (weeks begin on
// Monday), and the first day of a unit.
std::int64_t unit_number(TimeUnit unit, const Moment& moment);
Moment unit_begin(TimeUnit unit, std::int64_t number);

}  // namespace shardway::rules
