#include "middleware/backend/connection.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "middleware/backend/simple_statement.hpp"
#include "middleware/protocol/client_handshake.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/packet_decoder.hpp"
#include "middleware/protocol/packet_writer.hpp"
#include "schema/base/failpoint.hpp"

namespace shardway::backend {

using protocol::ClientHandshake;
using protocol::Result;
using protocol::SqlError;

namespace {

// What every connection starts from; sessions that speak otherwise bring their own over.
constexpr std::string_view login_charset = "utf8mb4";
constexpr std::string_view login_collation = "utf8mb4_general_ci";

const std::shared_ptr<const SessionState>& login_state(bool found_rows) {
    static const auto plain = SessionState::after_login(login_charset, login_collation, false);
    static const auto found = SessionState::after_login(login_charset, login_collation, true);
    return found_rows ? found : plain;
}

protocol::TlsUse tls_use(BackendOptions::Tls tls) {
    switch (tls) {
    case BackendOptions::Tls::disabled: return protocol::TlsUse::disabled;
    case BackendOptions::Tls::required: return protocol::TlsUse::required;
    case BackendOptions::Tls::preferred: break;
    }
    return protocol::TlsUse::preferred;
}

}  // namespace

Connection::Connection(Fleet& fleet, NodeIndex node, std::unique_ptr<net::Channel> channel)
    : fleet_{fleet}, node_{node}, channel_{std::move(channel)}, state_{login_state(false)} {}

Connection::~Connection() = default;

bool Connection::is_reusable() const {
    return !broken_ && !kill_ && answers_owed_ == 0 && !in_transaction() && channel_->input().empty();
}

net::Task<Result<std::unique_ptr<Connection>>> Connection::open(Fleet& fleet, NodeIndex node,
                                                                net::IoThread& thread,
                                                                base::SteadyTime deadline, bool found_rows) {
    const auto began = thread.clock().steady();
    const std::string& name = fleet.node(node).name;
    SqlError failure;
    try {
        if (FAILPOINT("connection.open"))
            throw net::ConnectionLost{net::ConnectionLost::Reason::reset, "refused by a failpoint"};
        const auto until = std::min(deadline, began + fleet.options().connect_timeout);
        auto channel = co_await net::Channel::connect(thread, fleet.node(node).address, until);
        auto connection = std::make_unique<Connection>(fleet, node, std::move(channel));
        auto logged_in = co_await connection->log_in(found_rows);
        if (!logged_in.has_error()) {
            connection->channel().deadline(base::SteadyTime::max());
            fleet.counters(thread).add(BackendCounter::connections_opened);
            co_return connection;
        }
        failure = std::move(logged_in).error();
    } catch (const net::ConnectionLost& loss) {
        if (loss.reason == net::ConnectionLost::Reason::timed_out) {
            failure = protocol::node_connect_timeout(
                name, std::chrono::duration_cast<std::chrono::milliseconds>(thread.clock().steady() - began));
        } else {
            failure = protocol::node_unreachable(name, loss.what());
        }
    }
    fleet.counters(thread).add(BackendCounter::connections_failed);
    co_return failure;
}

net::Task<Result<void>> Connection::log_in(bool found_rows) {
    protocol::ClientLogin login;
    login.user = fleet_.options().user;
    login.password = fleet_.options().password;
    login.capabilities = protocol::client_capabilities | protocol::Capability::multi_statements;
    if (found_rows) login.capabilities = login.capabilities | protocol::Capability::found_rows;
    login.tls = tls_use(fleet_.options().tls);
    login.channel_is_secret = channel_->peer_host() == "localhost";
    login.attributes = {{"program_name", "shardway"}, {"_client_name", "shardway"}};
    ClientHandshake handshake{std::move(login)};
    protocol::PacketDecoder decoder{protocol::login_payload_bytes_max};
    protocol::Buffer out;
    auto send = [&](const protocol::Buffer& packet) {
        std::uint8_t sequence = decoder.next_sequence();
        protocol::append_packet(out, sequence, packet.view());
        decoder.expect_sequence(sequence);
    };
    for (;;) {
        const auto received = decoder.next(channel_->input());
        if (received.status == protocol::PacketDecoder::Status::incomplete) {
            co_await channel_->fill();
            continue;
        }
        if (received.status != protocol::PacketDecoder::Status::complete)
            co_return protocol::node_protocol_violation(node_name(),
                                                        "a packet of the login is out of order or too large");
        ClientHandshake::Step step = handshake.on_packet(received.payload);
        if (auto* start = std::get_if<ClientHandshake::StartTls>(&step)) {
            send(start->packet);
            co_await channel_->write(out.view());
            out.clear();
            co_await channel_->start_tls(fleet_.tls());
            step = handshake.on_tls_started();
        }
        if (auto* reply = std::get_if<ClientHandshake::Send>(&step)) {
            send(reply->packet);
            co_await channel_->write(out.view());
            out.clear();
        }
        if (auto* failed = std::get_if<ClientHandshake::Failed>(&step)) {
            if (failed->answered) co_return protocol::node_login_refused(node_name(), failed->error);
            co_return protocol::node_protocol_violation(node_name(), failed->error.message);
        }
        if (auto* done = std::get_if<ClientHandshake::Done>(&step)) {
            capabilities_ = done->capabilities;
            server_version_ = std::move(done->server_version);
            server_thread_id_ = done->connection_id;
            status_ = done->status;
            state_ = login_state(found_rows);
            co_return Result<void>{};
        }
    }
}

namespace {

// Ends what runs on a node's connection, from a connection of its own that counts in no cap. Says whether the
// node could be asked.
net::Task<bool> ask_node(Fleet& fleet, NodeIndex node, net::IoThread& thread, std::string statement) {
    auto opened = co_await Connection::open(fleet, node, thread, base::SteadyTime::max());
    if (opened.has_error()) {
        spdlog::warn("'{}' could not be sent to {}: {}", statement, fleet.node(node).name,
                     opened.error().message);
        co_return false;
    }
    Connection& connection = *opened.value();
    connection.channel().deadline(thread.clock().steady() + fleet.options().connect_timeout);
    // That it is gone already is no failure.
    co_await run_simple(connection, std::move(statement));
    co_return !connection.is_broken();
}

// `counted` lives as long as the kill is under way.
net::Task<void> kill_and_forget(Fleet& fleet, NodeIndex node, net::IoThread& thread, std::string statement,
                                std::shared_ptr<void> counted) {
    co_await ask_node(fleet, node, thread, std::move(statement));
    counted.reset();
}

std::shared_ptr<void> counted_kill(Fleet& fleet) {
    ++fleet.kills_under_way;
    return {nullptr, [&fleet](void*) { --fleet.kills_under_way; }};
}

}  // namespace

void Connection::abort() {
    if (broken_) return;
    broken_ = true;
    channel_->cancel();
    net::IoThread& thread = channel_->thread();
    thread.spawn(kill_and_forget(fleet_, node_, thread, fmt::format("KILL {}", server_thread_id_),
                                 counted_kill(fleet_)));
}

void Connection::stop() {
    if (kept_when_stopped_) {
        ask_to_end_query();
    } else {
        abort();
    }
}

void Connection::ask_to_end_query() {
    if (broken_ || kill_) return;
    // What has not left cannot be ended yet.
    kill_when_sent_ = answers_owed_ == 0;
    if (kill_when_sent_) return;
    net::IoThread& thread = channel_->thread();
    kill_ = std::make_shared<net::Event>(thread);
    thread.spawn(end_query(*this, fleet_, node_, thread, server_thread_id_, kill_, counted_kill(fleet_)));
}

// `self` may be gone before the node has answered; its event is then gone too.
net::Task<void> Connection::end_query(Connection& self, Fleet& fleet, NodeIndex node, net::IoThread& thread,
                                      std::uint64_t server_thread_id, std::weak_ptr<net::Event> kill,
                                      std::shared_ptr<void> counted) {
    const bool asked = co_await ask_node(fleet, node, thread, fmt::format("KILL QUERY {}", server_thread_id));
    if (const auto lives = kill.lock()) {
        if (!asked) self.abort();
        lives->set();
    }
    counted.reset();
}

net::Task<void> Connection::settle_kill() {
    const auto kill = kill_;
    co_await kill->wait(base::SteadyTime::max());
    kill_.reset();
    // One that came behind the end of its statement would end the next.
    if (!broken_) co_await run_simple(*this, "DO 0");
}

}  // namespace shardway::backend
