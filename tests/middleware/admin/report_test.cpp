// What a report looks like to Prometheus, to SHOW STATUS and to a health check.
#include <map>
#include <set>
#include <sstream>

#include "middleware/admin/http.hpp"
#include "middleware/admin/metrics.hpp"
#include "middleware/admin/status_variables.hpp"
#include "report_fixture.hpp"
#include "tests/catch.hpp"

using namespace admin_test;

namespace {

std::map<std::string, double> samples_of(const std::string& text) {
    std::map<std::string, double> samples;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        const auto space = line.rfind(' ');
        REQUIRE(samples.emplace(line.substr(0, space), std::stod(line.substr(space + 1))).second);
    }
    return samples;
}

}  // namespace

TEST_CASE("metrics of a report") {
    const std::string text = admin::metrics_text(make_up_report());
    const auto samples = samples_of(text);
    CHECK(samples.at("shardway_uptime_seconds") == 61.5);
    CHECK(samples.at(R"(shardway_statements_total{kind="select",strategy="one_place"})") == 80);
    CHECK(samples.at(R"(shardway_statements_total{kind="other",strategy="session"})") == 16);
    CHECK(samples.at("shardway_queries_total") == 100);
    CHECK(samples.at(R"(shardway_node_up{node="node0"})") == 1);
    CHECK(samples.at(R"(shardway_node_up{node="node1"})") == 0);
    CHECK(samples.at(R"(shardway_node_connections{node="node0",state="in_use"})") == 2);
    CHECK(samples.at(R"(shardway_node_connections{node="node0",state="idle"})") == 3);
    CHECK(samples.at(R"(shardway_node_waiting{node="node1"})") == 2);
    CHECK(text.back() == '\n');
}

TEST_CASE("the histogram's buckets add up and end in +Inf") {
    const auto samples = samples_of(admin::metrics_text(make_up_report()));
    const std::string bucket = "shardway_statement_duration_seconds_bucket";
    CHECK(samples.at(bucket + R"({le="0.0001"})") == 90);
    CHECK(samples.at(bucket + R"({le="0.0005"})") == 90);
    CHECK(samples.at(bucket + R"({le="0.001"})") == 99);
    CHECK(samples.at(bucket + R"({le="10"})") == 99);
    CHECK(samples.at(bucket + R"({le="+Inf"})") == 100);
    CHECK(samples.at("shardway_statement_duration_seconds_count") == 100);
    CHECK(samples.at("shardway_statement_duration_seconds_sum") == 12.25);
}

TEST_CASE("a statement's time falls in the bucket whose bound it does not pass") {
    using namespace std::chrono_literals;
    session::StatementMetrics metrics;
    metrics.took(100us);
    metrics.took(100us + 1us);
    metrics.took(10s);
    metrics.took(10s + 1us);
    CHECK(metrics.in_bucket(0) == 1);
    CHECK(metrics.in_bucket(1) == 1);
    CHECK(metrics.in_bucket(session::StatementMetrics::bucket_count - 2) == 1);
    CHECK(metrics.in_bucket(session::StatementMetrics::bucket_count - 1) == 1);
    CHECK(metrics.micros() == 100 + 101 + 10'000'000 + 10'000'001);
    metrics.planned(plan::StatementKind::session, plan::Strategy::scatter_write);
    CHECK(metrics.count(plan::StatementKind::session, plan::Strategy::scatter_write) == 1);
    CHECK(metrics.count(plan::StatementKind::session, plan::Strategy::scatter_read) == 0);
}

TEST_CASE("status variables come by name, each once") {
    const auto variables = admin::status_variables(make_up_report());
    CHECK(std::is_sorted(variables.begin(), variables.end()));
    std::map<std::string, std::string> by_name(variables.begin(), variables.end());
    CHECK(by_name.size() == variables.size());
    CHECK(by_name.at("Uptime") == "61");
    CHECK(by_name.at("Shardway_statements_one_place") == "80");
    CHECK(by_name.at("Shardway_statements_scatter_write") == "0");
    CHECK(by_name.at("Shardway_nodes_up") == "1");
    CHECK(by_name.at("Shardway_backend_waiting") == "2");
}

TEST_CASE("health: ok, degraded, down") {
    admin::ProxyReport report = make_up_report();
    admin::Health health = admin::health_of(report);
    CHECK(health.serves);
    CHECK(health.json.starts_with(R"({"status":"degraded","version":"1.2.3")"));
    CHECK(health.json.find(R"("nodes_up":1,)") != std::string::npos);
    CHECK(health.json.find(R"("error":"it said \"no\"\n"})") != std::string::npos);

    report.nodes[1].state = {true, "9.7.4", ""};
    CHECK(admin::health_of(report).json.starts_with(R"({"status":"ok")"));

    report.silent_threads = {1};
    health = admin::health_of(report);
    CHECK_FALSE(health.serves);
    CHECK(health.json.starts_with(R"({"status":"down")"));

    report = make_up_report();
    report.nodes[0].state.is_up = false;
    CHECK_FALSE(admin::health_of(report).serves);
}

TEST_CASE("the process says what it takes") {
    const admin::ProcessReport process = admin::process_report();
    CHECK(process.resident_bytes > 1'000'000);
    CHECK(process.open_files >= 3);
    CHECK(process.open_files_max >= process.open_files);
    CHECK(process.started > 1e9);
}
