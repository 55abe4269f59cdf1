// What must outlive the process and be one for all proxies of a fleet: slot map versions, jobs, id segments,
// checkpoints. Small texts by key, each with the revision of its last change; whoever changes one says which
// revision it saw. Control path only: every call may wait for a disk or a network.
//
// Keys are paths, "slot_map/shop/by_user". All methods may be called from any thread, and throw MetaError
// when the store itself fails; then nothing is known of the change.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/clock.hpp"

namespace shardway::schema {

constexpr std::size_t meta_key_bytes_max = 512;
constexpr std::size_t meta_value_bytes_max = 16 * 1024 * 1024;

class MetaError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Grows with each change of the store, by any process. 0: never.
using Revision = std::uint64_t;

struct MetaEntry {
    std::string key;
    std::string value;
    Revision revision = 0;
    bool erased = false;  // only in changes
    bool operator==(const MetaEntry&) const = default;
};

// A change that holds only if `key` is at revision `expected`; 0: only if it does not exist. No value: erase.
struct MetaWrite {
    std::string key;
    Revision expected = 0;
    std::optional<std::string> value;
};

// The right to do something alone until it expires. `token` differs from every earlier lease of that name, so
// that a holder that slept can be told from its successor.
struct MetaLease {
    std::string name;
    std::string holder;
    std::uint64_t token = 0;
    base::WallTime expires;
};

class MetaStore {
public:
    virtual ~MetaStore() = default;

    virtual std::optional<MetaEntry> get(std::string_view key) = 0;
    // All entries whose key starts with `prefix`, in order of key.
    virtual std::vector<MetaEntry> list(std::string_view prefix) = 0;

    // All of the writes, or none: nothing when an expectation fails. All get the revision that is returned.
    // On return they are on the disk.
    virtual std::optional<Revision> commit(std::span<const MetaWrite> writes) = 0;
    std::optional<Revision> compare_and_set(std::string_view key, Revision expected, std::string value);
    bool compare_and_erase(std::string_view key, Revision expected);

    // The revision of the last change of anything.
    virtual Revision revision() = 0;
    // Entries under `prefix` that changed after revision `after`, each once, in order of revision; erased
    // ones are marked. Waits for the first of them, at most `timeout` (0: does not wait).
    virtual std::vector<MetaEntry> watch(std::string_view prefix, Revision after,
                                         std::chrono::milliseconds timeout) = 0;

    // Takes a lease that is free, expired, or already `holder`'s (which prolongs it and keeps its token).
    virtual std::optional<MetaLease> acquire(std::string_view name, std::string_view holder,
                                             std::chrono::milliseconds duration) = 0;
    // Prolongs it; false when it is lost: expired and taken by another, or released.
    virtual bool renew(MetaLease& lease, std::chrono::milliseconds duration) = 0;
    virtual void release(const MetaLease& lease) = 0;
};

// The store in one SQLite file (WAL, synchronous FULL), shared by the processes of one machine. Makes the
// file when it is missing, in an existing folder. Throws MetaError when it is not ours, from a newer
// Shardway, or cannot be opened. `clock` outlives the store.
std::unique_ptr<MetaStore> open_sqlite_store(const std::string& file,
                                             const base::Clock& clock = base::Clock::system());

}  // namespace shardway::schema
