#include "middleware/protocol/login_packets.hpp"

#include <algorithm>

#include "middleware/protocol/reader.hpp"

namespace shardway::protocol {

namespace {

constexpr std::uint8_t greeting_protocol = 10;
constexpr std::uint8_t auth_switch_header = 0xfe;
constexpr std::size_t scramble_head_bytes = 8;  // in the greeting's old part; the rest stands further down
constexpr std::size_t ssl_request_bytes = 32;
constexpr std::uint32_t mariadb_bits_at = 32;  // its capabilities above 32 bits have a field of their own

bool attributes_are_sound(Bytes attributes) {
    Reader in{attributes};
    while (in.ok() && !in.at_end()) {
        in.lenenc_string();
        in.lenenc_string();
    }
    return in.ok();
}

// The text up to a NUL, or to the end: some clients leave the last NUL out.
std::string_view last_string(Reader& in) {
    Reader probe = in;
    const std::string_view text = probe.nul_string();
    if (!probe.ok()) return in.rest();
    in = probe;
    return text;
}

// An absent field means that there are none, whatever the capabilities say.
Bytes read_attributes(Reader& in) {
    if (in.at_end()) return {};
    const Bytes attributes = in.lenenc_bytes();
    if (attributes.size() > attribute_bytes_max || !attributes_are_sound(attributes)) in.fail();
    return in.ok() ? attributes : Bytes{};
}

}  // namespace

std::optional<Greeting> decode_greeting(Bytes packet) {
    Reader in{packet};
    Greeting greeting;
    in.expect(greeting_protocol);
    greeting.server_version = in.nul_string();
    greeting.connection_id = in.u32();
    const Bytes head = in.bytes(scramble_head_bytes);
    in.skip(1);
    std::uint64_t bits = in.u16();
    greeting.collation = in.u8();
    greeting.status = StatusFlags{in.u16()};
    bits |= std::uint64_t{in.u16()} << 16;
    const std::size_t challenge_bytes = in.u8();
    in.skip(6);
    const std::uint64_t mariadb_bits = in.u32();  // zeros from MySQL
    if (!Capabilities{bits}.has(Capability::long_password)) bits |= mariadb_bits << mariadb_bits_at;
    greeting.capabilities = Capabilities{bits};
    if (!greeting.capabilities.has(Capability::secure_connection)) in.fail();
    // The field has at least 13 bytes, and more only where a plugin's challenge is longer.
    const Bytes tail =
        in.bytes(std::max<std::size_t>(13, challenge_bytes - std::min(challenge_bytes, head.size())));
    if (greeting.capabilities.has(Capability::plugin_auth)) greeting.plugin = last_string(in);
    if (!in.ok()) return std::nullopt;
    std::ranges::copy(head, greeting.scramble.begin());
    std::ranges::copy(tail.first(greeting.scramble.size() - head.size()),
                      greeting.scramble.begin() + head.size());
    return greeting;
}

void encode_greeting(Writer& packet, const Greeting& greeting) {
    const std::uint64_t bits = greeting.capabilities.bits();
    const Bytes scramble{greeting.scramble};
    packet.u8(greeting_protocol);
    packet.nul_string(greeting.server_version);
    packet.u32(greeting.connection_id);
    packet.bytes(scramble.first(scramble_head_bytes));
    packet.u8(0);
    packet.u16(static_cast<std::uint16_t>(bits));
    packet.u8(greeting.collation);
    packet.u16(greeting.status.bits());
    packet.u16(static_cast<std::uint16_t>(bits >> 16));
    packet.u8(static_cast<std::uint8_t>(scramble.size() + 1));
    packet.zeros(6);
    packet.u32(static_cast<std::uint32_t>(bits >> mariadb_bits_at));
    packet.bytes(scramble.subspan(scramble_head_bytes));
    packet.u8(0);
    packet.nul_string(greeting.plugin);
}

bool is_ancient_login(Bytes packet) {
    Reader in{packet};
    const Capabilities low{in.u16()};
    return in.ok() && !low.has(Capability::protocol_41);
}

std::optional<LoginRequest> decode_login_request(Bytes packet) {
    Reader in{packet};
    LoginRequest login;
    std::uint64_t bits = in.u32();
    login.packet_bytes_max = in.u32();
    login.collation = in.u8();
    in.skip(19);
    const std::uint64_t mariadb_bits = in.u32();
    if (!Capabilities{bits}.has(Capability::long_password)) bits |= mariadb_bits << mariadb_bits_at;
    login.capabilities = Capabilities{bits};
    const Capabilities caps = login.capabilities;
    if (!caps.has(Capability::protocol_41)) in.fail();
    if (in.ok() && in.at_end() && caps.has(Capability::ssl)) {
        login.wants_tls = true;
        return login;
    }
    login.user = in.nul_string();
    if (caps.has(Capability::plugin_auth_lenenc_client_data))
        login.proof = in.lenenc_bytes();
    else if (caps.has(Capability::secure_connection))
        login.proof = in.bytes(in.u8());
    else
        login.proof = bytes_of(in.nul_string());
    if (caps.has(Capability::connect_with_db)) login.database = last_string(in);
    if (caps.has(Capability::plugin_auth)) login.plugin = last_string(in);
    if (caps.has(Capability::connect_attrs)) login.attributes = read_attributes(in);
    // What may follow (the level of a compression that we do not offer) is of no concern.
    return in.ok() ? std::optional{login} : std::nullopt;
}

void encode_login_request(Writer& packet, const LoginRequest& login) {
    const Capabilities caps = login.capabilities;
    packet.u32(static_cast<std::uint32_t>(caps.bits()));
    packet.u32(login.packet_bytes_max);
    packet.u8(login.collation);
    packet.zeros(19);
    packet.u32(static_cast<std::uint32_t>(caps.bits() >> mariadb_bits_at));
    if (login.wants_tls) return;
    packet.nul_string(login.user);
    if (caps.has(Capability::plugin_auth_lenenc_client_data)) {
        packet.lenenc_string(text_of(login.proof));
    } else if (caps.has(Capability::secure_connection)) {
        packet.u8(static_cast<std::uint8_t>(login.proof.size()));
        packet.bytes(login.proof);
    } else {
        packet.nul_string(text_of(login.proof));
    }
    if (caps.has(Capability::connect_with_db)) packet.nul_string(login.database);
    if (caps.has(Capability::plugin_auth)) packet.nul_string(login.plugin);
    if (caps.has(Capability::connect_attrs)) packet.lenenc_string(text_of(login.attributes));
}

std::optional<AuthSwitch> decode_auth_switch(Bytes packet) {
    Reader in{packet};
    in.expect(auth_switch_header);
    AuthSwitch request;
    request.plugin = in.nul_string();
    request.challenge = in.rest_bytes();
    return in.ok() ? std::optional{request} : std::nullopt;
}

void encode_auth_switch(Writer& packet, AuthPlugin plugin, const Scramble& scramble) {
    packet.u8(auth_switch_header);
    packet.nul_string(name_of(plugin));
    packet.bytes(scramble);
    packet.u8(0);
}

std::optional<Scramble> scramble_of(Bytes challenge) {
    Scramble scramble;
    if (challenge.size() == scramble.size() + 1 && challenge.back() == 0)
        challenge = challenge.first(scramble.size());
    if (challenge.size() != scramble.size()) return std::nullopt;
    std::ranges::copy(challenge, scramble.begin());
    return scramble;
}

std::optional<Bytes> decode_auth_more(Bytes packet) {
    Reader in{packet};
    in.expect(auth_more_header);
    return in.ok() ? std::optional{in.rest_bytes()} : std::nullopt;
}

void encode_auth_more(Writer& packet, Bytes data) {
    packet.u8(auth_more_header);
    packet.bytes(data);
}

std::optional<ChangeUser> decode_change_user(Bytes body, Capabilities capabilities) {
    Reader in{body};
    ChangeUser change;
    change.user = in.nul_string();
    change.proof =
        capabilities.has(Capability::secure_connection) ? in.bytes(in.u8()) : bytes_of(in.nul_string());
    change.database = last_string(in);
    if (!in.at_end()) change.collation = in.u16();
    if (capabilities.has(Capability::plugin_auth) && !in.at_end()) change.plugin = last_string(in);
    if (capabilities.has(Capability::connect_attrs)) change.attributes = read_attributes(in);
    return in.ok() ? std::optional{change} : std::nullopt;
}

std::optional<std::vector<Attribute>> decode_attributes(Bytes attributes) {
    std::vector<Attribute> decoded;
    Reader in{attributes};
    while (in.ok() && !in.at_end()) {
        const std::string_view name = in.lenenc_string();
        const std::string_view value = in.lenenc_string();
        decoded.emplace_back(name, value);
    }
    return in.ok() ? std::optional{std::move(decoded)} : std::nullopt;
}

Buffer encode_attributes(const std::vector<Attribute>& attributes) {
    Buffer encoded;
    Writer out{encoded};
    for (const auto& [name, value] : attributes) {
        out.lenenc_string(name);
        out.lenenc_string(value);
    }
    return encoded;
}

}  // namespace shardway::protocol
