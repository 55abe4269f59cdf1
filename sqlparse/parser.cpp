#include "sqlparse/parser.hpp"

#include <cassert>

#include "sqlparse/byte_table.hpp"
#include "sqlparse/literal.hpp"
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

Parser::Parser(std::string_view text, const ParseOptions& options, Arena& arena, const Scan* scan)
    : text_{text},
      options_{options},
      arena_{arena},
      scan_{scan},
      lexer_{text, options},
      reserved_mask_{static_cast<std::uint8_t>(options.dialect == Dialect::mysql ? 1 | 8 : 2 | 8)} {
    lexer_.next(current_);
}

const Token& Parser::peek(unsigned ahead) {
    assert(ahead > 0 && ahead <= ahead_.size());
    while (ahead_count_ < ahead) {
        lexer_.next(ahead_[(ahead_first_ + ahead_count_) % ahead_.size()]);
        ++ahead_count_;
    }
    return ahead_[(ahead_first_ + ahead - 1) % ahead_.size()];
}

bool Parser::is_word(const Token& token, std::string_view lower) const {
    if (token.kind != T::word || token.length != lower.size()) return false;
    for (std::size_t i = 0; i < lower.size(); ++i) {
        const char c = text_[token.offset + i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != lower[i]) return false;
    }
    return true;
}

bool Parser::dot_may_follow() const {
    if (ahead_count_ > 0) return ahead_[ahead_first_].kind == T::dot;
    std::size_t at = current().end();
    while (at < text_.size() && text_[at] == ' ') ++at;
    if (at == text_.size()) return false;
    switch (text_[at]) {
    case '.':
    case '/':
    case '*':
    case '#':
    case '-': return true;
    default: return is_space_byte(text_[at]);
    }
}

Name Parser::quoted_name(const Token& token) {
    const std::string_view raw = token.span().of(text_);
    const char quote = raw.front();
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    if (inner.find(quote) == inner.npos) return {inner, token.span()};
    std::string unquoted;
    for (std::size_t i = 0; i < inner.size(); ++i) {
        unquoted += inner[i];
        // Of a doubled quote only one counts.
        if (inner[i] == quote) ++i;
    }
    return {arena_.copy(std::string_view{unquoted}), token.span()};
}

Name Parser::name(std::string_view expected) {
    if (!is_name()) fail(expected);
    return make_name(take());
}

Name Parser::any_word() {
    if (!is(T::word) && !is(T::quoted_word)) fail("a word");
    return make_name(take());
}

Name Parser::text_name(const Token& token) {
    return {
        arena_.copy(std::string_view{literal_bytes(LiteralKind::string, token.span().of(text_), options_)}),
        token.span()};
}

Name Parser::name_or_text() {
    if (is_text()) return text_name(take());
    return name("a name or a string");
}

Name Parser::name_after_dot() {
    // Behind a dot even a reserved word is a name, if nothing stands between; the lexer has seen to that.
    return name();
}

QualifiedName Parser::qualified_name() {
    QualifiedName result;
    result.name = name("a table's name");
    if (accept(T::dot)) {
        result.database = result.name;
        result.name = name_after_dot();
    }
    return result;
}

List<Name> Parser::name_list() {
    ListBuilder<Name> names;
    do names.push(name());
    while (accept(T::comma));
    return names.list(arena_);
}

List<Name> Parser::paren_names() {
    left_paren();
    const List<Name> names = name_list();
    right_paren();
    return names;
}

List<Name> Parser::opt_paren_names() { return is(T::left_paren) ? paren_names() : List<Name>{}; }

Name Parser::charset_name_value() {
    if (is(K::binary_) || is(K::default_)) return make_name(take());
    return name_or_text();
}

Name Parser::collation_name() {
    if (is(K::binary_) || is(K::default_)) return make_name(take());
    return name_or_text();
}

Span Parser::account() {
    const std::uint32_t start = here();
    if (accept(K::current_user_)) {
        if (accept(T::left_paren)) right_paren();
        return since(start);
    }
    name_or_text();
    accept(T::user_variable);
    return since(start);
}

// The words of `span` in lower case with one space between.
std::string_view Parser::lower_words(Span span) {
    Lexer lexer{span.of(text_), options_};
    std::string words;
    for (Token token = lexer.next(); token.kind != T::end && token.kind != T::error; token = lexer.next()) {
        if (!words.empty()) words += ' ';
        words += token.span().of(span.of(text_));
    }
    for (char& c : words)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return arena_.copy(std::string_view{words});
}

