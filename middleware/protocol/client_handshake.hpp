// We log in to a node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "middleware/protocol/answer.hpp"
#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/capability.hpp"
#include "middleware/protocol/charset.hpp"
#include "middleware/protocol/login_packets.hpp"
#include "middleware/protocol/scramble.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::protocol {

enum class TlsUse : std::uint8_t { disabled, preferred, required };

struct ClientLogin {
    std::string user;
    std::string password;                             // at most password_bytes_max
    std::string database;                             // empty: none
    Capabilities capabilities = client_capabilities;  // asked for; in force is what the server has too
    std::uint8_t collation = utf8mb4_general_collation;
    std::uint32_t packet_bytes_max = 1U << 30;  // told to the server, which does not care
    TlsUse tls = TlsUse::preferred;
    bool channel_is_secret = false;  // a Unix socket: as good as TLS
    std::string public_key_pem;      // the server's; empty: ask it where one is needed
    std::vector<std::pair<std::string, std::string>> attributes;
};

// One login. Packets are payloads, without headers; sequence numbers run on.
class ClientHandshake {
public:
    struct Send {
        Buffer packet;
    };
    struct StartTls {
        Buffer packet;
    };               // write the packet, upgrade the socket, then call on_tls_started
    struct Wait {};  // nothing to write; bring the next packet
    struct Done {
        std::string server_version;
        ServerKind server_kind = ServerKind::mysql;
        std::uint32_t connection_id = 0;
        Capabilities capabilities;  // in force
        StatusFlags status;
    };
    // `answered`: the error is the server's own. Else it did not keep to the protocol, or lacks what we
    // insist on.
    struct Failed {
        SqlError error;
        bool answered = false;
    };
    using Step = std::variant<Send, StartTls, Wait, Done, Failed>;

    explicit ClientHandshake(ClientLogin login);

    // Takes the server's next packet, the greeting first. After Done and Failed there is no further call.
    Step on_packet(Bytes packet);
    Step on_tls_started();

private:
    enum class State { awaiting_greeting, awaiting_tls, awaiting_answer, awaiting_public_key, finished };

    Step on_greeting(Bytes packet);
    Step on_answer(Bytes packet);
    Step on_auth_switch(Bytes packet);
    Step on_auth_more(Bytes packet);
    Step on_public_key(Bytes packet);
    Step send_login();
    Step send_password();
    Step send_encrypted(std::string_view public_pem);
    Step fail(SqlError error, bool answered = false);
    LoginRequest request() const;
    bool channel_is_secret() const { return tls_active_ || login_.channel_is_secret; }

    const ClientLogin login_;
    State state_ = State::awaiting_greeting;
    bool tls_active_ = false;
    bool switched_ = false;
    bool password_sent_ = false;
    std::optional<AuthPlugin>
        plugin_;  // none: the server's default is one that we do not have; it must switch
    Scramble scramble_ = {};
    Done result_;
};

}  // namespace shardway::protocol
