#include "middleware/admin/node_probe.hpp"

#include "middleware/net/parallel.hpp"
#include "middleware/protocol/answer.hpp"
#include "middleware/protocol/command.hpp"
#include "middleware/protocol/packet_decoder.hpp"

namespace shardway::admin {

namespace {
constexpr std::array<std::uint8_t, 5> ping_packet{1, 0, 0, 0,
                                                  static_cast<std::uint8_t>(protocol::CommandKind::ping)};
// MariaDB puts it before its version, for replicas that knew no higher one.
constexpr std::string_view old_protocol_prefix = "5.5.5-";
constexpr std::size_t ping_answer_bytes_max = 4096;
}  // namespace

NodeProbe::NodeProbe(backend::Fleet& fleet, net::IoThread& thread)
    : fleet_{fleet}, thread_{thread}, nodes_(fleet.size()) {}

net::Task<std::vector<NodeState>> NodeProbe::look() {
    ++looks_;
    const auto now = thread_.clock().steady();
    std::vector<net::Task<void>> looks;
    for (std::size_t node = 0; node < nodes_.size(); ++node)
        if (now - nodes_[node].looked_at >= trusted)
            looks.push_back(look_at(static_cast<backend::NodeIndex>(node)));
    if (!looks.empty()) co_await net::in_parallel(thread_, std::move(looks));
    std::vector<NodeState> states;
    for (const Probed& probed : nodes_) states.push_back(probed.state);
    --looks_;
    co_return states;
}

net::Task<void> NodeProbe::look_at(backend::NodeIndex node) {
    Probed& probed = nodes_[node];
    if (const auto looking = probed.looking) {
        co_await looking->wait(base::SteadyTime::max());
        co_return;
    }
    probed.looking = std::make_shared<net::Event>(thread_);
    const auto deadline = thread_.clock().steady() + answer_time_max;
    // A kept connection may have gone with its server, which is back since.
    bool answers = probed.connection && co_await ping(probed, deadline);
    if (!answers) {
        probed.connection.reset();
        auto opened = co_await backend::Connection::open(fleet_, node, thread_, deadline);
        answers = !opened.has_error();
        probed.state.error = answers ? std::string{} : opened.error().message;
        if (answers) probed.connection = std::move(opened).value();
    }
    probed.state.is_up = answers;
    if (answers) {
        probed.state.version = probed.connection->server_version();
        if (probed.state.version.starts_with(old_protocol_prefix))
            probed.state.version.erase(0, old_protocol_prefix.size());
        probed.state.error.clear();
    }
    probed.looked_at = thread_.clock().steady();
    probed.looking->set();
    probed.looking.reset();
}

net::Task<bool> NodeProbe::ping(Probed& probed, base::SteadyTime deadline) {
    net::Channel& channel = probed.connection->channel();
    try {
        channel.deadline(deadline);
        co_await channel.write(ping_packet);
        protocol::PacketDecoder decoder{ping_answer_bytes_max};
        decoder.expect_sequence(1);
        for (;;) {
            const auto step = decoder.next(channel.input());
            if (step.status == protocol::PacketDecoder::Status::incomplete) {
                co_await channel.fill();
                continue;
            }
            channel.deadline(base::SteadyTime::max());
            co_return step.status == protocol::PacketDecoder::Status::complete&& protocol::decode_ok(
                                         step.payload, probed.connection->capabilities())
                                         .has_value();
        }
    } catch (const net::ConnectionLost&) {
        // Gone, or too slow.
    }
    co_return false;
}

}  // namespace shardway::admin
