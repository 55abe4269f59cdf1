// CREATE TABLE: columns, keys, constraints.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

bool Parser::accept_if_not_exists() {
    if (!is(K::if_)) return false;
    take();
    expect(K::not_);
    expect(K::exists_);
    return true;
}

bool Parser::accept_if_exists() {
    if (!is(K::if_) || !next_is(K::exists_)) return false;
    take();
    take();
    return true;
}

const CreateTable* Parser::create_table(bool or_replace, bool temporary) {
    auto* result = arena_.make<CreateTable>();
    result->or_replace = or_replace;
    result->temporary = temporary;
    result->if_not_exists = accept_if_not_exists();
    result->table = qualified_name();
    create_table_body(*result);
    return result;
}

void Parser::create_table_body(CreateTable& table) {
    if (accept(K::like_)) {
        table.like = node(qualified_name());
        return;
    }
    if (is(T::left_paren) && next_is(K::like_)) {
        take();
        take();
        table.like = node(qualified_name());
        table.like_parenthesized = true;
        right_paren();
        return;
    }
    const auto query_at = [&](unsigned ahead) {
        return next_is(K::select_, ahead) || next_is(K::with_, ahead) || next_is(T::left_paren, ahead) ||
               (mysql() && next_is(K::table_, ahead)) || next_is(K::values_, ahead);
    };
    if (is(T::left_paren) && !query_at(1)) {
        const std::uint32_t start = here();
        table.has_elements = true;
        table.elements = table_elements();
        table.elements_span = since(start);
    }
    table.options = table_options(false);
    if (is(K::partition_)) table.partition_by = partition_by();
    if (accept(K::replace_))
        table.duplicates = DuplicateRows::replace;
    else if (accept(K::ignore_))
        table.duplicates = DuplicateRows::ignore;
    table.as_word = accept(K::as_);
    if (query_starts()) {
        table.query = query();
    } else if (is(T::left_paren)) {
        const std::uint32_t start = here();
        const Query* inner = paren_query();
        if (continues_query()) {
            table.query = query_from_term(inner, since(start), nullptr, start);
        } else {
            table.query = inner;
            table.query_parenthesized = true;
        }
    } else if (table.as_word || table.duplicates != DuplicateRows::error) {
        fail("SELECT");
    }
    if (mysql() && table.query && is(K::start_)) {
        take();
        expect(K::transaction_);
        table.start_transaction = true;
    }
}

List<TableElement> Parser::table_elements() {
    left_paren();
    ListBuilder<TableElement> elements;
    do elements.push(table_element());
    while (accept(T::comma));
    right_paren();
    return elements.list(arena_);
}

bool Parser::key_starts() {
    switch (current().keyword) {
    case K::constraint_:
    case K::primary_:
    case K::unique_:
    case K::key_:
    case K::index_:
    case K::fulltext_:
    case K::spatial_:
    case K::foreign_: return true;
    case K::check_: return next_is(T::left_paren);
    case K::period_: return mariadb() && next_is(K::for_);
    default: return false;
    }
}

TableElement Parser::table_element() {
    if (key_starts()) return key_definition();
    return column_definition();
}

const ColumnDefinition* Parser::column_definition() {
    const std::uint32_t start = here();
    const Name column = name("a column");
    return column_after_name(start, column);
}

const ColumnDefinition* Parser::column_after_name(std::uint32_t start, Name column_name) {
    auto* column = arena_.make<ColumnDefinition>();
    column->name = column_name;
    column->type = data_type();
    column->attributes = column_attributes(column->type);
    column->span = since(start);
    return column;
}

List<ColumnAttribute> Parser::column_attributes(const DataType*) {
    ListBuilder<ColumnAttribute, 4> attributes;
    for (;;) {
        ColumnAttribute attribute{};
        const std::uint32_t start = here();
        if (!column_attribute(attribute)) break;
        attribute.span = since(start);
        attributes.push(attribute);
    }
    return attributes.list(arena_);
}

