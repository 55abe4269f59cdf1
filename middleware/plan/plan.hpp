// What the planner makes of a statement: a Plan (immutable, cached, shared by all statements with one plan
// key) and a Routed, the plan filled with one text's values: what goes to which node. The session runs a
// Routed; nothing here waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "middleware/protocol/sql_error.hpp"
#include "rules/ids.hpp"
#include "rules/key.hpp"
#include "rules/slot_map.hpp"
#include "rules/topology.hpp"
#include "sqlparse/options.hpp"

namespace shardway::sqlparse {
struct Statement;
}

namespace shardway::plan {

// The empty database that statements on sharded tables run in: a name that rewriting missed fails there.
constexpr std::string_view none_database = "shardway_none";

// What the planner asks of a session while it plans. Implemented by the session; a test implements it in a
// few lines.
class SessionView {
public:
    virtual ~SessionView() = default;
    // May this user name this database at all? Asked for databases of the rules and for those that do not
    // exist.
    virtual bool may_use(std::string_view database) const = 0;
    // The SQL literal that stands for @@name (scope: "", "global", "session", …; the name in lower case, a
    // structured one with its dot), or nothing, so that the node answers from the state that the session
    // brought over. @@version,
    // @@version_comment, @@hostname, @@server_id, @@port, @@autocommit and the like are ours.
    virtual std::optional<std::string> variable(std::string_view scope, std::string_view name) const = 0;
};

// Where missing ids come from. The session's thread implements it; planning never waits.
class IdProvider {
public:
    virtual ~IdProvider() = default;
    // `slot` is that of the row's shard key, where ids carry it.
    virtual rules::GeneratedIdResult next(std::string_view database, const rules::TableState& table,
                                          std::optional<rules::Slot> slot) = 0;
};

// The session as the planner sees it, for one statement. Everything referred to lives until plan() returns.
struct PlanContext {
    const rules::Topology&
        topology;  // the statement's snapshot: the session holds its shared_ptr until the answer is out
    const SessionView& session;
    sqlparse::ParseOptions options;  // sql_mode, client charset class, dialect, server version
    std::string_view database;       // the session's default database, empty for none; known and allowed
    std::string_view user;           // USER(): "app@127.0.0.1"
    std::string_view current_user;   // CURRENT_USER(): "app@%"
    // character_set_client by its MySQL name: what the bytes of string literals are in. Part of state_hash.
    std::string_view charset = "utf8mb4";
    // What the meaning of literals depends on: a time_zone that is an offset, strict mode.
    rules::KeyContext keys;
    IdProvider* ids = nullptr;     // null: statements that need one are refused
    bool zero_is_a_value = false;  // NO_AUTO_VALUE_ON_ZERO: only NULL asks for an id
    std::uint64_t connection_id = 0;
    std::uint64_t last_insert_id = 0;
    std::int64_t row_count = -1;
    std::uint64_t found_rows = 0;
    // Everything else that a plan may depend on, hashed: sql_mode, charsets, collation, sql_select_limit.
    // What goes into `options` need not be in it again.
    std::uint64_t state_hash = 0;
    // The node the open transaction has already touched. Reads that any node can answer go there.
    std::optional<rules::NodeId> preferred_node;
    bool in_transaction = false;
};

enum class StatementKind : std::uint8_t {
    select,
    insert,
    replace,
    update,
    delete_,
    show,
    explain,
    ddl,
    call,
    other,
    session
};
std::string_view name_of(StatementKind kind);

enum class Strategy : std::uint8_t {
    session,  // SET, USE, BEGIN, COMMIT, SAVEPOINT, KILL, SHOW DATABASES, SHOW WARNINGS, …: the session acts
              // on the tree
    one_place,         // runs whole, at one shard or node: one part, its answer is the answer
    split_write,       // every part writes its own rows; counts are added; all parts succeed or none
    everywhere_write,  // a reference table: one text for every node, all succeed or none, the first part's
                       // answer counts
    scatter_read,      // every part gives rows, which Plan::merge puts together
    scatter_write,     // UPDATE or DELETE: every part changes its rows; counts are added; all or nothing
};
std::string_view name_of(Strategy strategy);  // the words that explain shows

// How the shards were found, cheapest first (DESIGN.md 6.6).
enum class AccessPath : std::uint8_t {
    none,        // no table at all
    any_node,    // reference tables only
    its_node,    // single tables, single-node databases, the template's metadata
    shard_key,   // conditions on the shard key
    impossible,  // no row can match: one shard, chosen by rule, says so with the right columns
    scatter,     // every shard of the group
};
std::string_view name_of(AccessPath path);

// A table of the statement, by its logical name.
struct TableName {
    std::string database, table;
    bool operator==(const TableName&) const = default;
};

// Physical names that can come back from a part (column definitions, error texts) and the logical ones the
// client knows. Views into the topology.
struct NameMapping {
    std::string_view physical_database, physical_table;
    std::string_view logical_database, logical_table;
};

struct RouteTemplate;  // the inner side of a plan: edits with holes, key conditions
                       // (middleware/plan/template.hpp)
struct Merge;          // how a scatter_read becomes one result (middleware/plan/merge.hpp)

// A statement that the session acts on, with all that its tree points into.
struct ParsedStatement;
const sqlparse::Statement* tree_of(const ParsedStatement& parsed);
std::string_view text_of(const ParsedStatement& parsed);

// Immutable. Lives as long as somebody holds it, also after the planner dropped it from its cache.
struct Plan {
    StatementKind kind = StatementKind::other;
    Strategy strategy = Strategy::one_place;  // the best that can come of it
    AccessPath access = AccessPath::none;
    bool writes = false;        // changes rows, or commits implicitly (DDL)
    bool locking_read = false;  // FOR UPDATE, FOR SHARE: belongs to the primary and into the transaction
    // A result set is expected. Unparsed text and CALL may answer either way.
    bool returns_rows = false;
    bool implicit_commit = false;  // DDL and its like end the open transaction first
    bool reads_clock = false;      // NOW() and its like: pinned where several parts must agree
    // Not understood, passed on for a single-node database: never on a connection with multi-statements.
    bool unparsed = false;
    std::vector<TableName> tables;  // all that are named, each once
    // Logical databases that are named; rights are asked for again when the plan comes from the cache.
    std::vector<std::string> databases;
    // Only for Strategy::session, and only where no literal is in it; Routed::parsed is always there.
    std::shared_ptr<const ParsedStatement> parsed;
    std::shared_ptr<const RouteTemplate> route;
};

struct Part {
    rules::NodeId node;
    std::optional<rules::ShardId> shard;  // set where all sharded tables of the part lie in one shard
    // What the connection's default database must be. shardway_none where sharded tables are named, or no
    // database is chosen.
    std::string_view default_database;  // view into the topology or static
    std::string text;                   // without trailing comment or semicolon: may stand behind a prefix
    // split_write: the rows of the VALUES list that this part holds, counted from 0 in the client's text;
    // rising. Empty for everything else. Row 2 of the part is row rows[1] + 1 of the client, in "at row 2" of
    // warnings and errors.
    std::vector<std::uint32_t> rows;
    boost::container::small_vector<NameMapping, 1> names;  // empty where nothing was renamed
};

// The ids of an INSERT's rows, where its table has an id column that we know.
struct InsertIds {
    std::uint64_t first_made = 0;             // the first id that we made; 0: none, or it is no number
    bool all_given = false;                   // each row brought its own, so that LAST_INSERT_ID() stays
    std::optional<std::uint64_t> last_given;  // the last row's, where all are given
    bool reported = false;                    // the column counts: a node says which id it wrote last
    bool on_duplicate = false;                // ON DUPLICATE KEY UPDATE: a row may not have been new
};

struct Routed {
    std::shared_ptr<const Plan> plan;
    // What this text's values made of the plan: one and the same plan can meet in one shard or in many. Ask
    // here, not the plan.
    Strategy strategy = Strategy::one_place;
    AccessPath access = AccessPath::none;
    std::vector<Part> parts;  // in rising order of node, then shard; empty for Strategy::session
    std::shared_ptr<const ParsedStatement> parsed;  // only for Strategy::session
    std::shared_ptr<const Merge> merge;             // only for Strategy::scatter_read
    std::uint32_t row_count = 0;  // rows in the client's text of an INSERT; 0 for everything else
    std::optional<InsertIds> ids;
};

struct PlannerLimits {
    std::size_t cache_bytes_max = 8U << 20;         // plans kept, all together
    std::size_t cached_text_bytes_max = 64U << 10;  // longer texts are planned anew each time
    std::uint32_t parts_max = 65536;
};

struct PlannerCounters {
    std::uint64_t hits = 0, misses = 0, evictions = 0;
};

// One per thread; used by that thread alone. Holds the arena, the scan buffers and the plan cache.
class Planner {
public:
    explicit Planner(PlannerLimits limits = {});
    ~Planner();
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    // Plans exactly one statement (a trailing `;` and comments may follow it). Empty text is 1065. The result
    // owns all its strings but for views into the topology.
    protocol::Result<Routed> plan(std::string_view text, const PlanContext& context);

    const PlannerCounters& counters() const;
    std::size_t cache_bytes() const;
    void clear_cache();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardway::plan
