#include "middleware/session/session.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>

#include "middleware/exec/executor.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/packet_writer.hpp"
#include "sqlparse/lexer.hpp"

namespace shardway::session {

using protocol::CommandKind;
using protocol::StatusFlag;

namespace {

// Of a node's status flags, those that speak of the statement and not of its session.
constexpr protocol::StatusFlags statement_flags = StatusFlag::no_good_index_used | StatusFlag::no_index_used |
                                                  StatusFlag::query_was_slow | StatusFlag::metadata_changed |
                                                  StatusFlag::database_dropped;

std::vector<backend::NodeIndex> nodes_of(const plan::Routed& routed) {
    std::vector<backend::NodeIndex> nodes;  // the parts are in rising order of node
    for (const plan::Part& part : routed.parts)
        if (nodes.empty() || nodes.back() != part.node.value) nodes.push_back(part.node.value);
    return nodes;
}

// Without a comment. A text of comments alone is a statement that does nothing, an empty one is an error.
bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f;") == text.npos; }

// The id that an OK packet names: the first that was made, else the last that was given. The nodes were sent
// all ids, so each of them names the last that it wrote.
void number_ids(exec::Outcome& outcome, const plan::Routed& routed) {
    const plan::InsertIds& ids = *routed.ids;
    if (ids.first_made != 0) {
        // Of a row that met another one the node says which, or nothing when it changed nothing.
        const bool met =
            ids.on_duplicate && routed.row_count == 1 &&
            (ids.reported ? outcome.last_insert_id != ids.first_made : outcome.affected_rows != 1);
        if (outcome.affected_rows > 0 && !met) outcome.last_insert_id = ids.first_made;
    } else if (ids.last_given && outcome.last_insert_id != 0 && !ids.on_duplicate) {
        outcome.last_insert_id = *ids.last_given;
    }
}

// Is the OK packet's id one that was made for a new row, and so what LAST_INSERT_ID() says from now on?
bool is_new_id(const exec::Outcome& outcome, const plan::Routed& routed) {
    const plan::InsertIds& ids = *routed.ids;
    if (ids.all_given) return false;
    if (ids.first_made != 0) return outcome.last_insert_id == ids.first_made;
    // The server counted. A row that met another one and changed it counts as two.
    return !(ids.on_duplicate && routed.row_count == 1 && outcome.affected_rows == 2);
}

}  // namespace

// While a statement runs nobody reads from its client, so nobody would see it go. Looked at once a second.
class Session::ClientWatch final : public net::TimerWheel::Entry {
public:
    ClientWatch(net::Channel& channel, backend::Cancellation& cancellation)
        : channel_{channel}, cancellation_{cancellation} {
        arm();
    }

private:
    void arm() {
        net::IoThread& thread = channel_.thread();
        thread.timers().arm(*this, thread.timers().recent() + std::chrono::seconds{1});
    }
    void expired() override {
        if (channel_.peer_is_gone()) {
            cancellation_.cancel(protocol::query_interrupted());
        } else {
            arm();
        }
    }
    net::Channel& channel_;
    backend::Cancellation& cancellation_;
};

// A statement from its arrival to its answer: what SHOW PROCESSLIST shows, and how long it took.
class Session::Running {
public:
    Running(Session& session, std::string_view text) : session_{session} {
        session.running_text_ = text;
        session.since_ = session.services_.thread.clock().steady();
    }
    ~Running() {
        const auto now = session_.services_.thread.clock().steady();
        session_.services_.metrics.took(now - session_.since_);
        session_.running_text_ = {};
        session_.since_ = now;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    Session& session_;
};

Session::Session(std::unique_ptr<net::Channel> channel, ThreadServices& services)
    : services_{services},
      channel_{std::move(channel)},
      id_{services.shared.next_session_id.fetch_add(1)},
      host_{channel_->peer_host()},
      decoder_{protocol::login_payload_bytes_max},
      writer_{*channel_, services.column_memo},
      transaction_{services.pool},
      since_{services.thread.clock().steady()} {}

Session::~Session() { services_.shared.registry.leave(id_); }

net::Task<void> Session::serve() {
    try {
        co_await serve_client();
    } catch (const net::ConnectionLost& loss) {
        spdlog::debug("session {} of {}: {}", id_, host_, loss.what());
    }
    services_.shared.registry.leave(id_);
    if (transaction_.is_open()) co_await transaction_.rollback();
}

net::Task<void> Session::serve_client() {
    if (!co_await log_in()) co_return;
    decoder_.set_payload_bytes_max(identity().packet_bytes_max);
    since_ = services_.thread.clock().steady();
    while (!ending_) {
        expect_command();
        const auto command = co_await read_packet();
        channel_->deadline(base::SteadyTime::max());
        if (!command) co_return;
        writer_.begin(decoder_.next_sequence());
        if (command->empty()) {
            writer_.error(protocol::malformed_packet());
            ending_ = true;
        } else {
            const auto kind = static_cast<CommandKind>((*command)[0]);
            if (kind == CommandKind::quit) co_return;
            if (kind != CommandKind::query) since_ = services_.thread.clock().steady();
            if (protocol::is_silent(kind)) continue;
            co_await run_command(kind, command->subspan(1));
        }
        net::Soon<void> flushed = writer_.flush();
        if (flushed.await_ready()) continue;
        co_await flushed;
        since_ = services_.thread.clock().steady();  // its pause begins when it has its answer
    }
}

void Session::expect_command() {
    const auto& timeout = settings_.local.find("wait_timeout");
    const auto seconds = timeout == settings_.local.end() ? 28800 : std::stol(timeout->second);
    channel_->deadline(since_ + std::chrono::seconds{seconds});
    decoder_.expect_sequence(0);
}

net::Soon<void> Session::run_command(CommandKind kind, protocol::Bytes body) {
    writer_.set_status(status());
    switch (kind) {
    case CommandKind::query: return query(protocol::text_of(body));
    case CommandKind::ping: answer(std::optional{exec::Outcome{}}, false); break;
    case CommandKind::init_db: answer(use(protocol::text_of(body)), false); break;
    case CommandKind::field_list: return field_list(body);
    case CommandKind::statistics: statistics(); break;
    case CommandKind::set_option: set_option(body); break;
    case CommandKind::process_kill: process_kill(body); break;
    case CommandKind::change_user: return change_user(body);
    case CommandKind::reset_connection: return reset_connection();
    default: writer_.error(protocol::unknown_command()); break;
    }
    return {};
}

net::Task<void> Session::reset_connection() {
    co_await reset();
    answer(std::optional{exec::Outcome{}}, false);
}

protocol::StatusFlags Session::status() const {
    protocol::StatusFlags flags;
    flags.set(StatusFlag::autocommit, settings_.autocommit);
    flags.set(StatusFlag::in_transaction, transaction_.is_open());
    flags.set(StatusFlag::no_backslash_escapes, settings_.no_backslash_escapes());
    return flags;
}

const rules::User& Session::user_rule() const {
    static const rules::User nobody;
    const rules::Topology& topology = *services_.topology;
    if (user_rule_ == nullptr || user_rule_epoch_ != topology.epoch()) {
        const auto& users = topology.rules().users;
        const auto found = users.find(user_name_);
        user_rule_ = found == users.end() ? &nobody : &found->second;
        user_rule_epoch_ = topology.epoch();
    }
    return *user_rule_;
}

void Session::kill(Registry::Kill kind) {
    if (running_) running_->cancel(protocol::query_interrupted());
    if (kind == Registry::Kill::query) return;
    ending_ = true;
    channel_->cancel();
}

Session::Snapshot Session::snapshot() const {
    return {id_,
            user_name_,
            host_,
            settings_.database,
            running_text_.data() != nullptr,
            since_,
            std::string{running_text_},
            transaction_.is_open()};
}

// A connection as it was after login, with the database it has.
net::Task<void> Session::reset() {
    if (transaction_.is_open()) co_await transaction_.rollback();
    const std::string database = settings_.database;
    const auto collation = protocol::default_collation(identity().kind, "utf8mb4");
    settings_ = Settings::after_login(identity(), collation ? collation->id : 45,
                                      capabilities_.has(protocol::Capability::found_rows));
    settings_.database = database;
    diagnostics_.clear();
    last_insert_id_ = 0;
    row_count_ = 0;
    found_rows_ = 0;
}

void Session::set_option(protocol::Bytes body) {
    protocol::Reader in{body};
    const std::uint16_t option = in.u16();
    if (!in.ok() || option > 1) return writer_.error(protocol::unknown_command());
    multi_statements_ = option == 0;
    writer_.result_end({0, status()});
}

void Session::process_kill(protocol::Bytes body) {
    protocol::Reader in{body};
    const std::uint32_t id = in.u32();
    if (!in.ok()) return writer_.error(protocol::malformed_packet());
    const auto killed =
        services_.shared.registry.kill(id, Registry::Kill::connection, user_name_, user_rule().admin);
    if (killed.has_error()) return writer_.error(killed.error());
    answer(std::optional{exec::Outcome{}}, false);
}

void Session::statistics() {
    const auto up = std::chrono::duration_cast<std::chrono::seconds>(services_.thread.clock().steady() -
                                                                     identity().started);
    const auto text =
        fmt::format("Uptime: {}  Threads: {}  Questions: {}", up.count(), services_.shared.registry.size(),
                    services_.shared.counters.sum(SessionCounter::statements));
    writer_.packet(protocol::bytes_of(text));
}

net::Task<void> Session::query(std::string_view text) {
    if (!multi_statements_ || text.find(';') == text.npos) return statement(text, false);
    return statements(text);
}

net::Task<void> Session::statements(std::string_view text) {
    while (true) {
        const auto first = sqlparse::split_first(text, settings_.parse_options);
        std::string_view rest = text.substr(first.next);
        // What stands behind the last `;` may be nothing but spaces and comments.
        if (first.terminated && sqlparse::split_first(rest, settings_.parse_options).blank) rest = {};
        co_await statement(first.statement, !rest.empty());
        if (failed_ || rest.empty()) co_return;
        text = rest;
    }
}

plan::PlanContext Session::plan_context(const rules::Topology& topology) const {
    plan::PlanContext context = planning_context(topology, *this, settings_, user_, account_);
    if (services_.ids) context.ids = &*services_.ids;
    context.connection_id = id_;
    context.last_insert_id = last_insert_id_;
    context.row_count = row_count_;
    context.found_rows = found_rows_;
    if (const auto node = transaction_.first_node()) context.preferred_node = rules::NodeId{*node};
    context.in_transaction = transaction_.is_open();
    return context;
}

// Ids that are not there yet are, most likely, in a moment: the keeper of the sources has been woken.
net::Task<protocol::Result<plan::Routed>> Session::plan_again(std::string_view text,
                                                              const backend::StatementContext& context) {
    constexpr std::chrono::milliseconds pause{5}, patience{1000};
    const auto until =
        std::min<base::SteadyTime>(services_.thread.clock().steady() + patience, context.deadline);
    for (;;) {
        const auto next = services_.thread.clock().steady() + pause;
        net::Event never{services_.thread};
        co_await never.wait(next);
        auto routed = services_.planner.plan(text, plan_context(*context.topology));
        const bool waits = routed.has_error() && protocol::is_id_not_ready(routed.error());
        if (!waits || next >= until || ending_) co_return routed;
    }
}

net::Task<void> Session::statement(std::string_view text, bool more) {
    counters().add(SessionCounter::statements);
    const Running running{*this, text};
    const auto& limits = services_.topology->rules().limits;
    backend::StatementContext context{services_.topology, services_.shared.budget, limits.query_memory};
    if (limits.query_time.count() > 0)
        context.deadline = services_.thread.clock().steady() + limits.query_time;
    if (services_.shared.handler && services_.shared.handler->takes(text, settings_.parse_options)) {
        running_ = &context.cancellation;
        const Answer answered = co_await ask_handler(text, context);
        running_ = nullptr;
        answer(answered, more);
        co_return;
    }
    auto routed = services_.planner.plan(text, plan_context(*context.topology));
    if (routed.has_error() && protocol::is_id_not_ready(routed.error())) {
        auto again = co_await plan_again(text, context);
        routed = std::move(again);
    }
    if (routed.has_error()) {
        diagnostics_.clear();
        if (routed.error() == protocol::empty_query() && !is_blank(text)) {
            answer(std::optional{exec::Outcome{}}, more);
        } else {
            answer(std::move(routed).error(), more);
        }
        co_return;
    }
    services_.metrics.planned(routed.value().plan->kind, routed.value().strategy);
    running_ = &context.cancellation;
    writer_.set_status(status());
    const Answer answered = co_await run(routed.value(), context);
    running_ = nullptr;
    answer(answered, more);
}

net::Task<Session::Answer> Session::run(const plan::Routed& routed, backend::StatementContext& context) {
    if (routed.strategy != plan::Strategy::session) return run_on_nodes(routed, context);
    return run_session_statement(*plan::tree_of(*routed.parsed), plan::text_of(*routed.parsed));
}

net::Task<Session::Answer> Session::run_on_nodes(const plan::Routed& routed,
                                                 backend::StatementContext& context) {
    const plan::Plan& plan = *routed.plan;
    if (transaction_.lost()) co_return *transaction_.lost();
    if (plan.implicit_commit && transaction_.is_open()) {
        auto committed = co_await transaction_.commit();
        if (committed.has_error()) co_return std::move(committed).error();
    }
    if (routed.parts.size() > 1 && plan.writes && plan.returns_rows)
        co_return protocol::not_supported("RETURNING over several shards");
    const ClientWatch watch{*channel_, context.cancellation};
    // What touches no table takes no part in a transaction.
    const bool touches_tables = routed.access != plan::AccessPath::none && !plan.implicit_commit;
    std::optional<protocol::Result<exec::Outcome>> outcome;
    if (touches_tables && (transaction_.is_open() || !settings_.autocommit)) {
        outcome.emplace(co_await run_in_transaction(routed, context));
    } else if (routed.parts.size() > 1 && plan.writes) {
        outcome.emplace(co_await run_own_transaction(routed, context));
    } else if (routed.access == plan::AccessPath::any_node && !plan.writes) {
        outcome.emplace(co_await run_on_any_node(routed, context));
    } else {
        backend::PooledConnections connections{services_.pool};
        exec::Executor executor{connections, context, settings_.state};
        outcome.emplace(co_await executor.run(routed, writer_));
    }
    diagnostics_ = std::move(context.diagnostics);
    if (outcome->has_error()) co_return std::move(*outcome).error();
    remember(outcome->value(), routed);
    co_return std::optional{std::move(*outcome).value()};
}

net::Task<protocol::Result<exec::Outcome>> Session::run_in_transaction(const plan::Routed& routed,
                                                                       backend::StatementContext& context) {
    const auto nodes = nodes_of(routed);
    const bool writes = routed.plan->writes || routed.plan->locking_read;
    if (!transaction_.is_open()) {  // autocommit = 0: the first statement opens one
        transaction_.open("BEGIN", std::exchange(settings_.next_transaction, {}));
        transaction_is_explicit_ = false;
    }
    if (routed.plan->writes)
        if (auto refused = transaction_.refuse_writes(nodes)) co_return std::move(*refused);
    exec::Executor executor{transaction_, context, settings_.state};
    writer_.set_status(status());
    auto outcome = co_await executor.run(routed, writer_);
    if (writes) transaction_.will_write(nodes);
    co_await transaction_.after_statement(outcome.has_error());
    // That the transaction is gone matters more than what went wrong with its last statement.
    if (outcome.has_error() && transaction_.lost()) co_return *transaction_.lost();
    co_return outcome;
}

// What any node can answer goes on to the next one when a node cannot be reached.
net::Task<protocol::Result<exec::Outcome>> Session::run_on_any_node(plan::Routed routed,
                                                                    backend::StatementContext& context) {
    const auto nodes = static_cast<backend::NodeIndex>(services_.shared.fleet.size());
    for (backend::NodeIndex tried = 1;; ++tried) {
        backend::PooledConnections connections{services_.pool};
        exec::Executor executor{connections, context, settings_.state};
        auto outcome = co_await executor.run(routed, writer_);
        if (!outcome.has_error() || tried >= nodes || !protocol::is_node_unavailable(outcome.error()))
            co_return outcome;
        rules::NodeId& node = routed.parts.front().node;
        node = rules::NodeId{(node.value + 1) % nodes};
    }
}

// An autocommit write in several places: all of them or, but for a failure between two commits, none.
net::Task<protocol::Result<exec::Outcome>> Session::run_own_transaction(const plan::Routed& routed,
                                                                        backend::StatementContext& context) {
    txn::Transaction own{services_.pool, txn::Transaction::Writers::many_nodes};
    const auto nodes = nodes_of(routed);
    own.open("BEGIN", std::exchange(settings_.next_transaction, {}));
    if (nodes.size() == 1) own.commit_with_statement();
    exec::Executor executor{own, context, settings_.state};
    auto outcome = co_await executor.run(routed, writer_);
    own.will_write(nodes);
    if (outcome.has_error()) {
        co_await own.rollback();
        co_return outcome;
    }
    auto committed = co_await own.commit();
    if (committed.has_error()) co_return std::move(committed).error();
    co_return outcome;
}

// What the session's next statement may ask of this one.
void Session::remember(exec::Outcome& outcome, const plan::Routed& routed) {
    if (routed.ids) number_ids(outcome, routed);
    if (outcome.last_insert_id != 0 && (!routed.ids || is_new_id(outcome, routed)))
        last_insert_id_ = outcome.last_insert_id;
    row_count_ = outcome.has_rows ? -1 : static_cast<std::int64_t>(outcome.affected_rows);
    if (outcome.has_rows) found_rows_ = writer_.rows_written();
}

void Session::answer(const Answer& answer, bool more) {
    failed_ = answer.has_error();
    if (failed_) {
        counters().add(SessionCounter::failed_statements);
        diagnostics_.add(backend::Level::error, answer.error().code, answer.error().message);
        row_count_ = -1;
        if (!writer_.inside_row()) return writer_.error(answer.error());
        // The client would take the error for the rest of the row.
        spdlog::warn("session {}: closed inside a row: {}", id_, answer.error().message);
        ending_ = true;
        return;
    }
    if (!answer.value()) return;
    const exec::Outcome& outcome = *answer.value();
    auto flags = status() | (outcome.status & statement_flags);
    if (more) flags.set(StatusFlag::more_results);
    const auto warnings = protocol::capped_warnings(outcome.warnings);
    if (outcome.has_rows) return writer_.result_end({warnings, flags});
    writer_.ok({outcome.affected_rows, outcome.last_insert_id, flags, warnings, outcome.info});
}

bool Session::may_use(std::string_view database) const { return user_rule().may_use(database); }

}  // namespace shardway::session
