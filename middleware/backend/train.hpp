// What leaves for a node in one write.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "middleware/backend/connection.hpp"
#include "middleware/net/task.hpp"
#include "middleware/protocol/bytes.hpp"

namespace shardway::backend {

// Puts a statement behind what must come first: SET of the session's state, USE, BEGIN, savepoints. A node
// executes what stands behind a failed command, so they are not pipelined: they are one COM_QUERY of several
// statements, which the server leaves at its first error (invariant 3). Text that we did not parse might hold
// a second statement, so it never travels with others: the prefix goes ahead and its answer is awaited, and
// the connection's multi-statement option is off while the text runs.
class Train {
public:
    // `connection` outlives the train. `state` and `database` (empty: as it is) are what the statement needs.
    Train(Connection& connection, std::shared_ptr<const SessionState> state, std::string_view database);
    ~Train();
    Train(const Train&) = delete;
    Train& operator=(const Train&) = delete;

    // A statement of ours that must succeed first: BEGIN, SAVEPOINT a.
    void before(std::string_view statement);
    // The client's parsed statement, or one of several; without trailing semicolon or comment.
    void carry(std::string_view statement);
    // The client's text that was not parsed, which must stay; nothing else is carried then.
    void carry_unparsed(std::string_view text);
    // A statement of ours behind all that is carried: COMMIT.
    void after(std::string_view statement);

    std::uint32_t prefix_count() const { return prefix_count_; }
    std::uint32_t carried_count() const { return carried_count_; }

    // Sends it; then an AnswerStream reads prefix_count() answers of ours, carried_count() of the client's
    // and one per after(). Throws net::ConnectionLost; `left()` tells whether any byte of it may have reached
    // the node. Fails, and nothing of the client's has left, when a prefix that went ahead was refused.
    net::Soon<protocol::Result<void>> depart();
    bool left() const { return left_; }

private:
    friend class AnswerStream;

    void append(std::string_view statement);
    bool is_too_large(std::size_t packet_bytes) const;
    net::Task<protocol::Result<void>> depart_slowly();
    static net::Task<protocol::Result<void>> depart_when(net::Soon<void> sent);
    net::Task<protocol::Result<void>> send_prefix_ahead();
    net::Task<protocol::Result<void>> set_multi_statements(bool on);
    net::Soon<void> send(protocol::Buffer& packet);
    net::Task<void> send_cut(protocol::Buffer& packet);
    net::Task<void> send_slowly(protocol::Buffer& packet, net::Soon<void> written);
    void has_left(protocol::Buffer& packet);

    Connection& connection_;
    std::shared_ptr<const SessionState> state_;  // what the connection has once the prefix is through
    std::string database_;
    protocol::Buffer packet_;  // the COM_QUERY, built in place: header, command, statements
    std::string_view unparsed_;
    std::size_t prefix_end_ = 0;  // of packet_: where the carried statements begin
    std::uint32_t prefix_count_ = 0;
    std::uint32_t carried_count_ = 0;
    std::uint32_t after_count_ = 0;
    std::uint8_t answer_sequence_ = 1;  // an answer counts on from the command's last frame
    bool prefix_goes_ahead_ = false;
    bool left_ = false;
};

}  // namespace shardway::backend
