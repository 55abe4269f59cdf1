#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "rules/load_parts.hpp"
#include "rules/moment.hpp"

namespace shardway::rules {

namespace {

constexpr std::string_view algorithm_types[] = {"hash", "mod", "range", "list", "time", "ring", "composite"};
constexpr std::string_view hash_functions[] = {"crc32", "fnv1a", "murmur3", "md5", "kingshard"};
// What kingshard hashes are keys of its fleets, never the points of a ring.
constexpr std::span<const std::string_view> ring_functions = std::span{hash_functions}.first(4);
constexpr std::string_view time_units[] = {"day", "week", "month", "quarter", "year"};

template <class Enum>
void read_enum(YamlReader& in, MapReader& map, std::string_view key, std::span<const std::string_view> words,
               Enum& target) {
    if (const auto at = map.find(key))
        if (const auto which = in.one_of(*at, words)) target = static_cast<Enum>(*which);
}

std::uint32_t read_slots(YamlReader& in, const At& at) {
    return static_cast<std::uint32_t>(in.integer(at, 1, slots_max).value_or(1));
}

// A value of a list or a boundary of a range. Unquoted digits are a number, an unquoted date is a moment; the
// rest is text.
std::optional<Key> read_key(YamlReader& in, const At& at) {
    const auto text = in.text(at);
    if (!text) return std::nullopt;
    const bool quoted = at.node.Tag() == "!";
    if (!quoted) {
        const char* const end = text->data() + text->size();
        std::int64_t number = 0;
        if (const auto [stop, error] = std::from_chars(text->data(), end, number);
            error == std::errc{} && stop == end)
            return Key::of(number);
        std::uint64_t large = 0;
        if (const auto [stop, error] = std::from_chars(text->data(), end, large);
            error == std::errc{} && stop == end)
            return Key::of(large);
        if (const auto parsed = parse_moment(*text))
            return Key::of(parsed->moment, parsed->has_time ? 6 : Key::day_only);
    }
    const bool has_control =
        std::any_of(text->begin(), text->end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
    if (has_control || text->ends_with(' ')) {
        in.report(at, "a text with control characters or spaces at its end", "one without");
        return std::nullopt;
    }
    return Key::of(*text);
}

bool same_kind(const Key& left, const Key& right) {
    return left.is_number() ? right.is_number() : left.value.index() == right.value.index();
}

std::optional<AlgorithmRule> read_hash(YamlReader& in, MapReader& map) {
    HashRule rule;
    read_enum(in, map, "function", hash_functions, rule.function);
    if (const auto slots = map.find("slots")) rule.slots = read_slots(in, *slots);
    return rule;
}

std::optional<AlgorithmRule> read_mod(YamlReader& in, MapReader& map) {
    ModRule rule;
    const auto slots = map.need("slots", "the number to divide by");
    if (!slots) return std::nullopt;
    rule.slots = read_slots(in, *slots);
    return rule;
}

std::optional<AlgorithmRule> read_range(YamlReader& in, MapReader& map) {
    RangeRule rule;
    const auto boundaries = map.need("boundaries", "a list of rising values");
    if (!boundaries) return std::nullopt;
    for (const auto& item : in.one_or_list(*boundaries)) {
        auto key = read_key(in, item);
        if (!key) return std::nullopt;
        if (!rule.boundaries.empty()) {
            const Key& before = rule.boundaries.back();
            if (!same_kind(before, *key)) {
                in.report(item, fmt::format("'{}' behind '{}'", key->text(), before.text()),
                          "boundaries of one type");
                return std::nullopt;
            }
            if (compare(*key, before) <= 0) {
                in.report(item, fmt::format("{} behind {}", key->text(), before.text()),
                          "rising boundaries: ranges must not overlap");
                return std::nullopt;
            }
        }
        rule.boundaries.push_back(std::move(*key));
    }
    if (rule.boundaries.empty() || rule.boundaries.size() >= slots_max) {
        in.report(*boundaries, fmt::format("{} boundaries", rule.boundaries.size()),
                  fmt::format("1 to {}", slots_max - 1));
        return std::nullopt;
    }
    return rule;
}

std::optional<AlgorithmRule> read_list(YamlReader& in, MapReader& map) {
    ListRule rule;
    const auto values = map.need("values", "slots with their values, {0: [a, b], 1: [c]}");
    if (!values) return std::nullopt;
    bool good = true;
    std::vector<bool> used;
    const auto use = [&](std::uint32_t slot) {
        if (used.size() <= slot) used.resize(slot + 1);
        used[slot] = true;
        rule.slots = std::max(rule.slots, slot + 1);
    };
    for (const auto& pair : in.pairs(*values)) {
        std::uint32_t slot = 0;
        const char* const end = pair.name.data() + pair.name.size();
        const auto [stop, error] = std::from_chars(pair.name.data(), end, slot);
        if (error != std::errc{} || stop != end || slot >= slots_max) {
            in.report_at(pair.key_mark, pair.value.path, fmt::format("'{}'", pair.name),
                         "the number of a slot");
            good = false;
            continue;
        }
        use(slot);
        for (const auto& item : in.one_or_list(pair.value)) {
            auto key = read_key(in, item);
            if (!key) {
                good = false;
                continue;
            }
            const auto twice = std::find_if(rule.entries.begin(), rule.entries.end(),
                                            [&](const auto& entry) { return entry.key == *key; });
            if (twice != rule.entries.end()) {
                in.report(item, fmt::format("'{}', which slot {} has", key->text(), twice->slot.value),
                          "each value once");
                good = false;
            } else if (!rule.entries.empty() && !same_kind(rule.entries.front().key, *key)) {
                in.report(item, fmt::format("'{}' beside '{}'", key->text(), rule.entries.front().key.text()),
                          "values of one type (quotes make a text)");
                good = false;
            } else {
                rule.entries.push_back({std::move(*key), Slot{slot}});
            }
        }
    }
    if (const auto rest = map.find("default")) {
        const auto slot = in.integer(*rest, 0, slots_max - 1);
        if (slot) use(static_cast<std::uint32_t>(*slot));
        if (slot) rule.rest = Slot{*slot};
    }
    for (std::size_t slot = 0; slot < used.size(); ++slot)
        if (!used[slot]) {
            in.report(*values, fmt::format("no value for slot {}", slot),
                      fmt::format("values for all slots up to {}", used.size() - 1));
            good = false;
        }
    if (good && rule.entries.empty()) {
        in.report(*values, "no value", "at least one");
        good = false;
    }
    if (!good) return std::nullopt;
    return rule;
}

// The first day of the unit that `text` names: 2026, 2026-01, 2026-Q1, 2026-01-31, whichever the unit can be
// named by.
std::optional<Moment> unit_named(TimeUnit unit, const std::string& text) {
    std::string day = text;
    if (unit == TimeUnit::year && text.size() == 4) day += "-01-01";
    if (unit == TimeUnit::month && text.size() == 7) day += "-01";
    if (unit == TimeUnit::quarter && text.size() == 7) {
        const bool named = (text[5] == 'Q' || text[5] == 'q') && text[6] >= '1' && text[6] <= '4';
        day = named ? fmt::format("{}-{:02}-01", text.substr(0, 4), (text[6] - '1') * 3 + 1) : text + "-01";
    }
    const auto parsed = parse_moment(day);
    if (!parsed || parsed->has_time) return std::nullopt;
    return unit_begin(unit, unit_number(unit, parsed->moment));
}

std::optional<AlgorithmRule> read_time(YamlReader& in, MapReader& map) {
    constexpr std::string_view forms[] = {"a day, 2026-01-31", "a day of the week, 2026-01-05",
                                          "a month, 2026-01", "a quarter, 2026-Q1", "a year, 2026"};
    TimeRule rule;
    const auto unit = map.need("unit", listed(time_units));
    const auto from = map.need("from", "the first unit"), to = map.need("to", "the last unit");
    if (!unit || !from || !to) return std::nullopt;
    const auto which = in.one_of(*unit, time_units);
    if (!which) return std::nullopt;
    rule.unit = static_cast<TimeUnit>(*which);
    for (const auto& [at, target] : {std::pair{*from, &rule.from}, {*to, &rule.to}}) {
        const auto text = in.text(at);
        const auto begin = text ? unit_named(rule.unit, *text) : std::nullopt;
        if (text && !begin) in.report(at, fmt::format("'{}'", *text), std::string{forms[*which]});
        if (!begin) return std::nullopt;
        *target = *begin;
    }
    if (rule.to < rule.from) {
        in.report(*to, "an end before the beginning", "from before to");
        return std::nullopt;
    }
    if (slot_count_of(rule) > slots_max) {
        in.report(*to, fmt::format("{} slots", slot_count_of(rule)), fmt::format("at most {}", slots_max));
        return std::nullopt;
    }
    return rule;
}

std::optional<AlgorithmRule> read_ring(YamlReader& in, MapReader& map,
                                       const std::vector<std::string>& members) {
    RingRule rule;
    if (const auto vnodes = map.find("vnodes"))
        rule.vnodes = static_cast<std::uint32_t>(in.integer(*vnodes, 1, 10'000).value_or(1));
    read_enum(in, map, "function", ring_functions, rule.function);
    rule.members = members;
    if (members.empty()) return std::nullopt;  // `place` is wrong, and said so
    return rule;
}

std::optional<AlgorithmRule> read_composite(YamlReader& in, const At& at, MapReader& map);

std::optional<AlgorithmRule> read_one(YamlReader& in, const At& at, MapReader& map,
                                      const std::vector<std::string>& members, bool may_nest) {
    const auto type = map.need("type", listed(algorithm_types));
    const auto which = type ? in.one_of(*type, algorithm_types) : std::nullopt;
    if (!which) return std::nullopt;
    switch (*which) {
    case 0: return read_hash(in, map);
    case 1: return read_mod(in, map);
    case 2: return read_range(in, map);
    case 3: return read_list(in, map);
    case 4: return read_time(in, map);
    default: break;
    }
    if (!may_nest) {
        in.report(*type, fmt::format("{} inside composite", algorithm_types[*which]),
                  "hash, mod, range, list or time");
        return std::nullopt;
    }
    return *which == 5 ? read_ring(in, map, members) : read_composite(in, at, map);
}

std::optional<AlgorithmRule> read_composite(YamlReader& in, const At& at, MapReader& map) {
    const auto keys = map.need("keys", "a list of columns with their algorithms");
    if (!keys) return std::nullopt;
    auto rule = std::make_shared<CompositeRule>();
    std::uint64_t slots = 1;
    for (const auto& item : in.one_or_list(*keys)) {
        MapReader part{in, item};
        const auto column = part.need("column", "the name of a column");
        const auto name = column ? in.text(*column) : std::nullopt;
        const auto algorithm = read_one(in, item, part, {}, false);
        if (algorithm) part.finish();
        if (!name || !algorithm) return std::nullopt;
        const bool twice = std::any_of(rule->parts.begin(), rule->parts.end(),
                                       [&](const auto& other) { return other.column == *name; });
        if (twice) {
            in.report(*column, fmt::format("'{}' again", *name), "each column once");
            return std::nullopt;
        }
        slots *= slot_count_of(*algorithm);
        if (slots > slots_max) {
            in.report(item, fmt::format("{} slots together", slots), fmt::format("at most {}", slots_max));
            return std::nullopt;
        }
        rule->parts.push_back({*name, *algorithm});
    }
    if (rule->parts.size() < 2 || rule->parts.size() > 4) {
        in.report(at, fmt::format("{} keys", rule->parts.size()), "2 to 4");
        return std::nullopt;
    }
    return AlgorithmRule{std::shared_ptr<const CompositeRule>{rule}};
}

}  // namespace

std::optional<AlgorithmRule> read_algorithm(YamlReader& in, const At& at,
                                            const std::vector<std::string>& members) {
    MapReader map{in, at};
    auto rule = read_one(in, at, map, members, true);
    // With an unknown type no key is known either.
    if (map.has("type") && rule) map.finish();
    return rule;
}

}  // namespace shardway::rules
