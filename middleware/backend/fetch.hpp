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

// All rows of a statement of ours, in the connection's present state. A result above `bytes_max` is an error,
// and breaks the connection. A lost connection is connection_lost.
net::Task<protocol::Result<std::vector<FetchedRow>>> fetch_rows(Connection& connection, std::string statement,
                                                                std::size_t bytes_max = 1 << 20);

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