// [ENFORCED | NOT ENFORCED]
Tristate Parser::opt_enforced() {
    if (mariadb()) return Tristate::unset;
    if (accept(K::enforced_)) return Tristate::yes;
    if (accept(K::not_, K::enforced_)) return Tristate::no;
    return Tristate::unset;
}

void Parser::generated_attribute(ColumnAttribute& attribute) {
    attribute.kind = ColumnAttributeKind::generated;
    if (accept(K::generated_)) {
        expect(K::always_);
        attribute.generated_always = true;
    }
    expect(K::as_);
    if (mariadb() && accept(K::row_)) {
        attribute.kind = is(K::start_) ? ColumnAttributeKind::row_start : ColumnAttributeKind::row_end;
        if (!accept(K::start_)) expect(K::end_);
        return;
    }
    left_paren();
    attribute.expr = expr();
    right_paren();
    if (is(K::stored_) || (mariadb() && is(K::persistent_))) {
        take();
        attribute.stored = true;
    } else if (accept(K::virtual_)) {
        attribute.virtual_ = true;
    }
}

bool Parser::column_attribute(ColumnAttribute& attribute) {
    using enum ColumnAttributeKind;
    const auto as = [&](ColumnAttributeKind kind) {
        attribute.kind = kind;
        return true;
    };
    switch (current().keyword) {
    case K::null_: take(); return as(null_);
    case K::not_:
        if (next_is(K::secondary_)) {
            take();
            take();
            return as(not_secondary);
        }
        take();
        expect(K::null_);
        return as(not_null);
    case K::default_: {
        take();
        attribute.kind = default_value;
        if (is(T::left_paren)) {
            attribute.parenthesized = true;
            take();
            attribute.expr = expr();
            right_paren();
            return true;
        }
        if (is_any({K::now_, K::current_timestamp_, K::localtime_, K::localtimestamp_})) {
            attribute.expr = time_function();
            return true;
        }
        if (mariadb()) {
            attribute.expr = simple_expr();
            return true;
        }
        if (is(T::minus) || is(T::plus))
            attribute.expr = signed_number();
        else if (is_any({K::true_, K::false_, K::null_, K::date_, K::time_, K::timestamp_}))
            attribute.expr = keyword_primary();
        else
            attribute.expr = literal();
        return true;
    }
    case K::on_:
        take();
        expect(K::update_);
        attribute.kind = on_update;
        if (!is_any({K::now_, K::current_timestamp_, K::localtime_, K::localtimestamp_}))
            fail("CURRENT_TIMESTAMP");
        attribute.expr = time_function();
        return true;
    case K::auto_increment_: take(); return as(auto_increment);
    case K::primary_:
        take();
        expect(K::key_);
        return as(primary_key);
    case K::key_: take(); return as(key);
    case K::unique_:
        take();
        accept(K::key_);
        return as(unique);
    case K::comment_:
        take();
        attribute.expr = text_literal();
        return as(comment);
    case K::collate_:
        take();
        attribute.name = collation_name();
        return as(collate);
    case K::column_format_:
        take();
        if (!is_any({K::default_, K::fixed_, K::dynamic_})) fail("DEFAULT, FIXED or DYNAMIC");
        attribute.name = make_name(take());
        return as(column_format);
    case K::storage_:
        take();
        if (!is_any({K::default_, K::disk_, K::memory_})) fail("DISK, MEMORY or DEFAULT");
        attribute.name = make_name(take());
        return as(storage);
    case K::masking_:
        if (mariadb()) return false;
        take();
        expect(K::policy_);
        attribute.name = name("a masking policy");
        return as(masking_policy);
    case K::references_:
        attribute.references = this->references();
        return as(ColumnAttributeKind::references);
    case K::constraint_:
        take();
        if (!is(K::check_)) attribute.name = name("a constraint");
        [[fallthrough]];
    case K::check_:
        expect(K::check_);
        left_paren();
        attribute.expr = expr();
        right_paren();
        attribute.enforced = opt_enforced();
        return as(check);
    case K::generated_:
    case K::as_: generated_attribute(attribute); return true;
    case K::visible_: take(); return as(visible);
    case K::invisible_: take(); return as(invisible);
    case K::srid_:
        take();
        attribute.expr = integer_literal();
        return as(srid);
    case K::serial_:
        take();
        expect(K::default_);
        expect(K::value_);
        return as(serial_default);
    case K::engine_attribute_:
        take();
        accept(T::equal);
        attribute.expr = text_literal();
        return as(engine_attribute);
    case K::secondary_engine_attribute_:
        take();
        accept(T::equal);
        attribute.expr = text_literal();
        return as(secondary_engine_attribute);
    case K::with_:
    case K::without_:
        if (mysql() || !next_is(K::system_)) return false;
        attribute.stored = take().keyword == K::with_;
        take();
        expect(K::versioning_);
        return as(versioning);
    default: break;
    }
    if (mariadb()) {
        if (is(K::compressed_)) {
            take();
            if (accept(T::equal)) any_word();
            return as(compressed);
        }
        if (is(K::ref_system_id_)) {
            take();
            accept(T::equal);
            number();
            return as(ref_system_id);
        }
        if ((accept(K::character_, K::set_) || accept(K::charset_))) {
            attribute.name = charset_name_value();
            return as(charset);
        }
        if (is(K::binary_)) return false;
        if (is_name() && next_is(T::equal)) {
            attribute.name = name();
            take();
            if (is_name())
                any_word();
            else
                attribute.expr = literal();
            return as(option);
        }
    }
    return false;
}

