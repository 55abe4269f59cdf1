// All sessions, for KILL and for the count. A lock, taken at login, logout and KILL only.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "middleware/net/io_thread.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::session {

class Session;

class Registry {
public:
    enum class Kill : std::uint8_t { connection, query };

    void enter(std::uint64_t id, Session& session, net::IoThread& thread, std::string user);
    void leave(std::uint64_t id);
    std::size_t size() const;

    // Any thread. The session hears of it on its own. 1094 when there is none, 1095 when it is another user's
    // and `is_admin` is not set.
    protocol::Result<void> kill(std::uint64_t id, Kill kind, const std::string& user, bool is_admin);
    // The sessions of `thread`, which is the calling one.
    void for_each_on(const net::IoThread& thread, const std::function<void(const Session&)>& visit) const;
    // Tells every session to end, each on its own thread.
    void close_all();

private:
    struct Entry {
        Session* session;
        net::IoThread* thread;
        std::string user;
    };
    void post_kill(std::uint64_t id, net::IoThread& thread, Kill kind);

    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace shardway::session
