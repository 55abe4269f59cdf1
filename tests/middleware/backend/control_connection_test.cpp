#include "middleware/backend/control_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "middleware/backend/catalog_loader.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using backend::ControlConnection;
using backend::ControlTarget;

namespace {

// A socket of 127.0.0.1 that is bound, and listens if asked, but never answers.
class Silent {
public:
    explicit Silent(bool listening) : fd_{::socket(AF_INET, SOCK_STREAM, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        if (listening) REQUIRE(::listen(fd_, 4) == 0);
        socklen_t size = sizeof address;
        REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        port_ = ntohs(address.sin_port);
    }
    Silent(const Silent&) = delete;
    Silent& operator=(const Silent&) = delete;
    ~Silent() { ::close(fd_); }
    ControlTarget target() const {
        ControlTarget target;
        target.node = "node7";
        target.host = "127.0.0.1";
        target.port = port_;
        target.user = "shardway";
        target.connect_timeout = std::chrono::milliseconds{1000};
        return target;
    }

private:
    int fd_;
    std::uint16_t port_ = 0;
};

}  // namespace

TEST_CASE("a node that refuses the connection is unreachable, by its name") {
    const Silent closed{false};
    const auto connection = ControlConnection::connect(closed.target());
    REQUIRE(connection.has_error());
    CHECK(connection.error().code == 9000);
    CHECK(connection.error().message.find("node7") != std::string::npos);
}

TEST_CASE("a node that accepts and says nothing is given up within the connect timeout") {
    const Silent silent{true};
    const auto begin = std::chrono::steady_clock::now();
    const auto connection = ControlConnection::connect(silent.target());
    REQUIRE(connection.has_error());
    CHECK(connection.error().code == 9001);
    CHECK(connection.error().message.find("node7") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{3});
}

TEST_CASE("a socket path that does not exist is unreachable") {
    ControlTarget target;
    target.node = "node8";
    target.unix_path = "/nonexistent/socket";
    const auto connection = ControlConnection::connect(target);
    REQUIRE(connection.has_error());
    CHECK(connection.error().code == 9000);
}

TEST_CASE("a catalog for which no node answers fails with the first node's error") {
    const Silent closed{false};
    const backend::CatalogSource source{"shop", {closed.target(), closed.target()}};
    const auto loaded = backend::load_catalog(std::span{&source, 1});
    REQUIRE(loaded.has_error());
    CHECK(loaded.error().code == 9000);
}

TEST_CASE("names and texts are quoted whatever they hold") {
    CHECK(backend::quoted_name("a`b") == "`a``b`");
    CHECK(backend::quoted_text("it's") == "'it''s'");
    CHECK(backend::quoted_text("a\\b") == "_utf8mb4 x'615c62'");
}
