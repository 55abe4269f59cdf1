// A client logs in to us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/capability.hpp"
#include "middleware/protocol/login_packets.hpp"
#include "middleware/protocol/rsa_key.hpp"
#include "middleware/protocol/scramble.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "middleware/protocol/status.hpp"

namespace shardway::protocol {

// How one user logs in.
struct LoginRule {
    std::string password;  // may be empty; at most password_bytes_max
    // What the client is switched to unless it uses it already.
    AuthPlugin plugin = AuthPlugin::caching_sha2_password;
    bool require_tls = false;
    // Have the password itself sent (over TLS, or through RSA) instead of a proof that we could check.
    bool full_authentication = false;
};

class Users {
public:
    virtual ~Users() = default;
    // nullopt: nobody of that name may come from that host. Called once per login.
    virtual std::optional<LoginRule> find_user(std::string_view user, std::string_view host) const = 0;
};

struct ServerHandshakeOptions {
    std::string server_version;
    std::uint32_t connection_id = 0;
    std::uint8_t collation = 255;
    StatusFlags status = StatusFlag::autocommit;
    Capabilities capabilities = server_capabilities;
    std::string host;  // the peer's address, for the users and for messages
    bool tls_offered = false;
    bool tls_required = false;        // refuse whoever does not use it
    bool channel_is_secret = false;   // a Unix socket: as good as TLS
    const RsaKey* rsa_key = nullptr;  // null: RsaKey::shared(), if a client ever asks
};

// One login, from the greeting on, or one COM_CHANGE_USER. Packets are payloads, without headers; sequence
// numbers run on.
class ServerHandshake {
public:
    struct Send {
        Buffer packet;
    };
    struct StartTls {};
    struct Accept {
        std::string user;
        std::string database;  // empty: none. Whether it exists and is allowed, the caller finds out, then
                               // sends OK or ERR
        Capabilities capabilities;  // in force: ours that the client has too
        std::uint16_t collation = 0;
        std::uint32_t packet_bytes_max = 0;
        AuthPlugin plugin = AuthPlugin::caching_sha2_password;
        Buffer attributes;  // decode_attributes reads them
        Buffer packet;      // goes out before the OK or ERR; empty: nothing does
    };
    struct Reject {
        SqlError error;
    };
    using Step = std::variant<Send, StartTls, Accept, Reject>;

    // `users` and the options' key outlive the handshake.
    ServerHandshake(const Users& users, const Scramble& scramble, ServerHandshakeOptions options);

    // Goes first.
    Buffer greeting() const;

    // Takes the client's next packet. Send and StartTls ask for another call: write the packet, or drop
    // whatever was read in clear and upgrade the socket, then bring the packet after it. After Accept and
    // Reject there is no further call.
    Step on_packet(Bytes packet);

    // Instead of the greeting and the login request: the body of COM_CHANGE_USER, on a connection whose login
    // ended with these capabilities and had this handshake's scramble.
    Step on_change_user(Bytes body, Capabilities in_force, bool tls_active);

private:
    enum class State {
        awaiting_login,
        awaiting_proof,
        awaiting_password,
        awaiting_encrypted_password,
        finished
    };

    Step on_login(Bytes packet);
    Step begin(std::string_view client_plugin, Bytes proof);
    Step on_proof(Bytes proof);
    Step on_password(Bytes packet);
    Step on_encrypted_password(Bytes packet);
    Step verify(Bytes proof);
    Step verify_password(std::string_view password);
    Step switch_plugin();
    Step accept(Buffer packet);
    Step deny(bool with_password);
    Step reject(SqlError error);
    bool channel_is_secret() const { return tls_active_ || options_.channel_is_secret; }
    const RsaKey& rsa_key() const { return options_.rsa_key ? *options_.rsa_key : RsaKey::shared(); }

    const Users& users_;
    const Scramble scramble_;
    const ServerHandshakeOptions options_;
    State state_ = State::awaiting_login;
    bool tls_active_ = false;
    std::optional<LoginRule> rule_;  // none: the user is not known, and will be told so only at the end
    Accept login_;                   // filled as it becomes known
};

}  // namespace shardway::protocol
