#include "rules/algorithm.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "rules/moment.hpp"

namespace shardway::rules {

namespace {

std::uint64_t kingshard_hash(std::string_view text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? number : crc32(text);
}

std::uint64_t hash_of(HashFunction function, std::string_view bytes) {
    switch (function) {
    case HashFunction::crc32: return crc32(bytes);
    case HashFunction::fnv1a: return fnv1a(bytes);
    case HashFunction::murmur3: return murmur3(bytes);
    case HashFunction::md5: return md5_head(bytes);
    case HashFunction::kingshard: return kingshard_hash(bytes);
    }
    return 0;
}

std::uint64_t hash_of(HashFunction function, const Key& key) {
    if (const auto* text = std::get_if<std::string>(&key.value)) return hash_of(function, *text);
    if (const auto* number = std::get_if<std::int64_t>(&key.value);
        number != nullptr && function == HashFunction::kingshard)
        return static_cast<std::uint64_t>(*number);  // of a negative one, the two's complement
    std::string text;                                // short enough for no heap
    key.append_text(text);
    return hash_of(function, text);
}

// The same on a server; empty for functions that servers do not have, and for kingshard's, which would need
// the column's type.
std::string hash_sql(HashFunction function, const std::string& column) {
    if (function == HashFunction::crc32) return fmt::format("CRC32({})", column);
    // MySQL's MD5, in a component since 9.6, takes strings only.
    if (function == HashFunction::md5)
        return fmt::format("CAST(CONV(LEFT(MD5(CONCAT({}, '')), 16), 16, 10) AS UNSIGNED)", column);
    return "";
}

bool is_kind(KeyKind kind, const Key& key) {
    switch (kind) {
    case KeyKind::any: return true;
    case KeyKind::number: return key.is_number();
    case KeyKind::text: return std::holds_alternative<std::string>(key.value);
    case KeyKind::moment: return std::holds_alternative<Moment>(key.value);
    }
    return false;
}

KeyKind kind_of(const Key& key) {
    if (key.is_number()) return KeyKind::number;
    return std::holds_alternative<Moment>(key.value) ? KeyKind::moment : KeyKind::text;
}

// A key as a literal that means the same under every sql_mode and character set.
std::string sql_literal(const Key& key) {
    if (key.is_number()) return key.text();
    if (std::holds_alternative<Moment>(key.value)) return "'" + key.text() + "'";
    std::string hex;
    for (const unsigned char byte : key.text()) hex += fmt::format("{:02x}", byte);
    return hex.empty() ? "''" : "x'" + hex + "'";
}

// Nothing lies between the two ends.
bool is_void(const KeyRange& range) {
    if (!range.low || !range.high) return false;
    const auto order = compare(*range.low, *range.high);
    return order > 0 || (order == 0 && !(range.low_included && range.high_included));
}

class HashAlgorithm final : public OnePartAlgorithm {
public:
    explicit HashAlgorithm(const HashRule& rule)
        : OnePartAlgorithm{rule.slots, KeyKind::any}, function_{rule.function} {}

    // Hashing keeps no order, so any range may touch every slot.
    Slots slots_of(std::size_t, const KeyRange& range) const override {
        return is_void(range) ? Slots::none(slot_count()) : Slots::all(slot_count());
    }
    std::string sql_expression(std::span<const std::string> columns) const override {
        const std::string hash = hash_sql(function_, columns.front());
        return hash.empty() ? "" : fmt::format("({} % {})", hash, slot_count());
    }

private:
    std::optional<Slot> slot_for(const Key& key) const override {
        return Slot{hash_of(function_, key) % slot_count()};
    }

    HashFunction function_;
};

class ModAlgorithm final : public OnePartAlgorithm {
public:
    explicit ModAlgorithm(const ModRule& rule) : OnePartAlgorithm{rule.slots, KeyKind::number} {}

