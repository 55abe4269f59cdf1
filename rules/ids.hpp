// Ids for the columns that the rules name: IdSources for the process, ThreadIds for each thread that runs
// INSERTs.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <variant>

#include "rules/topology.hpp"
#include "schema/segment.hpp"
#include "schema/snowflake.hpp"
#include "schema/uuid7.hpp"

namespace shardway::rules {

// An id as it goes into the statement: a number, or a UUID (as text for CHAR columns, as bytes for BINARY
// ones).
using GeneratedId = std::variant<std::uint64_t, schema::Uuid>;
using GeneratedIdResult = std::variant<GeneratedId, schema::IdProblem>;

// How many low bits of the rule's ids are the slot of the table's key.
int gene_bits_of(const TableRule& rule, const IdRule& id);

// The rule's id column of any kind of table; null without one.
const IdRule* id_rule_of(const TableRule& rule);

// Owns the worker id and the sequences, and a thread that keeps them: it moves the worker id's mark ahead and
// fetches segments' blocks, so that nobody who asks for an id waits for the store. Outlives all ThreadIds.
class IdSources {
public:
    // What the keeper thread cannot do is said to `on_trouble`, from that thread; ids go on as long as they
    // last. Throws schema::MetaError when the store fails at once. `store`, `clock` and `random` outlive
    // this.
    IdSources(schema::MetaStore& store, const base::Clock& clock, base::Random& random,
              std::function<void(const std::string&)> on_trouble);
    ~IdSources();
    IdSources(const IdSources&) = delete;
    IdSources& operator=(const IdSources&) = delete;

    // Before a topology is published: makes the sources that its tables want and do not have yet. May wait
    // for the store, and throw schema::MetaError.
    void prepare(const Topology& topology);

private:
    friend class ThreadIds;
    // One table's source. Never removed, so pointers to it stay good.
    struct Source {
        IdGenerator generator = IdGenerator::snowflake;
        int gene_bits = 0;
        std::unique_ptr<schema::SnowflakeSource> snowflakes;
        std::unique_ptr<schema::GeneSnowflakes> gene_snowflakes;
        std::unique_ptr<schema::Segment> segment;
    };
    static std::string name_of(std::string_view database, std::string_view table);
    Source* find(const std::string& name);
    void wake();
    void keep_running();
    void keep_once();

    schema::MetaStore& store_;
    const base::Clock& clock_;
    base::Random& random_;
    const std::function<void(const std::string&)> on_trouble_;
    schema::SnowflakeWorker worker_;
    std::mutex mutex_;  // of sources_; asked for once per thread and table
    std::map<std::string, std::unique_ptr<Source>> sources_;
    std::mutex waking_;
    std::condition_variable woken_;
    bool wake_ = false, stop_ = false;
    std::thread keeper_;
};

class ThreadIds {
public:
    explicit ThreadIds(IdSources& sources) : sources_{sources}, uuids_{sources.clock_, sources.random_} {}

    // The next id of a table that has an id rule. `slot` is that of the row's shard key; needed where the id
    // column carries the gene. Takes no lock but for a table's first id.
    GeneratedIdResult next(std::string_view database, const TableState& table, std::optional<Slot> slot);
    // The same, but out of up to `tries` ids the first that `wanted` likes; the last when it likes none. For
    // ids whose locator lies beside the row.
    GeneratedIdResult next_liked(std::string_view database, const TableState& table, std::optional<Slot> slot,
                                 int tries, const std::function<bool(const GeneratedId&)>& wanted);

private:
    struct Mine {
        IdSources::Source* source;
        std::optional<schema::Snowflakes> snowflakes;
    };
    IdSources& sources_;
    schema::Uuid7Generator uuids_;
    std::unordered_map<std::string, Mine> mine_;
};

}  // namespace shardway::rules
