// The recursive descent behind parse(): one function per rule, spread over parser_*.cpp. Not for other
// folders.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sqlparse/ast.hpp"
#include "sqlparse/keyword_table.hpp"
#include "sqlparse/lexer.hpp"
#include "sqlparse/parser.hpp"
#include "sqlparse/scan.hpp"

namespace shardway::sqlparse {

// Thrown inside the parser, caught by parse().
struct ParseFailure {
    ParseErrorKind kind;
    Token token;
    std::string_view expected;
    std::uint16_t code = 1064;
};

// Gathers a list before its length is known. Short ones allocate nothing.
template <class T, std::size_t Inline = 8>
class ListBuilder {
public:
    ListBuilder() = default;
    ListBuilder(const ListBuilder&) = delete;
    ListBuilder& operator=(const ListBuilder&) = delete;

    void push(const T& item) {
        if (size_ < Inline) {
            new (inline_data() + size_++) T(item);
            return;
        }
        if (more_.empty()) more_.assign(inline_data(), inline_data() + size_);
        more_.push_back(item);
    }
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return more_.empty() ? size_ : more_.size(); }
    List<T> list(Arena& arena) {
        if (more_.empty()) return arena.copy(std::span<const T>{inline_data(), size_});
        return arena.copy(std::span<const T>{more_});
    }

private:
    T* inline_data() { return std::launder(reinterpret_cast<T*>(bytes_)); }

    alignas(T) std::byte bytes_[sizeof(T) * Inline];
    std::size_t size_ = 0;
    std::vector<T> more_;
};

class Parser {
public:
    Parser(std::string_view text, const ParseOptions& options, Arena& arena, const Scan* scan);

    // Throws ParseFailure.
    const Statement* parse_all();

private:
    using K = Keyword;
    using T = TokenKind;

    // ---- tokens
    const Token& current() const { return current_; }
    const Token& peek(unsigned ahead = 1);
    Token take() {
        const Token token = current_;
        // It would come again and again.
        if (token.kind == T::error) [[unlikely]]
            fail({});
        last_end_ = token.end();
        if (ahead_count_ == 0) [[likely]] {
            lexer_.next(current_);
        } else {
            current_ = ahead_[ahead_first_];
            ahead_first_ = (ahead_first_ + 1) % ahead_.size();
            --ahead_count_;
        }
        return token;
    }
    bool is(K keyword) const { return current().keyword == keyword; }
    bool is(T kind) const { return current().kind == kind; }
    bool is_any(std::initializer_list<K> keywords) const {
        return std::find(keywords.begin(), keywords.end(), current().keyword) != keywords.end();
    }
    bool next_is(K keyword, unsigned ahead = 1) { return peek(ahead).keyword == keyword; }
    bool next_is(T kind, unsigned ahead = 1) { return peek(ahead).kind == kind; }
    // Words that are no keywords, such as OJ.
    // Whether a dot may be the next token, without reading it; a comment may hide one.
    bool dot_may_follow() const;
    bool is_word(std::string_view lower) const { return is_word(current(), lower); }
    bool is_word(const Token& token, std::string_view lower) const;
    bool accept(K keyword) {
        if (!is(keyword)) return false;
        take();
        return true;
    }
    bool accept(T kind) {
        if (!is(kind)) return false;
        take();
        return true;
    }
    bool accept_word(std::string_view lower) {
        if (!is_word(lower)) return false;
        take();
        return true;
    }
    // Both or neither.
    bool accept(K first, K second) {
        if (!is(first) || !next_is(second)) return false;
        take();
        take();
        return true;
    }
    Token expect(K keyword) {
        if (!is(keyword)) fail(keyword_text(keyword));
        return take();
    }
    Token expect(T kind, std::string_view what) {
        if (!is(kind)) fail(what);
        return take();
    }
    void expect_word(std::string_view lower) {
        if (!accept_word(lower)) fail(lower);
    }
    void left_paren() { expect(T::left_paren, "("); }
    void right_paren() { expect(T::right_paren, ")"); }
    [[noreturn]] void fail(std::string_view expected) {
        throw ParseFailure{ParseErrorKind::syntax, current(), expected};
    }
    [[noreturn]] void reject(const Token& token, std::uint16_t code, std::string_view what) {
        throw ParseFailure{ParseErrorKind::rejected, token, what, code};
    }
    bool at_end() const { return is(T::end) || is(T::semicolon); }
    Span since(std::uint32_t offset) const { return {offset, last_end_ - offset}; }
    std::uint32_t here() const { return current().offset; }
    bool mysql() const { return options_.dialect == Dialect::mysql; }
    bool mariadb() const { return options_.dialect == Dialect::mariadb; }

