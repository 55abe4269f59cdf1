// Transactions, XA, locks, SET, KILL, prepared statements.
#include "sqlparse/literal.hpp"
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

void Parser::transaction_end(bool& work, Tristate& chain, Tristate& release) {
    work = accept(K::work_);
    if (accept(K::and_)) {
        chain = accept(K::no_) ? Tristate::no : Tristate::yes;
        expect(K::chain_);
    }
    if (is(K::release_)) {
        take();
        release = Tristate::yes;
    } else if (is(K::no_) && next_is(K::release_)) {
        take();
        take();
        release = Tristate::no;
    }
    if (chain == Tristate::yes && release == Tristate::yes) fail("one of CHAIN and RELEASE");
}

void Parser::transaction_statement(Statement& statement) {
    const std::uint32_t start = here();
    switch (take().keyword) {
    case K::begin_: {
        Begin begin;
        begin.work = accept(K::work_);
        statement.node = node(begin);
        return;
    }
    case K::start_: {
        if (!is(K::transaction_)) {  // START REPLICA, GROUP_REPLICATION, …
            if (!is_any({K::replica_, K::slave_, K::group_replication_, K::all_})) fail("TRANSACTION");
            take();
            const std::string_view kind = lower_words(since(start));
            balanced_rest();
            statement.node = node(Unread{kind});
            return;
        }
        take();
        Begin begin;
        begin.start_transaction = true;
        if (!at_end()) {
            do {
                if (accept(K::with_)) {
                    expect(K::consistent_);
                    expect(K::snapshot_);
                    begin.consistent_snapshot = true;
                } else {
                    expect(K::read_);
                    const TransactionAccess access =
                        is(K::only_) ? TransactionAccess::read_only : TransactionAccess::read_write;
                    if (!accept(K::only_)) expect(K::write_);
                    if (begin.access != TransactionAccess::none && begin.access != access)
                        fail("one of READ ONLY and READ WRITE");
                    begin.access = access;
                }
            } while (accept(T::comma));
        }
        statement.node = node(begin);
        return;
    }
    case K::commit_: {
        Commit commit;
        transaction_end(commit.work, commit.chain, commit.release);
        statement.node = node(commit);
        return;
    }
    case K::savepoint_: statement.node = node(Savepoint{name("a savepoint")}); return;
    case K::release_:
        expect(K::savepoint_);
        statement.node = node(ReleaseSavepoint{name("a savepoint")});
        return;
    default: break;
    }
    Rollback rollback;
    if (is(K::to_) || (is(K::work_) && next_is(K::to_))) {
        rollback.work = accept(K::work_);
        take();
        accept(K::savepoint_);
        rollback.savepoint = name("a savepoint");
    } else {
        transaction_end(rollback.work, rollback.chain, rollback.release);
    }
    statement.node = node(rollback);
}

Expr Parser::xid_part() {
    if (!is(T::string) && !is(T::hex) && !is(T::bit)) fail("a string");
    const Token token = take();
    const LiteralKind kind = token.kind == T::string ? LiteralKind::string
                             : token.kind == T::hex  ? LiteralKind::hex
                                                     : LiteralKind::bit;
    constexpr std::size_t xid_part_bytes_max = 64;
    if (literal_bytes(kind, token.span().of(text_), options_).size() > xid_part_bytes_max)
        fail("at most 64 bytes");
    return make_literal(token, kind, token.span(), false, false);
}

const Xa* Parser::xa() {
    take();
    Xa result{};
    if (accept(K::recover_)) {
        result.form = XaForm::recover;
        if (mysql() && accept(K::convert_)) {
            expect(K::xid_);
            result.convert_xid = true;
        } else if (mariadb() && accept(K::format_)) {
            accept(T::equal);
            string_literal();
        }
        return node(result);
    }
    switch (current().keyword) {
    case K::begin_: result.begin_word = true; [[fallthrough]];
    case K::start_: result.form = XaForm::start; break;
    case K::end_: result.form = XaForm::end; break;
    case K::prepare_: result.form = XaForm::prepare; break;
    case K::commit_: result.form = XaForm::commit; break;
    case K::rollback_: result.form = XaForm::rollback; break;
    default: fail("START, END, PREPARE, COMMIT, ROLLBACK or RECOVER");
    }
    take();
    result.gtrid = xid_part();
    if (accept(T::comma)) {
        result.bqual = xid_part();
        if (accept(T::comma)) {
            const std::optional<std::uint64_t> format = integer_value(current().span().of(text_));
            if (is(T::integer) && (!format || *format > INT64_MAX)) fail("a smaller number");
            result.format_id = integer_literal();
        }
    }
    if (result.form == XaForm::start) {
        if (accept(K::join_))
            result.join = true;
        else if (accept(K::resume_))
            result.resume = true;
    } else if (result.form == XaForm::end && accept(K::suspend_)) {
        result.suspend = true;
        if (accept(K::for_)) {
            expect(K::migrate_);
            result.for_migrate = true;
        }
    } else if (result.form == XaForm::commit && accept(K::one_)) {
        expect(K::phase_);
        result.one_phase = true;
    }
    return node(result);
}