    // A range shorter than the number of slots touches as many slots as it has keys.
    Slots slots_of(std::size_t, const KeyRange& range) const override {
        if (is_void(range)) return Slots::none(slot_count());
        const auto low = range.low ? value_of(*range.low) : std::nullopt;
        const auto high = range.high ? value_of(*range.high) : std::nullopt;
        if (!low || !high) return Slots::all(slot_count());
        const __int128 first = *low + (range.low_included ? 0 : 1);
        const __int128 last = *high - (range.high_included ? 0 : 1);
        if (last - first >= static_cast<__int128>(slot_count()) - 1) return Slots::all(slot_count());
        Slots slots = Slots::none(slot_count());
        for (__int128 number = first; number <= last; ++number) slots.add(slot_of_number(number));
        return slots;
    }
    std::string sql_expression(std::span<const std::string> columns) const override {
        return fmt::format("((({0} % {1}) + {1}) % {1})", columns.front(), slot_count());
    }

private:
    static std::optional<__int128> value_of(const Key& key) {
        if (const auto* number = std::get_if<std::int64_t>(&key.value)) return *number;
        if (const auto* large = std::get_if<std::uint64_t>(&key.value)) return *large;
        return std::nullopt;
    }
    Slot slot_of_number(__int128 number) const {
        const auto slots = static_cast<__int128>(slot_count());
        return Slot{static_cast<std::size_t>((number % slots + slots) % slots)};
    }
    std::optional<Slot> slot_for(const Key& key) const override {
        const auto number = value_of(key);
        assert(number);
        return slot_of_number(*number);
    }
};

class RangeAlgorithm final : public OnePartAlgorithm {
public:
    explicit RangeAlgorithm(const RangeRule& rule)
        : OnePartAlgorithm{static_cast<std::uint32_t>(rule.boundaries.size() + 1),
                           kind_of(rule.boundaries.front())},
          boundaries_{rule.boundaries} {}

    Slots slots_of(std::size_t, const KeyRange& range) const override {
        if (is_void(range)) return Slots::none(slot_count());
        const std::uint32_t first = range.low ? slot_of(*range.low)->value : 0;
        std::uint32_t last = range.high ? slot_of(*range.high)->value : slot_count() - 1;
        // Below a boundary lies nothing of the slot that begins there.
        if (range.high && !range.high_included && last > first &&
            compare(boundaries_[last - 1], *range.high) == 0)
            --last;
        return Slots::range(slot_count(), first, last);
    }
    std::string sql_expression(std::span<const std::string> columns) const override {
        std::string sql = "CASE";
        for (std::size_t i = 0; i < boundaries_.size(); ++i)
            sql += fmt::format(" WHEN {} < {} THEN {}", columns.front(), sql_literal(boundaries_[i]), i);
        return fmt::format("({} ELSE {} END)", sql, boundaries_.size());
    }

private:
    std::optional<Slot> slot_for(const Key& key) const override {
        const auto after = std::upper_bound(boundaries_.begin(), boundaries_.end(), key,
                                            [](const Key& a, const Key& b) { return compare(a, b) < 0; });
        return Slot{static_cast<std::size_t>(after - boundaries_.begin())};
    }

    std::vector<Key> boundaries_;
};

struct KeyLess {
    bool operator()(const Key& left, const Key& right) const { return compare(left, right) < 0; }
};

class ListAlgorithm final : public OnePartAlgorithm {
public:
    explicit ListAlgorithm(const ListRule& rule)
        : OnePartAlgorithm{rule.slots,
                           rule.entries.empty() ? KeyKind::any : kind_of(rule.entries.front().key)},
          rest_{rule.rest} {
        for (const auto& entry : rule.entries) slots_.emplace(entry.key, entry.slot);
    }

    // The listed values inside the range, and the slot of the rest, which may have any.
    Slots slots_of(std::size_t, const KeyRange& range) const override {
        Slots slots = Slots::none(slot_count());
        if (is_void(range)) return slots;
        for (const auto& [key, slot] : slots_) {
            const auto low = range.low ? compare(key, *range.low) : std::strong_ordering::greater;
            const auto high = range.high ? compare(key, *range.high) : std::strong_ordering::less;
            if ((low > 0 || (low == 0 && range.low_included)) &&
                (high < 0 || (high == 0 && range.high_included)))
                slots.add(slot);
        }
        if (rest_) slots.add(*rest_);
        return slots;
    }
    std::string sql_expression(std::span<const std::string> columns) const override {
        std::map<std::uint32_t, std::string> values;
        for (const auto& [key, slot] : slots_) {
            auto& list = values[slot.value];
            list += (list.empty() ? "" : ", ") + sql_literal(key);
        }
        std::string sql = "CASE";
        for (const auto& [slot, list] : values)
            sql += fmt::format(" WHEN {} IN ({}) THEN {}", columns.front(), list, slot);
        if (rest_) sql += fmt::format(" ELSE {}", rest_->value);
        return fmt::format("({} END)", sql);
    }

private:
    std::optional<Slot> slot_for(const Key& key) const override {
        const auto found = slots_.find(key);
        return found == slots_.end() ? rest_ : std::optional{found->second};
    }

