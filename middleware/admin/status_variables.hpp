// A report as SHOW STATUS shows it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "middleware/admin/proxy_report.hpp"

namespace shardway::admin {

// By name. Beside Shardway_… those of a server's that are true of us, for tools that look for them.
std::vector<std::pair<std::string, std::string>> status_variables(const ProxyReport& report);

}  // namespace shardway::admin