Span Parser::balanced_parens() {
    const std::uint32_t start = here();
    left_paren();
    for (unsigned depth = 1; depth > 0;) {
        if (at_end() || is(T::error)) fail(")");
        if (is(T::left_paren)) ++depth;
        if (is(T::right_paren)) --depth;
        take();
    }
    return since(start);
}

Span Parser::balanced_rest() {
    const std::uint32_t start = here();
    if (at_end()) return {start, 0};
    while (!at_end()) {
        if (is(T::error)) fail({});
        if (is(T::right_paren)) fail({});
        if (is(T::left_paren))
            balanced_parens();
        else
            take();
    }
    return since(start);
}

const Statement* Parser::parse_all() {
    if (is(T::end) || is(T::semicolon)) {
        while (accept(T::semicolon)) {}
        if (is(T::end)) throw ParseFailure{ParseErrorKind::empty, current(), {}};
        fail("one statement");
    }
    auto* statement = arena_.make<Statement>();
    statement->text = text_;
    const std::uint32_t start = here();
    statement_body(*statement);
    if (!at_end()) fail("the end of the statement");
    statement->span = since(start);
    statement->parameters = parameters_;
    while (accept(T::semicolon)) {}
    if (!is(T::end)) {
        if (is(T::error)) fail({});
        throw ParseFailure{ParseErrorKind::several, current(), "one statement"};
    }
    return statement;
}

const Statement* Parser::nested_statement() {
    const DepthGuard guard{*this};
    auto* statement = arena_.make<Statement>();
    statement->text = text_;
    const std::uint32_t start = here();
    statement_body(*statement);
    statement->span = since(start);
    return statement;
}

void Parser::statement_body(Statement& statement) {
    if (is(T::left_paren)) {
        into_allowed_ = true;
        statement.node = query();
        return;
    }
    switch (current().keyword) {
    case K::select_:
    case K::table_:
    case K::values_:
        into_allowed_ = true;
        statement.node = query();
        return;
    case K::with_: {
        const std::uint32_t start = here();
        const With* with = with_clause();
        if (is(K::update_))
            statement.node = update(with);
        else if (is(K::delete_))
            statement.node = delete_statement(with);
        else {
            into_allowed_ = true;
            statement.node = query_from_term({}, {}, with, start);
            into_allowed_ = false;
        }
        return;
    }
    case K::insert_: statement.node = insert(false); return;
    case K::replace_: statement.node = insert(true); return;
    case K::update_: statement.node = update(nullptr); return;
    case K::delete_: statement.node = delete_statement(nullptr); return;
    case K::load_:
        if (next_is(K::data_) || next_is(K::xml_))
            statement.node = load_data();
        else
            statement.node = maintain(MaintainKind::load_index);
        return;
    case K::call_: statement.node = call_statement(); return;
    case K::do_: statement.node = do_statement(); return;
    case K::handler_: statement.node = handler(); return;
    case K::begin_:
    case K::start_:
    case K::commit_:
    case K::rollback_:
    case K::savepoint_:
    case K::release_: transaction_statement(statement); return;
    case K::xa_: statement.node = xa(); return;
    case K::lock_:
    case K::unlock_:
        if (next_is(K::table_) || next_is(K::tables_)) {
            if (is(K::lock_)) {
                statement.node = lock_tables();
                return;
            }
            take();
            take();
            statement.node = node(UnlockTables{});
            return;
        }
        if (next_is(K::instance_)) {
            const bool locks = take().keyword == K::lock_;
            take();
            if (locks) {
                expect(K::for_);
                expect(K::backup_);
            }
            statement.node =
                node(UnlockTables{locks ? InstanceForm::lock_instance : InstanceForm::unlock_instance});
            return;
        }
        take();
        fail("TABLES");
    case K::set_: statement.node = set(); return;
    case K::use_:
        take();
        statement.node = node(Use{name("a database")});
        return;
    case K::kill_: statement.node = kill(); return;
    case K::prepare_: statement.node = prepare(); return;
    case K::execute_: statement.node = execute(); return;
    case K::deallocate_:
        take();
        expect(K::prepare_);
        statement.node = node(Deallocate{name(), false});
        return;
    case K::create_: create(statement); return;
    case K::drop_: drop(statement); return;
    case K::alter_: alter(statement); return;
    case K::rename_: {
        if (next_is(K::user_)) {
            take();
            take();
            balanced_rest();
            statement.node = node(Unread{"rename user"});
            return;
        }
        RenameTable rename;
        take();
        rename.tables_word = is(K::tables_);
        if (!accept(K::tables_)) expect(K::table_);
        if (mariadb()) rename.if_exists = accept_if_exists();
        ListBuilder<TablePair> pairs;
        do {
            TablePair pair;
            pair.from = qualified_name();
            expect(K::to_);
            pair.to = qualified_name();
            pairs.push(pair);
        } while (accept(T::comma));
        rename.pairs = pairs.list(arena_);
        statement.node = node(rename);
        return;
    }
    case K::truncate_: {
        TruncateTable truncate;
        take();
        truncate.table_word = accept(K::table_);
        truncate.table = qualified_name();
        statement.node = node(truncate);
        return;
    }
    case K::show_: statement.node = show(); return;
    case K::describe_:
    case K::desc_:
    case K::explain_: explain(statement); return;
    case K::flush_: statement.node = flush(); return;
    case K::analyze_:
        // MariaDB: ANALYZE [FORMAT = JSON] statement.
        if (mariadb() && !next_is(K::table_) && !next_is(K::tables_) && !next_is(K::local_) &&
            !next_is(K::no_write_to_binlog_)) {
            explain(statement);
            return;
        }
        statement.node = maintain(MaintainKind::analyze);
        return;
    case K::check_: statement.node = maintain(MaintainKind::check); return;
    case K::optimize_: statement.node = maintain(MaintainKind::optimize); return;
    case K::repair_: statement.node = maintain(MaintainKind::repair); return;
    case K::checksum_: statement.node = maintain(MaintainKind::checksum); return;
    case K::cache_: statement.node = maintain(MaintainKind::cache_index); return;
    default: break;
    }
    const Unread* found = unread();
    if (!found) fail("a statement");
    statement.node = found;
}

