// CREATE, DROP and ALTER of everything but the inside of tables.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

DropBehaviour Parser::drop_behaviour() {
    if (accept(K::restrict_)) return DropBehaviour::restrict_;
    if (accept(K::cascade_)) return DropBehaviour::cascade;
    return DropBehaviour::none;
}

// [ALGORITHM = x] [DEFINER = account] [SQL SECURITY x] VIEW: true when all of it stood there. The definer
// alone may also begin a procedure, a trigger or an event.
bool Parser::view_prefix(CreateView& view) {
    if (accept(K::algorithm_)) {
        expect(T::equal, "=");
        if (!is_any({K::undefined_, K::merge_, K::temptable_})) fail("UNDEFINED, MERGE or TEMPTABLE");
        view.algorithm = make_name(take());
    }
    if (is(K::definer_)) {
        const std::uint32_t start = take().offset;
        expect(T::equal, "=");
        account();
        view.definer = since(start);
    }
    if (accept(K::sql_)) {
        expect(K::security_);
        if (!is(K::definer_) && !is(K::invoker_)) fail("DEFINER or INVOKER");
        view.security = make_name(take());
    }
    return is(K::view_);
}

const CreateView* Parser::create_view(CreateView& view) {
    expect(K::view_);
    if (!view.alter && !view.or_replace) view.if_not_exists = accept_if_not_exists();
    view.view = qualified_name();
    if (is(T::left_paren)) {
        const std::uint32_t start = here();
        view.columns = paren_names();
        view.columns_span = since(start);
    }
    expect(K::as_);
    if (is(T::left_paren)) {
        const std::uint32_t start = here();
        const Query* inner = paren_query();
        if (continues_query()) {
            view.query = query_from_term(inner, since(start), nullptr, start);
        } else {
            view.query = inner;
            view.query_parenthesized = true;
        }
    } else {
        if (!query_starts()) fail("SELECT");
        view.query = query();
    }
    if (accept(K::with_)) {
        view.check = CheckOption::plain;
        if (accept(K::cascaded_))
            view.check = CheckOption::cascaded;
        else if (accept(K::local_))
            view.check = CheckOption::local;
        expect(K::check_);
        expect(K::option_);
    }
    return node(view);
}

const CreateIndex* Parser::create_index(bool or_replace, KeyKind kind) {
    auto* result = arena_.make<CreateIndex>();
    result->or_replace = or_replace;
    result->kind = kind;
    expect(K::index_);
    if (mariadb()) result->if_not_exists = accept_if_not_exists();
    result->name = name("an index");
    if (is(K::using_) || is(K::type_)) {
        take();
        result->type_before = any_word();
    }
    expect(K::on_);
    result->table = qualified_name();
    result->columns = key_parts();
    ListBuilder<Option, 2> options;
    for (;;) {
        Option option;
        const std::uint32_t start = here();
        if (is(K::algorithm_) || is(K::lock_)) {
            take();
            option = option_named(start);
            option.equals = accept(T::equal);
            option_value(option);
            option.span = since(start);
        } else if (mariadb() && is_any({K::wait_, K::nowait_})) {
            if (take().keyword == K::wait_) number();
            continue;
        } else if (!index_option(option)) {
            break;
        }
        options.push(option);
    }
    result->options = options.list(arena_);
    return result;
}

const DropIndex* Parser::drop_index() {
    auto* result = arena_.make<DropIndex>();
    if (mariadb()) result->if_exists = accept_if_exists();
    result->name = is(K::primary_) ? make_name(take()) : name("an index");
    expect(K::on_);
    result->table = qualified_name();
    ListBuilder<Option, 2> options;
    while (is(K::algorithm_) || is(K::lock_)) {
        const std::uint32_t start = take().offset;
        Option option = option_named(start);
        option.equals = accept(T::equal);
        option_value(option);
        option.span = since(start);
        options.push(option);
    }
    result->options = options.list(arena_);
    return result;
}

const CreateDatabase* Parser::create_database(bool or_replace) {
    auto* result = arena_.make<CreateDatabase>();
    result->or_replace = or_replace;
    result->schema_word = take().keyword == K::schema_;
    result->if_not_exists = accept_if_not_exists();
    result->name = name("a database");
    result->options = database_options();
    return result;
}

const Sequence* Parser::sequence(SequenceForm form, bool or_replace, bool temporary) {
    Sequence result{};
    result.form = form;
    result.or_replace = or_replace;
    result.temporary = temporary;
    take();
    result.if_exists = form == SequenceForm::create ? accept_if_not_exists() : accept_if_exists();
    ListBuilder<QualifiedName, 2> names;
    do names.push(qualified_name());
    while (form == SequenceForm::drop && accept(T::comma));
    result.names = names.list(arena_);
    result.options = balanced_rest();
    return node(result);
}

