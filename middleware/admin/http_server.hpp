// Serves the admin address.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "middleware/admin/proxy_report.hpp"
#include "middleware/net/channel.hpp"
#include "middleware/net/listener.hpp"

namespace shardway::admin {

// On a thread of its own, so that it answers while those that serve clients are busy, or stuck, and costs
// them no more than a mailbox message. Without TLS and login: it is meant for an address that only the
// operators reach, and says nothing of rows.
class HttpServer {
public:
    static constexpr std::size_t connections_max = 64;  // more are closed at once
    // From a request's first byte (or the last answer) to its last; the peer also has so long to take it.
    static constexpr std::chrono::seconds request_time_max{10};

    // Throws std::runtime_error that names the address when it cannot be had. `proxy` outlives it.
    HttpServer(Proxy proxy, const std::string& address, const base::Clock& clock);
    ~HttpServer();  // stops

    const std::string& address() const { return listener_->address(); }
    void start();
    // No answer leaves after this; waits for its thread.
    void stop();

private:
    net::Task<void> serve(std::unique_ptr<net::Channel> channel);
    net::Task<void> serve_requests(net::Channel& channel);

    const Proxy proxy_;
    net::IoThread thread_;
    std::unique_ptr<net::Listener> listener_;
    std::size_t connections_ = 0;  // on the thread
};

}  // namespace shardway::admin
