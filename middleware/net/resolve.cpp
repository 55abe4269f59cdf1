#include "middleware/net/resolve.hpp"

#include <optional>
#include <stdexcept>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <fmt/format.h>

#include "middleware/net/channel.hpp"
#include "middleware/net/operation.hpp"

namespace shardway::net {

namespace {

constexpr std::string_view unix_prefix = "unix:";

template <class Source>
Endpoint endpoint_from(const Source& source) {
    return {source.data(), source.size()};
}

// Numeric addresses and Unix paths, which need no name server.
std::optional<Endpoint> without_lookup(const std::string& address, const HostPort& parts) {
    if (address.starts_with(unix_prefix))
        return endpoint_from(asio::local::stream_protocol::endpoint{address.substr(unix_prefix.size())});
    boost::system::error_code error;
    const auto ip = asio::ip::make_address(parts.host, error);
    if (error) return std::nullopt;
    const unsigned long port = std::stoul(parts.port);
    return endpoint_from(asio::ip::tcp::endpoint{ip, static_cast<std::uint16_t>(port)});
}

HostPort parts_of(const std::string& address) {
    return address.starts_with(unix_prefix) ? HostPort{} : split_address(address);
}

}  // namespace

HostPort split_address(std::string_view address) {
    const auto colon = address.rfind(':');
    if (colon == address.npos || colon == 0)
        throw std::invalid_argument{fmt::format("'{}' is not host:port or unix:/path", address)};
    std::string_view host = address.substr(0, colon);
    const std::string_view port = address.substr(colon + 1);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    const bool digits =
        !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos;
    if (!digits || std::stoul(std::string{port}) > 65535)
        throw std::invalid_argument{fmt::format("'{}' has no port between 0 and 65535", address)};
    return {std::string{host}, std::string{port}};
}

Task<Endpoint> resolve(IoThread& thread, std::string address, base::SteadyTime deadline) {
    const HostPort parts = parts_of(address);
    if (const auto known = without_lookup(address, parts)) co_return *known;
    asio::ip::basic_resolver<asio::ip::tcp, Executor> resolver{thread.executor()};
    Timer timer{thread.executor(), deadline};
    bool late = false;
    timer.async_wait([&](const boost::system::error_code& error) {
        if (error) return;
        late = true;
        resolver.cancel();
    });
    auto lookup = operation<asio::ip::tcp::resolver::results_type>(
        [&](auto handler) { resolver.async_resolve(parts.host, parts.port, std::move(handler)); });
    const auto found = co_await lookup;
    const boost::system::error_code& error = lookup.error();
    timer.cancel();
    if (late)
        throw ConnectionLost{ConnectionLost::Reason::timed_out,
                             fmt::format("looking up {} timed out", parts.host)};
    if (error || found.empty())
        throw ConnectionLost{ConnectionLost::Reason::reset,
                             fmt::format("{} has no address: {}", parts.host, error.message())};
    co_return endpoint_from(found.begin()->endpoint());
}

std::vector<Endpoint> resolve_now(const std::string& address) {
    const HostPort parts = parts_of(address);
    if (const auto known = without_lookup(address, parts)) return {*known};
    asio::io_context context;
    asio::ip::tcp::resolver resolver{context};
    std::vector<Endpoint> endpoints;
    for (const auto& entry : resolver.resolve(parts.host, parts.port))
        endpoints.push_back(endpoint_from(entry.endpoint()));
    return endpoints;
}

}  // namespace shardway::net
