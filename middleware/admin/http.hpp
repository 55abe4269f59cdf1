// The admin address's HTTP, without sockets: bytes in, a request out; a request in, bytes out.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <variant>

#include "middleware/admin/proxy_report.hpp"
#include "middleware/protocol/bytes.hpp"

namespace shardway::admin {

struct HttpRequest {
    std::string method;  // "GET"
    std::string path;    // without the query
    bool keep_alive = true;
};

struct HttpAnswer {
    unsigned status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body;
    std::string allow;  // of 405
};

// Reads one request after the other from a connection.
class HttpReader {
public:
    static constexpr std::size_t header_bytes_max = 8 * 1024;
    static constexpr std::size_t body_bytes_max = 4 * 1024;  // read and passed over: nothing here takes one

    HttpReader();
    ~HttpReader();

    struct NeedsMore {};
    struct Bad {
        HttpAnswer answer;  // to be sent; the connection is of no use afterwards
    };
    using Step = std::variant<NeedsMore, HttpRequest, Bad>;
    // Consumes what belongs to the request. After HttpRequest the next call begins a new one.
    Step next(protocol::Buffer& input);

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

// The whole response. The body of a HEAD is left out, its length is said.
std::string http_bytes(const HttpRequest& request, const HttpAnswer& answer);

// What is answered without a report: 404, 405, the list at /. Nothing when it needs one.
std::optional<HttpAnswer> answer_without_report(const HttpRequest& request);
// /metrics and /healthz.
HttpAnswer answer_of_report(const HttpRequest& request, const ProxyReport& report);

// The body of /healthz, and whether it is 200.
//   ok: all nodes answer. degraded: some do not; still 200, since another Shardway would not reach them
//   either. down (503): no node answers, or a thread of ours does not.
struct Health {
    bool serves = true;
    std::string json;
};
Health health_of(const ProxyReport& report);

}  // namespace shardway::admin
