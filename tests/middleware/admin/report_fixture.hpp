// A report with something in every place.
#pragma once

#include "middleware/admin/proxy_report.hpp"

namespace admin_test {

using namespace shardway;

inline admin::ProxyReport make_up_report() {
    admin::ProxyReport report;
    report.version = "1.2.3";
    report.announced_version = "9.7.4-shardway";
    report.uptime_seconds = 61.5;
    report.threads = 2;
    report.sessions = 3;
    report.logins = 10;
    report.statements = 100;
    report.failed_statements = 4;
    report.planned = {{plan::StatementKind::select, plan::Strategy::one_place, 80},
                      {plan::StatementKind::other, plan::Strategy::session, 16}};
    report.took[0] = 90;
    report.took[3] = 9;
    report.took.back() = 1;
    report.took_seconds = 12.25;
    report.plans = {70, 26, 1};
    report.nodes.push_back({"node0", "10.0.0.1:3306", {true, "9.7.4", ""}, 5, 3, 64, 0});
    report.nodes.push_back({"node1", "10.0.0.2:3306", {false, "", "it said \"no\"\n"}, 0, 0, 64, 2});
    return report;
}

}  // namespace admin_test
