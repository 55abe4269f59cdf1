#include "middleware/net/channel.hpp"

#include <algorithm>
#include <array>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "middleware/net/operation.hpp"
#include "middleware/net/resolve.hpp"

namespace shardway::net {

namespace {

asio::generic::stream_protocol protocol_of(int fd) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    return {address.ss_family, 0};
}

void set_options(int fd, int family) {
    if (family == AF_UNIX) return;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

}  // namespace

Channel::Channel(IoThread& thread, int fd)
    : thread_{&thread}, socket_{thread.executor(), protocol_of(fd), fd}, deadline_{*this} {
    const int family = protocol_of(fd).family();
    is_local_ = family == AF_UNIX;
    set_options(fd, family);
    boost::system::error_code ignored;
    socket_.native_non_blocking(true, ignored);
}

Channel::~Channel() {
    if (detached_fd_ >= 0) ::close(detached_fd_);
}

Task<std::unique_ptr<Channel>> Channel::connect(IoThread& thread, std::string address,
                                                base::SteadyTime deadline) {
    const Endpoint endpoint = co_await resolve(thread, address, deadline);
    const int fd = ::socket(endpoint.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        throw ConnectionLost{ConnectionLost::Reason::reset,
                             fmt::format("no socket: {}", std::strerror(errno))};
    auto channel = std::make_unique<Channel>(thread, fd);
    channel->is_local_ = endpoint.family() == AF_UNIX;
    set_options(fd, endpoint.family());
    channel->deadline(deadline);
    auto connected = operation(
        [&](auto handler) { channel->socket_.async_connect(endpoint.generic(), std::move(handler)); });
    co_await connected;
    if (connected.error()) throw channel->loss_of(connected.error());
    co_return channel;
}

std::string Channel::peer_host() const {
    if (is_local_) return "localhost";
    boost::system::error_code error;
    const auto remote = socket_.remote_endpoint(error);
    if (error) return "unknown";
    asio::ip::tcp::endpoint tcp;
    tcp.resize(remote.size());
    std::memcpy(tcp.data(), remote.data(), remote.size());
    return tcp.address().to_string();
}

void Channel::Deadline::expired() {
    owner_.timed_out_ = true;
    boost::system::error_code ignored;
    owner_.socket_.cancel(ignored);
}

void Channel::deadline(base::SteadyTime at) {
    timed_out_ = false;
    if (at != base::SteadyTime::max() || deadline_.armed()) thread_->timers().arm(deadline_, at);
}

void Channel::cancel() {
    cancelled_ = true;
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void Channel::close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void Channel::check_open() const {
    if (timed_out_ || cancelled_) throw loss_of(asio::error::operation_aborted);
}

ConnectionLost Channel::loss_of(const boost::system::error_code& error) const {
    using Reason = ConnectionLost::Reason;
    if (timed_out_) return {Reason::timed_out, "timed out"};
    if (cancelled_) return {Reason::cancelled, "cancelled"};
    if (error == asio::error::eof) return {Reason::closed, "closed by the other side"};
    return {Reason::reset, error.message()};
}

std::size_t Channel::next_read_size() { return filled_last_read_ ? read_bytes_limit_ : read_bytes_min; }

void Channel::Read::Handler::operator()(const boost::system::error_code& error, std::size_t got) const {
    read->error_ = error;
    read->got_ = got;
    read->waiting_.resume();
}

void Channel::Read::await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    channel_.socket_.async_read_some(asio::buffer(room_.data(), room_.size()), Handler{this});
}

std::size_t Channel::Read::await_resume() const {
    if (!error_) {
        channel_.filled_last_read_ = got_ == room_.size();
        return got_;
    }
    if (error_ == asio::error::eof) return 0;
    throw channel_.loss_of(error_);
}

Channel::FillOrEnd::FillOrEnd(Channel& channel) : channel_{channel} {
    channel.input_.shrink(kept_bytes_max);
    if (channel.tls_) {
        tls_.emplace(channel.fill_by_tls());
    } else {
        read_.emplace(channel, channel.input_.prepare(channel.next_read_size()));
    }
}

bool Channel::FillOrEnd::await_suspend(std::coroutine_handle<> waiting) {
    if (tls_) return tls_->await_suspend(waiting);
    read_->await_suspend(waiting);
    return true;
}

bool Channel::FillOrEnd::await_resume() {
    if (tls_) return tls_->await_resume();
    const std::size_t got = read_->await_resume();
    channel_.input_.commit(got);
    return got > 0;
}

void Channel::Fill::await_resume() {
    if (!FillOrEnd::await_resume()) throw channel_.loss_of(asio::error::eof);
}

Task<bool> Channel::fill_by_tls() {
    try {
        while (!tls_->read(input_)) {
            if (tls_->peer_closed()) co_return false;
            Read read{*this, cipher_in_.prepare(next_read_size())};
            const std::size_t got = co_await read;
            if (got == 0) co_return false;
            cipher_in_.commit(got);
            tls_->receive(cipher_in_.view());
            cipher_in_.clear();
        }
    } catch (const TlsError& error) {
        throw ConnectionLost{ConnectionLost::Reason::tls, error.what()};
    }
    co_return true;
}

protocol::Bytes Channel::write_now(protocol::Bytes bytes) {
    check_open();
    if (tls_) return bytes;
    const ssize_t sent = ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return sent > 0 ? bytes.subspan(static_cast<std::size_t>(sent)) : bytes;
}

Task<void> Channel::write_raw(protocol::Bytes bytes) {
    while (!bytes.empty()) {
        check_open();
        auto written = operation<std::size_t>([&](auto handler) {
            socket_.async_write_some(asio::buffer(bytes.data(), bytes.size()), std::move(handler));
        });
        const std::size_t sent = co_await written;
        if (written.error()) throw loss_of(written.error());
        bytes = bytes.subspan(sent);
    }
}

Soon<void> Channel::write(protocol::Bytes bytes) {
    if (tls_) return write_by_tls(bytes);
    const protocol::Bytes rest = write_now(bytes);
    if (rest.empty()) return {};
    return write_raw(rest);
}

Task<void> Channel::write_by_tls(protocol::Bytes bytes) {
    try {
        tls_->write(bytes);
        tls_->take_output(cipher_out_);
    } catch (const TlsError& error) {
        throw ConnectionLost{ConnectionLost::Reason::tls, error.what()};
    }
    co_await write_raw(cipher_out_.view());
    cipher_out_.clear();
    cipher_out_.shrink(kept_bytes_max);
}

Task<void> Channel::start_tls(const TlsContext& context) {
    try {
        auto tls = std::make_unique<TlsStream>(context);
        // A client does not wait between asking for TLS and its first record: that may have come already.
        tls->receive(input_.view());
        input_.clear();
        for (;;) {
            const bool done = tls->handshake();
            tls->take_output(cipher_out_);
            co_await write_raw(cipher_out_.view());
            cipher_out_.clear();
            if (done) break;
            Read read{*this, cipher_in_.prepare(read_bytes_min)};
            const std::size_t got = co_await read;
            if (got == 0) throw loss_of(asio::error::eof);
            cipher_in_.commit(got);
            tls->receive(cipher_in_.view());
            cipher_in_.clear();
        }
        tls_ = std::move(tls);
    } catch (const TlsError& error) {
        throw ConnectionLost{ConnectionLost::Reason::tls, error.what()};
    }
}

bool Channel::is_stale() {
    if (!input_.empty() || cancelled_ || timed_out_) return true;
    pollfd query{socket_.native_handle(), POLLIN, 0};
    return ::poll(&query, 1, 0) != 0;
}

bool Channel::peer_is_gone() const {
    pollfd query{const_cast<Socket&>(socket_).native_handle(), POLLRDHUP, 0};
    return ::poll(&query, 1, 0) != 0;
}

void Channel::detach() {
    deadline_.disarm();
    boost::system::error_code error;
    detached_fd_ = socket_.release(error);
}

void Channel::attach(IoThread& thread) {
    const int fd = std::exchange(detached_fd_, -1);
    thread_ = &thread;
    socket_ = Socket{thread.executor(), protocol_of(fd), fd};
    boost::system::error_code ignored;
    socket_.native_non_blocking(true, ignored);
}

}  // namespace shardway::net
