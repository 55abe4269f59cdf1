// HTTP of the admin address, byte by byte.
#include "middleware/admin/http.hpp"

#include "report_fixture.hpp"
#include "tests/catch.hpp"

using namespace admin_test;
using admin::HttpAnswer;
using admin::HttpReader;
using admin::HttpRequest;

namespace {

void append(protocol::Buffer& buffer, std::string_view text) { buffer.append(protocol::bytes_of(text)); }

unsigned refused_with(const std::string& text) {
    HttpReader reader;
    protocol::Buffer input;
    append(input, text);
    const HttpReader::Step step = reader.next(input);
    const auto* bad = std::get_if<HttpReader::Bad>(&step);
    return bad ? bad->answer.status : 0;
}

std::string with_header_of(std::size_t bytes) {
    const std::string frame = "GET / HTTP/1.1\r\nX: \r\n\r\n";
    return "GET / HTTP/1.1\r\nX: " + std::string(bytes - frame.size(), 'a') + "\r\n\r\n";
}

std::string with_body_of(std::size_t bytes) {
    return "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" +
           std::string(bytes, 'b');
}

}  // namespace

TEST_CASE("a request may come in any pieces, and others behind it") {
    const std::string text =
        "GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n\r\nHEAD /healthz HTTP/1.0\r\n\r\n"
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        HttpReader reader;
        protocol::Buffer input;
        std::vector<HttpRequest> requests;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            append(input, std::string_view{text}.substr(at, piece));
            for (;;) {
                HttpReader::Step step = reader.next(input);
                REQUIRE_FALSE(std::holds_alternative<HttpReader::Bad>(step));
                if (!std::holds_alternative<HttpRequest>(step)) break;
                requests.push_back(std::get<HttpRequest>(step));
            }
        }
        REQUIRE(requests.size() == 3);
        CHECK(requests[0].path == "/metrics");
        CHECK(requests[0].keep_alive);
        CHECK(requests[1].method == "HEAD");
        CHECK_FALSE(requests[1].keep_alive);
        CHECK(requests[2].path == "/");
        CHECK_FALSE(requests[2].keep_alive);
    }
}

TEST_CASE("what is no request is answered") {
    CHECK(refused_with("garbage\r\n\r\n") == 400);
    CHECK(refused_with("GET / HTTP/9.9\r\n\r\n") == 400);
    CHECK(refused_with(std::string(5, '\0')) == 400);
    CHECK(refused_with("GET / HTTP/1.1\r\nno colon\r\n\r\n") == 400);
    CHECK(refused_with("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n") == 400);
}

TEST_CASE("a request's header and body are limited") {
    CHECK(refused_with(with_header_of(HttpReader::header_bytes_max)) == 0);
    CHECK(refused_with(with_header_of(HttpReader::header_bytes_max + 1)) == 431);
    CHECK(refused_with("GET /" + std::string(HttpReader::header_bytes_max, 'a')) == 431);
    CHECK(refused_with(with_body_of(HttpReader::body_bytes_max)) == 0);
    CHECK(refused_with(with_body_of(HttpReader::body_bytes_max + 1)) == 413);
}

TEST_CASE("answers by path and method") {
    const auto status = [](const char* method, const char* path) {
        const auto answer = admin::answer_without_report({method, path, true});
        return answer ? answer->status : 0;
    };
    CHECK(status("GET", "/") == 200);
    CHECK(status("GET", "/metrics") == 0);
    CHECK(status("HEAD", "/healthz") == 0);
    CHECK(status("POST", "/metrics") == 405);
    CHECK(status("GET", "/nosuch") == 404);
    CHECK(status("GET", "") == 404);
    CHECK(admin::answer_of_report({"GET", "/metrics", true}, make_up_report()).status == 200);
    CHECK(admin::answer_of_report({"GET", "/healthz", true}, make_up_report()).status == 200);
    admin::ProxyReport down = make_up_report();
    down.nodes.clear();
    CHECK(admin::answer_of_report({"GET", "/healthz", true}, down).status == 503);
}

TEST_CASE("a response as bytes") {
    HttpAnswer answer;
    answer.body = "four";
    const std::string whole = admin::http_bytes({"GET", "/", false}, answer);
    CHECK(whole.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(whole.find("Content-Length: 4\r\n") != std::string::npos);
    CHECK(whole.find("Connection: close\r\n") != std::string::npos);
    CHECK(whole.ends_with("\r\n\r\nfour"));
    const std::string head = admin::http_bytes({"HEAD", "/", true}, answer);
    CHECK(head.find("Content-Length: 4\r\n") != std::string::npos);
    CHECK(head.find("Connection: close\r\n") == std::string::npos);
    CHECK(head.ends_with("\r\n\r\n"));
}
