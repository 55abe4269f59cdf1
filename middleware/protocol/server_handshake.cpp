#include "middleware/protocol/server_handshake.hpp"

#include <utility>

#include "middleware/protocol/errors.hpp"

namespace shardway::protocol {

namespace {

// What an unknown user's proof is checked against, so that the answer takes as long. It never matches: the
// rule is missing.
constexpr std::string_view nobodys_password = "nobody has this password";

}  // namespace

ServerHandshake::ServerHandshake(const Users& users, const Scramble& scramble, ServerHandshakeOptions options)
    : users_{users}, scramble_{scramble}, options_{std::move(options)} {}

Buffer ServerHandshake::greeting() const {
    Greeting greeting;
    greeting.server_version = options_.server_version;
    greeting.connection_id = options_.connection_id;
    greeting.scramble = scramble_;
    greeting.capabilities = options_.capabilities;
    greeting.capabilities.set(Capability::ssl, options_.tls_offered);
    greeting.collation = options_.collation;
    greeting.status = options_.status;
    greeting.plugin = name_of(AuthPlugin::caching_sha2_password);
    Buffer packet;
    Writer out{packet};
    encode_greeting(out, greeting);
    return packet;
}

ServerHandshake::Step ServerHandshake::on_packet(Bytes packet) {
    switch (state_) {
    case State::awaiting_login: return on_login(packet);
    case State::awaiting_proof: return on_proof(packet);
    case State::awaiting_password: return on_password(packet);
    case State::awaiting_encrypted_password: return on_encrypted_password(packet);
    case State::finished: break;
    }
    return reject(packets_out_of_order());
}

ServerHandshake::Step ServerHandshake::on_login(Bytes packet) {
    if (is_ancient_login(packet)) return reject(bad_handshake());
    const auto login = decode_login_request(packet);
    if (!login) return reject(bad_handshake());
    if (login->wants_tls) {
        if (!options_.tls_offered || tls_active_) return reject(bad_handshake());
        tls_active_ = true;
        return StartTls{};
    }
    if (options_.tls_required && !channel_is_secret()) return reject(secure_transport_required());
    if (!login->capabilities.has(Capability::secure_connection)) return reject(auth_mode_unsupported());

    Capabilities offered = options_.capabilities;
    offered.set(Capability::ssl, tls_active_);
    login_.capabilities = login->capabilities & offered;
    login_.user = login->user;
    login_.database = login->database;
    login_.collation = login->collation;
    login_.packet_bytes_max = login->packet_bytes_max;
    login_.attributes.append(login->attributes);
    // Who does not name a plugin knows only the one from before there were names.
    const bool names_plugin = login->capabilities.has(Capability::plugin_auth) && !login->plugin.empty();
    return begin(names_plugin ? login->plugin : name_of(AuthPlugin::mysql_native_password), login->proof);
}

ServerHandshake::Step ServerHandshake::on_change_user(Bytes body, Capabilities in_force, bool tls_active) {
    const auto change = decode_change_user(body, in_force);
    if (!change) return reject(malformed_packet());
    tls_active_ = tls_active;
    login_.capabilities = in_force;
    login_.user = change->user;
    login_.database = change->database;
    login_.collation = change->collation;
    login_.attributes.append(change->attributes);
    const bool names_plugin = in_force.has(Capability::plugin_auth) && !change->plugin.empty();
    return begin(names_plugin ? change->plugin : name_of(AuthPlugin::mysql_native_password), change->proof);
}

ServerHandshake::Step ServerHandshake::begin(std::string_view client_plugin, Bytes proof) {
    rule_ = users_.find_user(login_.user, options_.host);
    const auto client = find_auth_plugin(client_plugin);
    const bool native_only = client == AuthPlugin::mysql_native_password;
    login_.plugin = native_only ? AuthPlugin::mysql_native_password
                    : rule_     ? rule_->plugin
                                : AuthPlugin::caching_sha2_password;
    if (!login_.capabilities.has(Capability::plugin_auth)) return verify(proof);  // cannot be switched
    // A client whose own plugin is not the greeting's, and any at COM_CHANGE_USER, may send nothing and wait
    // for the switch: only a right proof counts here.
    if (client == login_.plugin) {
        const bool greeted_with = !native_only;
        const bool right = rule_ && proof_is_right(login_.plugin, proof, rule_->password, scramble_);
        if (right || (greeted_with && !proof.empty())) return verify(proof);
    }
    return switch_plugin();
}

ServerHandshake::Step ServerHandshake::switch_plugin() {
    state_ = State::awaiting_proof;
    Buffer packet;
    Writer out{packet};
    encode_auth_switch(out, login_.plugin, scramble_);
    return Send{std::move(packet)};
}

ServerHandshake::Step ServerHandshake::on_proof(Bytes proof) { return verify(proof); }

ServerHandshake::Step ServerHandshake::verify(Bytes proof) {
    const bool proof_given = proof.size() > 1 || (proof.size() == 1 && proof[0] != 0);
    const bool sha2 = login_.plugin == AuthPlugin::caching_sha2_password;
    Buffer packet;
    Writer out{packet};
    if (sha2 && proof_given && rule_ && rule_->full_authentication) {
        state_ = State::awaiting_password;
        encode_auth_more(out, Bytes{&sha2_full_authentication, 1});
        return Send{std::move(packet)};
    }
    const std::string_view password = rule_ ? std::string_view{rule_->password} : nobodys_password;
    const bool right = proof_is_right(login_.plugin, proof, password, scramble_);
    if (!right || !rule_ || (rule_->require_tls && !channel_is_secret())) return deny(proof_given);
    // An empty password ends the plugin's conversation at once; there is nothing to be fast about.
    if (sha2 && proof_given) encode_auth_more(out, Bytes{&sha2_fast_success, 1});
    return accept(std::move(packet));
}

ServerHandshake::Step ServerHandshake::on_password(Bytes packet) {
    if (packet.size() == 1 && packet[0] == sha2_public_key_request) {
        state_ = State::awaiting_encrypted_password;
        Buffer answer;
        Writer out{answer};
        encode_auth_more(out, bytes_of(rsa_key().public_pem()));
        return Send{std::move(answer)};
    }
    // Without TLS the client may have our key already and send its ciphertext unasked.
    return channel_is_secret() ? verify_password(text_of(packet)) : on_encrypted_password(packet);
}

ServerHandshake::Step ServerHandshake::on_encrypted_password(Bytes packet) {
    auto password = rsa_key().decrypt(packet);
    if (!password) return deny(true);
    mask_with_scramble({reinterpret_cast<std::uint8_t*>(password->data()), password->size()}, scramble_);
    return verify_password(*password);
}

ServerHandshake::Step ServerHandshake::verify_password(std::string_view password) {
    if (password.ends_with('\0')) password.remove_suffix(1);
    if (!rule_ || (rule_->require_tls && !channel_is_secret())) return deny(true);
    if (!same_secret(bytes_of(password), bytes_of(rule_->password))) return deny(true);
    return accept({});
}

ServerHandshake::Step ServerHandshake::accept(Buffer packet) {
    state_ = State::finished;
    login_.packet = std::move(packet);
    return std::move(login_);
}

ServerHandshake::Step ServerHandshake::deny(bool with_password) {
    return reject(access_denied(login_.user, options_.host, with_password));
}

ServerHandshake::Step ServerHandshake::reject(SqlError error) {
    state_ = State::finished;
    return Reject{std::move(error)};
}

}  // namespace shardway::protocol
