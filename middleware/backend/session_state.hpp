// What a session has set: carried to whichever connection runs its next statement, as the difference to what
// that connection has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardway::backend {

// Session variables with the SQL literals they were set to; a variable that is not here has the server's
// default. Immutable and shared: a session and the connections that carry its state hold the same object, so
// that "nothing to bring over" is one comparison of pointers. The default database is not in it (it changes
// by the statement), nor is autocommit (a connection's is always on; ours is the session's own).
class SessionState {
public:
    // Sorted by name, in lower case; values as SQL text: 'Europe/Oslo', 4096, utf8mb4.
    using Variables = std::vector<std::pair<std::string, std::string>>;

    // What a connection has right after login, with this collation in the handshake.
    // `found_rows`: the login says CLIENT_FOUND_ROWS, which decides what affected rows means and cannot be
    // changed later.
    static std::shared_ptr<const SessionState> after_login(std::string_view charset,
                                                           std::string_view collation, bool found_rows);

    explicit SessionState(Variables variables, bool found_rows = false);

    // A connection serves a session only when this is equal; a SET does not change it.
    bool found_rows() const { return found_rows_; }

    const Variables& variables() const { return variables_; }
    const std::string* find(std::string_view name) const;
    std::shared_ptr<const SessionState> with(std::string_view name, std::string value) const;
    std::shared_ptr<const SessionState> without(std::string_view name) const;

    // Equal states have equal signatures; 64 bits, for cache keys and for choosing among idle connections.
    std::uint64_t signature() const { return signature_; }
    bool operator==(const SessionState& other) const {
        return variables_ == other.variables_ && found_rows_ == other.found_rows_;
    }

private:
    Variables variables_;
    bool found_rows_;
    std::uint64_t signature_;
};

// The SET statement that turns `from` into `to`; empty when there is nothing to do. It is one statement, so
// it happens as a whole or not at all.
std::string set_statement(const SessionState& from, const SessionState& to);

}  // namespace shardway::backend
