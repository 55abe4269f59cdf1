#include "middleware/backend/train.hpp"

#include <cassert>

#include "middleware/backend/answer.hpp"
#include "middleware/protocol/command.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/packet_writer.hpp"
#include "schema/base/failpoint.hpp"

namespace shardway::backend {

namespace {

constexpr std::size_t spare_bytes_max = 4096;  // kept by an idle connection
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
    : connection_{connection},
      state_{std::move(state)},
      database_{database},
      packet_{std::move(connection.spare_packet_)} {
    begin_query(packet_);
    prefix_end_ = packet_.size();
    if (FAILPOINT("train.bad_prefix")) before("SET SESSION shardway_no_such_variable = 1");
    // Nearly always the same object: then there is nothing to compare.
    if (state_ && state_ != connection_.state_) {
        const std::string change = set_statement(connection_.state(), *state_);
        if (!change.empty()) before(change);
    }
    if (!database_.empty() && database_ != connection_.database()) before(use_statement(database_));
}

Train::~Train() {
    packet_.clear();
    packet_.shrink(spare_bytes_max);
    connection_.spare_packet_ = std::move(packet_);
}

void Train::append(std::string_view statement) {
    if (packet_.size() > query_header_bytes) packet_.append(std::uint8_t{';'});
    packet_.append(statement);
}

void Train::before(std::string_view statement) {
    assert(carried_count_ == 0 && unparsed_.empty());
    append(statement);
    prefix_end_ = packet_.size();
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

net::Soon<void> Train::send(protocol::Buffer& packet) {
    std::uint8_t sequence = 0;
    protocol::close_packet(packet, 0, sequence);
    answer_sequence_ = sequence;
    ++connection_.answers_owed_;
    left_ = true;
    if (FAILPOINT("train.cut")) return send_cut(packet);
    net::Soon<void> written = connection_.channel().write(packet.view());
    if (!written.await_ready()) return send_slowly(packet, std::move(written));
    has_left(packet);
    return {};
}

// Half of it leaves, then the connection is gone.
net::Task<void> Train::send_cut(protocol::Buffer& packet) {
    co_await connection_.channel().write(packet.view().first(packet.size() / 2));
    connection_.channel().cancel();
    co_await connection_.channel().write(packet.view());
}

net::Task<void> Train::send_slowly(protocol::Buffer& packet, net::Soon<void> written) {
    co_await written;
    has_left(packet);
}

void Train::has_left(protocol::Buffer& packet) {
    packet.clear();
    if (std::exchange(connection_.kill_when_sent_, false)) connection_.ask_to_end_query();
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

bool Train::is_too_large(std::size_t packet_bytes) const {
    return packet_bytes - protocol::frame_header_bytes >= connection_.fleet_.options().packet_bytes_max;
}

// The prefix as a command of its own; what was behind it in the packet stays there.
net::Task<protocol::Result<void>> Train::send_prefix_ahead() {
    if (prefix_count_ == 0) co_return protocol::Result<void>{};
    if (prefix_count_ > 1) {
        auto allowed = co_await set_multi_statements(true);
        if (allowed.has_error()) co_return allowed;
    }
    protocol::Buffer prefix{packet_.view().first(prefix_end_)};
    protocol::Buffer rest;
    begin_query(rest);
    if (packet_.size() > prefix_end_) rest.append(packet_.view().subspan(prefix_end_ + 1));  // behind the `;`
    prefix_goes_ahead_ = true;
    co_await send(prefix);
    AnswerStream answer{*this};
    while (answer.in_prefix()) {
        auto item = co_await answer.next();
        if (auto* error = std::get_if<protocol::SqlError>(&item)) co_return std::move(*error);
    }
    packet_ = std::move(rest);
    prefix_count_ = 0;
    prefix_goes_ahead_ = false;
    left_ = false;
    co_return protocol::Result<void>{};
}

net::Soon<protocol::Result<void>> Train::depart() {
    const bool many = prefix_count_ + carried_count_ + after_count_ > 1;
    if (connection_.has_kill_under_way() || !unparsed_.empty() || is_too_large(packet_.size()) ||
        (many && !connection_.multi_statements_))
        return depart_slowly();
    connection_.fleet_.counters(connection_.channel().thread()).add(BackendCounter::trains);
    net::Soon<void> sent = send(packet_);
    if (!sent.await_ready()) return depart_when(std::move(sent));
    return protocol::Result<void>{};
}

net::Task<protocol::Result<void>> Train::depart_when(net::Soon<void> sent) {
    co_await sent;
    co_return protocol::Result<void>{};
}

net::Task<protocol::Result<void>> Train::depart_slowly() {
    if (connection_.has_kill_under_way()) co_await connection_.settle_kill();
    connection_.fleet_.counters(connection_.channel().thread()).add(BackendCounter::trains);
    // A node closes the connection over a packet that is too large, and a transaction with it. What the
    // prefix made too large goes behind it.
    const bool split = !unparsed_.empty() || is_too_large(packet_.size());
    const std::size_t separator = prefix_count_ > 0 ? 1 : 0;
    const std::size_t carried =
        unparsed_.empty() ? packet_.size() - prefix_end_ - separator : unparsed_.size();
    const std::size_t alone = query_header_bytes + carried;
    if (split && is_too_large(alone)) co_return protocol::packet_too_large();
    if (split) {
        auto ahead = co_await send_prefix_ahead();
        if (ahead.has_error()) co_return ahead;
    }
    if (!unparsed_.empty()) {
        auto forbidden = co_await set_multi_statements(false);
        if (forbidden.has_error()) co_return forbidden;
        packet_.append(unparsed_);
    } else if (prefix_count_ + carried_count_ + after_count_ > 1) {
        auto allowed = co_await set_multi_statements(true);
        if (allowed.has_error()) co_return allowed;
    }
    co_await send(packet_);
    co_return protocol::Result<void>{};
}

}  // namespace shardway::backend
