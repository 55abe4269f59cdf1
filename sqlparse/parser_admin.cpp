// SHOW, DESCRIBE, EXPLAIN, FLUSH, and the maintenance of tables.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

// [LIKE 'pattern' | WHERE expr]
void Parser::show_filter(Show& show) {
    if (accept(K::like_))
        show.like = string_literal();
    else if (accept(K::where_))
        show.where = expr();
}

// [FROM|IN database]
void Parser::show_from(Show& show) {
    if (!is(K::from_) && !is(K::in_)) return;
    const std::uint32_t start = take().offset;
    show.database = name("a database");
    show.database_span = since(start);
}

const Show* Parser::show() {
    take();
    auto* result = arena_.make<Show>();
    Show& show = *result;
    show_rest(show);
    return result;
}

void Parser::show_rest(Show& show) {
    const std::uint32_t start = here();
    const auto table_from = [&] {
        if (!accept(K::from_)) expect(K::in_);
        show.table = qualified_name();
        show_from(show);
    };
    const auto unread_rest = [&](ShowKind kind) {
        show.kind = kind;
        const std::uint32_t rest = here();
        balanced_rest();
        show.rest = since(rest > last_end_ ? last_end_ : rest);
    };
    if (is(K::extended_) && mysql()) {
        take();
        show.extended = true;
    }
    if (accept(K::full_)) show.full = true;
    accept_scope(show.scope);
    if (accept(K::storage_)) {
        show.storage_word = true;
        if (!is(K::engines_)) fail("ENGINES");
    }
    const Token word = current();
    show.word = is(T::word) ? Name{word.span().of(text_), word.span()} : Name{};
    switch (word.keyword) {
    case K::databases_:
    case K::schemas_:
        take();
        show.kind = ShowKind::databases;
        show_filter(show);
        return;
    case K::tables_:
        take();
        show.kind = show.full ? ShowKind::full_tables : ShowKind::tables;
        show_from(show);
        show_filter(show);
        return;
    case K::table_:
        take();
        if (mariadb() && accept(K::types_)) {
            unread_rest(ShowKind::other);
            return;
        }
        expect(K::status_);
        show.kind = ShowKind::table_status;
        show_from(show);
        show_filter(show);
        return;
    case K::open_:
        take();
        expect(K::tables_);
        show.kind = ShowKind::open_tables;
        show_from(show);
        show_filter(show);
        return;
    case K::columns_:
    case K::fields_:
        take();
        show.kind = ShowKind::columns;
        table_from();
        show_filter(show);
        return;
    case K::index_:
    case K::indexes_:
    case K::keys_:
        take();
        show.kind = ShowKind::index;
        table_from();
        if (accept(K::where_)) show.where = expr();
        return;
    case K::triggers_:
    case K::events_:
        take();
        show.kind = word.keyword == K::triggers_ ? ShowKind::triggers : ShowKind::events;
        show_from(show);
        show_filter(show);
        return;
    case K::variables_:
    case K::status_:
        take();
        show.kind = word.keyword == K::variables_ ? ShowKind::variables : ShowKind::status;
        show_filter(show);
        return;
    case K::warnings_:
    case K::errors_:
        take();
        show.kind = word.keyword == K::warnings_ ? ShowKind::warnings : ShowKind::errors;
        show.limit = opt_limit();
        return;
    case K::count_:
        take();
        left_paren();
        expect(T::star, "*");
        right_paren();
        if (accept(K::warnings_)) {
            show.kind = ShowKind::count_warnings;
        } else {
            expect(K::errors_);
            show.kind = ShowKind::count_errors;
        }
        return;
    case K::processlist_:
        take();
        show.kind = ShowKind::processlist;
        return;
    case K::engines_:
        take();
        show.kind = ShowKind::engines;
        return;
    case K::engine_:
        take();
        show.kind = ShowKind::engine;
        show.table.name = is(K::all_) ? make_name(take()) : name_or_text();
        if (!is(K::status_) && !is(K::mutex_) && !is(K::logs_)) fail("STATUS, MUTEX or LOGS");
        show.word = make_name(take());
        return;
    case K::character_:
    case K::char_:
    case K::charset_:
        take();
        if (word.keyword != K::charset_) expect(K::set_);
        show.kind = ShowKind::character_set;
        show_filter(show);
        return;
    case K::collation_:
        take();
        show.kind = ShowKind::collation;
        show_filter(show);
        return;
    case K::privileges_:
        take();
        show.kind = ShowKind::privileges;
        return;
    case K::plugins_:
        take();
        if (mariadb()) {
            unread_rest(ShowKind::plugins);
            return;
        }
        show.kind = ShowKind::plugins;
        return;
    case K::profiles_:
        take();
        show.kind = ShowKind::profiles;
        return;
    case K::profile_:
        take();
        unread_rest(ShowKind::profile);
        return;
    case K::grants_: {
        take();
        show.kind = ShowKind::grants;
        const std::uint32_t rest = here();
        if (accept(K::for_)) {
            account();
            if (accept(K::using_)) {
                do account();
                while (accept(T::comma));
            }
            show.rest = since(rest);
        }
        return;
    }
    case K::create_: {
        take();
        const Token what = current();
        show.word = any_word();
        switch (what.keyword) {
        case K::table_: show.kind = ShowKind::create_table; break;
        case K::view_: show.kind = ShowKind::create_view; break;
        case K::database_:
        case K::schema_:
            show.kind = ShowKind::create_database;
            show.if_not_exists = accept_if_not_exists();
            show.database = name("a database");
            return;
        case K::user_:
            show.kind = ShowKind::create_other;
            if (!at_end()) {
                const std::uint32_t rest = here();
                account();
                show.rest = since(rest);
            }
            return;
        case K::event_:
        case K::function_:
        case K::procedure_:
        case K::trigger_:
        case K::library_: show.kind = ShowKind::create_other; break;
        case K::sequence_:
        case K::server_:
            if (mysql()) throw ParseFailure{ParseErrorKind::syntax, what, "TABLE"};
            show.kind = ShowKind::create_other;
            break;
        case K::masking_:
            expect(K::policy_);
            show.kind = ShowKind::create_other;
            break;
        case K::package_:
            if (mysql()) throw ParseFailure{ParseErrorKind::syntax, what, "TABLE"};
            accept(K::body_);
            show.kind = ShowKind::create_other;
            break;
        default: throw ParseFailure{ParseErrorKind::syntax, what, "TABLE"};
        }
        show.table = qualified_name();
        return;
    }
    case K::function_:
    case K::procedure_:
    case K::library_:
        take();
        if (word.keyword != K::library_ && accept(K::code_)) {
            show.kind = word.keyword == K::function_ ? ShowKind::function_code : ShowKind::procedure_code;
            show.table = qualified_name();
            return;
        }
        expect(K::status_);
        show.kind = word.keyword == K::function_    ? ShowKind::function_status
                    : word.keyword == K::procedure_ ? ShowKind::procedure_status
                                                    : ShowKind::library_status;
        show_filter(show);
        return;
    case K::package_:
        if (!mariadb()) break;
        take();
        unread_rest(ShowKind::other);
        return;
    case K::binary_:
        take();
        if (accept(K::logs_)) {
            show.kind = ShowKind::binary_logs;
            return;
        }
        expect(K::log_);
        expect(K::status_);
        show.kind = ShowKind::binary_log_status;
        return;
    case K::master_:
        take();
        if (mysql()) break;
        if (accept(K::logs_)) {
            show.kind = ShowKind::binary_logs;
            return;
        }
        expect(K::status_);
        show.kind = ShowKind::master_status;
        return;
    case K::replicas_:
        take();
        show.kind = ShowKind::replicas;
        return;
    case K::replica_:
    case K::slave_:
    case K::all_:
        if (mysql() && word.keyword != K::replica_) break;
        take();
        if (mysql()) {
            expect(K::status_);
            show.kind = ShowKind::replica_status;
            const std::uint32_t rest = here();
            if (accept(K::for_)) {
                expect(K::channel_);
                name_or_text();
                show.rest = since(rest);
            }
            return;
        }
        unread_rest(ShowKind::replica_status);
        return;
    case K::binlog_:
    case K::relaylog_: {
        take();
        expect(K::events_);
        show.kind = word.keyword == K::binlog_ ? ShowKind::binlog_events : ShowKind::relaylog_events;
        const std::uint32_t rest = here();
        if (accept(K::in_)) string_literal();
        if (accept(K::from_)) number();
        show.limit = opt_limit();
        if (accept(K::for_)) {
            expect(K::channel_);
            name_or_text();
        }
        show.rest = since(rest > last_end_ ? last_end_ : rest);
        return;
    }
    default: break;
    }
    if (mariadb() && is(T::word) && !at_end()) {
        // CLIENT_STATISTICS, LOCALES, ANALYZE, EXPLAIN FOR, CONTRIBUTORS, AUTHORS, …
        take();
        unread_rest(ShowKind::other);
        show.rest = since(start);
        return;
    }
    fail("TABLES");
}

