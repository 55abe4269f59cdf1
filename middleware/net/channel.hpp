// A socket with buffers, a deadline, and TLS when asked for: the one place where bytes wait.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include "middleware/net/io_thread.hpp"
#include "middleware/net/task.hpp"
#include "middleware/net/timer_wheel.hpp"
#include "middleware/net/tls.hpp"
#include "middleware/protocol/bytes.hpp"

namespace shardway::net {

using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;

// Thrown by a channel's waits. The connection is of no use afterwards: what was sent or read is unknown.
class ConnectionLost : public std::runtime_error {
public:
    enum class Reason { closed, reset, timed_out, cancelled, tls };
    ConnectionLost(Reason why, const std::string& text) : std::runtime_error{text}, reason{why} {}
    const Reason reason;
};

// One end of a connection; belongs to one thread at a time (see release). Reads fill input(), writes go out
// at once or wait for the peer. At most one read and one write wait at the same time.
class Channel {
public:
    static constexpr std::size_t read_bytes_min = 4 * 1024;   // what an idle client's buffer costs
    static constexpr std::size_t read_bytes_max = 64 * 1024;  // read at once from a busy one
    static constexpr std::size_t kept_bytes_max = 16 * 1024;  // an empty buffer larger than this is freed

    // Takes over a connected, non-blocking socket.
    Channel(IoThread& thread, int fd);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // Connects to "host:port" or "unix:/path". Throws ConnectionLost with the address and the reason.
    static Task<std::unique_ptr<Channel>> connect(IoThread& thread, std::string address,
                                                  base::SteadyTime deadline);

    IoThread& thread() { return *thread_; }
    bool is_tls() const { return tls_ != nullptr; }
    bool is_local() const { return is_local_; }  // a Unix socket, as safe as TLS for a password
    // "127.0.0.1" or "localhost" for a Unix socket.
    std::string peer_host() const;

    // How much is read at once from a busy peer, for one of many that are read side by side.
    void set_read_bytes_max(std::size_t bytes) { read_bytes_limit_ = bytes; }

    // What was received and not yet consumed, in clear.
    protocol::Buffer& input() { return input_; }
    class Fill;
    class FillOrEnd;
    // Waits for at least one more byte of input. Throws ConnectionLost, also at the end of the stream.
    Fill fill();
    // Like fill, but says false at an orderly end of the stream between two packets.
    FillOrEnd fill_or_end();
    // Sends all of `bytes`, which must stay until it returns.
    Soon<void> write(protocol::Bytes bytes);
    // What can be sent without waiting; returns what is left of `bytes` (all of it with TLS and something
    // pending).
    protocol::Bytes write_now(protocol::Bytes bytes);

    // Every wait that lasts beyond it throws ConnectionLost{timed_out}. Stays until set again; max() is none.
    void deadline(base::SteadyTime at);

    // The handshake, after whatever was in clear. What the peer sent ahead of it in clear must have been
    // consumed.
    Task<void> start_tls(const TlsContext& context);

    // Waits end with ConnectionLost{cancelled}, the present one and all later ones. From the channel's
    // thread.
    void cancel();
    void close();

    // True when the peer has closed or sent something nobody asked for: an idle pooled connection is of no
    // use then.
    bool is_stale();

    // True when the peer has closed its side, whatever it sent before.
    bool peer_is_gone() const;

    // Lets go of the socket, buffers and TLS state, so that another thread can go on with them: no wait may
    // be open.
    void detach();
    void attach(IoThread& thread);
    bool is_detached() const { return detached_fd_ >= 0; }

private:
    class Deadline final : public TimerWheel::Entry {
    public:
        explicit Deadline(Channel& owner) : owner_{owner} {}

    private:
        void expired() override;
        Channel& owner_;
    };

    class Read;
    Task<bool> fill_by_tls();
    Task<void> write_by_tls(protocol::Bytes bytes);
    Task<void> write_raw(protocol::Bytes bytes);
    std::size_t next_read_size();
    // To be thrown: GCC 12 makes a trap of what follows a noreturn call in a coroutine.
    ConnectionLost loss_of(const boost::system::error_code& error) const;
    void check_open() const;

    IoThread* thread_;
    Socket socket_;
    protocol::Buffer input_;
    std::unique_ptr<TlsStream> tls_;
    protocol::Buffer cipher_in_, cipher_out_;
    Deadline deadline_;
    int detached_fd_ = -1;
    bool timed_out_ = false;
    bool cancelled_ = false;
    bool is_local_ = false;
    std::size_t read_bytes_limit_ = read_bytes_max;
    bool filled_last_read_ = false;  // the peer has more to say than we gave room for
};

// One read of the socket, awaited: how many bytes came, 0 at the end of the stream. Needs no frame of its
// own.
class Channel::Read {
public:
    Read(Channel& channel, std::span<std::uint8_t> room) : channel_{channel}, room_{room} {
        channel.check_open();
    }
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting);
    std::size_t await_resume() const;

private:
    struct Handler {
        Read* read;
        void operator()(const boost::system::error_code& error, std::size_t got) const;
    };
    Channel& channel_;
    const std::span<std::uint8_t> room_;
    std::coroutine_handle<> waiting_;
    boost::system::error_code error_;
    std::size_t got_ = 0;
};

class Channel::FillOrEnd {
public:
    explicit FillOrEnd(Channel& channel);
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiting);
    bool await_resume();  // false at the end of the stream

protected:
    Channel& channel_;

private:
    std::optional<Read> read_;
    std::optional<Task<bool>> tls_;
};

class Channel::Fill final : public FillOrEnd {
public:
    using FillOrEnd::FillOrEnd;
    void await_resume();
};

inline Channel::Fill Channel::fill() { return Fill{*this}; }
inline Channel::FillOrEnd Channel::fill_or_end() { return FillOrEnd{*this}; }

}  // namespace shardway::net
