// Reading a YAML file strictly: each value is asked for by the type it must have, and everything that is
// wrong becomes a finding, so that one run tells an administrator all of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "rules/load.hpp"

namespace shardway::rules {

// A value of the file and the keys that lead to it.
struct At {
    YAML::Node node;
    std::string path;  // "databases.shop.groups"
    YAML::Mark mark;   // of the value; of its key where the value is empty

    At item(std::size_t index) const;
};

class YamlReader {
public:
    explicit YamlReader(std::string file) : file_{std::move(file)} {}

    void report(const At& at, std::string found, std::string expected);
    void report_at(const YAML::Mark& mark, std::string key, std::string found, std::string expected);

    // The pairs of a map in the file's order. Not a map: a finding, and none. A key that comes twice is a
    // finding.
    struct Pair {
        std::string name;
        At value;
        YAML::Mark key_mark;
    };
    std::vector<Pair> pairs(const At& at);
    // The items of a list, or the one value that stands in its place.
    std::vector<At> one_or_list(const At& at);

    std::optional<std::string> text(const At& at);
    std::optional<std::uint64_t> integer(const At& at, std::uint64_t low, std::uint64_t high);
    std::optional<bool> boolean(const At& at);
    std::optional<std::chrono::milliseconds> duration(const At& at);  // 500ms, 3s, 2m, 1h; 0
    std::optional<std::uint64_t> bytes(const At& at);                 // 4096, 64KiB, 64MiB, 1GiB
    std::optional<std::uint64_t> count(const At& at, std::uint64_t high) { return integer(at, 0, high); }
    // Position in `words`.
    std::optional<std::size_t> one_of(const At& at, std::span<const std::string_view> words);

    std::vector<Finding> take_findings();
    std::map<std::string, Place> take_places() { return std::move(places_); }
    bool clean() const { return findings_.empty(); }

private:
    // Enough to see what is wrong; a file of another kind would fill the screen.
    static constexpr std::size_t findings_max = 1000;

    std::string file_;
    std::vector<Finding> findings_;
    std::map<std::string, Place> places_;
};

// One map whose keys are known. Ask for each key, then `finish` reports those that nobody asked for.
class MapReader {
public:
    MapReader(YamlReader& reader, const At& at) : reader_{reader}, at_{at}, pairs_{reader.pairs(at)} {}

    // Absent when the key is missing.
    std::optional<At> find(std::string_view key);
    // A missing key is a finding.
    std::optional<At> need(std::string_view key, std::string expected);
    bool has(std::string_view key) const;
    void finish();

private:
    YamlReader& reader_;
    At at_;
    std::vector<YamlReader::Pair> pairs_;
    std::vector<std::string> known_;
};

// The word nearest to `word`, when it is near enough to be what was meant.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> words);
// "a", "b" or "c".
std::string listed(std::span<const std::string_view> words);

}  // namespace shardway::rules