void Parser::explain(Statement& statement) {
    const Token word = take();
    const Name word_name{word.span().of(text_), word.span()};
    const bool starts_statement = is_any({K::select_, K::insert_, K::replace_, K::update_, K::delete_,
                                          K::with_, K::table_, K::values_}) ||
                                  is(T::left_paren);
    const bool option = is(K::analyze_) || is(K::format_) || (is(K::extended_) && mariadb()) ||
                        (is(K::partitions_) && mariadb()) || is(K::for_) || is(K::into_) ||
                        word.keyword == K::analyze_;
    if (!starts_statement && !option) {
        Describe describe;
        describe.word = word_name;
        describe.table = qualified_name();
        if (is_text())
            describe.column = text_name(take());
        else if (is_name())
            describe.column = name();
        statement.node = node(describe);
        return;
    }
    if (is(K::format_) && !next_is(T::equal)) {
        Describe describe;
        describe.word = word_name;
        describe.table = qualified_name();
        if (is_name()) describe.column = name();
        statement.node = node(describe);
        return;
    }
    Explain result;
    result.word = word_name;
    if (word.keyword != K::analyze_ && accept(K::analyze_)) result.analyze = true;
    if (mariadb()) {
        if (accept(K::extended_))
            result.extended = true;
        else if (accept(K::partitions_))
            result.partitions = true;
    }
    if (accept(K::format_)) {
        expect(T::equal, "=");
        result.format_word = is_text() ? text_name(take()) : any_word();
        result.format = ExplainFormat::other;
        const std::string_view format = lower_words(result.format_word.span);
        if (format == "traditional" || format == "'traditional'") result.format = ExplainFormat::traditional;
        if (format == "tree" || format == "'tree'") result.format = ExplainFormat::tree;
        if (format == "json" || format == "'json'") result.format = ExplainFormat::json;
    }
    if (mysql() && accept(K::into_)) {
        const Token variable = expect(T::user_variable, "a user variable");
        result.into = {variable.span().of(text_).substr(1), variable.span()};  // the name may be empty
    }
    if (accept(K::for_)) {
        if (mysql() && (is(K::schema_) || is(K::database_))) {
            take();
            result.schema = name("a database");
        } else {
            expect(K::connection_);
            result.connection = mariadb() ? expr() : integer_literal();
            statement.node = node(result);
            return;
        }
    }
    if (!is_any(
            {K::select_, K::insert_, K::replace_, K::update_, K::delete_, K::with_, K::table_, K::values_}) &&
        !is(T::left_paren))
        fail("SELECT");
    result.statement = nested_statement();
    statement.node = node(result);
}

