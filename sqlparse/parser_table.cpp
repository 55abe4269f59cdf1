// What stands in FROM.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

// Words that are names elsewhere, but behind a table or an expression go on with the statement.
bool Parser::alias_may_follow() {
    const K keyword = current().keyword;
    if (keyword == K::none) return true;
    if (mariadb()) {
        switch (keyword) {
        case K::offset_:
        case K::window_:
        case K::returning_:
        case K::minus_: return false;
        default: break;
        }
    }
    return true;
}

Name Parser::opt_table_alias() {
    if (accept(K::as_)) return name("an alias");
    if (is_name() && (current().keyword == K::none || alias_may_follow())) return name();
    return {};
}

List<TableRef> Parser::table_refs() {
    ListBuilder<TableRef, 4> refs;
    do refs.push(table_ref());
    while (accept(T::comma));
    return refs.list(arena_);
}

TableRef Parser::table_ref() {
    const DepthGuard guard{*this};
    const std::uint32_t start = here();
    const std::uint32_t outer = height_;
    height_ = 0;
    const TableRef result = joined(table_factor(), start);
    grow();
    height_ = std::max(outer, height_);
    return result;
}

TableRef Parser::joined(TableRef left, std::uint32_t start) {
    for (;;) {
        Join join{};
        switch (current().keyword) {
        case K::join_: join.kind = JoinKind::inner; break;
        case K::inner_:
            take();
            join.keyword_inner = true;
            join.kind = JoinKind::inner;
            if (is(K::straight_join_)) fail("JOIN");
            break;
        case K::cross_:
            take();
            join.kind = JoinKind::cross;
            break;
        case K::straight_join_: join.kind = JoinKind::straight; break;
        case K::left_:
        case K::right_:
            join.kind = take().keyword == K::left_ ? JoinKind::left : JoinKind::right;
            join.keyword_outer = accept(K::outer_);
            break;
        case K::natural_:
            take();
            join.kind = JoinKind::natural;
            if (is(K::left_) || is(K::right_)) {
                join.kind = take().keyword == K::left_ ? JoinKind::natural_left : JoinKind::natural_right;
                join.keyword_outer = accept(K::outer_);
            } else {
                join.keyword_inner = accept(K::inner_);
            }
            break;
        default: return left;
        }
        if (join.kind == JoinKind::straight)
            take();
        else
            expect(K::join_);
        join.left = left;
        const bool outer_join = join.kind == JoinKind::left || join.kind == JoinKind::right;
        const bool natural = join.kind == JoinKind::natural || join.kind == JoinKind::natural_left ||
                             join.kind == JoinKind::natural_right;
        const std::uint32_t right_start = here();
        join.right = table_factor();
        // `a JOIN b JOIN c ON x ON y`: where no condition follows, the right side goes on first.
        if (!natural && !is(K::on_) && !is(K::using_)) {
            const DepthGuard guard{*this};
            join.right = joined(join.right, right_start);
        }
        grow();
        if (!natural && accept(K::on_)) {
            join.on = expr();
        } else if (!natural && accept(K::using_)) {
            join.using_columns = paren_names();
        } else if (outer_join) {
            fail("ON");
        } else {
            left = join_leftmost(join, join.right);
            continue;
        }
        left.span = since(start);
        left.node = node(join);
    }
}

// A join without a condition binds to the left after all: a JOIN (b LEFT JOIN c ON x) without parentheses
// means (a JOIN b) LEFT JOIN c ON x.
TableRef Parser::join_leftmost(const Join& join, const TableRef& right) {
    const Span span = cover(join.left.span, right.span);
    if (const Join* below = right.as<Join>()) {
        Join rebuilt = *below;
        rebuilt.left = join_leftmost(join, below->left);
        return {span, node(rebuilt)};
    }
    Join result = join;
    result.right = right;
    return {span, node(result)};
}

TableRef Parser::table_factor() {
    const std::uint32_t start = here();
    if (is(T::left_paren)) return paren_table();
    if (is(T::left_brace)) {
        take();
        if (!accept_word("oj")) fail("OJ");
        ListBuilder<TableRef, 1> tables;
        tables.push(table_ref());
        expect(T::right_brace, "}");
        return {since(start), node(TableGroup{tables.list(arena_), true})};
    }
    if (is(K::lateral_) && mysql()) {
        take();
        Span body;
        const Query* below = paren_query(&body);
        return derived(below, body, true, start);
    }
    if (is(K::json_table_) && next_is(T::left_paren)) return json_table();
    return table_name_ref();
}

// `(SELECT …) x`, `(a, b)`, `(a JOIN b …)`, with any number of parentheses around either.
TableRef Parser::paren_table() {
    const DepthGuard guard{*this};
    const std::uint32_t start = here();
    left_paren();
    if (query_starts() && !(is(K::table_) && !mysql())) {
        const Query* below = query();
        right_paren();
        return derived(below, since(start), false, start);
    }
    TableRef first;
    const std::uint32_t first_start = here();
    if (is(T::left_paren)) {
        first = paren_table();
        const DerivedTable* below = first.as<DerivedTable>();
        if (below && !below->alias) {
            // Without an alias it is not a table yet: ((SELECT 1) UNION SELECT 2) x, or ((SELECT 1)) x.
            const Query* whole = below->query;
            if (continues_query()) whole = query_from_term(below->query, first.span, nullptr, first_start);
            if (!is(T::right_paren)) fail(")");
            right_paren();
            return derived(whole, since(start), false, start);
        }
        first = joined(first, first_start);
    } else {
        first = table_ref();
    }
    ListBuilder<TableRef, 4> tables;
    tables.push(first);
    while (accept(T::comma)) tables.push(table_ref());
    right_paren();
    return {since(start), node(TableGroup{tables.list(arena_), false})};
}

