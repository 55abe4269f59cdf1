// A report as Prometheus reads it.
#pragma once

#include <string>

#include "middleware/admin/proxy_report.hpp"

namespace shardway::admin {

constexpr const char* metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// The text of /metrics. Names are an interface: dashboards and alarms hang on them.
std::string metrics_text(const ProxyReport& report);

}  // namespace shardway::admin
