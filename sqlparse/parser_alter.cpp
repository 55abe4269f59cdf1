// ALTER TABLE.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

const AlterTable* Parser::alter_table() {
    auto* result = arena_.make<AlterTable>();
    if (mariadb()) result->if_exists = accept_if_exists();
    result->table = qualified_name();
    if (mariadb()) {
        if (accept(K::wait_))
            result->wait = literal();
        else if (accept(K::nowait_))
            result->nowait = true;
    }
    alter_actions(*result);
    return result;
}

void Parser::alter_actions(AlterTable& table) {
    ListBuilder<AlterAction, 2> actions;
    if (!at_end()) {
        for (;;) {
            actions.push(alter_action());
            if (accept(T::comma)) {
                if (mysql() && (is(K::partition_) || is(K::remove_))) fail("an alteration");
                continue;
            }
            // Partitioning follows without a comma.
            if (is(K::partition_) || is(K::remove_)) continue;
            break;
        }
    }
    table.actions = actions.list(arena_);
}

void Parser::column_place(AlterAction& action) {
    if (accept(K::first_))
        action.first = true;
    else if (accept(K::after_))
        action.after = name("a column");
}

bool Parser::alter_add(AlterAction& action) {
    if (is(K::partition_) && !(next_is(T::word) && false)) {
        // ADD PARTITION …; `partition` is reserved, so it is no column.
        take();
        action.kind = AlterKind::add_partition;
        if (mariadb()) action.if_exists = accept_if_not_exists();
        if (accept(K::no_write_to_binlog_))
            action.no_write_to_binlog = true;
        else if (accept(K::local_))
            action.local = true;
        if (is(T::left_paren)) {
            action.definitions = partition_definitions();
        } else {
            expect(K::partitions_);
            if (!is(T::integer)) fail("a number");
            action.count = literal();
        }
        return true;
    }
    if (mariadb() && is(K::system_) && next_is(K::versioning_)) {
        take();
        take();
        action.kind = AlterKind::add_system_versioning;
        return true;
    }
    if (key_starts()) {
        action.kind = AlterKind::add_key;
        action.key = key_definition();
        return true;
    }
    action.kind = AlterKind::add_column;
    action.column_word = accept(K::column_);
    if (mariadb()) action.if_exists = accept_if_not_exists();
    if (is(T::left_paren)) {
        action.parenthesized = true;
        action.elements = table_elements();
        return true;
    }
    action.column = column_definition();
    column_place(action);
    return true;
}

bool Parser::alter_drop(AlterAction& action) {
    const auto named = [&](AlterKind kind) {
        take();
        action.kind = kind;
        if (mariadb()) action.if_exists = accept_if_exists();
    };
    switch (current().keyword) {
    case K::primary_:
        take();
        expect(K::key_);
        action.kind = AlterKind::drop_primary_key;
        return true;
    case K::index_:
    case K::key_:
        named(AlterKind::drop_key);
        action.name = is(K::primary_) ? make_name(take()) : name("an index");
        return true;
    case K::foreign_:
        take();
        if (!is(K::key_)) fail("KEY");
        named(AlterKind::drop_foreign_key);
        action.name = name("a foreign key");
        return true;
    case K::check_:
        named(AlterKind::drop_check);
        action.name = name("a check");
        return true;
    case K::constraint_:
        named(AlterKind::drop_constraint);
        action.name = is(K::primary_) ? make_name(take()) : name("a constraint");
        return true;
    case K::partition_:
        named(AlterKind::drop_partition);
        action.partitions = name_list();
        return true;
    case K::period_:
        if (mysql() || !next_is(K::for_)) break;
        take();
        take();
        action.kind = AlterKind::drop_period;
        action.if_exists = accept_if_exists();
        action.name = is(K::system_time_) ? make_name(take()) : name();
        return true;
    case K::system_:
        if (mysql() || !next_is(K::versioning_)) break;
        take();
        take();
        action.kind = AlterKind::drop_system_versioning;
        return true;
    default: break;
    }
    action.kind = AlterKind::drop_column;
    action.column_word = accept(K::column_);
    if (mariadb()) action.if_exists = accept_if_exists();
    action.name = name("a column");
    if (is(K::restrict_) || is(K::cascade_)) action.word = make_name(take());
    return true;
}