void Parser::create(Statement& statement) {
    const std::uint32_t start = take().offset;
    bool or_replace = false;
    if (accept(K::or_)) {
        expect(K::replace_);
        or_replace = true;
    }
    const bool temporary = is(K::temporary_) && take().keyword == K::temporary_;
    switch (current().keyword) {
    case K::table_:
        if (or_replace && mysql()) break;
        take();
        statement.node = create_table(or_replace, temporary);
        return;
    case K::external_:
        if (mariadb() || !next_is(K::table_)) break;
        take();
        take();
        statement.node = create_table(or_replace, temporary);
        return;
    case K::sequence_:
        if (mysql()) break;
        statement.node = sequence(SequenceForm::create, or_replace, temporary);
        return;
    default: break;
    }
    if (temporary) fail("TABLE");
    switch (current().keyword) {
    case K::unique_:
    case K::fulltext_:
    case K::spatial_: {
        const K word = take().keyword;
        const KeyKind kind = word == K::unique_     ? KeyKind::unique
                             : word == K::fulltext_ ? KeyKind::fulltext
                                                    : KeyKind::spatial;
        statement.node = create_index(or_replace, kind);
        return;
    }
    case K::index_: statement.node = create_index(or_replace, KeyKind::index); return;
    case K::database_:
    case K::schema_: statement.node = create_database(or_replace); return;
    case K::view_:
    case K::algorithm_:
    case K::definer_:
    case K::sql_: {
        CreateView view;
        view.or_replace = or_replace;
        if (view_prefix(view)) {
            statement.node = create_view(view);
            return;
        }
        break;
    }
    default: break;
    }
    if (!is_any({K::procedure_, K::function_, K::trigger_, K::event_, K::user_, K::role_, K::server_,
                 K::tablespace_, K::undo_, K::logfile_, K::resource_, K::spatial_, K::aggregate_, K::package_,
                 K::library_, K::json_, K::masking_, K::vector_}))
        fail("TABLE");
    // With a definer between: the kind is still its first and last word.
    const std::uint32_t word_start = here();
    take();
    const std::string_view word = lower_words(since(word_start));
    std::string kind{"create "};
    kind += word;
    while (!is(T::end)) {
        if (is(T::error)) fail({});
        take();
    }
    (void)start;
    statement.node = node(Unread{arena_.copy(std::string_view{kind})});
}

void Parser::drop(Statement& statement) {
    const std::uint32_t start = take().offset;
    switch (current().keyword) {
    case K::temporary_:
    case K::table_:
    case K::tables_: {
        DropTable result;
        result.temporary = accept(K::temporary_);
        if (mariadb() && is(K::sequence_)) {
            statement.node = sequence(SequenceForm::drop, false, result.temporary);
            return;
        }
        result.tables_word = is(K::tables_);
        if (!accept(K::tables_)) expect(K::table_);
        result.if_exists = accept_if_exists();
        ListBuilder<QualifiedName, 4> tables;
        do tables.push(qualified_name());
        while (accept(T::comma));
        result.tables = tables.list(arena_);
        if (mariadb() && is_any({K::wait_, K::nowait_}) && take().keyword == K::wait_) number();
        result.behaviour = drop_behaviour();
        statement.node = node(result);
        return;
    }
    case K::view_: {
        take();
        DropView result;
        result.if_exists = accept_if_exists();
        ListBuilder<QualifiedName, 4> views;
        do views.push(qualified_name());
        while (accept(T::comma));
        result.views = views.list(arena_);
        result.behaviour = drop_behaviour();
        statement.node = node(result);
        return;
    }
    case K::index_:
        take();
        statement.node = drop_index();
        return;
    case K::database_:
    case K::schema_: {
        DropDatabase result;
        result.schema_word = take().keyword == K::schema_;
        result.if_exists = accept_if_exists();
        result.name = name("a database");
        statement.node = node(result);
        return;
    }
    case K::prepare_:
        take();
        statement.node = node(Deallocate{name(), true});
        return;
    case K::sequence_:
        if (mysql()) break;
        statement.node = sequence(SequenceForm::drop, false, false);
        return;
    case K::procedure_:
    case K::function_:
    case K::trigger_:
    case K::event_:
    case K::user_:
    case K::role_:
    case K::server_:
    case K::tablespace_:
    case K::undo_:
    case K::logfile_:
    case K::resource_:
    case K::spatial_:
    case K::package_:
    case K::library_:
        take();
        {
            const std::string_view kind = lower_words(since(start));
            balanced_rest();
            statement.node = node(Unread{kind});
        }
        return;
    default: break;
    }
    fail("TABLE");
}

void Parser::alter(Statement& statement) {
    const std::uint32_t start = take().offset;
    bool online = false;
    bool ignore = false;
    if (mariadb()) {
        online = accept(K::online_);
        ignore = accept(K::ignore_);
    }
    switch (current().keyword) {
    case K::table_: {
        take();
        const AlterTable* table = alter_table();
        AlterTable copy = *table;
        copy.online = online;
        copy.ignore = ignore;
        statement.node = node(copy);
        return;
    }
    case K::database_:
    case K::schema_: {
        AlterDatabase result;
        result.schema_word = take().keyword == K::schema_;
        if (is_name() && !is_any({K::encryption_, K::charset_}) && !(is(K::read_) && next_is(K::only_)))
            result.name = name("a database");
        result.options = database_options();
        if (result.options.empty()) fail("an option");
        statement.node = node(result);
        return;
    }
    case K::view_:
    case K::algorithm_:
    case K::definer_:
    case K::sql_: {
        CreateView view;
        view.alter = true;
        if (view_prefix(view)) {
            statement.node = create_view(view);
            return;
        }
        break;
    }
    case K::sequence_:
        if (mysql()) break;
        statement.node = sequence(SequenceForm::alter, false, false);
        return;
    default: break;
    }
    if (!is_any({K::procedure_, K::function_, K::event_, K::user_, K::server_, K::tablespace_, K::undo_,
                 K::logfile_, K::resource_, K::instance_, K::library_, K::role_}))
        fail("TABLE");
    const std::uint32_t word_start = here();
    take();
    std::string kind{"alter "};
    kind += lower_words(since(word_start));
    (void)start;
    while (!is(T::end)) {
        if (is(T::error)) fail({});
        take();
    }
    statement.node = node(Unread{arena_.copy(std::string_view{kind})});
}

}  // namespace shardway::sqlparse
