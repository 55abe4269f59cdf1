// The yardstick of the benchmarks: a relay that copies bytes and understands none of them. Two threads, each
// with an epoll of its own; level-triggered reads, writes that are tried at once. Usage: relay
// PORT=TARGET_PORT …, all on 127.0.0.1; says "ready" when it listens.
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr int threads = 2;
constexpr std::size_t buffer_bytes = 64 * 1024;

struct Pair;
struct End {
    int fd = -1;
    Pair* pair = nullptr;
    End* other = nullptr;
    std::vector<char> pending;  // what `fd` did not take yet; meanwhile the other end is not read
};
struct Pair {
    End client, server;
    bool closed = false;
};

[[noreturn]] void die(const char* what) {
    std::perror(what);
    std::exit(1);
}

sockaddr_in local(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

void set_nodelay(int fd) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

class Relay {
public:
    explicit Relay(int epoll) : epoll_{epoll} {}

    void run() {
        std::array<epoll_event, 64> events;
        std::vector<Pair*> closed;
        for (;;) {
            const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
            for (int i = 0; i < count; ++i) {
                End& end = *static_cast<End*>(events[static_cast<std::size_t>(i)].data.ptr);
                if (end.pair->closed) continue;
                const auto what = events[static_cast<std::size_t>(i)].events;
                bool alive = true;
                if (what & EPOLLOUT) alive = flush(end);
                if (alive && (what & (EPOLLIN | EPOLLHUP | EPOLLERR))) alive = pass(end);
                if (!alive) {
                    close(end.fd);
                    close(end.other->fd);
                    end.pair->closed = true;
                    closed.push_back(end.pair);
                }
            }
            for (const Pair* pair : closed) delete pair;
            closed.clear();
        }
    }

private:
    void want(End& end, std::uint32_t what) const {
        epoll_event event{};
        event.events = what;
        event.data.ptr = &end;
        epoll_ctl(epoll_, EPOLL_CTL_MOD, end.fd, &event);
    }
    bool pass(End& from) {
        const ssize_t got = recv(from.fd, buffer_.data(), buffer_.size(), 0);
        if (got < 0) return errno == EAGAIN;
        if (got == 0) return false;
        End& to = *from.other;
        const ssize_t sent = send(to.fd, buffer_.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) return false;
        if (sent == got) return true;
        const auto done = static_cast<std::ptrdiff_t>(sent < 0 ? 0 : sent);
        to.pending.assign(buffer_.begin() + done, buffer_.begin() + got);
        want(to, EPOLLOUT);
        want(from, 0);
        return true;
    }
    bool flush(End& to) {
        const ssize_t sent = send(to.fd, to.pending.data(), to.pending.size(), MSG_NOSIGNAL);
        if (sent < 0) return errno == EAGAIN;
        to.pending.erase(to.pending.begin(), to.pending.begin() + sent);
        if (!to.pending.empty()) return true;
        want(to, to.other->pending.empty() ? EPOLLIN : 0U);
        want(*to.other, EPOLLIN);
        return true;
    }

    const int epoll_;
    std::array<char, buffer_bytes> buffer_;
};

void add(int epoll, End& end) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &end;
    epoll_ctl(epoll, EPOLL_CTL_ADD, end.fd, &event);
}

int listen_on(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const sockaddr_in address = local(port);
    if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) die("bind");
    if (listen(fd, 1024) != 0) die("listen");
    return fd;
}

void take_clients(int listener, int target, const std::array<int, threads>& epolls) {
    for (unsigned next = 0;; ++next) {
        const int client = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client < 0) continue;
        const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in address = local(target);
        if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            close(client);
            close(server);
            continue;
        }
        fcntl(server, F_SETFL, fcntl(server, F_GETFL) | O_NONBLOCK);
        set_nodelay(client);
        set_nodelay(server);
        auto* pair = new Pair;
        pair->client = {client, pair, &pair->server, {}};
        pair->server = {server, pair, &pair->client, {}};
        add(epolls[next % threads], pair->client);
        add(epolls[next % threads], pair->server);
    }
}

}  // namespace

int main(int count, char** arguments) {
    std::array<int, threads> epolls;
    std::vector<std::thread> running;
    for (int& epoll : epolls) {
        epoll = epoll_create1(EPOLL_CLOEXEC);
        running.emplace_back([&epoll] { Relay{epoll}.run(); });
    }
    for (int i = 1; i < count; ++i) {
        int port = 0, target = 0;
        if (std::sscanf(arguments[i], "%d=%d", &port, &target) != 2) {
            std::fprintf(stderr, "usage: relay PORT=TARGET_PORT ...\n");
            return 2;
        }
        const int listener = listen_on(port);
        running.emplace_back([=, &epolls] { take_clients(listener, target, epolls); });
    }
    std::puts("ready");
    std::fflush(stdout);
    for (std::thread& thread : running) thread.join();
}
