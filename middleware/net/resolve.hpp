// Addresses as the rules write them: "127.0.0.1:3306", "[::1]:3306", "db1.internal:3306",
// "unix:/run/mysqld.sock".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/generic/stream_protocol.hpp>

#include "middleware/net/io_thread.hpp"
#include "middleware/net/task.hpp"

namespace shardway::net {

class Endpoint {
public:
    Endpoint(const void* address, std::size_t size) : endpoint_{address, size} {}
    int family() const { return endpoint_.protocol().family(); }
    const asio::generic::stream_protocol::endpoint& generic() const { return endpoint_; }

private:
    asio::generic::stream_protocol::endpoint endpoint_;
};

struct HostPort {
    std::string host;
    std::string port;
};
// Splits "host:port"; the brackets of an IPv6 address are taken off. Throws std::invalid_argument.
HostPort split_address(std::string_view address);

// The first address a name has. Numbers and Unix paths do not wait. Throws ConnectionLost.
Task<Endpoint> resolve(IoThread& thread, std::string address, base::SteadyTime deadline);
// The same, blocking, all addresses: for listeners.
std::vector<Endpoint> resolve_now(const std::string& address);

}  // namespace shardway::net
