// Slot maps in the metadata store. `place` seeds a map; once stored, the stored map wins, and it changes only
// by compare-and-set. The text form is a storage format: a line "shardway slot map 1", then per shard
// "<first>-<last> <node>".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rules.hpp"
#include "rules/topology.hpp"
#include "schema/meta_store.hpp"

namespace shardway::rules {

std::string slot_map_key(std::string_view database, std::string_view group);

// Names nodes, not numbers: the order of nodes in the rules may change.
std::string encode_slot_map(const Rules& rules, const std::vector<SlotMap::Shard>& shards);
// Throws std::invalid_argument with the reason when `text` is none or names an unknown node.
SlotMap decode_slot_map(const Rules& rules, std::string_view text, std::uint64_t version);

// All groups' maps as they are stored; groups without one are seeded from `place` first. The version of a map
// is its revision in the store. Throws std::invalid_argument for a stored map that the rules do not fit,
// schema::MetaError when the store fails.
StoredMaps load_or_seed_maps(const Rules& rules, schema::MetaStore& store);
// Only what is stored; seeds nothing.
StoredMaps load_maps(const Rules& rules, schema::MetaStore& store);

// Publishes another map of a group against the version it was made from; the new version, or nothing when the
// stored map has changed since.
std::optional<std::uint64_t> publish_map(const Rules& rules, schema::MetaStore& store,
                                         std::string_view database, std::string_view group,
                                         const std::vector<SlotMap::Shard>& shards,
                                         std::uint64_t from_version);

// One line for each group whose stored map is not what `place` says: for `check` and for the log at start.
std::vector<std::string> map_differences(const Rules& rules, const StoredMaps& maps);

// One line for each reason why rows would be orphaned if `next` replaced `current` while `maps` are in force:
// another algorithm, another number of slots, another key, a node gone that slots lie on, a layout that names
// shards otherwise. A reload is refused when there is any.
std::vector<std::string> orphaned_by(const Rules& current, const Rules& next, const StoredMaps& maps);

}  // namespace shardway::rules
