// Session, first part: who the client is.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/packet_writer.hpp"
#include "middleware/session/session.hpp"

namespace shardway::session {

using protocol::ServerHandshake;

namespace {

// The rules' users as the handshake asks for them.
class RuleUsers final : public protocol::Users {
public:
    explicit RuleUsers(const rules::Rules& rules) : rules_{rules} {}
    std::optional<protocol::LoginRule> find_user(std::string_view user, std::string_view) const override {
        const auto found = rules_.users.find(user);
        if (found == rules_.users.end()) return std::nullopt;
        protocol::LoginRule rule;
        rule.password = found->second.password;
        rule.plugin = found->second.auth == rules::AuthPlugin::mysql_native_password
                          ? protocol::AuthPlugin::mysql_native_password
                          : protocol::AuthPlugin::caching_sha2_password;
        return rule;
    }

private:
    const rules::Rules& rules_;
};

// MariaDB says this before its version in a greeting (@@version goes without), and drivers go by it: a 10.x
// without it is taken for a MySQL newer than 8.
std::string greeting_version(const ServerIdentity& identity) {
    constexpr std::string_view replication_hack = "5.5.5-";
    const bool hack = identity.kind == protocol::ServerKind::mariadb;
    return fmt::format("{}{}", hack ? replication_hack : "", identity.version);
}

}  // namespace

// The next packet of a login. Nothing when the peer broke the protocol: it was told why.
net::Task<std::optional<protocol::Bytes>> Session::read_packet() {
    using Status = protocol::PacketDecoder::Status;
    for (;;) {
        const auto step = decoder_.next(channel_->input());
        if (step.status == Status::complete) co_return step.payload;
        if (step.status == Status::incomplete) {
            if (!co_await channel_->fill_or_end()) co_return std::nullopt;
            continue;
        }
        writer_.begin(decoder_.next_sequence());
        writer_.error(step.status == Status::too_large ? protocol::packet_too_large()
                                                       : protocol::packets_out_of_order());
        co_await writer_.flush();
        co_return std::nullopt;
    }
}

// Takes a handshake to its end. Nothing when the client was turned away.
net::Task<std::optional<ServerHandshake::Accept>> Session::authenticate(
    ServerHandshake& handshake, std::optional<ServerHandshake::Step> first) {
    for (;;) {
        std::optional<ServerHandshake::Step> step = std::move(first);
        first.reset();
        if (!step) {
            const auto packet = co_await read_packet();
            if (!packet) co_return std::nullopt;
            step.emplace(handshake.on_packet(*packet));
        }
        writer_.begin(decoder_.next_sequence());
        if (auto* send = std::get_if<ServerHandshake::Send>(&*step)) {
            writer_.packet(send->packet.view());
            co_await writer_.flush();
            decoder_.expect_sequence(writer_.next_sequence());
        } else if (std::holds_alternative<ServerHandshake::StartTls>(*step)) {
            co_await channel_->start_tls(*services_.shared.tls);
        } else if (auto* reject = std::get_if<ServerHandshake::Reject>(&*step)) {
            writer_.error(reject->error);
            co_await writer_.flush();
            co_return std::nullopt;
        } else {
            auto& accepted = std::get<ServerHandshake::Accept>(*step);
            if (!accepted.packet.empty()) writer_.packet(accepted.packet.view());
            co_return std::move(accepted);
        }
    }
}

net::Task<bool> Session::log_in() {
    channel_->deadline(services_.thread.clock().steady() + login_time_max);
    scramble_ = protocol::make_scramble(services_.shared.random);
    protocol::ServerHandshakeOptions options;
    options.server_version = greeting_version(identity());
    options.connection_id = static_cast<std::uint32_t>(id_);
    options.host = host_;
    options.tls_offered = services_.shared.tls != nullptr;
    options.tls_required = services_.shared.tls_required;
    options.channel_is_secret = host_ == "localhost";
    options.rsa_key = services_.shared.rsa_key;
    const auto collation = protocol::default_collation(identity().kind, "utf8mb4");
    options.collation = static_cast<std::uint8_t>(collation ? collation->id : 45);
    // The topology may change while the client thinks; the users are those of its arrival.
    const auto topology = services_.topology;
    const RuleUsers users{topology->rules()};
    ServerHandshake handshake{users, scramble_, options};
    writer_.begin(0);
    writer_.packet(handshake.greeting().view());
    co_await writer_.flush();
    decoder_.expect_sequence(writer_.next_sequence());
    auto accepted = co_await authenticate(handshake, std::nullopt);
    if (!accepted) {
        counters().add(SessionCounter::failed_logins);
        co_return false;
    }
    co_return co_await enter(std::move(*accepted));
}

net::Task<void> Session::change_user(protocol::Bytes body) {
    co_await reset();
    channel_->deadline(services_.thread.clock().steady() + login_time_max);
    protocol::ServerHandshakeOptions options;
    options.host = host_;
    options.channel_is_secret = host_ == "localhost";
    options.rsa_key = services_.shared.rsa_key;
    const auto topology = services_.topology;
    const RuleUsers users{topology->rules()};
    ServerHandshake handshake{users, scramble_, options};
    ServerHandshake::Step first = handshake.on_change_user(body, capabilities_, channel_->is_tls());
    auto accepted = co_await authenticate(handshake, std::move(first));
    bool stays = false;
    if (accepted) stays = co_await enter(std::move(*accepted));
    if (!stays) ending_ = true;
}

// The client is who it says. Whether it may have the database it asks for is known only now.
net::Task<bool> Session::enter(ServerHandshake::Accept accepted) {
    capabilities_ = accepted.capabilities;
    multi_statements_ = capabilities_.has(protocol::Capability::multi_statements);
    writer_.set_capabilities(capabilities_);
    user_name_ = accepted.user;
    user_rule_ = nullptr;
    user_ = accepted.user + "@" + host_;
    account_ = accepted.user + "@%";
    settings_ = Settings::after_login(identity(), accepted.collation,
                                      capabilities_.has(protocol::Capability::found_rows));
    if (capabilities_.has(protocol::Capability::ignore_space))
        settings_.parse_options.modes.ignore_space = true;
    if (!accepted.database.empty()) {
        const Answer used = use(accepted.database);
        if (used.has_error()) {
            writer_.error(used.error());
            co_await writer_.flush();
            counters().add(SessionCounter::failed_logins);
            co_return false;
        }
    }
    services_.shared.registry.enter(id_, *this, services_.thread, user_name_);
    counters().add(SessionCounter::logins);
    protocol::OkPacket ok;
    ok.status = status();
    writer_.ok(ok);
    co_await writer_.flush();
    channel_->deadline(base::SteadyTime::max());
    co_return true;
}

}  // namespace shardway::session
