// The rules file, checked: key for key what an administrator wrote, with names resolved and units parsed.
// Made by load_rules, immutable, part of a Topology.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/algorithm.hpp"
#include "rules/slot_map.hpp"

namespace shardway::rules {

// Names that are ours on every node.
constexpr std::string_view meta_database = "shardway_meta";
constexpr std::string_view empty_database = "shardway_none";

using Millis = std::chrono::milliseconds;

// host:port, [v6]:port, or unix:/path.
struct Address {
    std::string host;  // without brackets; empty for a socket path
    std::uint16_t port = 0;
    std::string path;  // of a unix socket, else empty
    bool is_unix() const { return !path.empty(); }
    std::string text() const;
    bool operator==(const Address&) const = default;
};

enum class TlsMode : std::uint8_t { disabled, preferred, required };

struct ListenTls {
    TlsMode mode = TlsMode::preferred;
    std::string cert, key, ca;  // absolute paths; empty cert and key: a self-signed pair is made
};

struct Listen {
    std::vector<Address> mysql;
    std::optional<Address> admin;
    ListenTls tls;
};

// How a user proves who it is; the greeting always names caching_sha2_password, others by AuthSwitch.
enum class AuthPlugin : std::uint8_t { caching_sha2_password, mysql_native_password };

struct User {
    std::string name;
    std::string password;
    std::vector<std::string> databases;  // logical; `all_databases` when none is named
    bool all_databases = false;
    bool admin = false;  // may give SHARDWAY statements
    AuthPlugin auth = AuthPlugin::caching_sha2_password;
    bool may_use(std::string_view database) const;
};

struct Backend {
    std::string user;
    std::string password;
    TlsMode tls = TlsMode::preferred;
    std::string tls_ca;              // verifies the nodes' certificates when given
    std::uint32_t connections = 64;  // per node, all threads together
    Millis connect_timeout{3000};
    Millis wait_timeout{10000};  // how long a statement waits for a free connection
    std::uint32_t depth = 1;     // stateless reads that may share a connection; 1: none
};

struct Node {
    std::string name;
    Address primary;
    std::vector<Address> replicas;
};

// How a group's shards are named on the nodes.
struct Layout {
    std::string database;           // pattern
    std::string table = "{table}";  // pattern
    // `list`: the name of each shard's place; then the patterns are empty. `table` is empty where only a
    // database was written: tables keep their logical names there.
    struct Place {
        std::string database, table;
    };
    std::vector<Place> list;  // one per shard
};

struct Group {
    std::string name;
    AlgorithmRule algorithm;
    std::uint32_t slots_per_shard = 1;
    // `place`, cut into shards: the map that seeds the metadata store. Once stored, the stored map wins.
    std::vector<SlotMap::Shard> shards;
    Layout layout;
    std::uint32_t slot_count() const { return slot_count_of(algorithm); }
};

enum class IdGenerator : std::uint8_t { snowflake, segment, uuid7 };
struct IdRule {
    std::string column;
    IdGenerator generator = IdGenerator::snowflake;
};

// A lookup table `<table>__by_<column>` with the columns (column, key, ver), sharded by `column` in a group
// of its own.
struct LocatorRule {
    std::string column;
    GroupId group;
    std::string table;  // its logical name
};

// The low `bits` of `column` are the slot of the table's key.
struct GeneRule {
    std::string column;
    std::uint32_t bits = 0;
};

struct ShardedTable {
    GroupId group;
    std::vector<std::string> keys;  // columns, one per part of the algorithm; one but for composite
    std::optional<IdRule> id;
    std::vector<LocatorRule> locators;
    std::optional<GeneRule> gene;
    const std::string& key() const { return keys.front(); }
};
struct ReferenceTable {
    std::optional<IdRule> id;
};
struct SingleTable {
    NodeId node;
};

struct TableRule {
    std::string name;
    std::variant<ShardedTable, ReferenceTable, SingleTable> kind;
    const ShardedTable* sharded() const { return std::get_if<ShardedTable>(&kind); }
    const SingleTable* single() const { return std::get_if<SingleTable>(&kind); }
    bool is_reference() const { return std::holds_alternative<ReferenceTable>(kind); }
};

struct Database {
    std::string name;
    NodeId default_node;
    std::vector<Group> groups;
    std::map<std::string, TableRule, std::less<>> tables;
    // Without groups and table rules the database lies whole on default_node, under its own name.
    bool is_single_node() const { return groups.empty() && tables.empty(); }
    const Group& group(GroupId id) const { return groups[id.value]; }
};

// 0 means "no limit" where the file says so.
struct Limits {
    std::uint64_t query_memory = std::uint64_t{64} << 20;  // bytes
    std::uint64_t total_memory = std::uint64_t{1} << 30;   // bytes
    std::uint64_t gather_bytes = std::uint64_t{256} << 20;
    std::uint64_t merge_rows = 0;
    Millis query_time{0};
    std::uint32_t fanout = 0;
};

struct Meta {
    std::string sqlite;             // absolute path; empty when etcd is used
    std::vector<std::string> etcd;  // URLs
};

enum class LogLevel : std::uint8_t { trace, debug, info, warn, error };
struct Log {
    LogLevel level = LogLevel::info;
    Millis slow{1000};  // statements that take longer are logged; 0: none
};

struct Rules {
    std::string file;  // where they were read from; absolute, or empty for text
    Listen listen;
    std::map<std::string, User, std::less<>> users;
    Backend backend;
    std::uint32_t threads = 0;  // 0: one per core
    std::vector<Node> nodes;    // in the file's order; a NodeId is a position here
    std::map<std::string, Database, std::less<>> databases;
    Limits limits;
    Meta meta;
    Log log;

    const Node& node(NodeId id) const { return nodes[id.value]; }
    std::optional<NodeId> find_node(std::string_view name) const;
    const Database* find_database(std::string_view name) const;
};

}  // namespace shardway::rules