    std::map<Key, Slot, KeyLess> slots_;
    std::optional<Slot> rest_;
};

class TimeAlgorithm final : public OnePartAlgorithm {
public:
    explicit TimeAlgorithm(const TimeRule& rule)
        : OnePartAlgorithm{slot_count_of(rule), KeyKind::moment},
          unit_{rule.unit},
          first_{unit_number(rule.unit, rule.from)} {}

    Slots slots_of(std::size_t, const KeyRange& range) const override {
        const Slots nothing = Slots::none(slot_count());
        if (is_void(range)) return nothing;
        std::int64_t first = range.low ? number_of(*range.low) - first_ : 0;
        std::int64_t last = range.high ? number_of(*range.high) - first_ : slot_count() - 1;
        // Before the first moment of a unit lies nothing of it.
        if (range.high && !range.high_included &&
            std::get<Moment>(range.high->value) == unit_begin(unit_, last + first_))
            --last;
        first = std::max<std::int64_t>(first, 0);
        last = std::min<std::int64_t>(last, slot_count() - 1);
        if (first > last) return nothing;
        return Slots::range(slot_count(), static_cast<std::uint32_t>(first),
                            static_cast<std::uint32_t>(last));
    }
    // A TIMESTAMP's slot is that of its time in UTC: the session that runs this has time_zone '+00:00'.
    std::string sql_expression(std::span<const std::string> columns) const override {
        const std::string number = fmt::format("({} - {})", unit_sql(columns.front()), first_);
        return fmt::format("(CASE WHEN {0} BETWEEN 0 AND {1} THEN {0} END)", number, slot_count() - 1);
    }
    std::string slot_label(Slot slot) const override {
        const Moment begin = unit_begin(unit_, first_ + slot.value);
        switch (unit_) {
        case TimeUnit::day:
        case TimeUnit::week: return fmt::format("{:04}{:02}{:02}", begin.year, begin.month, begin.day);
        case TimeUnit::month: return fmt::format("{:04}{:02}", begin.year, begin.month);
        case TimeUnit::quarter: return fmt::format("{:04}q{}", begin.year, begin.month / 3 + 1);
        case TimeUnit::year: return fmt::format("{:04}", begin.year);
        }
        return {};
    }

private:
    std::int64_t number_of(const Key& key) const { return unit_number(unit_, std::get<Moment>(key.value)); }
    std::string unit_sql(const std::string& column) const {
        switch (unit_) {
        case TimeUnit::day: return fmt::format("TO_DAYS({})", column);
        case TimeUnit::week: return fmt::format("(TO_DAYS({}) - 2) DIV 7", column);
        case TimeUnit::month: return fmt::format("(YEAR({0}) * 12 + MONTH({0}) - 1)", column);
        case TimeUnit::quarter: return fmt::format("(YEAR({0}) * 4 + QUARTER({0}) - 1)", column);
        case TimeUnit::year: return fmt::format("YEAR({})", column);
        }
        return {};
    }
    std::optional<Slot> slot_for(const Key& key) const override {
        const std::int64_t number = number_of(key) - first_;
        if (number < 0 || number >= slot_count()) return std::nullopt;
        return Slot{static_cast<std::size_t>(number)};
    }

    TimeUnit unit_;
    std::int64_t first_;
};

// Consistent hashing. Each member owns `vnodes` points on a circle of 32 bits: the head of
// md5("<member>#<i>"), first 4 bytes, big-endian. A key belongs to the member of the first point at or behind
// its own hash. Storage format.
class RingAlgorithm final : public OnePartAlgorithm {
public:
    explicit RingAlgorithm(const RingRule& rule)
        : OnePartAlgorithm{static_cast<std::uint32_t>(rule.members.size()), KeyKind::any},
          function_{rule.function} {
        for (std::size_t member = 0; member < rule.members.size(); ++member)
            for (std::uint32_t i = 0; i < rule.vnodes; ++i) {
                const auto at = md5_head(fmt::format("{}#{}", rule.members[member], i)) >> 32;
                points_.push_back({static_cast<std::uint32_t>(at), Slot{member}});
            }
        // Where two points meet, the earlier member wins.
        std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
            return a.at != b.at ? a.at < b.at : a.slot < b.slot;
        });
        const auto same_place = [](const Point& a, const Point& b) { return a.at == b.at; };
        points_.erase(std::unique(points_.begin(), points_.end(), same_place), points_.end());
    }