// Behind the closing parenthesis. Where no alias follows, the caller may find that the parentheses go on.
TableRef Parser::derived(const Query* query, Span body, bool lateral, std::uint32_t start) {
    DerivedTable table;
    table.query = query;
    table.body = body;
    table.lateral = lateral;
    table.alias = opt_table_alias();
    if (table.alias) {
        table.columns = opt_paren_names();
    } else if (lateral) {
        fail("an alias");
    }
    grow();
    return {since(start), node(table)};
}

List<IndexHint> Parser::index_hints() {
    if (current().keyword == K::none) return {};
    ListBuilder<IndexHint, 2> hints;
    for (;;) {
        if (!is_any({K::use_, K::force_, K::ignore_}) || !(next_is(K::index_) || next_is(K::key_))) break;
        IndexHint hint{};
        const Token token = take();
        take();
        hint.kind = token.keyword == K::use_     ? IndexHintKind::use
                    : token.keyword == K::force_ ? IndexHintKind::force
                                                 : IndexHintKind::ignore;
        if (accept(K::for_)) {
            if (accept(K::join_)) {
                hint.purpose = IndexHintFor::join;
            } else {
                hint.purpose = is(K::order_) ? IndexHintFor::order_by : IndexHintFor::group_by;
                if (!accept(K::order_)) expect(K::group_);
                expect(K::by_);
            }
        }
        left_paren();
        ListBuilder<Name, 4> names;
        if (!is(T::right_paren) || hint.kind != IndexHintKind::use) {
            do names.push(is(K::primary_) ? make_name(take()) : name("an index"));
            while (accept(T::comma));
        }
        right_paren();
        hint.indexes = names.list(arena_);
        hint.span = since(token.offset);
        hints.push(hint);
    }
    return hints.list(arena_);
}

const SystemTime* Parser::opt_system_time() {
    if (!mariadb() || !is(K::for_) || !next_is(K::system_time_)) return nullptr;
    take();
    take();
    SystemTime time;
    const auto point = [&] {
        if ((is(K::timestamp_) && !next_is(T::string)) || is(K::transaction_)) {
            time.unit =
                take().keyword == K::timestamp_ ? SystemTimeUnit::timestamp : SystemTimeUnit::transaction;
        }
        return bit_expr();
    };
    if (accept(K::all_)) {
        time.kind = SystemTimeKind::all;
    } else if (accept(K::as_)) {
        expect(K::of_);
        time.kind = SystemTimeKind::as_of;
        time.from = point();
    } else if (accept(K::between_)) {
        time.kind = SystemTimeKind::between;
        time.from = point();
        expect(K::and_);
        time.to = point();
    } else {
        expect(K::from_);
        time.kind = SystemTimeKind::from_to;
        time.from = point();
        expect(K::to_);
        time.to = point();
    }
    return node(time);
}

TableRef Parser::table_name_ref() {
    const std::uint32_t start = here();
    auto& table = *arena_.make<TableName>();
    table.name = qualified_name();
    if (is(K::partition_) && next_is(T::left_paren)) {
        take();
        table.partitions = paren_names();
    }
    table.system_time = opt_system_time();
    table.alias = opt_table_alias();
    if (mysql() && accept(K::tablesample_)) {
        if (!is_word("bernoulli") && !is(K::system_) && !is(K::bernoulli_)) fail("SYSTEM or BERNOULLI");
        table.sample_method = make_name(take());
        left_paren();
        table.sample = literal();
        right_paren();
    }
    table.hints = index_hints();
    return {since(start), &table};
}

TableRef Parser::json_table() {
    const std::uint32_t start = take().offset;
    JsonTable table;
    left_paren();
    table.document = expr();
    expect(T::comma, ",");
    table.path = text_literal();
    table.columns = json_columns();
    right_paren();
    table.alias = opt_table_alias();
    if (!table.alias) fail("an alias");
    grow();
    return {since(start), node(table)};
}

List<JsonTableColumn> Parser::json_columns() {
    const DepthGuard guard{*this};
    expect(K::columns_);
    left_paren();
    ListBuilder<JsonTableColumn, 4> columns;
    do {
        JsonTableColumn column{};
        if (is(K::nested_) && (next_is(K::path_) || next_is(T::string))) {
            take();
            accept(K::path_);
            column.kind = JsonTableColumnKind::nested;
            column.path = text_literal();
            column.nested = json_columns();
            columns.push(column);
            continue;
        }
        column.name = name();
        if (accept(K::for_)) {
            expect(K::ordinality_);
            column.kind = JsonTableColumnKind::ordinality;
            columns.push(column);
            continue;
        }
        column.type = data_type();
        if (accept(K::collate_)) column.collation = collation_name();
        column.kind = accept(K::exists_) ? JsonTableColumnKind::exists : JsonTableColumnKind::path;
        expect(K::path_);
        column.path = text_literal();
        json_on_clauses(column.on_empty, column.on_error);
        columns.push(column);
    } while (accept(T::comma));
    right_paren();
    return columns.list(arena_);
}

}  // namespace shardway::sqlparse
