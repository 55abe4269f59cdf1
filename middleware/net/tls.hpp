// TLS without sockets: bytes in, bytes out.
#pragma once

#include <memory>
#include <string>

#include "middleware/protocol/bytes.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace shardway::net {

// Certificates and settings, shared by the connections of a listener or of the backend. Immutable; any
// thread.
class TlsContext {
public:
    struct Files {
        std::string cert, key, ca;  // paths of PEM files; ca may be empty
    };
    // For our listener. Throws std::runtime_error that names the file when one cannot be used.
    static TlsContext server(const Files& files);
    // For our listener, with a self-signed pair that lives in memory only.
    static TlsContext self_signed_server();
    // For connections to nodes: encrypts, and verifies the node's certificate only where `ca` is given.
    static TlsContext client(const std::string& ca);

    ssl_ctx_st* native() const { return context_.get(); }

private:
    explicit TlsContext(bool is_server);
    std::shared_ptr<ssl_ctx_st> context_;
    friend class TlsStream;
    bool is_server_;
};

class TlsError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One connection's state: what the peer sent goes into receive(), what must be sent to it comes out of
// take_output(). Independent of thread and socket, so that a connection can move between threads.
class TlsStream {
public:
    explicit TlsStream(const TlsContext& context);

    // Ciphertext from the peer. Throws TlsError when the peer breaks the protocol.
    void receive(protocol::Bytes ciphertext);
    // Goes on with the handshake; true once it is done.
    bool handshake();
    // Decrypts what was received into `clear`; false when there is nothing (more) to read for now.
    bool read(protocol::Buffer& clear);
    bool peer_closed() const { return peer_closed_; }
    void write(protocol::Bytes clear);
    // Ciphertext for the peer is appended to `output`.
    void take_output(protocol::Buffer& output);

private:
    std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
    bool peer_closed_ = false;
};

}  // namespace shardway::net