    template <class N>
    const N* node(const N& value) {
        return arena_.make<N>(value);
    }

    // ---- names
    bool reserved(const Token& token) const {
        return (keyword_table.flags[static_cast<std::size_t>(token.keyword)] & reserved_mask_) != 0;
    }
    bool is_name(const Token& token) const {
        return (token.kind == T::word && !reserved(token)) || token.kind == T::quoted_word;
    }
    bool is_name() const { return is_name(current()); }
    Name make_name(const Token& token) {
        if (token.kind == T::quoted_word) return quoted_name(token);
        return {{text_.data() + token.offset, token.length}, token.span()};
    }
    Name quoted_name(const Token& token);
    Name name(std::string_view expected = "a name");
    Name any_word();                     // keywords too
    Name name_or_text();                 // an identifier or a string
    Name text_name(const Token& token);  // a string token's bytes as a name
    Name name_after_dot();
    QualifiedName qualified_name();
    List<Name> name_list();    // a, b
    List<Name> paren_names();  // (a, b)
    List<Name> opt_paren_names();
    Name charset_name_value();  // utf8mb4, binary, 'utf8mb4'
    Name collation_name();
    Span account();  // user[@host], CURRENT_USER[()]
    std::string_view lower_words(Span span);

    // ---- expressions
    struct DepthGuard {
        explicit DepthGuard(Parser& owner) : parser{owner} {
            if (++parser.depth_ > parser.options_.depth_max) parser.too_deep();
        }
        ~DepthGuard() { --parser.depth_; }
        Parser& parser;
    };
    [[noreturn]] void too_deep() { throw ParseFailure{ParseErrorKind::too_deep, current(), {}}; }
    void grow() {
        if (++height_ > options_.depth_max) too_deep();
    }

    void seed(const Expr& operand, std::uint32_t start) {
        seed_ = operand;
        seed_start_ = start;
    }
    std::uint32_t operand_start() const { return seed_ ? seed_start_ : here(); }
    // Reads a sibling of what was read before: the higher of the two counts, not their sum.
    template <class Rule>
    auto beside(Rule&& rule) {
        const std::uint32_t before = height_;
        height_ = 0;
        const auto result = rule();
        height_ = std::max(before, height_);
        return result;
    }
    Expr expr();
    // Each …_rest goes on behind a left operand that began at `start`.
    Expr or_rest(Expr first, std::uint32_t start);
    Expr xor_rest(Expr left, std::uint32_t start);
    Expr and_rest(Expr first, std::uint32_t start);
    Expr not_expr() {
        return is(K::not_) && !options_.modes.high_not_precedence && !seed_ ? logical_not() : bool_primary();
    }
    Expr logical_not();
    Expr bool_primary();
    Expr predicate();
    Expr predicate_rest(Expr left, std::uint32_t start);
    Expr predicate_tail(Expr left, bool negated, std::uint32_t start);
    Expr bit_expr(int min_precedence = 0);
    Expr bit_rest(Expr left, std::uint32_t start, int min_precedence);
    Expr operand();
    // Operands behind the first, as long as `at_operator`.
    template <class Operator, class Operand>
    Expr logical(LogicalOp op, const Expr& first, std::uint32_t start, Operator&& at_operator,
                 Operand&& operand) {
        ListBuilder<Expr, 4> operands;
        operands.push(first);
        while (at_operator()) {
            take();
            operands.push(beside(operand));
        }
        grow();
        return wrap(start, Logical{op, operands.list(arena_)});
    }
    Expr simple_expr();
    Expr unary_expr();
    Expr postfix(Expr value, std::uint32_t start);
    Expr primary();
    Expr keyword_primary();
    Expr name_primary();
    Expr column_ref();
    Expr column_path(Expr column, std::uint32_t start);  // column -> '$.a'
    Expr parenthesized();
    Expr call(const Token& start, const QualifiedName& name);
    Expr function(std::uint32_t start, const QualifiedName& name, List<Expr> arguments,
                  FunctionForm form = FunctionForm::call, Name word = {});
    Expr aggregate(AggregateKind kind);
    Expr window_function();
    List<Expr> window_arguments(K function);
    Expr case_expr();
    Expr cast_expr();
    Expr convert_expr();
    Expr interval_primary();
    Expr match_expr();
    Expr trim_expr();
    Expr extract_expr();
    Expr substring_expr();
    Expr position_expr();
    Expr char_expr();
    Expr weight_string_expr();
    Expr unit_first_expr();
    Expr json_value_expr();
    Expr json_arrayagg_like(AggregateKind kind);
    Expr values_expr();
    Expr default_expr();
    Expr time_function();
    Expr system_variable();
    Expr user_variable();
    Expr odbc_escape();
    Expr sequence_value();
    Expr percentile();
    JsonOn json_on();
    void json_on_clauses(JsonOn& on_empty, JsonOn& on_error);
    Expr literal();
    Expr string_literal();
    Expr text_literal();  // a string, hex or bit literal, or a parameter
    Expr integer_literal();
    Expr signed_number();
    Expr limit_value();
    std::uint64_t number(bool fraction = false);
    static bool is_function_keyword(K keyword);
    bool names_scope(const Token& token) const;
    // NUM, a parameter or a variable: what stands where a value must not change from row to row.
    Expr steady_integer();
    bool is_literal_start() const;
    bool is_text() const { return is(T::string) || is(T::national_string); }
    std::uint32_t hole_of(const Token& token);
    List<Expr> expr_list();        // a, b
    List<Expr> paren_expr_list();  // (a, b), (a), ()
    bool is_interval_unit(const Token& token) const;
    const WindowSpec* over_clause();
    const WindowSpec* opt_over();
    WindowSpec window_spec_body();
    const Frame* frame();
    FrameEdge frame_edge();
    List<OrderItem> order_items();
    Expr make_literal(const Token& first, LiteralKind kind, Span span, bool introduced, bool pieces);

