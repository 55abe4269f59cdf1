#include "middleware/backend/train.hpp"

#include <cassert>

#include "middleware/backend/answer.hpp"
#include "middleware/protocol/command.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/packet_writer.hpp"
#include "schema/base/failpoint.hpp"

namespace shardway::backend {

namespace {

constexpr std::size_t query_header_bytes = protocol::frame_header_bytes + 1;

void begin_query(protocol::Buffer& packet) {
    protocol::Writer out{packet};
    out.u32(0);  // the header, once the size is known
    out.u8(static_cast<std::uint8_t>(protocol::CommandKind::query));
}

std::string use_statement(std::string_view database) {
    std::string statement = "USE `";
    for (const char c : database) {
        if (c == '`') statement += '`';
        statement += c;
    }
    return statement + '`';
}

}  // namespace

Train::Train(Connection& connection, std::shared_ptr<const SessionState> state, std::string_view database)
    : connection_{connection}, state_{std::move(state)}, database_{database} {
    begin_query(packet_);
    // Nearly always the same object: then there is nothing to compare.
    if (state_ && state_ != connection_.state_) {
        const std::string change = set_statement(connection_.state(), *state_);
        if (!change.empty()) before(change);
    }
    if (!database_.empty() && database_ != connection_.database()) before(use_statement(database_));
}

void Train::append(std::string_view statement) {
    if (packet_.size() > query_header_bytes) packet_.append(std::uint8_t{';'});
    packet_.append(statement);
}

void Train::before(std::string_view statement) {
    assert(carried_count_ == 0 && unparsed_.empty());
    append(statement);
    ++prefix_count_;
}

void Train::carry(std::string_view statement) {
    append(statement);
    ++carried_count_;
}

void Train::carry_unparsed(std::string_view text) {
    assert(carried_count_ == 0);
    unparsed_ = text;
    ++carried_count_;
}

void Train::after(std::string_view statement) {
    append(statement);
    ++after_count_;
}

net::Task<void> Train::send(protocol::Buffer& packet) {
    std::uint8_t sequence = 0;
    protocol::close_packet(packet, 0, sequence);
    ++connection_.answers_owed_;
    left_ = true;
    if (FAILPOINT("train.cut")) {
        // Half of it leaves, then the connection is gone.
        co_await connection_.channel().write(packet.view().first(packet.size() / 2));
        connection_.channel().cancel();
    }
    co_await connection_.channel().write(packet.view());
    packet.clear();
}

net::Task<protocol::Result<void>> Train::set_multi_statements(bool on) {
    if (connection_.multi_statements_ == on) co_return protocol::Result<void>{};
    protocol::Buffer packet;
    protocol::Writer out{packet};
    out.u32(0);
    out.u8(static_cast<std::uint8_t>(protocol::CommandKind::set_option));
    out.u16(on ? 0 : 1);  // MYSQL_OPTION_MULTI_STATEMENTS_ON, _OFF
    Train command{connection_, nullptr, {}};
    command.carried_count_ = 1;
    co_await command.send(packet);
    AnswerStream answer{command};
    while (!answer.done()) {
        auto item = co_await answer.next();
        if (auto* error = std::get_if<protocol::SqlError>(&item)) co_return std::move(*error);
    }
    connection_.multi_statements_ = on;
    co_return protocol::Result<void>{};
}

net::Task<protocol::Result<void>> Train::send_prefix_ahead() {
    if (prefix_count_ == 0) co_return protocol::Result<void>{};
    if (prefix_count_ > 1) {
        auto allowed = co_await set_multi_statements(true);
        if (allowed.has_error()) co_return allowed;
    }
    co_await send(packet_);
    AnswerStream answer{*this};
    while (answer.in_prefix()) {
        auto item = co_await answer.next();
        if (auto* error = std::get_if<protocol::SqlError>(&item)) co_return std::move(*error);
        if (answer.done()) break;
    }
    prefix_count_ = 0;
    left_ = false;
    co_return protocol::Result<void>{};
}

net::Task<protocol::Result<void>> Train::depart() {
    connection_.fleet_.counters(connection_.channel().thread()).add(BackendCounter::trains);
    if (!unparsed_.empty()) {
        auto ahead = co_await send_prefix_ahead();
        if (ahead.has_error()) co_return ahead;
        auto forbidden = co_await set_multi_statements(false);
        if (forbidden.has_error()) co_return forbidden;
        packet_.clear();
        begin_query(packet_);
        packet_.append(unparsed_);
    } else if (packet_.size() - protocol::frame_header_bytes >=
               connection_.fleet_.options().packet_bytes_max) {
        // The node would close the connection, and take a transaction with it.
        co_return protocol::packet_too_large();
    } else if (prefix_count_ + carried_count_ + after_count_ > 1) {
        auto allowed = co_await set_multi_statements(true);
        if (allowed.has_error()) co_return allowed;
    }
    co_await send(packet_);
    co_return protocol::Result<void>{};
}

}  // namespace shardway::backend