ReferenceAction Parser::reference_action() {
    if (accept(K::restrict_)) return ReferenceAction::restrict_;
    if (accept(K::cascade_)) return ReferenceAction::cascade;
    if (accept(K::no_)) {
        expect(K::action_);
        return ReferenceAction::no_action;
    }
    expect(K::set_);
    if (accept(K::null_)) return ReferenceAction::set_null;
    expect(K::default_);
    return ReferenceAction::set_default;
}

const References* Parser::references() {
    const std::uint32_t start = take().offset;
    References result;
    result.table = qualified_name();
    if (is(T::left_paren)) result.columns = key_parts();
    if (accept(K::match_)) {
        if (accept(K::full_))
            result.match = ReferenceMatch::full;
        else if (accept(K::partial_))
            result.match = ReferenceMatch::partial;
        else {
            expect(K::simple_);
            result.match = ReferenceMatch::simple;
        }
    }
    for (int i = 0; i < 2 && is(K::on_); ++i) {
        if (next_is(K::delete_) && result.on_delete == ReferenceAction::none) {
            take();
            take();
            result.on_delete = reference_action();
        } else if (next_is(K::update_) && result.on_update == ReferenceAction::none &&
                   !next_is(K::current_timestamp_, 2)) {
            if (next_is(K::now_, 2) || next_is(K::localtime_, 2) || next_is(K::localtimestamp_, 2)) break;
            take();
            take();
            result.on_update = reference_action();
            if (i == 0) result.update_first = true;
        } else {
            break;
        }
    }
    result.span = since(start);
    return node(result);
}

KeyPart Parser::key_part() {
    KeyPart part;
    const std::uint32_t start = here();
    if (is(T::left_paren) && mysql()) {
        take();
        part.expr = expr();
        right_paren();
    } else {
        part.column = name("a column");
        if (is(T::left_paren)) {
            take();
            part.has_prefix = true;
            part.prefix = static_cast<std::uint32_t>(std::min<std::uint64_t>(number(), UINT32_MAX));
            right_paren();
        }
        if (mariadb() && is(K::without_) && next_is(K::overlaps_)) {
            take();
            part.without_overlaps = make_name(take());
        }
    }
    if (accept(K::asc_))
        part.ascending = true;
    else if (accept(K::desc_))
        part.descending = true;
    part.span = since(start);
    return part;
}

List<KeyPart> Parser::key_parts() {
    left_paren();
    ListBuilder<KeyPart, 4> parts;
    do parts.push(key_part());
    while (accept(T::comma));
    right_paren();
    return parts.list(arena_);
}

