#include "middleware/session/client_writer.hpp"

#include <sys/socket.h>

#include "middleware/protocol/frame.hpp"
#include "tests/catch.hpp"

using namespace shardway;

namespace {

std::vector<std::uint8_t> frame_of(std::size_t payload_bytes) {
    std::vector<std::uint8_t> frame(protocol::frame_header_bytes + payload_bytes, 1);
    for (int i = 0; i < 3; ++i)
        frame[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(payload_bytes >> 8 * i);
    return frame;
}

}  // namespace

TEST_CASE("a writer knows whether it stands inside a row, so that no error is read as the row's rest") {
    net::IoThreads threads{1, base::Clock::system()};
    int fds[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
    net::Channel channel{threads[0], fds[0]}, client{threads[0], fds[1]};
    session::ColumnMemo memo;
    session::ClientWriter writer{channel, memo};
    const auto pass = [&](std::span<std::uint8_t> piece, std::size_t headless) {
        net::Soon<void> taken = writer.rows({piece, headless});
        REQUIRE(taken.await_ready());
    };

    auto rows = frame_of(10);
    const auto second = frame_of(20);
    rows.insert(rows.end(), second.begin(), second.end());
    pass(rows, 0);
    CHECK_FALSE(writer.inside_row());
    CHECK(writer.rows_written() == 2);

    auto large = frame_of(100);
    std::span<std::uint8_t> rest{large};
    pass(rest.first(30), 0);
    CHECK(writer.inside_row());
    pass(rest.subspan(30, 50), 50);
    CHECK(writer.inside_row());
    pass(rest.subspan(80), 24);
    CHECK_FALSE(writer.inside_row());
    CHECK(writer.rows_written() == 3);
}