const Flush* Parser::flush() {
    take();
    Flush result;
    if (accept(K::no_write_to_binlog_))
        result.no_write_to_binlog = true;
    else if (accept(K::local_))
        result.local = true;
    if (is(K::table_) || is(K::tables_)) {
        take();
        result.tables = true;
        if (is_name()) {
            ListBuilder<QualifiedName, 4> names;
            do names.push(qualified_name());
            while (accept(T::comma));
            result.names = names.list(arena_);
        }
        if (accept(K::with_)) {
            expect(K::read_);
            expect(K::lock_);
            result.read_lock = true;
        } else if (accept(K::for_)) {
            expect(K::export_);
            if (mysql() && result.names.empty()) fail("the end of the statement");
            result.for_export = true;
        }
        if (mariadb()) result.rest = balanced_rest();
        return node(result);
    }
    const std::uint32_t rest = here();
    if (mariadb()) {
        if (at_end()) fail("what to flush");
        result.rest = balanced_rest();
        return node(result);
    }
    do {
        switch (current().keyword) {
        case K::binary_:
        case K::engine_:
        case K::error_:
        case K::general_:
        case K::slow_:
            take();
            expect(K::logs_);
            break;
        case K::relay_:
            take();
            expect(K::logs_);
            if (accept(K::for_)) {
                expect(K::channel_);
                string_literal();
            }
            break;
        case K::logs_:
        case K::privileges_:
        case K::status_:
        case K::user_resources_:
        case K::optimizer_costs_: take(); break;
        default: fail("what to flush");
        }
    } while (accept(T::comma));
    result.rest = since(rest);
    return node(result);
}

