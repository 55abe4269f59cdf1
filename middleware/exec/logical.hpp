// A node's words in the client's terms: logical names, the client's row numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "middleware/plan/plan.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::exec {

// Physical names in a message become logical ones, and "at row N" the client's row.
std::string logical_message(std::string_view message, const plan::Part& part);
protocol::SqlError logical_error(protocol::SqlError error, const plan::Part& part);

}  // namespace shardway::exec