const KeyDefinition* Parser::key_definition() {
    auto* result = arena_.make<KeyDefinition>();
    KeyDefinition& key = *result;
    const std::uint32_t start = here();
    if (accept(K::constraint_)) {
        key.constraint_word = true;
        if (mariadb()) key.if_not_exists = accept_if_not_exists();
        if (is_name() && !is(K::check_)) key.constraint = name();
        if (!is_any({K::primary_, K::unique_, K::foreign_, K::check_}))
            fail("PRIMARY, UNIQUE, FOREIGN or CHECK");
    }
    const auto finish = [&] {
        key.span = since(start);
        return result;
    };
    const auto word = [&] {
        if (is(K::key_) || is(K::index_)) {
            key.key_word = true;
            key.index_word = take().keyword == K::index_;
        }
    };
    const auto index_name = [&] {
        if (mariadb()) key.if_not_exists |= accept_if_not_exists();
        if (is_name()) key.name = name();
        if (is(K::using_) || is(K::type_)) {
            take();
            key.type_before = any_word();
        }
    };
    switch (current().keyword) {
    case K::primary_:
        take();
        expect(K::key_);
        key.kind = KeyKind::primary;
        index_name();
        break;
    case K::unique_:
        take();
        key.kind = KeyKind::unique;
        word();
        index_name();
        break;
    case K::key_:
    case K::index_:
        key.kind = KeyKind::index;
        word();
        index_name();
        break;
    case K::fulltext_:
    case K::spatial_:
        key.kind = take().keyword == K::fulltext_ ? KeyKind::fulltext : KeyKind::spatial;
        word();
        index_name();
        break;
    case K::foreign_:
        take();
        expect(K::key_);
        key.kind = KeyKind::foreign;
        if (mariadb()) key.if_not_exists |= accept_if_not_exists();
        if (is_name()) key.name = name();
        key.columns = key_parts();
        if (!is(K::references_)) fail("REFERENCES");
        key.references = references();
        return finish();
    case K::check_:
        take();
        key.kind = KeyKind::check;
        left_paren();
        key.check = expr();
        right_paren();
        key.enforced = opt_enforced();
        return finish();
    case K::period_:
        take();
        take();
        key.kind = KeyKind::period;
        key.name = is(K::system_time_) ? make_name(take()) : name();
        key.columns = key_parts();
        return finish();
    default: fail("a key");
    }
    key.columns = key_parts();
    key.options = index_options();
    return finish();
}

List<Option> Parser::index_options() {
    ListBuilder<Option, 2> options;
    for (;;) {
        Option option;
        if (!index_option(option)) break;
        options.push(option);
    }
    return options.list(arena_);
}

// The words up to here are the option's name.
Option Parser::option_named(std::uint32_t start) {
    Option option;
    option.name_span = since(start);
    option.name = lower_words(option.name_span);
    return option;
}

bool Parser::index_option(Option& option) {
    const std::uint32_t start = here();
    const auto named = [&] { option = option_named(start); };
    switch (current().keyword) {
    case K::using_:
    case K::type_:
        take();
        named();
        if (!is_any({K::btree_, K::hash_, K::rtree_})) fail("BTREE or HASH");
        option_value(option);
        break;
    case K::key_block_size_:
        take();
        named();
        option.equals = accept(T::equal);
        if (!is(T::integer)) fail("a number");
        option_value(option);
        break;
    case K::comment_:
    case K::engine_attribute_:
    case K::secondary_engine_attribute_:
        take();
        named();
        option.equals = accept(T::equal);
        if (!is(T::string)) fail("a string");
        option_value(option);
        break;
    case K::with_:
        if (!next_is(K::parser_)) return false;
        take();
        take();
        named();
        option_value(option);
        break;
    case K::visible_:
    case K::invisible_:
        if (mariadb()) return false;
        take();
        named();
        break;
    default:
        if (mariadb() && (is(K::ignored_) || (is(K::not_) && next_is(K::ignored_)))) {
            if (take().keyword == K::not_) take();
            named();
            break;
        }
        if (mariadb() && is_name() && next_is(T::equal)) {
            take();
            named();
            option.equals = accept(T::equal);
            option_value(option);
            break;
        }
        return false;
    }
    option.span = since(start);
    return true;
}

}  // namespace shardway::sqlparse