const LockTables* Parser::lock_tables() {
    take();
    take();
    LockTables result;
    ListBuilder<LockedTable, 4> tables;
    do {
        LockedTable locked{};
        const std::uint32_t start = here();
        locked.table = qualified_name();
        if (!is(K::read_) && !is(K::write_) && !(mariadb() && is(K::low_priority_)))
            locked.alias = opt_table_alias();
        if (accept(K::read_)) {
            locked.kind = accept(K::local_) ? LockKind::read_local : LockKind::read;
        } else if (mariadb() && accept(K::low_priority_)) {
            expect(K::write_);
            locked.kind = LockKind::low_priority_write;
        } else {
            expect(K::write_);
            locked.kind = mariadb() && accept(K::concurrent_) ? LockKind::write_concurrent : LockKind::write;
        }
        locked.span = since(start);
        tables.push(locked);
    } while (accept(T::comma));
    result.tables = tables.list(arena_);
    if (mariadb() && is_any({K::wait_, K::nowait_})) {
        if (take().keyword == K::wait_) number();
    }
    return node(result);
}

// The right side of a variable's assignment. ON, ALL, BINARY, ROW, SYSTEM stand for themselves.
Expr Parser::set_value() {
    const std::uint32_t start = here();
    if (is(K::default_) && !next_is(T::left_paren)) {
        take();
        return wrap(start, DefaultOf{});
    }
    if (is_any({K::on_, K::all_, K::binary_, K::row_, K::system_, K::force_})) {
        const bool alone =
            next_is(T::comma) || next_is(T::end) || next_is(T::semicolon) || (mariadb() && next_is(K::for_));
        if (alone) {
            const Name word = make_name(take());
            return wrap(start, Column{{}, {}, word});
        }
    }
    return expr();
}

SetItem Parser::set_transaction(VariableScope scope, std::uint32_t start) {
    SetItem item{};
    item.kind = SetKind::transaction;
    item.scope = scope;
    expect(K::transaction_);
    bool any = false;
    do {
        if (is(K::isolation_)) {
            take();
            expect(K::level_);
            if (item.isolation != IsolationLevel::none) fail("one isolation level");
            if (accept(K::read_)) {
                item.isolation =
                    is(K::committed_) ? IsolationLevel::read_committed : IsolationLevel::read_uncommitted;
                if (!accept(K::committed_)) expect(K::uncommitted_);
            } else if (accept(K::repeatable_)) {
                expect(K::read_);
                item.isolation = IsolationLevel::repeatable_read;
            } else {
                expect(K::serializable_);
                item.isolation = IsolationLevel::serializable;
            }
        } else {
            expect(K::read_);
            if (item.access != TransactionAccess::none) fail("one access mode");
            item.access = is(K::only_) ? TransactionAccess::read_only : TransactionAccess::read_write;
            if (!accept(K::only_)) expect(K::write_);
        }
        any = true;
    } while (accept(T::comma));
    if (!any) fail("ISOLATION LEVEL");
    item.span = since(start);
    return item;
}

