// A node that tests play: it takes logins, and runs the statements of a COM_QUERY one after the other until
// one fails, as servers do. Lives on the same thread as what it is tried with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "middleware/backend/fleet.hpp"
#include "middleware/backend/pool.hpp"
#include "middleware/net/channel.hpp"
#include "middleware/net/listener.hpp"
#include "middleware/protocol/answer.hpp"
#include "middleware/protocol/column.hpp"
#include "middleware/protocol/packet_decoder.hpp"
#include "middleware/protocol/packet_writer.hpp"
#include "middleware/protocol/server_handshake.hpp"

namespace shardway::backend::test {

// The threads of a test, of which only the first runs, by hand.
class Loop {
public:
    explicit Loop(const base::Clock& clock = base::Clock::system()) : threads{1, clock} {}
    net::IoThread& thread() { return threads[0]; }

    template <class T>
    T run(net::Task<T> task) {
        std::optional<T> result;
        run(store(std::move(task), result));
        return std::move(*result);
    }
    template <class T>
    T run(net::Soon<T> soon) {
        return run(wait_for(std::move(soon)));
    }
    void run(net::Task<void> task) {
        bool done = false;
        thread().spawn(mark(std::move(task), done));
        while (!done) thread().context().run_one();
    }
    // Whatever is ready.
    void settle() {
        while (thread().context().poll() > 0) {}
    }

    net::IoThreads threads;

private:
    template <class T>
    static net::Task<void> store(net::Task<T> task, std::optional<T>& result) {
        result.emplace(co_await std::move(task));
    }
    template <class T>
    static net::Task<T> wait_for(net::Soon<T> soon) {
        co_return co_await std::move(soon);
    }
    static net::Task<void> mark(net::Task<void> task, bool& done) {
        co_await std::move(task);
        done = true;
    }
};

// What a statement does. `close`: the connection is gone, and nobody knows whether it was run.
struct FakeReply {
    bool close = false;
    bool silent = false;  // it never answers
    std::optional<protocol::SqlError> error = std::nullopt;
    protocol::OkPacket ok = {};
    // A result set instead: so many rows of one text column, each value so long.
    std::size_t rows = 0;
    std::size_t value_bytes = 0;
    // Or these columns and rows.
    std::vector<protocol::ColumnDefinition> columns = {};
    std::vector<std::vector<std::optional<std::string>>> table = {};
};

class FakeNode {
public:
    using Reply = FakeReply;
    using Script = std::function<Reply(const std::string& statement)>;

    explicit FakeNode(
        Loop& loop, Script script = [](const std::string&) { return Reply{}; })
        : loop_{loop}, script_{std::move(script)} {
        listener_ = std::make_unique<net::Listener>(loop.thread(), "127.0.0.1:0", [this](int fd) {
            ++connections_opened;
            loop_.thread().spawn(serve(std::make_unique<net::Channel>(loop_.thread(), fd)));
        });
        listener_->start();
    }
    ~FakeNode() {
        listener_->stop();
        for (net::Channel* channel : open_) channel->cancel();
        loop_.settle();
    }

    std::string address() const { return listener_->address(); }
    void drop_connections() {
        for (net::Channel* channel : open_) channel->cancel();
        loop_.settle();
    }

    std::vector<std::string> executed;  // in order, over all connections
    int connections_opened = 0;
    std::size_t connections_open() const { return open_.size(); }

private:
    class AnyUser final : public protocol::Users {
        std::optional<protocol::LoginRule> find_user(std::string_view, std::string_view) const override {
            protocol::LoginRule rule;
            rule.password = "secret";
            return rule;
        }
    };

    net::Task<void> serve(std::unique_ptr<net::Channel> channel) {
        open_.push_back(channel.get());
        try {
            co_await talk(*channel);
        } catch (const net::ConnectionLost&) {}
        std::erase(open_, channel.get());
    }

    net::Task<void> send(net::Channel& channel, protocol::Buffer& out) {
        co_await channel.write(out.view());
        out.clear();
    }

    net::Task<void> talk(net::Channel& channel) {
        const AnyUser users;
        protocol::ServerHandshakeOptions options;
        options.server_version = "9.7.4";
        const protocol::Scramble scramble = protocol::make_scramble(base::Random::system());
        protocol::ServerHandshake handshake{users, scramble, options};
        protocol::PacketDecoder decoder{1 << 26};
        protocol::Buffer out;
        std::uint8_t sequence = 0;
        const protocol::Buffer greeting = handshake.greeting();
        protocol::append_packet(out, sequence, greeting.view());
        co_await send(channel, out);
        decoder.expect_sequence(sequence);
        for (bool logged_in = false;;) {
            const auto step = decoder.next(channel.input());
            if (step.status == protocol::PacketDecoder::Status::incomplete) {
                const bool more = co_await channel.fill_or_end();
                if (!more) co_return;
                continue;
            }
            sequence = decoder.next_sequence();
            if (!logged_in) {
                auto next = handshake.on_packet(step.payload);
                if (auto* accepted = std::get_if<protocol::ServerHandshake::Accept>(&next)) {
                    if (!accepted->packet.empty())
                        protocol::append_packet(out, sequence, accepted->packet.view());
                    protocol::append_packet(
                        out, sequence, [&](protocol::Writer& packet) { protocol::encode_ok(packet, {}); });
                    capabilities_ = accepted->capabilities;
                    logged_in = true;
                } else if (auto* reply = std::get_if<protocol::ServerHandshake::Send>(&next)) {
                    protocol::append_packet(out, sequence, reply->packet.view());
                }
                co_await send(channel, out);
                decoder.expect_sequence(logged_in ? 0 : sequence);
                continue;
            }
            const bool stays = answer(step.payload, out, sequence);
            co_await send(channel, out);
            if (!stays) co_return;
            decoder.expect_sequence(0);
        }
    }

