// The packets of a login, both ways: greeting, login request (HandshakeResponse41 and SSLRequest),
// AuthSwitchRequest, AuthMoreData, and COM_CHANGE_USER, which is a login in the middle of a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/capability.hpp"
#include "middleware/protocol/charset.hpp"
#include "middleware/protocol/scramble.hpp"
#include "middleware/protocol/status.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

// Texts are views into the packet they were decoded from, which must stay alive.

struct Greeting {
    std::string_view server_version;  // "9.7.4", "5.5.5-10.11.19-MariaDB…"
    std::uint32_t connection_id = 0;
    Scramble scramble = {};
    Capabilities capabilities;
    std::uint8_t collation = 0;  // low byte only
    StatusFlags status;
    std::string_view plugin;

    // MariaDB leaves out the bit that MySQL has always set.
    ServerKind server_kind() const {
        return capabilities.has(Capability::long_password) ? ServerKind::mysql : ServerKind::mariadb;
    }
};

// Protocol 10 only, and only with a challenge of 20 bytes (every server since MySQL 4.1).
std::optional<Greeting> decode_greeting(Bytes packet);
void encode_greeting(Writer& packet, const Greeting& greeting);

struct LoginRequest {
    Capabilities capabilities;
    std::uint32_t packet_bytes_max = 0;
    std::uint8_t collation = 0;
    bool wants_tls = false;  // an SSLRequest: nothing below is set, the real login follows encrypted
    std::string_view user;
    Bytes proof;
    std::string_view database;  // empty: none
    std::string_view plugin;    // empty: not said
    Bytes attributes;           // see decode_attributes; checked to be well-formed
};

// The client is older than 4.1, which decode_login_request does not read.
bool is_ancient_login(Bytes packet);
std::optional<LoginRequest> decode_login_request(Bytes packet);
// Fields go by login.capabilities; with wants_tls only the SSLRequest part is written.
void encode_login_request(Writer& packet, const LoginRequest& login);

struct AuthSwitch {
    std::string_view plugin;
    Bytes challenge;  // as sent, usually the scramble and a NUL
};

// Of a packet that starts with 0xfe. nullopt also for the short form, in which servers ask for the hash of
// before 4.1.
std::optional<AuthSwitch> decode_auth_switch(Bytes packet);
void encode_auth_switch(Writer& packet, AuthPlugin plugin, const Scramble& scramble);
// A challenge of 20 bytes, with or without its NUL.
std::optional<Scramble> scramble_of(Bytes challenge);

constexpr std::uint8_t auth_more_header = 0x01;
// caching_sha2_password's words, each the one byte of a packet or of an AuthMoreData.
constexpr std::uint8_t sha2_public_key_request = 0x02;
constexpr std::uint8_t sha2_fast_success = 0x03;
constexpr std::uint8_t sha2_full_authentication = 0x04;

std::optional<Bytes> decode_auth_more(Bytes packet);
void encode_auth_more(Writer& packet, Bytes data);

struct ChangeUser {
    std::string_view user;
    Bytes proof;
    std::string_view database;
    std::uint16_t collation = 0;  // 0: not said, stays as it is
    std::string_view plugin;
    Bytes attributes;
};

// `body` is what follows the command byte; `capabilities` those of the login.
std::optional<ChangeUser> decode_change_user(Bytes body, Capabilities capabilities);

// What clients tell about themselves: ("program_name", "mysql"), … Names may come twice.
using Attribute = std::pair<std::string_view, std::string_view>;
constexpr std::size_t attribute_bytes_max = 64 * 1024;  // of all together

std::optional<std::vector<Attribute>> decode_attributes(Bytes attributes);
// As the login's field `attributes`. The caller keeps to attribute_bytes_max.
Buffer encode_attributes(const std::vector<Attribute>& attributes);

}  // namespace shardway::protocol
