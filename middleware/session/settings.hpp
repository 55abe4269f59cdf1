// What a session has set for itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/backend/session_state.hpp"
#include "middleware/protocol/charset.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "middleware/session/services.hpp"
#include "rules/key.hpp"
#include "sqlparse/ast.hpp"
#include "sqlparse/options.hpp"

namespace shardway::session {

// A plain value: SET works on a copy, which takes the place of the old one when every part of the statement
// succeeded.
struct Settings {
    // Right after login; `collation` as the client asked for it. One that the server cannot use for a client
    // (unknown, or utf16 and its like) gives utf8mb4 with its default.
    static Settings after_login(const ServerIdentity& identity, std::uint16_t collation, bool found_rows);

    std::shared_ptr<const backend::SessionState> state;  // what connections must have
    std::string database;
    bool autocommit = true;
    // For the next transaction only: "SET TRANSACTION READ ONLY".
    std::vector<std::string> next_transaction;
    // Variables that concern our connection with the client, not the nodes: wait_timeout and its like.
    std::map<std::string, std::string, std::less<>> local;

    // What follows from the state: how text is read, and what literals mean.
    std::string client_charset;  // its own, since many a SET replaces the state without touching it
    sqlparse::ParseOptions parse_options;
    rules::KeyContext keys;
    bool zero_is_a_value = false;  // NO_AUTO_VALUE_ON_ZERO
    bool no_backslash_escapes() const { return parse_options.modes.no_backslash_escapes; }

    protocol::Result<void> set_names(const ServerIdentity& identity, std::string_view charset,
                                     std::string_view collation);
    protocol::Result<void> set_client_charset(const ServerIdentity& identity, std::string_view charset);
    // After a change of sql_mode or character_set_client: how text is read from now on.
    void follow_state(const ServerIdentity& identity);
};

// How SET treats a variable.
enum class VariableClass : std::uint8_t {
    carried,     // brought to the nodes
    autocommit,  // ours
    charset,     // character_set_client, …: ours to check
    local,       // between us and the client
    isolation,   // transaction_isolation, tx_isolation, transaction_read_only, tx_read_only
    refused,     // one-shot or privileged state that must not leak: timestamp, insert_id, gtid_next, …
};
VariableClass class_of(std::string_view name);
// Defaults of the local ones, as @@name shows them; null for names that are not local.
const std::string* local_default(std::string_view name);

// The literal that stands for @@name (plan::SessionView::variable) where the process or the settings say it;
// what only a session knows is not among them.
std::optional<std::string> own_variable(const ServerIdentity& identity, const Settings& settings,
                                        std::string_view scope, std::string_view name);

// What the planner is told of a session that has done nothing yet. All that it is given lives as long as the
// context is used.
plan::PlanContext planning_context(const rules::Topology& topology, const plan::SessionView& session,
                                   const Settings& settings, std::string_view user, std::string_view account);

// A value as a server shows it, as the literal that sets it again: numbers stay, other text is quoted, NULL
// stays.
std::string literal_of(const std::optional<std::string>& value);

// Whether `expr` means the same when a node evaluates it on a connection of ours: no user variables, no
// subqueries, no functions that ask for the session.
bool may_evaluate_elsewhere(const sqlparse::Expr& expr);

}  // namespace shardway::session
