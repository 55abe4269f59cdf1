#include "middleware/cli/ping.hpp"

#include <chrono>

#include "middleware/backend/control_connection.hpp"

namespace shardway::cli {

namespace {

constexpr std::chrono::milliseconds ping_time_max{3000};

std::string host_of(const rules::Address& address) {
    if (address.host == "0.0.0.0") return "127.0.0.1";
    if (address.host == "::") return "::1";
    return address.host;
}

}  // namespace

std::string ping(const rules::Rules& rules) {
    if (rules.listen.mysql.empty()) return "the rules name no address under listen.mysql";
    if (rules.users.empty()) return "the rules name no user to log in as";
    const rules::Address& address = rules.listen.mysql.front();
    const rules::User& user = rules.users.begin()->second;
    backend::ControlTarget target;
    target.node = "shardway at " + address.text();
    target.host = host_of(address);
    target.port = address.port;
    target.unix_path = address.path;
    target.user = user.name;
    target.password = user.password;
    target.tls = rules.listen.tls.mode == rules::TlsMode::disabled ? backend::ControlTls::disabled
                                                                   : backend::ControlTls::preferred;
    target.connect_timeout = ping_time_max;
    target.read_timeout = ping_time_max;
    const auto connection = backend::ControlConnection::connect(target);
    return connection.has_error() ? connection.error().message : "";
}

}  // namespace shardway::cli