    // False when the connection ends here.
    bool answer(protocol::Bytes command, protocol::Buffer& out, std::uint8_t sequence) {
        auto ok = [&](protocol::OkPacket packet) {
            protocol::append_packet(out, sequence,
                                    [&](protocol::Writer& writer) { protocol::encode_ok(writer, packet); });
        };
        if (command[0] != 0x03) {
            ok({});
            return true;
        }
        std::string_view rest = protocol::text_of(command.subspan(1));
        while (!rest.empty()) {
            const auto end = rest.find(';');
            const std::string statement{rest.substr(0, end)};
            rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
            executed.push_back(statement);
            if (statement == "BEGIN") in_transaction_ = true;
            if (statement == "COMMIT" || statement == "ROLLBACK") in_transaction_ = false;
            Reply reply = script_(statement);
            if (reply.close) return false;
            if (reply.silent) return true;
            if (reply.error) {
                protocol::append_packet(out, sequence, [&](protocol::Writer& writer) {
                    protocol::encode_err(writer, *reply.error);
                });
                return true;
            }
            reply.ok.status.set(protocol::StatusFlag::in_transaction, in_transaction_);
            reply.ok.status.set(protocol::StatusFlag::more_results, !rest.empty());
            if (!reply.columns.empty()) {
                put_table(reply, out, sequence);
            } else if (reply.rows > 0) {
                put_result(reply, out, sequence);
            } else {
                ok(reply.ok);
            }
        }
        return true;
    }

    static void put_result(const FakeReply& reply, protocol::Buffer& out, std::uint8_t& sequence) {
        auto packet = [&](auto&& encode) { protocol::append_packet(out, sequence, encode); };
        packet([](protocol::Writer& writer) { writer.lenenc(1); });
        protocol::ColumnDefinition column;
        column.name = "text";
        column.type = protocol::ColumnType::long_blob;
        packet([&](protocol::Writer& writer) { protocol::encode_column(writer, column); });
        const std::string value(reply.value_bytes, 'v');
        for (std::size_t row = 0; row < reply.rows; ++row)
            packet([&](protocol::Writer& writer) { writer.lenenc_string(value); });
        packet(
            [&](protocol::Writer& writer) { protocol::encode_ok(writer, reply.ok, protocol::eof_header); });
    }

    static void put_table(const FakeReply& reply, protocol::Buffer& out, std::uint8_t& sequence) {
        auto packet = [&](auto&& encode) { protocol::append_packet(out, sequence, encode); };
        packet([&](protocol::Writer& writer) { writer.lenenc(reply.columns.size()); });
        for (const protocol::ColumnDefinition& column : reply.columns)
            packet([&](protocol::Writer& writer) { protocol::encode_column(writer, column); });
        for (const auto& row : reply.table)
            packet([&](protocol::Writer& writer) {
                for (const auto& value : row) writer.value(value);
            });
        packet(
            [&](protocol::Writer& writer) { protocol::encode_ok(writer, reply.ok, protocol::eof_header); });
    }

    Loop& loop_;
    Script script_;
    std::unique_ptr<net::Listener> listener_;
    std::vector<net::Channel*> open_;
    protocol::Capabilities capabilities_;
    bool in_transaction_ = false;  // of the one connection that a test with transactions uses
};

// A fleet of fake nodes with one pool.
struct FakeFleet {
    FakeFleet(Loop& loop, std::vector<const FakeNode*> nodes, std::uint32_t connections,
              std::chrono::milliseconds wait_timeout = std::chrono::milliseconds{2000})
        : fleet{named(nodes), options(connections, wait_timeout), loop.threads, base::Random::system()},
          pool{fleet, loop.thread()} {}
    ~FakeFleet() {
        while (fleet.kills_under_way > 0) pool.thread().context().run_one();
    }

    static std::vector<Fleet::Node> named(const std::vector<const FakeNode*>& nodes) {
        std::vector<Fleet::Node> named;
        for (const FakeNode* node : nodes)
            named.push_back({"node" + std::to_string(named.size()), node->address()});
        return named;
    }
    static BackendOptions options(std::uint32_t connections, std::chrono::milliseconds wait_timeout) {
        BackendOptions options;
        options.user = "shardway";
        options.password = "secret";
        options.tls = BackendOptions::Tls::disabled;
        options.connections = connections;
        options.wait_timeout = wait_timeout;
        return options;
    }

    Fleet fleet;
    Pool pool;
};

}  // namespace shardway::backend::test
