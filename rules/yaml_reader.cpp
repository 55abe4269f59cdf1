#include "rules/yaml_reader.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardway::rules {

namespace {

std::string kind_name(const YAML::Node& node) {
    switch (node.Type()) {
    case YAML::NodeType::Map: return "a map";
    case YAML::NodeType::Sequence: return "a list";
    case YAML::NodeType::Scalar: return fmt::format("'{}'", node.Scalar());
    default: return "nothing";
    }
}

std::string join_path(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

// The whole text as a number, or nothing.
std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Letters inserted, left out or exchanged, and neighbours swapped.
std::size_t edits_between(std::string_view left, std::string_view right) {
    std::vector<std::size_t> above_last, last, row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        above_last = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t exchanged = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, exchanged});
            const bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped) row[j] = std::min(row[j], above_last[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

At At::item(std::size_t index) const {
    const YAML::Node child = node[index];
    return {child, fmt::format("{}[{}]", path, index), child.Mark()};
}

void YamlReader::report(const At& at, std::string found, std::string expected) {
    report_at(at.mark, at.path, std::move(found), std::move(expected));
}

void YamlReader::report_at(const YAML::Mark& mark, std::string key, std::string found, std::string expected) {
    if (findings_.size() >= findings_max) return;
    findings_.push_back(
        {file_, mark.line + 1, mark.column + 1, std::move(key), std::move(found), std::move(expected)});
}

std::vector<YamlReader::Pair> YamlReader::pairs(const At& at) {
    std::vector<Pair> result;
    if (!at.node.IsMap()) {
        report(at, kind_name(at.node), "a map");
        return result;
    }
    for (const auto& entry : at.node) {
        const YAML::Mark mark = entry.first.Mark();
        if (!entry.first.IsScalar()) {
            report_at(mark, at.path, kind_name(entry.first) + " as a key", "a word");
            continue;
        }
        const std::string name = entry.first.Scalar();
        const auto same = [&](const Pair& pair) { return pair.name == name; };
        if (const auto first = std::find_if(result.begin(), result.end(), same); first != result.end()) {
            report_at(mark, join_path(at.path, name),
                      fmt::format("the key again; line {} has it", first->key_mark.line + 1),
                      "each key once");
            continue;
        }
        places_.try_emplace(join_path(at.path, name), Place{mark.line + 1, mark.column + 1});
        const YAML::Mark value_mark = entry.second.IsNull() ? mark : entry.second.Mark();
        result.push_back({name, {entry.second, join_path(at.path, name), value_mark}, mark});
    }
    return result;
}

std::vector<At> YamlReader::one_or_list(const At& at) {
    if (!at.node.IsSequence()) return {at};
    std::vector<At> result;
    for (std::size_t i = 0; i < at.node.size(); ++i) result.push_back(at.item(i));
    return result;
}

std::optional<std::string> YamlReader::text(const At& at) {
    if (at.node.IsScalar()) return at.node.Scalar();
    report(at, kind_name(at.node), "a text");
    return std::nullopt;
}

std::optional<std::uint64_t> YamlReader::integer(const At& at, std::uint64_t low, std::uint64_t high) {
    const auto value = at.node.IsScalar() ? whole_number(at.node.Scalar()) : std::nullopt;
    if (value && *value >= low && *value <= high) return value;
    report(at, kind_name(at.node), fmt::format("a whole number from {} to {}", low, high));
    return std::nullopt;
}

std::optional<bool> YamlReader::boolean(const At& at) {
    if (at.node.IsScalar() && at.node.Scalar() == "true") return true;
    if (at.node.IsScalar() && at.node.Scalar() == "false") return false;
    report(at, kind_name(at.node), "true or false");
    return std::nullopt;
}

std::optional<std::chrono::milliseconds> YamlReader::duration(const At& at) {
    constexpr std::uint64_t most = std::uint64_t{366} * 24 * 3600 * 1000;
    if (at.node.IsScalar()) {
        const std::string_view text = at.node.Scalar();
        const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
        const auto value = whole_number(text.substr(0, digits));
        const std::string_view unit = text.substr(digits);
        const std::uint64_t millis = unit == "ms"  ? 1
                                     : unit == "s" ? 1000
                                     : unit == "m" ? 60'000
                                     : unit == "h" ? 3'600'000
                                                   : 0;
        if (value && *value == 0 && (unit.empty() || millis != 0)) return std::chrono::milliseconds{0};
        if (value && millis != 0 && *value <= most / millis)
            return std::chrono::milliseconds{*value * millis};
    }
    report(at, kind_name(at.node), "a duration with its unit, such as 500ms, 3s, 2m or 1h");
    return std::nullopt;
}

std::optional<std::uint64_t> YamlReader::bytes(const At& at) {
    constexpr std::uint64_t most = std::uint64_t{1} << 50;
    if (at.node.IsScalar()) {
        const std::string_view text = at.node.Scalar();
        const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
        const auto value = whole_number(text.substr(0, digits));
        const std::string_view unit = text.substr(digits);
        const int shift = unit.empty() || unit == "B" ? 0
                          : unit == "KiB"             ? 10
                          : unit == "MiB"             ? 20
                          : unit == "GiB"             ? 30
                                                      : -1;
        if (value && shift >= 0 && *value <= most >> shift) return *value << shift;
    }
    report(at, kind_name(at.node), "a number of bytes, such as 4096, 64KiB, 64MiB or 1GiB");
    return std::nullopt;
}

std::optional<std::size_t> YamlReader::one_of(const At& at, std::span<const std::string_view> words) {
    if (at.node.IsScalar()) {
        const auto found = std::find(words.begin(), words.end(), at.node.Scalar());
        if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    }
    report(at, kind_name(at.node), listed(words));
    return std::nullopt;
}

std::vector<Finding> YamlReader::take_findings() {
    std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
        return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    return std::move(findings_);
}

std::optional<At> MapReader::find(std::string_view key) {
    known_.emplace_back(key);
    for (const auto& pair : pairs_)
        if (pair.name == key) return pair.value;
    return std::nullopt;
}

std::optional<At> MapReader::need(std::string_view key, std::string expected) {
    auto found = find(key);
    if (!found && at_.node.IsMap())
        reader_.report_at(at_.mark, join_path(at_.path, std::string{key}), "nothing", std::move(expected));
    return found;
}

bool MapReader::has(std::string_view key) const {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.name == key; });
}

void MapReader::finish() {
    for (const auto& pair : pairs_) {
        if (std::find(known_.begin(), known_.end(), pair.name) != known_.end()) continue;
        const auto meant = nearest(pair.name, known_);
        std::string expected =
            meant ? fmt::format("'{}'?", *meant) : fmt::format("one of {}", fmt::join(known_, ", "));
        reader_.report_at(pair.key_mark, pair.value.path, "an unknown key", std::move(expected));
    }
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> words) {
    std::optional<std::string> best;
    std::size_t best_edits = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const auto& candidate : words) {
        const std::size_t edits = edits_between(word, candidate);
        if (edits < best_edits) {
            best_edits = edits;
            best = candidate;
        }
    }
    return best;
}

std::string listed(std::span<const std::string_view> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
    return text;
}

}  // namespace shardway::rules
