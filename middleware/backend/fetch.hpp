// Small results that we read for ourselves: SHOW WARNINGS, a server's variables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "middleware/backend/connection.hpp"
#include "middleware/net/task.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::backend {

using FetchedRow = std::vector<std::optional<std::string>>;

// What must be so on the connection first.
struct FetchSetting {
    std::shared_ptr<const SessionState> state;  // null: as it is
    std::string_view database;                  // empty: as it is
    std::vector<std::string> before;
};

// All rows of a statement of ours. A result above `bytes_max` is an error, and breaks the connection. A lost
// connection is connection_lost.
net::Task<protocol::Result<std::vector<FetchedRow>>> fetch_rows(Connection& connection, std::string statement,
                                                                FetchSetting setting = {},
                                                                std::size_t bytes_max = 1 << 20);

// COM_FIELD_LIST: the packets that define the columns of `table`, with their defaults.
net::Task<protocol::Result<std::vector<protocol::Buffer>>> fetch_columns(
    Connection& connection, std::shared_ptr<const SessionState> state, std::string database,
    std::string table, std::string pattern);

// Collects the rows of a text result set from pieces; a row may be spread over several.
class RowCollector {
public:
    explicit RowCollector(std::size_t columns) : columns_{columns} {}
    // False when a row is malformed.
    bool add(protocol::Bytes frames);
    std::size_t bytes() const { return bytes_; }
    std::vector<FetchedRow> take() { return std::move(rows_); }

private:
    bool finish_row();

    std::size_t columns_;
    std::size_t bytes_ = 0;
    protocol::Buffer pending_;  // frames not whole yet
    protocol::Buffer row_;      // payload of a row in several frames
    std::vector<FetchedRow> rows_;
};

}  // namespace shardway::backend
