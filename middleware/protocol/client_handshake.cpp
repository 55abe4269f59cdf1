#include "middleware/protocol/client_handshake.hpp"

#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/rsa_key.hpp"

namespace shardway::protocol {

ClientHandshake::ClientHandshake(ClientLogin login) : login_{std::move(login)} {}

ClientHandshake::Step ClientHandshake::on_packet(Bytes packet) {
    if (!packet.empty() && packet[0] == err_header && state_ != State::finished) {
        const auto error = decode_err(packet);
        return error ? fail(error->to_sql_error(), true) : fail(malformed_packet());
    }
    switch (state_) {
    case State::awaiting_greeting: return on_greeting(packet);
    case State::awaiting_answer: return on_answer(packet);
    case State::awaiting_public_key: return on_public_key(packet);
    case State::awaiting_tls:
    case State::finished: break;
    }
    return fail(packets_out_of_order());
}

ClientHandshake::Step ClientHandshake::on_greeting(Bytes packet) {
    const auto greeting = decode_greeting(packet);
    if (!greeting || !greeting->capabilities.has(Capability::protocol_41)) return fail(bad_handshake());

    Capabilities wanted = login_.capabilities;
    wanted.set(Capability::ssl, login_.tls != TlsUse::disabled);
    wanted.set(Capability::connect_with_db, !login_.database.empty());
    // Not a question of what the server offers: MariaDB leaves the first out, and clients set both.
    result_.capabilities = (wanted & greeting->capabilities) | (wanted & Capability::long_password);
    result_.server_version = greeting->server_version;
    result_.server_kind = greeting->server_kind();
    result_.connection_id = greeting->connection_id;
    scramble_ = greeting->scramble;
    plugin_ = greeting->capabilities.has(Capability::plugin_auth) ? find_auth_plugin(greeting->plugin)
                                                                  : AuthPlugin::mysql_native_password;

    if (!result_.capabilities.has(Capability::ssl)) {
        if (login_.tls == TlsUse::required) return fail(tls_unavailable());
        return send_login();
    }
    state_ = State::awaiting_tls;
    LoginRequest first = request();
    first.wants_tls = true;
    StartTls step;
    Writer out{step.packet};
    encode_login_request(out, first);
    return step;
}

ClientHandshake::Step ClientHandshake::on_tls_started() {
    if (state_ != State::awaiting_tls) return fail(packets_out_of_order());
    tls_active_ = true;
    return send_login();
}

LoginRequest ClientHandshake::request() const {
    LoginRequest login;
    login.capabilities = result_.capabilities;
    login.packet_bytes_max = login_.packet_bytes_max;
    login.collation = login_.collation;
    login.user = login_.user;
    login.database = login_.database;
    return login;
}

ClientHandshake::Step ClientHandshake::send_login() {
    state_ = State::awaiting_answer;
    LoginRequest login = request();
    Buffer proof;
    if (plugin_) proof = make_proof(*plugin_, login_.password, scramble_);
    login.proof = proof.view();
    login.plugin = name_of(plugin_.value_or(AuthPlugin::caching_sha2_password));
    std::vector<Attribute> attributes;
    for (const auto& [name, value] : login_.attributes) attributes.emplace_back(name, value);
    const Buffer encoded = encode_attributes(attributes);
    login.attributes = encoded.view();
    Send step;
    Writer out{step.packet};
    encode_login_request(out, login);
    return step;
}

ClientHandshake::Step ClientHandshake::on_answer(Bytes packet) {
    if (packet.empty()) return fail(malformed_packet());
    switch (packet[0]) {
    case ok_header: {
        const auto ok = decode_ok(packet, result_.capabilities);
        if (!ok) return fail(malformed_packet());
        state_ = State::finished;
        result_.status = ok->status;
        return std::move(result_);
    }
    case 0xfe: return on_auth_switch(packet);
    case auth_more_header: return on_auth_more(packet);
    default: return fail(malformed_packet());
    }
}

ClientHandshake::Step ClientHandshake::on_auth_switch(Bytes packet) {
    const auto request = decode_auth_switch(packet);
    if (!request) return fail(auth_mode_unsupported());
    // Once: a server that keeps switching would have us compute for ever.
    if (switched_) return fail(packets_out_of_order());
    switched_ = true;
    plugin_ = find_auth_plugin(request->plugin);
    // Least of all do we know mysql_clear_password: it would hand the password to whoever asks.
    if (!plugin_) return fail(auth_plugin_unknown(request->plugin));
    const auto scramble = scramble_of(request->challenge);
    if (!scramble) return fail(malformed_packet());
    scramble_ = *scramble;
    return Send{make_proof(*plugin_, login_.password, scramble_)};
}

ClientHandshake::Step ClientHandshake::on_auth_more(Bytes packet) {
    const auto data = decode_auth_more(packet);
    if (plugin_ != AuthPlugin::caching_sha2_password || !data || data->size() != 1)
        return fail(malformed_packet());
    if (data->front() == sha2_fast_success) return Wait{};
    if (data->front() != sha2_full_authentication || password_sent_) return fail(malformed_packet());
    if (channel_is_secret()) return send_password();
    if (!login_.public_key_pem.empty()) return send_encrypted(login_.public_key_pem);
    state_ = State::awaiting_public_key;
    return Send{Buffer{Bytes{&sha2_public_key_request, 1}}};
}

ClientHandshake::Step ClientHandshake::on_public_key(Bytes packet) {
    const auto pem = decode_auth_more(packet);
    return pem ? send_encrypted(text_of(*pem)) : fail(malformed_packet());
}

ClientHandshake::Step ClientHandshake::send_password() {
    password_sent_ = true;
    Send step;
    Writer out{step.packet};
    out.nul_string(login_.password);
    return step;
}

ClientHandshake::Step ClientHandshake::send_encrypted(std::string_view public_pem) {
    password_sent_ = true;
    state_ = State::awaiting_answer;
    Buffer secret;
    Writer out{secret};
    out.nul_string(login_.password);
    mask_with_scramble(secret.writable(), scramble_);
    auto encrypted = rsa_encrypt(public_pem, secret.view());
    if (!encrypted) return fail(malformed_packet());
    return Send{std::move(*encrypted)};
}

ClientHandshake::Step ClientHandshake::fail(SqlError error, bool answered) {
    state_ = State::finished;
    return Failed{std::move(error), answered};
}

}  // namespace shardway::protocol