SetItem Parser::set_item(bool first) {
    SetItem item{};
    const std::uint32_t start = here();
    const auto finish = [&] {
        item.span = since(start);
        return item;
    };
    const auto assign = [&] {
        if (!accept(T::assign)) expect(T::equal, "=");
    };
    if (is(T::user_variable)) {
        item.kind = SetKind::user_variable;
        const Token token = take();
        const std::string_view raw = token.span().of(text_).substr(1);
        item.name = {raw, {token.offset + 1, token.length - 1}};
        if (!raw.empty() && raw.front() == '`')
            item.name = make_name({token.offset + 1, token.length - 1, T::quoted_word, K::none});
        else if (!raw.empty() && (raw.front() == '\'' || raw.front() == '"'))
            item.name = text_name({token.offset + 1, token.length - 1, T::string, K::none});
        assign();
        item.value = expr();
        return finish();
    }
    if (is(T::system_variable)) {
        take();
        item.kind = SetKind::variable;
        item.at_at = true;
        if (next_is(T::dot) && accept_scope(item.scope)) take();
        item.name = is(K::default_) ? make_name(take()) : name("a variable");
        if (accept(T::dot)) {
            item.base = item.name;
            item.name = name_after_dot();
        }
        assign();
        item.value = set_value();
        return finish();
    }
    const bool named_assignment =
        (next_is(T::equal) || next_is(T::assign) || next_is(T::dot)) && !is(K::password_);
    if (!named_assignment) {
        if (is(K::names_)) {
            take();
            item.kind = SetKind::names;
            if (accept(K::default_)) return finish();
            item.charset = charset_name_value();
            if (accept(K::collate_)) item.collation = collation_name();
            return finish();
        }
        if ((is_any({K::character_, K::char_}) && next_is(K::set_)) || is(K::charset_)) {
            if (take().keyword != K::charset_) take();
            item.kind = SetKind::charset;
            if (accept(K::default_)) return finish();
            item.charset = charset_name_value();
            return finish();
        }
        if (first && is(K::transaction_)) return set_transaction(VariableScope::none, start);
        VariableScope scope = VariableScope::none;
        if (accept_scope(scope)) {
            if (first && is(K::transaction_) && !next_is(T::equal) && !next_is(T::assign))
                return set_transaction(scope, start);
            item.scope = scope;
        } else if (is(K::password_)) {
            take();
            item.kind = SetKind::password;
            const std::uint32_t rest = here();
            if (accept(K::for_)) account();
            if (is(T::equal) || is(T::assign)) {
                take();
                if (mariadb() && (is(K::password_) || is_word("old_password"))) {
                    take();
                    balanced_parens();
                } else {
                    string_literal();
                }
            } else {
                expect(K::to_);
                expect(K::random_);
            }
            if (accept(K::replace_)) string_literal();
            if (accept(K::retain_)) {
                expect(K::current_);
                expect(K::password_);
            }
            item.rest = since(rest);
            return finish();
        } else if (first && (is(K::role_) || (is(K::default_) && next_is(K::role_)) ||
                             (is(K::resource_) && next_is(K::group_)))) {
            item.kind = is(K::resource_) ? SetKind::resource_group : SetKind::role;
            const bool by_default = is(K::default_);
            const std::uint32_t rest = here();
            bool to = false;
            while (!at_end()) {
                to |= is(K::to_);
                if (is(T::error)) fail({});
                take();
            }
            if (mysql() && by_default && !to) fail("TO");
            item.rest = since(rest);
            return finish();
        } else {
            fail("a variable");
        }
    }
    item.kind = SetKind::variable;
    if (mysql() && next_is(T::dot) && names_scope(current())) fail("a variable");
    item.name = name("a variable");
    if (accept(T::dot)) {
        item.base = item.name;
        item.name = name_after_dot();
    }
    assign();
    item.value = set_value();
    return finish();
}

const Set* Parser::set() {
    take();
    Set result;
    if (mariadb() && is(K::statement_) && !next_is(T::equal)) {
        take();
        ListBuilder<SetItem, 2> items;
        do items.push(set_item(false));
        while (accept(T::comma));
        result.items = items.list(arena_);
        expect(K::for_);
        result.statement = nested_statement();
        return node(result);
    }
    ListBuilder<SetItem, 2> items;
    bool first = true;
    do {
        items.push(set_item(first));
        first = false;
    } while (accept(T::comma));
    result.items = items.list(arena_);
    return node(result);
}

const Kill* Parser::kill() {
    take();
    Kill result;
    if (mariadb()) {
        if (accept(K::hard_))
            result.hard = true;
        else if (accept(K::soft_))
            result.soft = true;
    }
    if (accept(K::connection_)) {
        result.keyword = true;
    } else if (accept(K::query_)) {
        result.kind = KillKind::query;
        if (mariadb() && accept(K::id_)) result.query_id = true;
    }
    if (mariadb() && is(K::user_)) {
        take();
        const Span user = account();
        result.user = user;
        return node(result);
    }
    result.id = expr();
    return node(result);
}

const Prepare* Parser::prepare() {
    take();
    Prepare result;
    result.name = name();
    expect(K::from_);
    if (is(T::user_variable))
        result.from = user_variable();
    else if (mariadb())
        result.from = expr();
    else
        result.from = string_literal();
    return node(result);
}

const Execute* Parser::execute() {
    take();
    Execute result;
    if (mariadb() && accept(K::immediate_))
        result.immediate = expr();
    else
        result.name = name();
    if (accept(K::using_)) {
        ListBuilder<Expr, 4> arguments;
        do {
            if (is(T::user_variable) && !next_is(T::assign))
                arguments.push(user_variable());
            else if (mariadb())
                arguments.push(value_or_default());
            else
                fail("a user variable");
        } while (accept(T::comma));
        result.arguments = arguments.list(arena_);
    }
    return node(result);
}

}  // namespace shardway::sqlparse
