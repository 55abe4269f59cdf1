// SHOW, DESCRIBE, definitions of tables, and what is passed on unread.
#include <algorithm>

#include "middleware/plan/build.hpp"
#include "middleware/protocol/errors.hpp"
#include "sqlparse/lexer.hpp"

namespace shardway::plan {

namespace {

std::string upper(std::string_view words) {
    std::string out{words};
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
    return out;
}

std::string unquoted(std::string_view token) {
    if (token.size() < 2 || (token.front() != '`' && token.front() != '"')) return std::string{token};
    std::string name;
    for (std::size_t i = 1; i + 1 < token.size(); ++i) {
        name += token[i];
        if (token[i] == token.front()) ++i;  // a doubled quote
    }
    return name;
}

// All tables that a definition names.
std::vector<const sqlparse::QualifiedName*> names_in(const sqlparse::Statement& statement) {
    using namespace sqlparse;
    std::vector<const QualifiedName*> names;
    const auto add = [&](const QualifiedName& name) { names.push_back(&name); };
    if (const auto* node = statement.as<CreateTable>()) {
        add(node->table);
        if (node->like != nullptr) add(*node->like);
        for (const TableElement& element : node->elements) {
            if (const auto* key = std::get_if<const KeyDefinition*>(&element); key && (*key)->references)
                add((*key)->references->table);
            if (const auto* column = std::get_if<const ColumnDefinition*>(&element))
                for (const ColumnAttribute& attribute : (*column)->attributes)
                    if (attribute.references != nullptr) add(attribute.references->table);
        }
    } else if (const auto* alter = statement.as<AlterTable>()) {
        add(alter->table);
        for (const AlterAction& action : alter->actions) {
            if (action.table.name) add(action.table);
            if (action.key != nullptr && action.key->references != nullptr)
                add(action.key->references->table);
        }
    } else if (const auto* rename = statement.as<RenameTable>()) {
        for (const TablePair& pair : rename->pairs) {
            add(pair.from);
            add(pair.to);
        }
    } else if (const auto* drop = statement.as<DropTable>()) {
        for (const QualifiedName& name : drop->tables) add(name);
    } else if (const auto* truncate = statement.as<TruncateTable>()) {
        add(truncate->table);
    } else if (const auto* create_index = statement.as<CreateIndex>()) {
        add(create_index->table);
    } else if (const auto* drop_index = statement.as<DropIndex>()) {
        add(drop_index->table);
    } else if (const auto* create_view = statement.as<CreateView>()) {
        add(create_view->view);
    } else if (const auto* drop_view = statement.as<DropView>()) {
        for (const QualifiedName& name : drop_view->views) add(name);
    } else if (const auto* sequence = statement.as<Sequence>()) {
        for (const QualifiedName& name : sequence->names) add(name);
    } else if (const auto* maintain = statement.as<Maintain>()) {
        for (const QualifiedName& name : maintain->tables) add(name);
    }
    return names;
}

const sqlparse::Query* query_in(const sqlparse::Statement& statement) {
    if (const auto* node = statement.as<sqlparse::CreateTable>()) return node->query;
    if (const auto* node = statement.as<sqlparse::CreateView>()) return node->query;
    return nullptr;
}

bool is_temporary(const sqlparse::Statement& statement) {
    if (const auto* node = statement.as<sqlparse::CreateTable>()) return node->temporary;
    if (const auto* node = statement.as<sqlparse::DropTable>()) return node->temporary;
    if (const auto* node = statement.as<sqlparse::Sequence>()) return node->temporary;
    return false;
}

std::string upper_verb(const std::string& words) { return words.substr(0, words.find(' ')); }

bool is_system(std::string_view name) {
    for (const std::string_view system : {"information_schema", "performance_schema", "mysql", "sys"})
        if (schema::same_identifier(name, system)) return true;
    return false;
}

}  // namespace

const rules::DatabaseState* Builder::named_database(std::string_view name) {
    if (is_system(name)) {
        if (!schema::same_identifier(name, "information_schema") && !context_.session.may_use(name))
            throw protocol::SqlErrorException{database_denied(context_, name)};
        return nullptr;
    }
    if (!context_.session.may_use(name)) throw protocol::SqlErrorException{database_denied(context_, name)};
    const rules::DatabaseState* database = context_.topology.database(name);
    if (database == nullptr) throw protocol::SqlErrorException{protocol::unknown_database(name)};
    std::vector<std::string>& noted = draft_.plan.databases;
    if (std::find(noted.begin(), noted.end(), database->rule->name) == noted.end())
        noted.push_back(database->rule->name);
    return database;
}

void Builder::show(const sqlparse::Show& show) {
    using sqlparse::ShowKind;
    draft_.plan.kind = StatementKind::show;
    draft_.plan.returns_rows = true;
    const BlockId block = binder_.add_block(no_block);
    binder_.expression(show.like, block);
    binder_.expression(show.where, block);
    if (binder_.bound().subqueries) refuse("a subquery in SHOW");
    switch (show.kind) {
    case ShowKind::databases:
    case ShowKind::warnings:
    case ShowKind::errors:
    case ShowKind::count_warnings:
    case ShowKind::count_errors:
    case ShowKind::processlist:
    case ShowKind::status:
    case ShowKind::grants: draft_.plan.strategy = Strategy::session; return;
    case ShowKind::variables:
    case ShowKind::engines:
    case ShowKind::character_set:
    case ShowKind::collation:
    case ShowKind::privileges:
    case ShowKind::plugins:
    case ShowKind::function_status:
    case ShowKind::procedure_status:
        go_home(context_.topology.database(context_.database));
        take_edits(draft_.route, binder_.bound().edits, {}, scan_);
        return;
    case ShowKind::tables:
    case ShowKind::full_tables:
    case ShowKind::table_status:
    case ShowKind::open_tables:
    case ShowKind::triggers:
    case ShowKind::events:
    case ShowKind::columns:
    case ShowKind::index:
    case ShowKind::create_table:
    case ShowKind::create_view:
    case ShowKind::create_database: break;
    case ShowKind::create_other: {
        const rules::DatabaseState* database = context_.topology.database(context_.database);
        if (database == nullptr || !database->is_single_node()) refuse("SHOW " + upper(show.word.text));
        go_to(database->rule->default_node);
        take_edits(draft_.route, binder_.bound().edits, {}, scan_);
        return;
    }
    default: refuse("this form of SHOW");
    }
    const std::string_view name = show.database         ? show.database.text
                                  : show.table.database ? show.table.database.text
                                  : show.kind == ShowKind::create_database && show.table.name
                                      ? show.table.name.text
                                      : context_.database;
    if (name.empty()) throw protocol::SqlErrorException{protocol::no_database_selected()};
    const rules::DatabaseState* database = named_database(name);
    metadata_of(database, show.kind == ShowKind::create_database ? std::string_view{} : show.table.name.text);
}

void Builder::describe(const sqlparse::Describe& describe) {
    draft_.plan.kind = StatementKind::show;
    draft_.plan.returns_rows = true;
    const std::string_view name = describe.table.database ? describe.table.database.text : context_.database;
    if (name.empty()) throw protocol::SqlErrorException{protocol::no_database_selected()};
    metadata_of(named_database(name), describe.table.name.text);
}

// Metadata comes from the template database, where names are logical; that of a single table from its own
// node.
void Builder::metadata_of(const rules::DatabaseState* database, std::string_view table) {
    draft_.plan.access = AccessPath::its_node;
    if (database == nullptr) {
        go_home(context_.topology.database(context_.database));
    } else {
        rules::NodeId node = database->rule->default_node;
        if (!database->is_single_node() && !table.empty()) {
            const rules::TableState* found = database->find(table);
            if (found == nullptr)
                throw protocol::SqlErrorException{protocol::no_such_table(database->rule->name, table)};
            if (found->is_single()) node = found->node;
        }
        go_to(node);
    }
    take_edits(draft_.route, binder_.bound().edits, {}, scan_);
}

void Builder::definition(const sqlparse::Statement& statement) {
    draft_.plan.kind = StatementKind::ddl;
    draft_.plan.writes = true;
    draft_.plan.implicit_commit = true;
    const std::string what = upper(kind_of(statement));
    if (is_temporary(statement))
        refuse(upper_verb(what) + " TEMPORARY" + what.substr(upper_verb(what).size()));
    const auto names = names_in(statement);
    if (names.empty()) refuse(what);
    std::optional<rules::NodeId> node;
    for (const sqlparse::QualifiedName* name : names) {
        const std::string_view database_name = name->database ? name->database.text : context_.database;
        if (database_name.empty()) throw protocol::SqlErrorException{protocol::no_database_selected()};
        const rules::DatabaseState* database = named_database(database_name);
        const bool maintains = statement.as<sqlparse::Maintain>() != nullptr;
        if (database == nullptr) refuse(what + " of a system table");
        if (!database->is_single_node())
            refuse(maintains ? what : what + " through Shardway (use shardway apply)");
        if (node && *node != database->rule->default_node) refuse("tables of several nodes in one statement");
        node = database->rule->default_node;
    }
    draft_.plan.returns_rows = statement.as<sqlparse::Maintain>() != nullptr;
    if (const sqlparse::Query* query = query_in(statement)) {
        binder_.query(*query, no_block);
        binder_.finish();
        for (const Instance& instance : binder_.bound().instances) {
            if (instance.kind == TargetKind::sharded) refuse(what + " from sharded tables");
            const bool fixed = instance.kind == TargetKind::single || instance.kind == TargetKind::plain;
            if (fixed && instance.node != *node) refuse("tables of several nodes in one statement");
        }
    }
    for (const std::string_view name : binder_.bound().databases) named_database(name);
    go_to(*node);
    take_edits(draft_.route, binder_.bound().edits, {}, scan_);
}

void Builder::unread(const sqlparse::Unread& unread, sqlparse::Span span) {
    const std::string_view kind = unread.kind;
    const auto about = [&](std::string_view word) { return kind.find(word) != kind.npos; };
    const bool routine = about("procedure") || about("function") || about("trigger") || about("event");
    if (!routine || !may_pass_unread(context_, text_)) refuse(upper(kind));
    draft_.plan.kind = StatementKind::ddl;
    draft_.plan.writes = true;
    draft_.plan.implicit_commit = true;
    const rules::DatabaseState* database = named_database(context_.database);
    // A routine's body has statements of its own, with semicolons.
    draft_.plan.unparsed = true;
    draft_.route.whole_until = span.end();
    draft_.route.cacheable = false;
    go_to(database->rule->default_node);
}

bool may_pass_unread(const PlanContext& context, std::string_view text) {
    const rules::DatabaseState* database = context.topology.database(context.database);
    if (database == nullptr || !database->is_single_node()) return false;
    sqlparse::Lexer lexer{text, context.options};
    for (sqlparse::Token token = lexer.next();;) {
        if (token.kind == sqlparse::TokenKind::end) return true;
        if (token.kind == sqlparse::TokenKind::error || token.kind == sqlparse::TokenKind::user_variable)
            return false;
        const sqlparse::Token before = token;
        token = lexer.next();
        const bool names =
            before.kind == sqlparse::TokenKind::word || before.kind == sqlparse::TokenKind::quoted_word;
        if (!names || token.kind != sqlparse::TokenKind::dot) continue;
        const std::string name = unquoted(before.span().of(text));
        if (name == context.database) continue;
        if (context.topology.database(name) != nullptr || name == rules::meta_database || is_system(name))
            return false;
        // A shard's or the template's physical name is no database of this user.
        for (const auto& [other, state] : context.topology.databases())
            for (const auto& group : state.groups)
                if (std::find(group->databases.begin(), group->databases.end(), name) !=
                    group->databases.end())
                    return false;
    }
}

protocol::SqlError database_denied(const PlanContext& context, std::string_view database) {
    const std::size_t at = context.user.rfind('@');
    const std::string_view user = context.user.substr(0, at);
    return protocol::database_access_denied(
        user, at == std::string_view::npos ? "" : context.user.substr(at + 1), database);
}

}  // namespace shardway::plan