bool Parser::alter_alter(AlterAction& action) {
    if (is(K::index_) || (is(K::key_) && mariadb())) {
        take();
        action.kind = AlterKind::alter_index_visible;
        if (mariadb()) action.if_exists = accept_if_exists();
        action.name = name("an index");
        if (mariadb()) {
            action.yes = accept(K::not_);
            expect(K::ignored_);
            return true;
        }
        action.yes = is(K::visible_);
        if (!accept(K::visible_)) expect(K::invisible_);
        return true;
    }
    if (mysql() && (is(K::check_) || is(K::constraint_))) {
        action.kind = AlterKind::alter_check;
        action.constraint_word = take().keyword == K::constraint_;
        action.name = name("a check");
        const Tristate enforced = opt_enforced();
        if (enforced == Tristate::unset) fail("ENFORCED");
        action.yes = enforced == Tristate::yes;
        return true;
    }
    action.column_word = accept(K::column_);
    if (mariadb()) action.if_exists = accept_if_exists();
    action.name = name("a column");
    action.kind = AlterKind::alter_column_default;
    if (accept(K::drop_)) {
        if (mysql() && accept(K::masking_, K::policy_)) {
            action.kind = AlterKind::alter_column_masking;
            return true;
        }
        expect(K::default_);
        return true;
    }
    expect(K::set_);
    if (mysql() && accept(K::masking_, K::policy_)) {
        action.kind = AlterKind::alter_column_masking;
        action.word = name("a masking policy");
        return true;
    }
    if (mysql() && (is(K::visible_) || is(K::invisible_))) {
        action.kind = AlterKind::alter_column_visible;
        action.yes = take().keyword == K::visible_;
        return true;
    }
    expect(K::default_);
    if (is(T::left_paren)) {
        action.parenthesized = true;
        take();
        action.expr = expr();
        right_paren();
    } else if (mariadb()) {
        action.expr = simple_expr();
    } else if (is(T::minus) || is(T::plus)) {
        action.expr = signed_number();
    } else if (is_any({K::true_, K::false_, K::null_, K::date_, K::time_, K::timestamp_})) {
        action.expr = keyword_primary();
    } else {
        action.expr = literal();
    }
    return true;
}

bool Parser::alter_rename(AlterAction& action) {
    if (is(K::column_) && !next_is(K::to_)) {
        take();
        action.kind = AlterKind::rename_column;
        if (mariadb()) action.if_exists = accept_if_exists();
        action.name = name("a column");
        expect(K::to_);
        action.new_name = name("a column");
        return true;
    }
    if (is(K::index_) || is(K::key_)) {
        take();
        action.kind = AlterKind::rename_key;
        if (mariadb()) action.if_exists = accept_if_exists();
        action.name = name("an index");
        expect(K::to_);
        action.new_name = name("an index");
        return true;
    }
    action.kind = AlterKind::rename_table;
    if (is(K::to_) || is(K::as_)) {
        action.rename_word = make_name(take());
    } else if (is(T::equal)) {
        const Token token = take();
        action.rename_word = {token.span().of(text_), token.span()};
    }
    action.table = qualified_name();
    return true;
}

void Parser::partition_names_or_all(AlterAction& action) {
    if (accept(K::no_write_to_binlog_))
        action.no_write_to_binlog = true;
    else if (accept(K::local_))
        action.local = true;
    if (accept(K::all_))
        action.all_partitions = true;
    else
        action.partitions = name_list();
}

bool Parser::alter_partition(AlterAction& action) {
    const Token word = current();
    const bool followed = next_is(K::partition_);
    const auto with_names = [&](AlterKind kind) {
        take();
        take();
        action.kind = kind;
        partition_names_or_all(action);
    };
    if (word.keyword == K::partition_) {
        action.kind = AlterKind::partition_by;
        action.partition_by = partition_by();
        return true;
    }
    if (word.keyword == K::remove_ && next_is(K::partitioning_)) {
        take();
        take();
        action.kind = AlterKind::remove_partitioning;
        return true;
    }
    if (!followed) return false;
    switch (word.keyword) {
    case K::truncate_: with_names(AlterKind::truncate_partition); return true;
    case K::analyze_: with_names(AlterKind::analyze_partition); return true;
    case K::optimize_: with_names(AlterKind::optimize_partition); return true;
    case K::rebuild_: with_names(AlterKind::rebuild_partition); return true;
    case K::check_:
    case K::repair_: {
        with_names(word.keyword == K::check_ ? AlterKind::check_partition : AlterKind::repair_partition);
        const std::uint32_t rest = here();
        for (;;) {
            if (is(K::for_) && next_is(K::upgrade_)) {
                take();
                take();
            } else if (is_any({K::quick_, K::fast_, K::medium_, K::extended_, K::changed_, K::use_frm_})) {
                take();
            } else {
                break;
            }
        }
        action.rest = since(rest > last_end_ ? last_end_ : rest);
        return true;
    }
    case K::discard_:
    case K::import_:
        with_names(word.keyword == K::discard_ ? AlterKind::discard_partition_tablespace
                                               : AlterKind::import_partition_tablespace);
        expect(K::tablespace_);
        return true;
    case K::coalesce_:
        take();
        take();
        action.kind = AlterKind::coalesce_partition;
        if (accept(K::no_write_to_binlog_))
            action.no_write_to_binlog = true;
        else if (accept(K::local_))
            action.local = true;
        if (!is(T::integer)) fail("a number");
        action.count = literal();
        return true;
    case K::reorganize_:
        take();
        take();
        action.kind = AlterKind::reorganize_partition;
        if (accept(K::no_write_to_binlog_))
            action.no_write_to_binlog = true;
        else if (accept(K::local_))
            action.local = true;
        if (is_name()) {
            action.partitions = name_list();
            expect(K::into_);
            action.definitions = partition_definitions();
        }
        return true;
    case K::exchange_:
        take();
        take();
        action.kind = AlterKind::exchange_partition;
        action.name = name("a partition");
        expect(K::with_);
        expect(K::table_);
        action.table = qualified_name();
        if (is(K::with_) || is(K::without_)) {
            action.word = make_name(take());
            expect(K::validation_);
        }
        return true;
    default: return false;
    }
}

