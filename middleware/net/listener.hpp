// The acceptor: takes clients from a listening socket and hands each to a thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/posix/basic_descriptor.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include "middleware/net/io_thread.hpp"

namespace shardway::net {

// Listens on one address. Belongs to `thread`; `accept` is called there with a connected, non-blocking
// descriptor that is its to close.
class Listener {
public:
    using Accept = std::function<void(int fd)>;

    // Throws std::runtime_error that names the address and what to do when it cannot be had.
    Listener(IoThread& thread, const std::string& address, Accept accept);
    ~Listener();

    // "127.0.0.1:3306", with the port that was chosen where the address said 0.
    const std::string& address() const { return address_; }
    // Takes clients from now on; after stop(), none. On the thread.
    void start();
    void stop();

private:
    void wait();
    void accept_all();

    IoThread& thread_;
    std::string address_;
    std::string unix_path_;
    Accept accept_;
    asio::posix::basic_stream_descriptor<Executor> socket_;
};

}  // namespace shardway::net
