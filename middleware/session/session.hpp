// One client's connection, from login to close.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "middleware/backend/fetch.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/exec/outcome.hpp"
#include "middleware/net/channel.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/protocol/command.hpp"
#include "middleware/protocol/packet_decoder.hpp"
#include "middleware/protocol/server_handshake.hpp"
#include "middleware/session/client_writer.hpp"
#include "middleware/session/registry.hpp"
#include "middleware/session/services.hpp"
#include "middleware/session/settings.hpp"
#include "middleware/session/shardway_handler.hpp"
#include "middleware/txn/transaction.hpp"

namespace shardway::session {

// Never leaves its thread.
class Session final : private plan::SessionView {
public:
    static constexpr std::chrono::seconds login_time_max{10};

    Session(std::unique_ptr<net::Channel> channel, ThreadServices& services);
    ~Session() override;

    // Until the client is gone or told to go. Throws nothing for what the client does.
    net::Task<void> serve();

    // On the session's thread.
    void kill(Registry::Kill kind);
    // What SHOW PROCESSLIST says of it.
    struct Snapshot {
        std::uint64_t id = 0;
        std::string user, host, database;
        bool runs = false;         // else it waits for its client
        base::SteadyTime since{};  // of that
        std::string text;          // of the statement that runs
        bool in_transaction = false;
    };
    Snapshot snapshot() const;

private:
    // What handle… functions answer: nothing when the answer is already written.
    using Answer = protocol::Result<std::optional<exec::Outcome>>;

    class Running;
    class ClientWatch;  // looks after a client while its statement runs

    net::Task<void> serve_client();

    // Login (login.cpp)
    net::Task<bool> log_in();
    net::Task<void> change_user(protocol::Bytes body);
    net::Task<std::optional<protocol::ServerHandshake::Accept>> authenticate(
        protocol::ServerHandshake& handshake, std::optional<protocol::ServerHandshake::Step> first);
    net::Task<bool> enter(protocol::ServerHandshake::Accept accepted);

    // Commands
    void expect_command();
    net::Task<std::optional<protocol::Bytes>> read_packet();
    net::Soon<void> run_command(protocol::CommandKind kind, protocol::Bytes body);
    net::Task<void> query(std::string_view text);
    net::Task<void> reset_connection();
    net::Task<void> field_list(protocol::Bytes body);
    net::Task<void> reset();
    void set_option(protocol::Bytes body);
    void process_kill(protocol::Bytes body);
    void statistics();

    // Statements: each writes its answer. The first that failed ends a text of several.
    net::Task<void> statements(std::string_view text);
    net::Task<void> statement(std::string_view text, bool more);
    net::Task<Answer> run(const plan::Routed& routed, backend::StatementContext& context);
    net::Task<Answer> run_on_nodes(const plan::Routed& routed, backend::StatementContext& context);
    net::Task<protocol::Result<exec::Outcome>> run_in_transaction(const plan::Routed& routed,
                                                                  backend::StatementContext& context);
    net::Task<protocol::Result<exec::Outcome>> run_on_any_node(plan::Routed routed,
                                                               backend::StatementContext& context);
    net::Task<protocol::Result<exec::Outcome>> run_own_transaction(const plan::Routed& routed,
                                                                   backend::StatementContext& context);
    net::Task<protocol::Result<plan::Routed>> plan_again(std::string_view text,
                                                         const backend::StatementContext& context);
    void remember(exec::Outcome& outcome, const plan::Routed& routed);
    void answer(const Answer& answer, bool more);

    // Statements that the session acts on itself (session_statements.cpp)
    net::Task<Answer> run_session_statement(const sqlparse::Statement& statement, std::string_view text);
    net::Task<Answer> begin(const sqlparse::Begin& begin);
    net::Task<Answer> commit(const sqlparse::Commit& commit);
    net::Task<Answer> rollback(const sqlparse::Rollback& rollback);
    net::Task<Answer> end_transaction(bool commit, sqlparse::Tristate chain, sqlparse::Tristate release);
    Answer use(std::string_view database);
    Answer show(const sqlparse::Show& show, std::string_view text);
    Answer show_databases(const sqlparse::Show& show, std::string_view text);
    Answer show_warnings(const sqlparse::Show& show, std::string_view text);
    Answer kill(const sqlparse::Kill& kill, std::string_view text);
    // Statements that the handler answers.
    net::Task<Answer> ask_handler(std::string_view text, const backend::StatementContext& context);
    net::Task<Answer> show_by_handler(const sqlparse::Show& show, std::string_view text);
    Answer write_own(const protocol::Result<OwnResult>& result);

    // SET (set_statement.cpp)
    net::Task<Answer> set(const sqlparse::Set& set, std::string_view text);
    net::Task<protocol::Result<void>> set_item(const sqlparse::SetItem& item, std::string_view text,
                                               Settings& changed);
    net::Task<protocol::Result<void>> set_variable(const sqlparse::SetItem& item, std::string_view text,
                                                   Settings& changed);
    net::Task<protocol::Result<void>> set_charset_variable(const sqlparse::SetItem& item,
                                                           std::string_view text, Settings& changed);
    net::Task<protocol::Result<void>> set_carried(std::string name, std::string value, Settings& changed);
    protocol::Result<void> set_transaction(const sqlparse::SetItem& item, Settings& changed);
    net::Task<protocol::Result<std::optional<std::string>>> evaluate(std::string expression,
                                                                     const Settings& settings,
                                                                     std::string_view database);
    net::Task<protocol::Result<backend::Lease>> any_connection(const Settings& settings);

    // What the planner asks
    bool may_use(std::string_view database) const override;
    std::optional<std::string> variable(std::string_view scope, std::string_view name) const override;
    plan::PlanContext plan_context(const rules::Topology& topology) const;

    protocol::StatusFlags status() const;
    const rules::User& user_rule() const;
    const ServerIdentity& identity() const { return services_.shared.identity; }
    base::CounterRow<SessionCounter>& counters() {
        return services_.shared.counters.row(services_.thread.index());
    }

    ThreadServices& services_;
    std::unique_ptr<net::Channel> channel_;
    const std::uint64_t id_;
    const std::string host_;
    protocol::Scramble scramble_;
    protocol::PacketDecoder decoder_;
    ClientWriter writer_;
    protocol::Capabilities capabilities_;
    bool multi_statements_ = false;

    std::string user_, account_;                      // USER(), CURRENT_USER()
    std::string user_name_;                           // in the rules
    mutable const rules::User* user_rule_ = nullptr;  // its rule, in the topology of this epoch
    mutable std::uint64_t user_rule_epoch_ = 0;
    Settings settings_;
    txn::Transaction transaction_;
    bool transaction_is_explicit_ = false;  // BEGIN, not autocommit = 0
    std::string transaction_start_;

    // Of the previous statement
    bool failed_ = false;
    backend::Diagnostics diagnostics_;
    std::uint64_t last_insert_id_ = 0;
    std::int64_t row_count_ = 0;
    std::uint64_t found_rows_ = 0;

    backend::Cancellation* running_ = nullptr;  // the statement that runs, if one does
    bool ending_ = false;                       // killed, or RELEASE
    std::string_view running_text_;             // in the client's packet, which stays until the answer
    base::SteadyTime since_{};                  // since when it runs, or waits for its client
};

}  // namespace shardway::session