AlterAction Parser::alter_action() {
    AlterAction action{};
    const std::uint32_t start = here();
    const auto finish = [&] {
        action.span = since(start);
        return action;
    };
    const auto word = [&](AlterKind kind, K second) {
        take();
        expect(second);
        action.kind = kind;
        return finish();
    };
    switch (current().keyword) {
    case K::add_:
        take();
        alter_add(action);
        return finish();
    case K::drop_:
        take();
        alter_drop(action);
        return finish();
    case K::alter_:
        take();
        alter_alter(action);
        return finish();
    case K::rename_:
        take();
        alter_rename(action);
        return finish();
    case K::change_:
    case K::modify_: {
        const bool change = take().keyword == K::change_;
        action.kind = change ? AlterKind::change_column : AlterKind::modify_column;
        action.column_word = accept(K::column_);
        if (mariadb()) action.if_exists = accept_if_exists();
        if (change) action.name = name("a column");
        action.column = column_definition();
        column_place(action);
        return finish();
    }
    case K::convert_:
        if (mariadb() && (next_is(K::partition_) || next_is(K::table_))) break;
        take();
        expect(K::to_);
        action.kind = AlterKind::convert_charset;
        if (accept(K::character_) || accept(K::char_))
            expect(K::set_);
        else
            expect(K::charset_);
        action.charset = charset_name_value();
        if (accept(K::collate_)) {
            accept(T::equal);
            action.collation = collation_name();
        }
        return finish();
    case K::order_: {
        take();
        expect(K::by_);
        action.kind = AlterKind::order_by;
        action.order_by = order_items();
        for (const OrderItem& item : action.order_by)
            if (!item.expr.as<Column>())
                throw ParseFailure{ParseErrorKind::syntax,
                                   {item.span.offset, item.span.length, T::word, K::none},
                                   "a column"};
        return finish();
    }
    case K::disable_: return word(AlterKind::disable_keys, K::keys_);
    case K::enable_: return word(AlterKind::enable_keys, K::keys_);
    case K::discard_:
        if (next_is(K::partition_)) break;
        return word(AlterKind::discard_tablespace, K::tablespace_);
    case K::import_:
        if (next_is(K::partition_)) break;
        return word(AlterKind::import_tablespace, K::tablespace_);
    case K::force_:
        take();
        action.kind = AlterKind::force;
        return finish();
    case K::secondary_load_:
    case K::secondary_unload_:
        action.kind =
            take().keyword == K::secondary_load_ ? AlterKind::secondary_load : AlterKind::secondary_unload;
        if (accept(K::partition_)) action.partitions = paren_names();
        return finish();
    case K::algorithm_:
    case K::lock_:
        action.kind = take().keyword == K::algorithm_ ? AlterKind::algorithm : AlterKind::lock;
        action.equals = accept(T::equal);
        action.word = any_word();
        return finish();
    case K::with_:
    case K::without_:
        if (!next_is(K::validation_)) break;
        action.kind = AlterKind::validation;
        action.yes = take().keyword == K::with_;
        take();
        return finish();
    default: break;
    }
    if (alter_partition(action)) return finish();
    action.kind = AlterKind::options;
    action.options = table_options(true);
    if (!action.options.empty()) return finish();
    if (mariadb() && is(T::word)) {
        action.kind = AlterKind::other;
        take();
        while (!at_end() && !is(T::comma)) {
            if (is(T::left_paren))
                balanced_parens();
            else
                take();
        }
        action.rest = since(start);
        return finish();
    }
    fail("an alteration");
}

}  // namespace shardway::sqlparse
