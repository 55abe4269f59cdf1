#include "middleware/cli/serve_command.hpp"

#include <csignal>
#include <filesystem>
#include <future>
#include <thread>

#include <CLI/CLI.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "middleware/admin/handler.hpp"
#include "middleware/admin/http_server.hpp"
#include "middleware/cli/fleet_state.hpp"
#include "middleware/net/listener.hpp"
#include "middleware/session/registry.hpp"
#include "middleware/session/session.hpp"
#include "rules/ids.hpp"
#include "rules/load.hpp"
#include "rules/stored_maps.hpp"
#include "schema/meta_store.hpp"

namespace shardway::cli {

namespace {

constexpr int status_ended = 0, status_failed = 1, status_wrong_rules = 2;
constexpr std::chrono::seconds farewell_time_max{5};  // for sessions to end after a signal
constexpr std::chrono::seconds idle_connection_max{60};
constexpr std::chrono::seconds idle_look_interval{10};

std::string host_name() {
    char name[256] = "localhost";
    gethostname(name, sizeof name - 1);
    return name;
}

std::string meta_file(const rules::Rules& rules, const std::string& data) {
    if (data.empty()) return rules.meta.sqlite;
    return (std::filesystem::path{data} / std::filesystem::path{rules.meta.sqlite}.filename()).string();
}

backend::BackendOptions backend_options(const rules::Backend& rule, std::size_t packet_bytes_max) {
    backend::BackendOptions options;
    options.user = rule.user;
    options.password = rule.password;
    switch (rule.tls) {
    case rules::TlsMode::disabled: options.tls = backend::BackendOptions::Tls::disabled; break;
    case rules::TlsMode::preferred: options.tls = backend::BackendOptions::Tls::preferred; break;
    case rules::TlsMode::required: options.tls = backend::BackendOptions::Tls::required; break;
    }
    options.tls_ca = rule.tls_ca;
    options.connections = rule.connections;
    options.packet_bytes_max = packet_bytes_max;
    options.connect_timeout = rule.connect_timeout;
    options.wait_timeout = rule.wait_timeout;
    return options;
}

std::vector<backend::Fleet::Node> fleet_nodes(const rules::Rules& rules) {
    std::vector<backend::Fleet::Node> nodes;
    for (const rules::Node& node : rules.nodes) nodes.push_back({node.name, node.primary.text()});
    return nodes;
}

bool uses_locators_or_genes(const rules::Rules& rules) {
    for (const auto& [name, database] : rules.databases)
        for (const auto& [table, rule] : database.tables)
            if (const auto* sharded = rule.sharded();
                sharded && (!sharded->locators.empty() || sharded->gene))
                return true;
    return false;
}

spdlog::level::level_enum level_of(rules::LogLevel level) {
    switch (level) {
    case rules::LogLevel::trace: return spdlog::level::trace;
    case rules::LogLevel::debug: return spdlog::level::debug;
    case rules::LogLevel::info: return spdlog::level::info;
    case rules::LogLevel::warn: return spdlog::level::warn;
    case rules::LogLevel::error: break;
    }
    return spdlog::level::err;
}

std::optional<net::TlsContext> listener_tls(const rules::ListenTls& rule) {
    if (rule.mode == rules::TlsMode::disabled) return std::nullopt;
    if (rule.cert.empty()) return net::TlsContext::self_signed_server();
    return net::TlsContext::server({rule.cert, rule.key, rule.ca});
}

// The whole running proxy. Members are made in order and end in reverse.
class Server {
public:
    // `store` outlives this.
    Server(std::shared_ptr<const rules::Rules> rules, FleetState fleet,
           std::shared_ptr<const rules::Topology> topology, schema::MetaStore& store)
        : rules_{std::move(rules)},
          threads_{rules_->threads ? rules_->threads : std::max(1U, std::thread::hardware_concurrency()),
                   base::Clock::system()},
          fleet_{fleet_nodes(*rules_), backend_options(rules_->backend, fleet.identity.packet_bytes_max),
                 threads_, base::Random::system()},
          budget_{rules_->limits.total_memory ? rules_->limits.total_memory : SIZE_MAX},
          counters_{threads_.size()},
          tls_{listener_tls(rules_->listen.tls)},
          rsa_key_{protocol::RsaKey::generate()},
          ids_{store, base::Clock::system(), base::Random::system(),
               [](const std::string& trouble) { spdlog::warn("ids: {}", trouble); }},
          services_{threads_,
                    fleet_,
                    registry_,
                    budget_,
                    base::Random::system(),
                    counters_,
                    std::move(fleet.identity),
                    tls_ ? &*tls_ : nullptr,
                    rules_->listen.tls.mode == rules::TlsMode::required,
                    &rsa_key_} {
        ids_.prepare(*topology);
        services_.ids = &ids_;
        for (std::size_t index = 0; index < threads_.size(); ++index)
            per_thread_.push_back(
                std::make_unique<session::ThreadServices>(services_, threads_[index], topology));
        services_.handler = &handler_;
        if (rules_->listen.admin)
            http_ = std::make_unique<admin::HttpServer>(admin::Proxy{services_, per_thread_, probe_},
                                                        rules_->listen.admin->text(), base::Clock::system());
        for (const rules::Address& address : rules_->listen.mysql)
            listeners_.push_back(std::make_unique<net::Listener>(threads_[0], address.text(),
                                                                 [this](int fd) { take_client(fd); }));
    }

