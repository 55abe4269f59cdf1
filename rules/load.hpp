// From the text of a rules file to checked Rules, or to all that is wrong with it at once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rules.hpp"

namespace shardway::rules {

// Larger files are refused before they are parsed.
constexpr std::size_t rules_bytes_max = 8 * 1024 * 1024;
constexpr std::size_t nodes_max = 4096;
constexpr std::size_t groups_max = 1024;  // per database

// One thing that is wrong, where it stands, and what to do.
struct Finding {
    std::string file;
    int line = 0;          // from 1; 0 when it is not about a place in the file
    int column = 0;        // from 1
    std::string key;       // "databases.shop.groups.by_user.place"
    std::string found;     // "slots 64-70 are placed twice"
    std::string expected;  // "each slot on exactly one node"
    // file:line:column: key: found; expected …
    std::string text() const;
    bool operator==(const Finding&) const = default;
};

// Where a key stands in the file, both from 1.
struct Place {
    int line = 0;
    int column = 0;
};

struct LoadResult {
    std::shared_ptr<const Rules> rules;  // null exactly when there are findings
    std::vector<Finding> findings;       // in the file's order
    // By key path, "databases.shop.tables.t_order": for findings about what is right by itself but not with a
    // schema.
    std::map<std::string, Place> places;
};

// `file` is named in the findings, and its folder is where relative paths start. Never throws for what the
// text holds.
LoadResult load_rules(std::string_view text, const std::string& file);
// Reads the file; an unreadable one is a finding.
LoadResult load_rules_file(const std::string& file);

}  // namespace shardway::rules
