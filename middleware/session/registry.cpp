#include "middleware/session/registry.hpp"

#include "middleware/protocol/errors.hpp"
#include "middleware/session/session.hpp"

namespace shardway::session {

void Registry::enter(std::uint64_t id, Session& session, net::IoThread& thread, std::string user) {
    const std::lock_guard lock{mutex_};
    entries_.insert_or_assign(id, Entry{&session, &thread, std::move(user)});
}

void Registry::leave(std::uint64_t id) {
    const std::lock_guard lock{mutex_};
    entries_.erase(id);
}

std::size_t Registry::size() const {
    const std::lock_guard lock{mutex_};
    return entries_.size();
}

// Looked up again on its thread: only there it is sure to live while it is spoken to.
void Registry::post_kill(std::uint64_t id, net::IoThread& thread, Kill kind) {
    thread.post([this, id, kind] {
        Session* session = nullptr;
        {
            const std::lock_guard lock{mutex_};
            const auto found = entries_.find(id);
            if (found != entries_.end()) session = found->second.session;
        }
        if (session) session->kill(kind);
    });
}

protocol::Result<void> Registry::kill(std::uint64_t id, Kill kind, const std::string& user, bool is_admin) {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(id);
    if (found == entries_.end()) return protocol::unknown_thread(id);
    if (found->second.user != user && !is_admin) return protocol::not_owner_of_thread(id);
    post_kill(id, *found->second.thread, kind);
    return {};
}

void Registry::for_each_on(const net::IoThread& thread,
                           const std::function<void(const Session&)>& visit) const {
    const std::lock_guard lock{mutex_};
    for (const auto& [id, entry] : entries_)
        if (entry.thread == &thread) visit(*entry.session);
}

void Registry::close_all() {
    const std::lock_guard lock{mutex_};
    for (auto& [id, entry] : entries_) post_kill(id, *entry.thread, Kill::connection);
}

}  // namespace shardway::session
