#include "middleware/admin/http.hpp"

#include <sstream>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "middleware/admin/metrics.hpp"
#include "middleware/plan/explain.hpp"

namespace shardway::admin {

namespace http = boost::beast::http;

namespace {

constexpr const char* index_text =
    "Shardway\n\n"
    "/metrics   counters and gauges, as Prometheus reads them\n"
    "/healthz   200 while clients can be served; the body says which nodes answer\n";

HttpAnswer plain(unsigned status, std::string text) {
    HttpAnswer answer;
    answer.status = status;
    answer.body = std::move(text);
    return answer;
}

HttpAnswer answer_to(const boost::system::error_code& error) {
    if (error == http::error::header_limit)
        return plain(
            431, fmt::format("the request's header is larger than {} bytes\n", HttpReader::header_bytes_max));
    if (error == http::error::body_limit)
        return plain(413, fmt::format("a request's body is {} bytes at most\n", HttpReader::body_bytes_max));
    return plain(400, fmt::format("this is no HTTP request: {}\n", error.message()));
}

}  // namespace

struct HttpReader::Parser {
    std::optional<http::request_parser<http::string_body>> request;
    std::size_t header_bytes = 0;  // of the request that is being read
    void begin() {
        header_bytes = 0;
        request.emplace();  // not eager: it stops behind the header, so that its bytes can be counted
        request->header_limit(header_bytes_max);
        request->body_limit(body_bytes_max);
    }
};

HttpReader::HttpReader() : parser_{std::make_unique<Parser>()} { parser_->begin(); }
HttpReader::~HttpReader() = default;

HttpReader::Step HttpReader::next(protocol::Buffer& input) {
    auto& parser = *parser_->request;
    while (!parser.is_done()) {
        const protocol::Bytes bytes = input.view();
        boost::system::error_code error;
        const bool in_header = !parser.is_header_done();
        const std::size_t used = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
        input.consume(used);
        // Beast does not count the line end behind the last header.
        if (in_header) parser_->header_bytes += used;
        if (parser_->header_bytes > header_bytes_max) return Bad{answer_to(http::error::header_limit)};
        if (error == http::error::need_more) return NeedsMore{};
        if (error) return Bad{answer_to(error)};
        if (!parser.is_done() && used == 0) return NeedsMore{};
    }
    const auto& message = parser.get();
    HttpRequest request;
    request.method = std::string{message.method_string()};
    const std::string target{message.target()};
    request.path = target.substr(0, target.find('?'));
    request.keep_alive = message.keep_alive();
    parser_->begin();
    return request;
}

std::string http_bytes(const HttpRequest& request, const HttpAnswer& answer) {
    http::response<http::string_body> response{static_cast<http::status>(answer.status), 11};
    response.set(http::field::server, "Shardway");
    response.set(http::field::content_type, answer.content_type);
    response.set(http::field::cache_control, "no-store");
    if (!answer.allow.empty()) response.set(http::field::allow, answer.allow);
    response.keep_alive(request.keep_alive);
    response.content_length(answer.body.size());
    if (request.method != "HEAD") response.body() = answer.body;
    std::ostringstream out;
    out << response.base() << response.body();
    return out.str();
}

std::optional<HttpAnswer> answer_without_report(const HttpRequest& request) {
    const bool known = request.path == "/" || request.path == "/metrics" || request.path == "/healthz";
    if (!known) return plain(404, fmt::format("there is nothing here; try /\n"));
    if (request.method != "GET" && request.method != "HEAD") {
        HttpAnswer refused = plain(405, "only GET and HEAD\n");
        refused.allow = "GET, HEAD";
        return refused;
    }
    if (request.path == "/") return plain(200, index_text);
    return std::nullopt;
}

HttpAnswer answer_of_report(const HttpRequest& request, const ProxyReport& report) {
    HttpAnswer answer;
    if (request.path == "/metrics") {
        answer.content_type = metrics_content_type;
        answer.body = metrics_text(report);
        return answer;
    }
    Health health = health_of(report);
    answer.status = health.serves ? 200 : 503;
    answer.content_type = "application/json";
    answer.body = std::move(health.json) + "\n";
    return answer;
}

Health health_of(const ProxyReport& report) {
    const std::size_t up = report.nodes_up();
    Health health;
    health.serves = up > 0 && report.silent_threads.empty();
    const char* word = !health.serves ? "down" : up < report.nodes.size() ? "degraded" : "ok";
    std::vector<std::string> nodes;
    for (const NodeReport& node : report.nodes)
        nodes.push_back(
            fmt::format(R"({{"name":{},"address":{},"up":{},"version":{},"error":{}}})",
                        plan::json_string(node.name), plan::json_string(node.address), node.state.is_up,
                        node.state.version.empty() ? "null" : plan::json_string(node.state.version),
                        node.state.error.empty() ? "null" : plan::json_string(node.state.error)));
    health.json = fmt::format(
        R"({{"status":"{}","version":{},"uptime_seconds":{},"sessions":{},"threads":{},"threads_silent":{},"nodes_up":{},"nodes":[{}]}})",
        word, plan::json_string(report.version), static_cast<std::uint64_t>(report.uptime_seconds),
        report.sessions, report.threads, report.silent_threads.size(), up, fmt::join(nodes, ","));
    return health;
}

}  // namespace shardway::admin