    template <class N>
    Expr wrap(std::uint32_t start, const N& value) {
        return {since(start), arena_.make<N>(value)};
    }

    // ---- queries
    bool query_starts() const {
        return is(K::select_) || is(K::with_) || (is(K::table_) && mysql()) || is(K::values_);
    }
    // What stood in parentheses: a query, or, when `query` is null, an expression or a table reference.
    struct QueryOrExpr {
        const Query* query;
        Expr expr;
        bool is_row;
    };
    const Query* query();  // without parentheses around it
    const Query* query_from_term(QueryTerm first, Span first_span, const With* with, std::uint32_t start);
    const Query* paren_query(Span* body = nullptr);  // ( query )
    bool continues_query();
    QueryTerm query_term();
    QueryTerm intersect_chain(QueryTerm first, Span first_span, Span* span);
    const With* with_clause();
    const Select* select();
    const ValuesTable* values_table();
    SelectItem select_item();
    List<SelectItem> select_items();
    void from_clause(Select& select);
    void grouping(Select& select);
    void query_tail(Query& query, bool into_here);
    List<OrderItem> group_by_items(Select& select);
    List<OrderItem> opt_order_by(Span* span = nullptr);
    const Limit* opt_limit();
    void locking_clauses(ListBuilder<Locking, 1>& out);
    const Into* into_clause(bool into_here);
    FileFormat file_format();
    List<NamedWindow> window_clause();

    List<TableRef> table_refs();
    TableRef table_ref();
    TableRef table_factor();
    TableRef paren_table();
    TableRef joined(TableRef left, std::uint32_t start);
    TableRef table_name_ref();
    TableRef derived(const Query* query, Span body, bool lateral, std::uint32_t start);
    TableRef json_table();
    List<JsonTableColumn> json_columns();
    List<IndexHint> index_hints();
    Name opt_table_alias();
    bool alias_may_follow();
    TableRef join_leftmost(const Join& join, const TableRef& right);
    const SystemTime* opt_system_time();

    // ---- statements
    void statement_body(Statement& statement);
    const Statement* nested_statement();
    const Insert* insert(bool replace);
    void insert_source(Insert& insert);
    void insert_rows(Insert& insert);
    InsertRow insert_row();
    Expr value_or_default();
    Assignment assignment();
    List<Assignment> assignments();
    const Update* update(const With* with);
    const Delete* delete_statement(const With* with);
    DeleteTarget delete_target();
    const Limit* opt_simple_limit();
    const Period* portion();
    const LoadData* load_data();
    const Call* call_statement();
    const Do* do_statement();
    const Handler* handler();
    List<SelectItem> opt_returning();

