// Options of tables and databases, and partitioning.
#include "sqlparse/literal.hpp"
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

// A number, a string, a word, or a list in parentheses.
void Parser::option_value(Option& option) {
    const std::uint32_t start = here();
    if (is(T::left_paren)) {
        balanced_parens();
    } else if (is_literal_start()) {
        option.value = literal();
    } else if (is(T::word) || is(T::quoted_word)) {
        const Name word = make_name(take());
        option.value = wrap(start, Column{{}, {}, word});
    } else {
        fail("a value");
    }
    option.value_span = since(start);
}

// [DEFAULT] CHARACTER SET x, [DEFAULT] COLLATE x.
bool Parser::charset_option(Option& option) {
    const std::uint32_t start = here();
    const unsigned ahead = is(K::default_) ? 1 : 0;
    const Token& word = ahead ? peek(1) : current();
    const bool charset =
        word.keyword == K::charset_ ||
        ((word.keyword == K::character_ || word.keyword == K::char_) && next_is(K::set_, ahead + 1));
    if (!charset && word.keyword != K::collate_) return false;
    if (ahead) {
        take();
        option.by_default = true;
    }
    const std::uint32_t name_start = here();
    if (take().keyword != K::charset_ && charset) take();
    const Span name_span = since(name_start);
    option.name_span = name_span;
    option.name = charset ? "character set" : "collate";
    option.equals = accept(T::equal);
    const std::uint32_t value_start = here();
    const bool word_only = is(K::binary_) || (is(K::default_) && mariadb()) || is_name();
    if (!word_only && !is(T::string)) fail("a charset");
    if (is(T::string)) {
        option.value = literal();
    } else {
        const Name value = make_name(take());
        option.value = wrap(value_start, Column{{}, {}, value});
    }
    option.value_span = since(value_start);
    option.span = since(start);
    return true;
}

// A number with K, M or G behind it.
bool Parser::is_size() const {
    if (!is(T::word) || current().length < 2) return false;
    const std::string_view text = current().span().of(text_);
    return text.substr(0, text.size() - 1).find_first_not_of("0123456789") == text.npos &&
           std::string_view{"kKmMgG"}.find(text.back()) != std::string_view::npos;
}

// What MySQL's own parser refuses of the value that comes next.
bool Parser::option_in_range(K option) const {
    const std::string_view text = current().span().of(text_);
    const std::optional<std::uint64_t> value = integer_value(text);
    switch (option) {
    case K::row_format_:
        return is_any({K::default_, K::fixed_, K::dynamic_, K::compressed_, K::redundant_, K::compact_});
    case K::insert_method_: return is_any({K::no_, K::first_, K::last_});
    case K::key_block_size_: return !value || *value <= UINT16_MAX;
    case K::avg_row_length_: return !value || *value <= UINT32_MAX;
    case K::pack_keys_:
    case K::stats_auto_recalc_:
    case K::stats_persistent_: return !value || *value <= 1;
    case K::stats_sample_pages_: return !value || (*value >= 1 && *value <= UINT16_MAX);
    default: return true;
    }
}

bool Parser::table_option(Option& option) {
    if (charset_option(option)) return true;
    const std::uint32_t start = here();
    enum Wants { nothing, number_, number_or_default, text, word, word_or_text, list, text_or_null };
    Wants wants = nothing;
    switch (current().keyword) {
    case K::engine_:
    case K::tablespace_: wants = word_or_text; break;
    case K::type_:
        if (mysql()) return false;
        wants = word_or_text;
        break;
    case K::secondary_engine_: wants = word_or_text; break;
    case K::max_rows_:
    case K::min_rows_:
    case K::avg_row_length_:
    case K::auto_increment_:
    case K::autoextend_size_:
    case K::key_block_size_:
    case K::checksum_:
    case K::table_checksum_:
    case K::delay_key_write_: wants = number_; break;
    case K::pack_keys_:
    case K::stats_auto_recalc_:
    case K::stats_persistent_:
    case K::stats_sample_pages_: wants = number_or_default; break;
    case K::password_:
    case K::comment_:
    case K::compression_:
    case K::encryption_:
    case K::connection_:
    case K::engine_attribute_:
    case K::secondary_engine_attribute_: wants = text; break;
    case K::row_format_:
    case K::insert_method_: wants = word; break;
    case K::union_:
        if (!next_is(T::left_paren) && !next_is(T::equal)) return false;
        wants = list;
        break;
    case K::data_:
    case K::index_:
        if (!next_is(K::directory_)) return false;
        take();
        wants = text;
        break;
    case K::storage_: wants = word; break;
    case K::start_:
        if (!next_is(K::transaction_)) return false;
        take();
        break;
    case K::with_:
    case K::without_:
        if (mysql() || !next_is(K::system_)) return false;
        take();
        take();
        if (!is(K::versioning_)) fail("VERSIONING");
        break;
    default:
        if (mariadb() && is(T::word) && next_is(T::equal)) {
            wants = word_or_text;
            break;
        }
        if (mariadb() && is_any({K::transactional_, K::page_checksum_, K::sequence_})) {
            wants = word_or_text;
            break;
        }
        return false;
    }
    const K name_keyword = take().keyword;
    option = option_named(start);
    if (wants != nothing) {
        option.equals = accept(T::equal);
        bool fits = true;
        const bool is_number = is(T::integer) || is(T::hex) || (mariadb() && is_literal_start());
        switch (wants) {
        case nothing: break;
        case number_: fits = is_number || (name_keyword == K::autoextend_size_ && is_size()); break;
        case number_or_default: fits = is_number || is(K::default_); break;
        case text: fits = is_text() || is(T::hex) || is(T::bit); break;
        case text_or_null: fits = is_text() || is(K::null_); break;
        case word: fits = is(T::word); break;
        case word_or_text: fits = is(T::word) || is(T::quoted_word) || is_literal_start(); break;
        case list: fits = is(T::left_paren); break;
        }
        if (!fits || (mysql() && !option_in_range(name_keyword))) fail("the option's value");
        if (wants == list) {
            const std::uint32_t value_start = take().offset;
            if (!is(T::right_paren)) {
                do qualified_name();
                while (accept(T::comma));
            }
            right_paren();
            option.value_span = since(value_start);
        } else {
            option_value(option);
        }
    }
    option.span = since(start);
    return true;
}

