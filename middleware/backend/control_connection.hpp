// A blocking connection to one node for the control path: apply, check, the catalog at start. The data path
// has its own codec; nothing that serves a client's statement uses this.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/protocol/sql_error.hpp"
#include "schema/catalog.hpp"

struct st_mysql;  // libmysqlclient's MYSQL

namespace shardway::backend {

enum class ControlTls : std::uint8_t { disabled, preferred, required };

// Where a node is and how to log in to it.
struct ControlTarget {
    std::string node;  // its name in the rules: what errors call it
    std::string host;  // empty for a unix socket
    std::uint16_t port = 0;
    std::string unix_path;  // of a unix socket, else empty
    std::string user, password;
    ControlTls tls = ControlTls::preferred;  // preferred: plain when the server offers no TLS
    std::string tls_ca;                      // verifies the node's certificate when given
    // For the connection with its login, rounded up to whole seconds.
    std::chrono::milliseconds connect_timeout{3000};
    // For each wait on an answer; a DDL on a large table takes long.
    std::chrono::milliseconds read_timeout{std::chrono::minutes{10}};
};

// `name` in backticks, `text` as a string literal that reads the same under every sql_mode.
std::string quoted_name(std::string_view name);
std::string quoted_text(std::string_view text);

// One connection, one thread at a time. Its session is utf8mb4 and in autocommit; the sql_mode is the
// server's own. Results that come whole are for the control path's small answers; large ones go row by row.
class ControlConnection {
public:
    using Row = schema::TextRow;
    struct Rows {
        std::vector<std::string> columns;  // labels
        std::vector<Row> rows;
    };
    struct Done {
        std::uint64_t affected = 0;
        std::uint32_t warnings = 0;
    };

    // Errors name the node: 9000 unreachable, 9001 too slow, 9002 login refused.
    static protocol::Result<ControlConnection> connect(const ControlTarget& target);

    ControlConnection(ControlConnection&&) noexcept;
    ControlConnection& operator=(ControlConnection&&) noexcept;
    ~ControlConnection();

    // One statement. The server's own error keeps its number and SQLSTATE, with "Node 'x': " before its text;
    // 9004 when the connection was lost.
    protocol::Result<Rows> query(std::string_view statement);
    protocol::Result<Done> exec(std::string_view statement);
    // The same, a row at a time, never more than one in memory; cells live until `visit` returns. `visit`
    // returns false to stop early.
    using Cells = std::span<const std::optional<std::string_view>>;
    protocol::Result<void> for_each_row(std::string_view statement, const std::function<bool(Cells)>& visit);

    const std::string& node() const { return node_; }
    // "9.7.4", "10.11.19-MariaDB-0+deb12u1": as the server's greeting says it.
    std::string_view server_version() const;
    bool is_mariadb() const;

private:
    struct Close {
        void operator()(st_mysql* handle) const;
    };
    using Handle = std::unique_ptr<st_mysql, Close>;

    ControlConnection(std::string node, Handle handle);
    static protocol::Result<ControlConnection> connect_once(const ControlTarget& target, bool with_tls,
                                                            bool& tls_missing);
    protocol::SqlError error() const;

    std::string node_;
    Handle handle_;
};

}  // namespace shardway::backend