const Maintain* Parser::maintain(MaintainKind kind) {
    take();
    Maintain result{};
    result.kind = kind;
    if (accept(K::no_write_to_binlog_))
        result.no_write_to_binlog = true;
    else if (accept(K::local_))
        result.local = true;
    if (kind == MaintainKind::cache_index || kind == MaintainKind::load_index) {
        expect(K::index_);
        if (kind == MaintainKind::load_index) {
            expect(K::into_);
            expect(K::cache_);
        }
        const std::uint32_t rest = here();
        ListBuilder<QualifiedName, 4> tables;
        do {
            tables.push(qualified_name());
            if (accept(K::partition_)) balanced_parens();
            if (is(K::index_) || is(K::key_)) {
                take();
                balanced_parens();
            }
            if (kind == MaintainKind::load_index && accept(K::ignore_)) expect(K::leaves_);
        } while (accept(T::comma));
        if (kind == MaintainKind::cache_index) {
            expect(K::in_);
            is(K::default_) ? make_name(take()) : name();
        }
        result.tables = tables.list(arena_);
        result.rest = since(rest);
        return node(result);
    }
    if (mariadb() && kind == MaintainKind::check && accept(K::view_)) {
        result.rest = balanced_rest();
        return node(result);
    }
    if (mariadb() && kind == MaintainKind::repair && accept(K::view_)) {
        result.rest = balanced_rest();
        return node(result);
    }
    if (accept(K::tables_))
        result.tables_word = true;
    else
        expect(K::table_);
    ListBuilder<QualifiedName, 4> tables;
    do tables.push(qualified_name());
    while (accept(T::comma));
    result.tables = tables.list(arena_);
    const std::uint32_t rest = here();
    switch (kind) {
    case MaintainKind::analyze:
        if (mariadb()) {
            balanced_rest();
        } else if (is(K::update_) || is(K::drop_)) {
            const bool update = take().keyword == K::update_;
            expect(K::histogram_);
            expect(K::on_);
            name_list();
            if (update && accept(K::with_)) {
                number();
                expect(K::buckets_);
            }
            if (update && (is(K::manual_) || is(K::auto_))) {
                take();
                expect(K::update_);
            }
            if (update && accept(K::using_)) {
                expect(K::data_);
                string_literal();
            }
        }
        break;
    case MaintainKind::check:
        for (;;) {
            if (accept(K::for_))
                expect(K::upgrade_);
            else if (is_any({K::quick_, K::fast_, K::medium_, K::extended_, K::changed_}))
                take();
            else
                break;
        }
        break;
    case MaintainKind::repair:
        while (is_any({K::quick_, K::extended_, K::use_frm_}) || (mariadb() && is(K::force_))) take();
        break;
    case MaintainKind::checksum:
        if (is_any({K::quick_, K::extended_})) take();
        break;
    default: break;
    }
    result.rest = since(rest > last_end_ ? last_end_ : rest);
    return node(result);
}

}  // namespace shardway::sqlparse