List<Option> Parser::table_options(bool in_alter) {
    ListBuilder<Option, 4> options;
    for (;;) {
        const bool comma = !in_alter && is(T::comma);
        if (comma) {
            if (options.empty()) break;
            take();
        }
        Option option;
        if (!table_option(option)) {
            if (comma) fail("a table option");
            break;
        }
        options.push(option);
    }
    return options.list(arena_);
}

List<Option> Parser::database_options() {
    ListBuilder<Option, 2> options;
    for (;;) {
        Option option;
        const std::uint32_t start = here();
        if (charset_option(option)) {
            options.push(option);
            continue;
        }
        bool by_default = false;
        if (mysql() && is(K::default_) && next_is(K::encryption_)) {
            take();
            by_default = true;
        }
        if (mysql() && is(K::encryption_)) {
            const std::uint32_t name_start = take().offset;
            option = option_named(name_start);
            option.by_default = by_default;
            option.equals = accept(T::equal);
            if (!is(T::string)) fail("a string");
            option_value(option);
        } else if (mysql() && is(K::read_) && next_is(K::only_)) {
            take();
            take();
            option = option_named(start);
            option.equals = accept(T::equal);
            const std::string_view value = current().span().of(text_);
            if (!is(K::default_) && value != "0" && value != "1") fail("0, 1 or DEFAULT");
            option_value(option);
        } else if (mariadb() && is(K::comment_)) {
            take();
            option = option_named(start);
            option.equals = accept(T::equal);
            option_value(option);
        } else {
            break;
        }
        option.span = since(start);
        options.push(option);
    }
    return options.list(arena_);
}

// [LINEAR] HASH (expr) | [LINEAR] KEY (a, b) | RANGE … | LIST …
void Parser::partition_method(PartitionBy& by, bool sub) {
    PartitionKind kind{};
    const bool linear = accept(K::linear_);
    std::uint32_t algorithm = 0;
    Expr value;
    List<Name> columns;
    if (accept(K::hash_)) {
        kind = PartitionKind::hash;
        left_paren();
        value = bit_expr();
        right_paren();
    } else if (accept(K::key_)) {
        kind = PartitionKind::key;
        if (accept(K::algorithm_)) {
            expect(T::equal, "=");
            algorithm = static_cast<std::uint32_t>(number());
            if (mysql() && algorithm != 1 && algorithm != 2) fail("1 or 2");
        }
        left_paren();
        if (!is(T::right_paren)) columns = name_list();
        right_paren();
    } else if (!sub && !linear && (is(K::range_) || is(K::list_))) {
        kind = take().keyword == K::range_ ? PartitionKind::range : PartitionKind::list;
        if (accept(K::columns_)) {
            by.columns_word = true;
            columns = paren_names();
        } else {
            left_paren();
            value = bit_expr();
            right_paren();
        }
    } else if (!sub && mariadb() && accept(K::system_time_)) {
        kind = PartitionKind::system_time;
        const std::uint32_t start = here();
        while (!at_end() && !is(K::partitions_) && !is(T::left_paren) && !is(K::subpartition_)) take();
        by.system_time = since(start > last_end_ ? last_end_ : start);
    } else {
        fail("HASH, KEY, RANGE or LIST");
    }
    if (sub) {
        by.has_sub = true;
        by.sub_kind = kind;
        by.sub_linear = linear;
        by.sub_algorithm = algorithm;
        by.sub_expr = value;
        by.sub_columns = columns;
    } else {
        by.kind = kind;
        by.linear = linear;
        by.algorithm = algorithm;
        by.expr = value;
        by.columns = columns;
    }
}

