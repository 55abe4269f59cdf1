// Capability flags of the handshake: what each side can do, and what is in force when both can.
#pragma once

#include <cstdint>

namespace shardway::protocol {

// CLIENT_SSL is Capability::ssl, and so on. Bits 32 and up are MariaDB's, sent in fields of their own.
enum class Capability : std::uint64_t {
    long_password = 1ULL << 0,  // MariaDB uses the bit for "I am MySQL": its own servers do not set it
    found_rows = 1ULL << 1,
    long_flag = 1ULL << 2,
    connect_with_db = 1ULL << 3,
    no_schema = 1ULL << 4,
    compress = 1ULL << 5,
    odbc = 1ULL << 6,
    local_files = 1ULL << 7,
    ignore_space = 1ULL << 8,
    protocol_41 = 1ULL << 9,
    interactive = 1ULL << 10,
    ssl = 1ULL << 11,
    ignore_sigpipe = 1ULL << 12,
    transactions = 1ULL << 13,
    reserved = 1ULL << 14,
    secure_connection = 1ULL << 15,
    multi_statements = 1ULL << 16,
    multi_results = 1ULL << 17,
    ps_multi_results = 1ULL << 18,
    plugin_auth = 1ULL << 19,
    connect_attrs = 1ULL << 20,
    plugin_auth_lenenc_client_data = 1ULL << 21,
    can_handle_expired_passwords = 1ULL << 22,
    session_track = 1ULL << 23,
    deprecate_eof = 1ULL << 24,
    optional_resultset_metadata = 1ULL << 25,
    zstd_compression = 1ULL << 26,
    query_attributes = 1ULL << 27,
    multi_factor_authentication = 1ULL << 28,
    capability_extension = 1ULL << 29,
    ssl_verify_server_cert = 1ULL << 30,
    remember_options = 1ULL << 31,
    mariadb_progress = 1ULL << 32,
    mariadb_com_multi = 1ULL << 33,
    mariadb_stmt_bulk_operations = 1ULL << 34,
    mariadb_extended_metadata = 1ULL << 35,
    mariadb_cache_metadata = 1ULL << 36,
};

class Capabilities {
public:
    constexpr Capabilities() = default;
    constexpr explicit Capabilities(std::uint64_t bits) : bits_{bits} {}
    constexpr Capabilities(Capability flag)
        : bits_{static_cast<std::uint64_t>(flag)} {}  // a flag is a set of one

    constexpr std::uint64_t bits() const { return bits_; }
    constexpr bool has(Capability flag) const { return (bits_ & static_cast<std::uint64_t>(flag)) != 0; }
    constexpr void set(Capability flag, bool on = true) {
        const auto bit = static_cast<std::uint64_t>(flag);
        bits_ = on ? bits_ | bit : bits_ & ~bit;
    }
    constexpr Capabilities without(Capabilities other) const { return Capabilities{bits_ & ~other.bits_}; }

    friend constexpr Capabilities operator|(Capabilities a, Capabilities b) {
        return Capabilities{a.bits_ | b.bits_};
    }
    friend constexpr Capabilities operator&(Capabilities a, Capabilities b) {
        return Capabilities{a.bits_ & b.bits_};
    }
    friend constexpr bool operator==(Capabilities, Capabilities) = default;

private:
    std::uint64_t bits_ = 0;
};

constexpr Capabilities operator|(Capability a, Capability b) { return Capabilities{a} | Capabilities{b}; }

// What we offer applications. Not in it, because nothing of it may be offered half: compression, query
// attributes, optional metadata, session tracking, MariaDB's extensions.
constexpr Capabilities server_capabilities =
    Capability::long_password | Capability::found_rows | Capability::long_flag | Capability::connect_with_db |
    Capability::no_schema | Capability::odbc | Capability::local_files | Capability::ignore_space |
    Capability::protocol_41 | Capability::interactive | Capability::ignore_sigpipe |
    Capability::transactions | Capability::reserved | Capability::secure_connection |
    Capability::multi_statements | Capability::multi_results | Capability::ps_multi_results |
    Capability::plugin_auth | Capability::connect_attrs | Capability::plugin_auth_lenenc_client_data |
    Capability::can_handle_expired_passwords | Capability::deprecate_eof;

// What we ask of a node in any case; found_rows, ignore_space, multi_statements, local_files, interactive,
// ssl and connect_with_db are the caller's choice. In force is what the node's greeting offers of it.
constexpr Capabilities client_capabilities =
    Capability::long_password | Capability::long_flag | Capability::protocol_41 | Capability::transactions |
    Capability::reserved | Capability::secure_connection | Capability::multi_results |
    Capability::ps_multi_results | Capability::plugin_auth | Capability::connect_attrs |
    Capability::plugin_auth_lenenc_client_data | Capability::deprecate_eof;

}  // namespace shardway::protocol