    Slots slots_of(std::size_t, const KeyRange& range) const override {
        return is_void(range) ? Slots::none(slot_count()) : Slots::all(slot_count());
    }
    std::string sql_expression(std::span<const std::string> columns) const override {
        std::string hash = hash_sql(function_, columns.front());
        if (hash.empty()) return "";
        if (function_ == HashFunction::md5) hash += " >> 32";
        std::string sql =
            fmt::format("CASE WHEN ({}) > {} THEN {}", hash, points_.back().at, points_.front().slot.value);
        for (std::size_t i = 0; i + 1 < points_.size(); ++i)
            if (points_[i].slot != points_[i + 1].slot)
                sql += fmt::format(" WHEN ({}) <= {} THEN {}", hash, points_[i].at, points_[i].slot.value);
        return fmt::format("({} ELSE {} END)", sql, points_.back().slot.value);
    }

private:
    struct Point {
        std::uint32_t at;
        Slot slot;
    };
    std::optional<Slot> slot_for(const Key& key) const override {
        const std::uint64_t wide = hash_of(function_, key);
        const auto hash = static_cast<std::uint32_t>(function_ == HashFunction::md5 ? wide >> 32 : wide);
        const auto at =
            std::lower_bound(points_.begin(), points_.end(), hash,
                             [](const Point& point, std::uint32_t value) { return point.at < value; });
        return at == points_.end() ? points_.front().slot : at->slot;
    }

    HashFunction function_;
    std::vector<Point> points_;
};

class CompositeAlgorithm final : public Algorithm {
public:
    explicit CompositeAlgorithm(const CompositeRule& rule) : Algorithm{slots_of_parts(rule)} {
        for (const auto& part : rule.parts) parts_.push_back(make_algorithm(part.algorithm));
    }

    std::size_t part_count() const override { return parts_.size(); }
    KeyKind kind_of_part(std::size_t part) const override { return parts_[part]->kind_of_part(0); }

    std::optional<Slot> slot_of(std::span<const Key> keys) const override {
        assert(keys.size() == parts_.size());
        std::uint32_t slot = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const auto digit = parts_[i]->slot_of(keys[i]);
            if (!digit) return std::nullopt;
            slot = slot * parts_[i]->slot_count() + digit->value;
        }
        return Slot{slot};
    }
    Slots slots_with(std::size_t part, const Key& key) const override {
        return spread(part, parts_[part]->slots_with(0, key));
    }
    Slots slots_of(std::size_t part, const KeyRange& range) const override {
        return spread(part, parts_[part]->slots_of(0, range));
    }
    std::string sql_expression(std::span<const std::string> columns) const override {
        std::string sql = "0";
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::string digit = parts_[i]->sql_expression(columns.subspan(i, 1));
            if (digit.empty()) return "";
            sql = i == 0 ? digit : fmt::format("({} * {} + {})", sql, parts_[i]->slot_count(), digit);
        }
        return sql;
    }
    std::vector<std::uint32_t> digits_of(Slot slot) const override {
        std::vector<std::uint32_t> digits;
        std::uint32_t below = slot_count();
        for (const auto& part : parts_) {
            below /= part->slot_count();
            digits.push_back(slot.value / below % part->slot_count());
        }
        return digits;
    }
    std::string slot_label(Slot slot) const override {
        const auto digits = digits_of(slot);
        std::string label;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::string name = parts_[i]->slot_label(Slot{digits[i]});
            label += (label.empty() ? "" : "_") + (name.empty() ? fmt::format("{:02}", digits[i]) : name);
        }
        return label;
    }

private:
    static std::uint32_t slots_of_parts(const CompositeRule& rule) {
        std::uint32_t slots = 1;
        for (const auto& part : rule.parts) slots *= slot_count_of(part.algorithm);
        return slots;
    }
    // All slots whose digit of `part` is among `digits`.
    Slots spread(std::size_t part, const Slots& digits) const {
        std::uint32_t below = 1;
        for (std::size_t i = part + 1; i < parts_.size(); ++i) below *= parts_[i]->slot_count();
        Slots slots = Slots::none(slot_count());
        const std::uint32_t turn = below * digits.size();
        digits.for_each([&](Slot digit) {
            for (std::uint32_t first = digit.value * below; first < slot_count(); first += turn)
                slots.add_range(first, first + below - 1);
        });
        return slots;
    }

    std::vector<std::shared_ptr<const Algorithm>> parts_;
};

