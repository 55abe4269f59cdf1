#include "middleware/admin/http_server.hpp"

#include <unistd.h>

#include "middleware/admin/http.hpp"

namespace shardway::admin {

HttpServer::HttpServer(Proxy proxy, const std::string& address, const base::Clock& clock)
    : proxy_{proxy}, thread_{proxy.threads.size(), clock} {
    listener_ = std::make_unique<net::Listener>(thread_, address, [this](int fd) {
        if (connections_ >= connections_max) {
            ::close(fd);
            return;
        }
        ++connections_;  // here: several may be accepted before the first is served
        thread_.spawn(serve(std::make_unique<net::Channel>(thread_, fd)));
    });
}

HttpServer::~HttpServer() { stop(); }

void HttpServer::start() {
    thread_.post([this] { listener_->start(); });
    thread_.start();
}

void HttpServer::stop() {
    thread_.stop();
    thread_.join();
}

net::Task<void> HttpServer::serve(std::unique_ptr<net::Channel> channel) {
    try {
        co_await serve_requests(*channel);
    } catch (const net::ConnectionLost&) {
        // Gone, or too slow.
    }
    --connections_;
}

net::Task<void> HttpServer::serve_requests(net::Channel& channel) {
    HttpReader reader;
    for (;;) {
        channel.deadline(thread_.clock().steady() + request_time_max);
        HttpReader::Step step = reader.next(channel.input());
        if (std::holds_alternative<HttpReader::NeedsMore>(step)) {
            // One deadline for the whole request, however slowly its bytes drip.
            while (std::holds_alternative<HttpReader::NeedsMore>(step)) {
                if (!co_await channel.fill_or_end()) co_return;
                step = reader.next(channel.input());
            }
        }
        HttpRequest request;
        std::optional<HttpAnswer> answer;
        if (auto* bad = std::get_if<HttpReader::Bad>(&step)) {
            request.keep_alive = false;
            answer = std::move(bad->answer);
        } else {
            request = std::move(std::get<HttpRequest>(step));
            answer = answer_without_report(request);
        }
        if (!answer) {
            const ProxyReport report = co_await make_report(proxy_, thread_);
            answer = answer_of_report(request, report);
        }
        const std::string bytes = http_bytes(request, *answer);
        co_await channel.write(protocol::bytes_of(bytes));
        if (!request.keep_alive) co_return;
    }
}

}  // namespace shardway::admin