    const Begin* begin();
    void transaction_end(bool& work, Tristate& chain, Tristate& release);
    void create(Statement& statement);
    void drop(Statement& statement);
    void alter(Statement& statement);
    void transaction_statement(Statement& statement);
    const Xa* xa();
    Expr xid_part();
    const LockTables* lock_tables();
    const Set* set();
    SetItem set_item(bool first);
    SetItem set_transaction(VariableScope scope, std::uint32_t start);
    Expr set_value();
    bool accept_scope(VariableScope& scope);
    const Kill* kill();
    const Prepare* prepare();
    const Execute* execute();
    const Show* show();
    void show_rest(Show& show);
    void show_filter(Show& show);
    void show_from(Show& show);
    void explain(Statement& statement);
    const Flush* flush();
    const Maintain* maintain(MaintainKind kind);
    const Unread* unread();
    Span balanced_rest();  // tokens up to the statement's end
    Span balanced_parens();

    // ---- definitions
    const DataType* data_type();
    const DataType* cast_type();
    void type_length(DataType& type, bool decimals);
    void charset_attributes(DataType& type);
    void number_attributes(DataType& type);
    const CreateTable* create_table(bool or_replace, bool temporary);
    void create_table_body(CreateTable& table);
    List<TableElement> table_elements();
    TableElement table_element();
    bool key_starts();
    const ColumnDefinition* column_definition();
    const ColumnDefinition* column_after_name(std::uint32_t start, Name name);
    List<ColumnAttribute> column_attributes(const DataType* type);
    bool column_attribute(ColumnAttribute& attribute);
    void generated_attribute(ColumnAttribute& attribute);
    const KeyDefinition* key_definition();
    List<KeyPart> key_parts();
    KeyPart key_part();
    List<Option> index_options();
    bool index_option(Option& option);
    const References* references();
    ReferenceAction reference_action();
    Tristate opt_enforced();
    List<Option> table_options(bool in_alter);
    bool table_option(Option& option);
    void option_value(Option& option);
    bool is_size() const;
    bool option_in_range(K option) const;
    Option option_named(std::uint32_t start);
    bool charset_option(Option& option);
    const PartitionBy* partition_by();
    void partition_method(PartitionBy& by, bool sub);
    List<PartitionDefinition> partition_definitions();
    PartitionDefinition partition_definition(bool sub);
    PartitionValues partition_values();
    Expr partition_value();
    List<Option> partition_options();
    const AlterTable* alter_table();
    void alter_actions(AlterTable& table);
    AlterAction alter_action();
    bool alter_add(AlterAction& action);
    bool alter_drop(AlterAction& action);
    bool alter_alter(AlterAction& action);
    bool alter_rename(AlterAction& action);
    bool alter_partition(AlterAction& action);
    void column_place(AlterAction& action);
    void partition_names_or_all(AlterAction& action);
    const CreateIndex* create_index(bool or_replace, KeyKind kind);
    const DropIndex* drop_index();
    const CreateView* create_view(CreateView& view);
    bool view_prefix(CreateView& view);
    const CreateDatabase* create_database(bool or_replace);
    List<Option> database_options();
    const Sequence* sequence(SequenceForm form, bool or_replace, bool temporary);
    bool accept_if_not_exists();
    bool accept_if_exists();
    DropBehaviour drop_behaviour();

    std::string_view text_;
    const ParseOptions& options_;
    Arena& arena_;
    const Scan* scan_;
    Lexer lexer_;
    Token current_;
    std::array<Token, 4> ahead_;  // a ring of those that were read ahead
    unsigned ahead_first_ = 0;
    unsigned ahead_count_ = 0;
    std::uint32_t last_end_ = 0;
    std::uint8_t reserved_mask_;
    std::uint32_t depth_ = 0;
    std::uint32_t height_ = 0;  // of the highest tree below the rule at work
    std::uint32_t parameters_ = 0;
    std::size_t literal_cursor_ = 0;
    bool into_allowed_ = false;        // in the query at work: none but a statement's own may have it
    const Into* into_seed_ = nullptr;  // INTO in front of FROM, on its way from the SELECT to its query
    Expr seed_;  // an operand that was read before it was known to be one; primary() takes it
    std::uint32_t seed_start_ = 0;  // with its parentheses
};

}  // namespace shardway::sqlparse