const PartitionBy* Parser::partition_by() {
    auto* result = arena_.make<PartitionBy>();
    const std::uint32_t start = take().offset;
    expect(K::by_);
    partition_method(*result, false);
    if (accept(K::partitions_)) {
        if (!is(T::integer)) fail("a number");
        result->count = literal();
    }
    if (accept(K::subpartition_)) {
        expect(K::by_);
        partition_method(*result, true);
        if (accept(K::subpartitions_)) {
            if (!is(T::integer)) fail("a number");
            result->sub_count = literal();
        }
    }
    if (is(T::left_paren)) result->definitions = partition_definitions();
    result->span = since(start);
    return result;
}

List<PartitionDefinition> Parser::partition_definitions() {
    left_paren();
    ListBuilder<PartitionDefinition, 4> definitions;
    do definitions.push(partition_definition(false));
    while (accept(T::comma));
    right_paren();
    return definitions.list(arena_);
}

Expr Parser::partition_value() {
    const std::uint32_t start = here();
    if (is(K::maxvalue_)) {
        const Name word = make_name(take());
        return wrap(start, Column{{}, {}, word});
    }
    return bit_expr();
}

PartitionValues Parser::partition_values() {
    PartitionValues values;
    ListBuilder<Expr, 4> items;
    left_paren();
    do {
        const std::uint32_t start = here();
        if (is(T::left_paren)) {  // LIST COLUMNS of several: ((1, 2), (3, 4)), or an expression in
                                  // parentheses
            take();
            ListBuilder<Expr, 4> row;
            do row.push(partition_value());
            while (accept(T::comma));
            right_paren();
            if (row.size() > 1) {
                items.push(wrap(start, Row{row.list(arena_), false}));
                continue;
            }
            seed(row.list(arena_)[0], start);
        }
        items.push(seed_ ? bit_expr() : partition_value());
    } while (accept(T::comma));
    right_paren();
    values.items = items.list(arena_);
    return values;
}

List<Option> Parser::partition_options() {
    ListBuilder<Option, 2> options;
    for (;;) {
        const std::uint32_t start = here();
        bool storage = false;
        switch (current().keyword) {
        case K::storage_:
            if (!next_is(K::engine_)) fail("ENGINE");
            storage = true;
            take();
            break;
        case K::engine_:
        case K::comment_:
        case K::max_rows_:
        case K::min_rows_:
        case K::nodegroup_:
        case K::tablespace_: break;
        case K::data_:
        case K::index_:
            if (!next_is(K::directory_)) return options.list(arena_);
            take();
            break;
        default:
            if (mariadb() && is(T::word) && next_is(T::equal)) break;
            return options.list(arena_);
        }
        take();
        Option option = option_named(start);
        if (storage) option.name = "engine";
        option.equals = accept(T::equal);
        option_value(option);
        option.span = since(start);
        options.push(option);
    }
}

PartitionDefinition Parser::partition_definition(bool sub) {
    PartitionDefinition definition;
    const std::uint32_t start = here();
    expect(sub ? K::subpartition_ : K::partition_);
    definition.name = sub ? name_or_text() : name();
    if (!sub && accept(K::values_)) {
        if (accept(K::less_)) {
            expect(K::than_);
            definition.less_than = true;
            if (accept(K::maxvalue_))
                definition.values.max_value = true;
            else
                definition.values = partition_values();
        } else {
            expect(K::in_);
            definition.in = true;
            definition.values = partition_values();
        }
    } else if (!sub && mariadb() && (is(K::history_) || is(K::current_))) {
        if (take().keyword == K::history_)
            definition.history = true;
        else
            definition.current = true;
    }
    definition.options = partition_options();
    if (!sub && accept(T::left_paren)) {
        ListBuilder<PartitionDefinition, 4> below;
        do below.push(partition_definition(true));
        while (accept(T::comma));
        right_paren();
        definition.subpartitions = below.list(arena_);
    }
    definition.span = since(start);
    return definition;
}

const Option* find_option(const List<Option>& options, std::string_view name) {
    if (name == "charset") name = "character set";
    for (const Option& option : options)
        if (option.name == name) return &option;
    return nullptr;
}

}  // namespace shardway::sqlparse