const Unread* Parser::unread() {
    const std::uint32_t start = here();
    switch (current().keyword) {
    case K::grant_:
    case K::revoke_:
    case K::reset_:
    case K::purge_:
    case K::change_:
    case K::install_:
    case K::uninstall_:
    case K::help_:
    case K::shutdown_:
    case K::restart_:
    case K::clone_:
    case K::binlog_:
    case K::import_:
    case K::stop_:
    case K::signal_:
    case K::resignal_:
    case K::get_:
    case K::diagnostics_:
    case K::start_:
    case K::backup_: break;
    default: return nullptr;
    }
    take();
    const std::string_view kind = lower_words(since(start));
    balanced_rest();
    return node(Unread{kind});
}

namespace {

std::uint32_t count_lines(std::string_view text, std::uint32_t offset, std::uint32_t& column) {
    std::uint32_t line = 1;
    std::uint32_t line_start = 0;
    for (std::uint32_t i = 0; i < offset && i < text.size(); ++i) {
        if (text[i] == '\n') {
            ++line;
            line_start = i + 1;
        }
    }
    column = offset - line_start + 1;
    return line;
}

}  // namespace

Parsed parse(std::string_view text, const ParseOptions& options, Arena& arena, const Scan* scan) {
    constexpr std::size_t near_bytes_max = 80;
    Parsed parsed;
    if (text.size() > options.text_bytes_max || text.size() >= UINT32_MAX) {
        parsed.error.kind = ParseErrorKind::too_long;
        return parsed;
    }
    try {
        Parser parser{text, options, arena, scan};
        parsed.statement = parser.parse_all();
    } catch (const ParseFailure& failure) {
        ParseError& error = parsed.error;
        error.kind = failure.kind;
        error.code = failure.kind == ParseErrorKind::empty ? 1065 : failure.code;
        error.offset = failure.token.offset;
        error.line = count_lines(text, error.offset, error.column);
        error.near_text = text.substr(error.offset, near_bytes_max);
        error.expected = failure.expected;
    }
    return parsed;
}

std::string ParseError::message() const {
    switch (kind) {
    case ParseErrorKind::none: return {};
    case ParseErrorKind::empty: return "Query was empty";
    case ParseErrorKind::too_deep:
        return "The statement is nested too deeply near line " + std::to_string(line);
    case ParseErrorKind::too_long: return "The statement is too long";
    case ParseErrorKind::rejected: return std::string{expected};
    case ParseErrorKind::syntax:
    case ParseErrorKind::several: break;
    }
    return "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server "
           "version for "
           "the right syntax to use near '" +
           std::string{near_text} + "' at line " + std::to_string(line);
}

}  // namespace shardway::sqlparse