template <class... F>
struct Cases : F... {
    using F::operator()...;
};

}  // namespace

Slots OnePartAlgorithm::slots_with(std::size_t, const Key& key) const {
    assert(is_kind(kind_, key));
    const auto slot = slot_for(key);
    return slot ? Slots::one(slot_count(), *slot) : Slots::none(slot_count());
}

std::uint32_t slot_count_of(const AlgorithmRule& rule) {
    return std::visit(
        Cases{[](const HashRule& hash) { return hash.slots; }, [](const ModRule& mod) { return mod.slots; },
              [](const RangeRule& range) { return static_cast<std::uint32_t>(range.boundaries.size() + 1); },
              [](const ListRule& list) { return list.slots; },
              [](const TimeRule& time) {
                  return static_cast<std::uint32_t>(unit_number(time.unit, time.to) -
                                                    unit_number(time.unit, time.from) + 1);
              },
              [](const RingRule& ring) { return static_cast<std::uint32_t>(ring.members.size()); },
              [](const std::shared_ptr<const CompositeRule>& composite) {
                  std::uint32_t slots = 1;
                  for (const auto& part : composite->parts) slots *= slot_count_of(part.algorithm);
                  return slots;
              }},
        rule);
}

std::string identity_of(const AlgorithmRule& rule) {
    constexpr std::string_view functions[] = {"crc32", "fnv1a", "murmur3", "md5", "kingshard"};
    constexpr std::string_view units[] = {"day", "week", "month", "quarter", "year"};
    const auto function = [&](HashFunction which) { return functions[static_cast<std::size_t>(which)]; };
    const auto named = [](const Key& key) { return fmt::format("{}:{}", key.text().size(), key.text()); };
    return std::visit(
        Cases{[&](const HashRule& hash) {
                  return fmt::format("hash {} {}", function(hash.function), hash.slots);
              },
              [](const ModRule& mod) { return fmt::format("mod {}", mod.slots); },
              [&](const RangeRule& range) {
                  std::string text = "range";
                  for (const auto& boundary : range.boundaries) text += " " + named(boundary);
                  return text;
              },
              [&](const ListRule& list) {
                  std::map<std::string, std::uint32_t> sorted;
                  for (const auto& entry : list.entries) sorted[named(entry.key)] = entry.slot.value;
                  std::string text = fmt::format("list {}", list.slots);
                  for (const auto& [key, slot] : sorted) text += fmt::format(" {}={}", key, slot);
                  return text + (list.rest ? fmt::format(" default {}", list.rest->value) : "");
              },
              [&](const TimeRule& time) {
                  return fmt::format("time {} {} {}", units[static_cast<std::size_t>(time.unit)],
                                     Key::of(time.from, Key::day_only).text(),
                                     Key::of(time.to, Key::day_only).text());
              },
              [&](const RingRule& ring) {
                  std::string text = fmt::format("ring {} {}", function(ring.function), ring.vnodes);
                  for (const auto& member : ring.members) text += " " + member;
                  return text;
              },
              [](const std::shared_ptr<const CompositeRule>& composite) {
                  std::string text = "composite";
                  for (const auto& part : composite->parts)
                      text += fmt::format(" [{} {}]", part.column, identity_of(part.algorithm));
                  return text;
              }},
        rule);
}

std::shared_ptr<const Algorithm> make_algorithm(const AlgorithmRule& rule) {
    using Made = std::shared_ptr<const Algorithm>;
    return std::visit(
        Cases{[](const HashRule& hash) -> Made { return std::make_shared<HashAlgorithm>(hash); },
              [](const ModRule& mod) -> Made { return std::make_shared<ModAlgorithm>(mod); },
              [](const RangeRule& range) -> Made { return std::make_shared<RangeAlgorithm>(range); },
              [](const ListRule& list) -> Made { return std::make_shared<ListAlgorithm>(list); },
              [](const TimeRule& time) -> Made { return std::make_shared<TimeAlgorithm>(time); },
              [](const RingRule& ring) -> Made { return std::make_shared<RingAlgorithm>(ring); },
              [](const std::shared_ptr<const CompositeRule>& composite) -> Made {
                  return std::make_shared<CompositeAlgorithm>(*composite);
              }},
        rule);
}

}  // namespace shardway::rules