    void run() {
        boost::asio::io_context signals;
        boost::asio::signal_set wanted{signals, SIGINT, SIGTERM};
        wanted.async_wait([&](const boost::system::error_code&, int) {});
        threads_[0].post([this] {
            for (const auto& listener : listeners_) listener->start();
        });
        for (std::size_t index = 0; index < threads_.size(); ++index)
            threads_[index].post(
                [this, index] { threads_[index].spawn(look_after_idle(*per_thread_[index])); });
        threads_.start();
        for (const auto& listener : listeners_)
            spdlog::info("listening for MySQL clients on {}", listener->address());
        if (http_) {
            http_->start();
            spdlog::info("listening for HTTP (/metrics, /healthz) on {}", http_->address());
        }
        signals.run();
        spdlog::info("ending: no new clients, {} sessions are told to go", registry_.size());
        end();
    }

private:
    void take_client(int fd) {
        net::IoThread& thread = threads_.least_loaded();
        thread.sessions.fetch_add(1, std::memory_order_relaxed);
        thread.post([this, &thread, fd] { thread.spawn(serve_client(*per_thread_[thread.index()], fd)); });
    }

    static net::Task<void> serve_client(session::ThreadServices& services, int fd) {
        {
            session::Session session{std::make_unique<net::Channel>(services.thread, fd), services};
            co_await session.serve();
        }
        services.thread.sessions.fetch_sub(1, std::memory_order_relaxed);
    }

    static net::Task<void> look_after_idle(session::ThreadServices& services) {
        for (;;) {
            net::Event never{services.thread};
            co_await never.wait(services.thread.clock().steady() + idle_look_interval);
            services.pool.close_idle(idle_connection_max);
        }
    }

    void end() {
        std::promise<void> stopped;
        threads_[0].post([&] {
            for (const auto& listener : listeners_) listener->stop();
            stopped.set_value();
        });
        stopped.get_future().wait();
        if (http_) http_->stop();
        registry_.close_all();
        const auto until = std::chrono::steady_clock::now() + farewell_time_max;
        while ((registry_.size() > 0 || !probe_.is_idle()) && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        threads_.stop_and_join();
    }

    std::shared_ptr<const rules::Rules> rules_;
    session::Registry registry_;
    net::IoThreads threads_;
    backend::Fleet fleet_;
    base::ProcessBudget budget_;
    base::Counters<session::SessionCounter> counters_;
    std::optional<net::TlsContext> tls_;
    protocol::RsaKey rsa_key_;
    rules::IdSources ids_;
    session::Services services_;
    std::vector<std::unique_ptr<session::ThreadServices>> per_thread_;
    admin::NodeProbe probe_{fleet_, threads_[0]};
    admin::Handler handler_{admin::Proxy{services_, per_thread_, probe_}};
    std::unique_ptr<admin::HttpServer> http_;
    std::vector<std::unique_ptr<net::Listener>> listeners_;
};

}  // namespace

int run_serve(const ServeOptions& options) {
    spdlog::set_default_logger(spdlog::stderr_color_mt("shardway"));
    auto loaded = rules::load_rules_file(options.config);
    if (!loaded.rules) {
        for (const rules::Finding& finding : loaded.findings) fmt::print(stderr, "{}\n", finding.text());
        return status_wrong_rules;
    }
    const rules::Rules& rules = *loaded.rules;
    spdlog::set_level(level_of(rules.log.level));
    try {
        if (rules.meta.sqlite.empty())
            throw std::runtime_error{"meta.etcd is not served yet; use meta.sqlite"};
        FleetState fleet = ask_fleet(rules);
        for (const std::string& warning : fleet.warnings) spdlog::warn("{}", warning);
        const auto store = schema::open_sqlite_store(meta_file(rules, options.data));
        const rules::StoredMaps maps = rules::load_or_seed_maps(rules, *store);
        for (const std::string& difference : rules::map_differences(rules, maps))
            spdlog::warn("{}", difference);
        if (uses_locators_or_genes(rules))
            spdlog::warn(
                "locators and gene keys are checked but not used yet: a table is found by its shard key "
                "alone");
        auto topology = rules::Topology::build(loaded.rules, fleet.catalog, maps, 1);
        fleet.identity.hostname = host_name();
        fleet.identity.port = rules.listen.mysql.empty() ? std::uint16_t{0} : rules.listen.mysql.front().port;
        fleet.identity.started = base::Clock::system().steady();
        spdlog::info("shardway {} serves {} nodes as {}", SHARDWAY_VERSION, rules.nodes.size(),
                     fleet.identity.version);
        Server server{loaded.rules, std::move(fleet), std::move(topology), *store};
        server.run();
        return status_ended;
    } catch (const std::exception& error) {
        spdlog::error("{}", error.what());
        return status_failed;
    }
}

void add_serve_command(CLI::App& app) {
    auto* command = app.add_subcommand("serve", "Serve MySQL clients by the rules, until SIGINT or SIGTERM");
    auto options = std::make_shared<ServeOptions>();
    command->add_option("--config", options->config, "the rules file")->required();
    command->add_option("--data", options->data,
                        "folder of the metadata file, instead of where the rules put it");
    command->footer(
        "Clients connect to the addresses under `listen`, as the users of the rules.\n"
        "The tables are those of `shardway apply`; run that first.\n"
        "SHARDWAY HELP, given by any client, lists what can be asked in SQL, and `listen: {admin: "
        "host:port}`\n"
        "opens an address for /metrics and /healthz.\n\n"
        "  shardway serve --config shardway.yaml");
    command->callback([options] { throw CLI::RuntimeError{run_serve(*options)}; });
}

}  // namespace shardway::cli
