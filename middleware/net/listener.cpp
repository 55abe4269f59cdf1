#include "middleware/net/listener.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "middleware/net/resolve.hpp"

namespace shardway::net {

namespace {

constexpr int backlog = 1024;
constexpr std::string_view unix_scheme = "unix:";

std::runtime_error cannot_listen(const std::string& address, int error) {
    const char* advice =
        error == EADDRINUSE ? "; another program uses it: stop that, or change listen in the rules file" : "";
    return std::runtime_error{
        fmt::format("cannot listen on {}: {}{}", address, std::strerror(error), advice)};
}

// A socket file that a killed process left behind is taken over; one that somebody answers on is not.
void remove_dead_socket(const std::string& path, const Endpoint& endpoint) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto& address = endpoint.generic();
    const bool answered = ::connect(probe, address.data(), static_cast<socklen_t>(address.size())) == 0;
    ::close(probe);
    if (!answered) ::unlink(path.c_str());
}

int listen_on(const std::string& address, const Endpoint& endpoint) {
    const int fd = ::socket(endpoint.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) throw cannot_listen(address, errno);
    const int on = 1;
    if (endpoint.family() != AF_UNIX) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const auto& generic = endpoint.generic();
    if (::bind(fd, generic.data(), static_cast<socklen_t>(generic.size())) != 0 ||
        ::listen(fd, backlog) != 0) {
        const int error = errno;
        ::close(fd);
        throw cannot_listen(address, error);
    }
    return fd;
}

std::string bound_address(int fd, const std::string& asked) {
    if (asked.starts_with(unix_scheme)) return asked;
    asio::ip::tcp::endpoint bound;
    socklen_t size = static_cast<socklen_t>(bound.capacity());
    getsockname(fd, bound.data(), &size);
    bound.resize(size);
    const auto host = bound.address().to_string();
    return fmt::format("{}{}{}:{}", bound.address().is_v6() ? "[" : "", host,
                       bound.address().is_v6() ? "]" : "", bound.port());
}

}  // namespace

Listener::Listener(IoThread& thread, const std::string& address, Accept accept)
    : thread_{thread}, accept_{std::move(accept)}, socket_{thread.executor()} {
    const Endpoint endpoint = resolve_now(address).at(0);
    if (address.starts_with(unix_scheme)) {
        unix_path_ = address.substr(unix_scheme.size());
        remove_dead_socket(unix_path_, endpoint);
    }
    const int fd = listen_on(address, endpoint);
    socket_.assign(fd);
    address_ = bound_address(fd, address);
}

Listener::~Listener() {
    if (!unix_path_.empty()) ::unlink(unix_path_.c_str());
}

void Listener::start() { wait(); }

void Listener::stop() {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void Listener::wait() {
    socket_.async_wait(asio::posix::descriptor_base::wait_read,
                       [this](const boost::system::error_code& error) {
                           if (error) return;
                           accept_all();
                           wait();
                       });
}

void Listener::accept_all() {
    for (;;) {
        const int fd = ::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            accept_(fd);
            continue;
        }
        if (errno == ECONNABORTED || errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK) return;
        // Out of descriptors or memory: those who wait stay in the backlog until there is room again.
        spdlog::warn("a client could not be accepted on {}: {}", address_, std::strerror(errno));
        return;
    }
}

}  // namespace shardway::net
