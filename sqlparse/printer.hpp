// What prints each kind of node; spread over print_*.cpp. Not for other folders.
#pragma once

#include <string>
#include <string_view>

#include "sqlparse/ast.hpp"
#include "sqlparse/options.hpp"

namespace shardway::sqlparse {

class Printer {
public:
    Printer(std::string_view text, const ParseOptions& options) : text_{text}, options_{options} {}

    void statement(const Statement& statement);
    // With parentheses where an operator of `least` precedence (print_expr.cpp) would tear the expression
    // apart.
    void expr(const Expr& expr, int least = 0);
    std::string take() { return std::move(out_); }

private:
    struct Node;  // print_*.cpp: one overload per kind

    // Words come with one space before, where something stands before.
    void word(std::string_view text);
    void word_if(bool condition, std::string_view text) {
        if (condition) word(text);
    }
    void tight(std::string_view text) { out_ += text; }
    void open() { word("("); }
    void close() { out_ += ')'; }
    void raw(Span span);
    void name(const Name& name);
    void name(const QualifiedName& name);
    void tight_name(const Name& name) { out_ += name.span.of(text_); }
    void number(std::uint64_t value) { word(std::to_string(value)); }

    template <class T, class Print>
    void list(const List<T>& items, Print&& print) {
        bool first = true;
        for (const T& item : items) {
            if (!first) out_ += ',';
            first = false;
            print(item);
        }
    }
    template <class T, class Print>
    void paren_list(const List<T>& items, Print&& print) {
        open();
        list(items, print);
        close();
    }
    void names(const List<Name>& names);
    void paren_names(const List<Name>& names);
    void exprs(const List<Expr>& exprs);
    void paren_exprs(const List<Expr>& exprs);

    void node(std::monostate) {}
    void node(const Literal&) {}
    void node(const Parameter&) { word("?"); }
    void node(const Column* column);
    void node(const Star* star);
    void node(const UserVariable* variable);
    void node(const SystemVariable* variable);
    void node(const DefaultOf* value);
    void node(const Unary* unary);
    void node(const Binary* binary);
    void node(const Logical* logical);
    void node(const IsTest* test);
    void node(const Between* between);
    void node(const InList* in);
    void node(const InQuery* in);
    void node(const Like* like);
    void node(const Quantified* quantified);
    void node(const Row* row);
    void node(const Subquery* subquery);
    void node(const Exists* exists);
    void node(const Case* value);
    void node(const Interval* interval);
    void node(const Cast* cast);
    void node(const Function* function);
    void node(const Aggregate* aggregate);
    void node(const WindowFunction* function);
    void node(const Match* match);
    void node(const JsonValue* value);
    void node(const Collate* collate);
    void node(const OdbcEscape* escape);
    void node(const SequenceValue* value);
    void json_on(const JsonOn& on, std::string_view when);
    void over(const WindowSpec* spec);
    void window_body(const WindowSpec& spec);
    void edge(const FrameEdge& edge);

    void query(const Query& query);
    void paren_query(const Query& query);
    void term(const QueryTerm& term);
    void select(const Select& select);
    void with(const With* with);
    void order_by(const List<OrderItem>& items);
    void order_items(const List<OrderItem>& items);
    void limit(const Limit* limit);
    void into(const Into& into);
    void format(const FileFormat& format);
    void select_items(const List<SelectItem>& items);
    void table_refs(const List<TableRef>& refs);
    void table_ref(const TableRef& ref);
    void table_name(const TableName& table);
    void json_columns(const List<JsonTableColumn>& columns);
    void system_time(const SystemTime* time);

    void assignments(const List<Assignment>& assignments);
    void returning(const List<SelectItem>& items);
    void portion(const Period* portion);
    void transaction_end(bool work, Tristate chain, Tristate release);
    void scope(VariableScope scope);

    void node(const Query* query);
    void node(const Insert* insert);
    void node(const Update* update);
    void node(const Delete* statement);
    void node(const LoadData* load);
    void node(const Call* call);
    void node(const Do* statement);
    void node(const Handler* handler);
    void node(const Begin* begin);
    void node(const Commit* commit);
    void node(const Rollback* rollback);
    void node(const Savepoint* savepoint);
    void node(const ReleaseSavepoint* savepoint);
    void node(const Xa* xa);
    void node(const LockTables* lock);
    void node(const UnlockTables* unlock);
    void node(const Set* set);
    void node(const Use* use);
    void node(const Kill* kill);
    void node(const Prepare* prepare);
    void node(const Execute* execute);
    void node(const Deallocate* deallocate);
    void node(const CreateTable* table);
    void node(const AlterTable* table);
    void node(const RenameTable* rename);
    void node(const DropTable* drop);
    void node(const TruncateTable* truncate);
    void node(const CreateIndex* index);
    void node(const DropIndex* index);
    void node(const CreateView* view);
    void node(const DropView* view);
    void node(const CreateDatabase* database);
    void node(const AlterDatabase* database);
    void node(const DropDatabase* database);
    void node(const Sequence* sequence);
    void node(const Show* show);
    void node(const Describe* describe);
    void node(const Explain* explain);
    void node(const Flush* flush);
    void node(const Maintain* maintain);
    void node(const Unread* unread);

    void set_item(const SetItem& item);
    void data_type(const DataType& type);
    void column(const ColumnDefinition& column);
    void attribute(const ColumnAttribute& attribute);
    void key(const KeyDefinition& key);
    void key_parts(const List<KeyPart>& parts);
    void references(const References& references);
    void action(ReferenceAction action);
    void options(const List<Option>& options, std::string_view separator = {});
    void option(const Option& option);
    void elements(const List<TableElement>& elements);
    void element(const TableElement& element);
    void partition_by(const PartitionBy& by);
    void partition_method(PartitionKind kind, bool linear, std::uint32_t algorithm, bool columns_word,
                          const Expr& expr, const List<Name>& columns, Span system_time);
    void partitions(const List<PartitionDefinition>& definitions, bool sub);
    void alteration(const AlterAction& action);
    void behaviour(DropBehaviour behaviour);
    void enforced(Tristate enforced);

    std::string_view text_;
    Span whole_;
    const Into* into_ = nullptr;  // of the query at work, not printed yet
    const ParseOptions& options_;
    std::string out_;
};

}  // namespace shardway::sqlparse
