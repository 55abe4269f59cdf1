// Expressions. Precedences as the parser climbs them: the printer puts parentheses exactly where it would
// read otherwise.
#include "sqlparse/lexer.hpp"
#include "sqlparse/print.hpp"
#include "sqlparse/printer.hpp"

namespace shardway::sqlparse {

namespace {

enum Level : int {
    any_level = 0,
    or_level,
    xor_level,
    and_level,
    not_level,
    truth_level,  // IS TRUE: nothing may follow it but AND, OR
    comparison_level,
    predicate_level,
    bit_or_level,
    bit_and_level,
    shift_level,
    add_level,
    multiply_level,
    bit_xor_level,
    concat_level,
    unary_level,
    collate_level,
    primary_level,
};

struct Spelling {
    Level level;
    std::string_view text;
};

Spelling spelling_of(BinaryOp op) {
    switch (op) {
    case BinaryOp::add: return {add_level, "+"};
    case BinaryOp::subtract: return {add_level, "-"};
    case BinaryOp::multiply: return {multiply_level, "*"};
    case BinaryOp::divide: return {multiply_level, "/"};
    case BinaryOp::int_divide: return {multiply_level, "DIV"};
    case BinaryOp::modulo: return {multiply_level, "%"};
    case BinaryOp::bit_and: return {bit_and_level, "&"};
    case BinaryOp::bit_or: return {bit_or_level, "|"};
    case BinaryOp::bit_xor: return {bit_xor_level, "^"};
    case BinaryOp::shift_left: return {shift_level, "<<"};
    case BinaryOp::shift_right: return {shift_level, ">>"};
    case BinaryOp::concat: return {concat_level, "||"};
    case BinaryOp::logical_xor: return {xor_level, "XOR"};
    case BinaryOp::equal: return {comparison_level, "="};
    case BinaryOp::null_safe_equal: return {comparison_level, "<=>"};
    case BinaryOp::not_equal: return {comparison_level, "<>"};
    case BinaryOp::less: return {comparison_level, "<"};
    case BinaryOp::less_equal: return {comparison_level, "<="};
    case BinaryOp::greater: return {comparison_level, ">"};
    case BinaryOp::greater_equal: return {comparison_level, ">="};
    case BinaryOp::sounds_like: return {predicate_level, "SOUNDS LIKE"};
    case BinaryOp::regexp: return {predicate_level, "REGEXP"};
    case BinaryOp::not_regexp: return {predicate_level, "NOT REGEXP"};
    case BinaryOp::member_of: return {predicate_level, "MEMBER OF"};
    case BinaryOp::json_extract: return {primary_level, "->"};
    case BinaryOp::json_unquote: return {primary_level, "->>"};
    }
    return {primary_level, ""};
}

Level level_of(const Expr& expr) {
    if (const Logical* logical = expr.as<Logical>())
        return logical->op == LogicalOp::or_ ? or_level : and_level;
    if (const Binary* binary = expr.as<Binary>()) {
        // INTERVAL … + x takes all that follows.
        if (binary->op == BinaryOp::add && binary->left.as<Interval>()) return any_level;
        return spelling_of(binary->op).level;
    }
    if (const Unary* unary = expr.as<Unary>())
        return unary->op == UnaryOp::logical_not ? not_level : unary_level;
    if (const IsTest* test = expr.as<IsTest>())
        return test->kind == IsKind::null_ ? comparison_level : truth_level;
    if (expr.as<Quantified>()) return comparison_level;
    if (expr.as<Between>() || expr.as<InList>() || expr.as<InQuery>() || expr.as<Like>())
        return predicate_level;
    if (expr.as<Collate>()) return collate_level;
    if (const UserVariable* variable = expr.as<UserVariable>(); variable && variable->assigned)
        return any_level;
    return primary_level;
}

Level next(Level level) { return static_cast<Level>(level + 1); }

}  // namespace

void Printer::expr(const Expr& expr, int least) {
    if (!expr) return;
    if (expr.as<Literal>()) {
        raw(expr.span);
        return;
    }
    const bool parentheses = level_of(expr) < least;
    if (parentheses) open();
    std::visit([&](const auto& alternative) { node(alternative); }, expr.node);
    if (parentheses) close();
}

void Printer::node(const Column* column) {
    if (column->database) {
        name(column->database);
        tight(".");
        tight_name(column->table);
        tight(".");
        tight_name(column->name);
    } else if (column->table) {
        name(column->table);
        tight(".");
        tight_name(column->name);
    } else {
        name(column->name);
    }
}

void Printer::node(const Star* star) {
    if (!star->table) {
        word("*");
        return;
    }
    name(QualifiedName{star->database, star->table});
    tight(".*");
}

void Printer::node(const UserVariable* variable) {
    word("@");
    tight_name(variable->name);
    if (variable->assigned) {
        word(":=");
        expr(variable->assigned);
    }
}

void Printer::node(const SystemVariable* variable) {
    word("@@");
    switch (variable->scope) {
    case VariableScope::none: break;
    case VariableScope::session: tight("SESSION."); break;
    case VariableScope::local: tight("LOCAL."); break;
    case VariableScope::global: tight("GLOBAL."); break;
    case VariableScope::persist: tight("PERSIST."); break;
    case VariableScope::persist_only: tight("PERSIST_ONLY."); break;
    }
    if (variable->base) {
        tight_name(variable->base);
        tight(".");
    }
    tight_name(variable->name);
}

void Printer::node(const DefaultOf* value) {
    word(value->ignore ? "IGNORE" : "DEFAULT");
    if (value->column) {
        tight("(");
        expr(value->column);
        close();
    }
}

void Printer::node(const Unary* unary) {
    switch (unary->op) {
    case UnaryOp::logical_not:
        word("NOT");
        expr(unary->operand, not_level);
        return;
    case UnaryOp::plus: word("+"); break;
    case UnaryOp::minus: word("-"); break;
    case UnaryOp::bit_not: word("~"); break;
    case UnaryOp::bang: word("!"); break;
    case UnaryOp::binary: word("BINARY"); break;
    }
    expr(unary->operand, unary_level);
}

void Printer::node(const Binary* binary) {
    const Spelling spelling = spelling_of(binary->op);
    switch (binary->op) {
    case BinaryOp::json_extract:
    case BinaryOp::json_unquote:
        expr(binary->left, primary_level);
        tight(spelling.text);
        expr(binary->right, primary_level);
        return;
    case BinaryOp::member_of:
        expr(binary->left, bit_or_level);
        word(spelling.text);
        open();
        expr(binary->right, concat_level);
        close();
        return;
    case BinaryOp::sounds_like:
    case BinaryOp::regexp:
    case BinaryOp::not_regexp:
        expr(binary->left, bit_or_level);
        word(spelling.text);
        expr(binary->right, bit_or_level);
        return;
    default: break;
    }
    if (binary->op == BinaryOp::add && binary->left.as<Interval>()) {
        expr(binary->left);
        word("+");
        expr(binary->right, comparison_level);
        return;
    }
    expr(binary->left, spelling.level);
    word(spelling.text);
    // A unary NOT may stand to the right of XOR; everything else binds tighter than its operator.
    expr(binary->right, next(spelling.level));
}

void Printer::node(const Logical* logical) {
    const bool either = logical->op == LogicalOp::or_;
    bool first = true;
    for (const Expr& operand : logical->operands) {
        if (!first) word(either ? "OR" : "AND");
        first = false;
        expr(operand, either ? xor_level : not_level);
    }
}

void Printer::node(const IsTest* test) {
    expr(test->operand, comparison_level);
    word("IS");
    word_if(test->negated, "NOT");
    switch (test->kind) {
    case IsKind::null_: word("NULL"); break;
    case IsKind::true_: word("TRUE"); break;
    case IsKind::false_: word("FALSE"); break;
    case IsKind::unknown: word("UNKNOWN"); break;
    case IsKind::json: word("JSON"); break;
    }
}

void Printer::node(const Between* between) {
    expr(between->operand, bit_or_level);
    word_if(between->negated, "NOT");
    word("BETWEEN");
    expr(between->low, bit_or_level);
    word("AND");
    expr(between->high, predicate_level);
}

void Printer::node(const InList* in) {
    expr(in->operand, bit_or_level);
    word_if(in->negated, "NOT");
    word("IN");
    paren_exprs(in->items);
}

void Printer::node(const InQuery* in) {
    expr(in->operand, bit_or_level);
    word_if(in->negated, "NOT");
    word("IN");
    paren_query(*in->query);
}

void Printer::node(const Like* like) {
    expr(like->operand, bit_or_level);
    word_if(like->negated, "NOT");
    word("LIKE");
    expr(like->pattern, concat_level);
    if (like->escape) {
        word("ESCAPE");
        expr(like->escape, concat_level);
    }
}

void Printer::node(const Quantified* quantified) {
    expr(quantified->operand, comparison_level);
    word(spelling_of(quantified->op).text);
    word(quantified->quantifier == Quantifier::all ? "ALL" : "ANY");
    paren_query(*quantified->query);
}

void Printer::node(const Row* row) {
    if (row->keyword) {
        word("ROW");
        tight("(");
        exprs(row->items);
        close();
    } else {
        paren_exprs(row->items);
    }
}

void Printer::node(const Subquery* subquery) { paren_query(*subquery->query); }

void Printer::node(const Exists* exists) {
    word("EXISTS");
    paren_query(*exists->query);
}

void Printer::node(const Case* value) {
    word("CASE");
    expr(value->operand);
    for (const When& when : value->whens) {
        word("WHEN");
        expr(when.condition);
        word("THEN");
        expr(when.value);
    }
    if (value->otherwise) {
        word("ELSE");
        expr(value->otherwise);
    }
    word("END");
}

void Printer::node(const Interval* interval) {
    word("INTERVAL");
    expr(interval->value);
    name(interval->unit);
}

void Printer::node(const Cast* cast) {
    word(cast->form == CastForm::cast ? "CAST" : "CONVERT");
    tight("(");
    expr(cast->operand);
    if (cast->at_time_zone) {
        word("AT TIME ZONE");
        expr(cast->at_time_zone);
    }
    switch (cast->form) {
    case CastForm::cast:
        word("AS");
        data_type(*cast->type);
        word_if(cast->array, "ARRAY");
        break;
    case CastForm::convert:
        tight(",");
        data_type(*cast->type);
        break;
    case CastForm::convert_using:
        word("USING");
        name(cast->charset);
        break;
    }
    close();
}

void Printer::node(const Function* function) {
    name(function->name);
    if (function->form == FunctionForm::bare) return;
    // `count (x)` is a function of the user's: the space decides.
    const Name& last = function->name.name;
    const bool apart = last.span.end() < text_.size() && text_[last.span.end()] != '(';
    if (apart && !options_.modes.ignore_space) tight(" ");
    tight("(");
    const List<Expr>& arguments = function->arguments;
    if (!function->argument_names.empty()) {
        std::size_t index = 0;
        list(arguments, [&](const Expr& argument) {
            expr(argument);
            const Name& argument_name = function->argument_names[index++];
            if (!argument_name) return;
            word("AS");
            name(argument_name);
        });
        close();
        return;
    }
    switch (function->form) {
    case FunctionForm::from_for:
        expr(arguments[0]);
        word("FROM");
        expr(arguments[1]);
        if (arguments.size() > 2) {
            word("FOR");
            expr(arguments[2]);
        }
        break;
    case FunctionForm::position:
        expr(arguments[0], bit_or_level);
        word("IN");
        expr(arguments[1]);
        break;
    case FunctionForm::trim:
        name(function->word);
        if (arguments.size() > 1 || !function->word) expr(arguments[0]);
        if (arguments.size() > 1 || function->word) {
            word("FROM");
            expr(arguments[arguments.size() - 1]);
        }
        break;
    case FunctionForm::extract:
        name(function->word);
        word("FROM");
        expr(arguments[0]);
        break;
    case FunctionForm::unit_first:
        name(function->word);
        tight(",");
        exprs(arguments);
        break;
    case FunctionForm::char_using:
        exprs(arguments);
        word("USING");
        name(function->word);
        break;
    case FunctionForm::weight_string:
        exprs(arguments);
        if (function->type) {
            word("AS");
            data_type(*function->type);
        }
        if (function->word) raw(function->word.span);
        break;
    default: exprs(arguments);
    }
    close();
}

void Printer::node(const Aggregate* aggregate) {
    name(aggregate->name);
    tight("(");
    if (aggregate->star) word("*");
    word_if(aggregate->distinct, "DISTINCT");
    exprs(aggregate->arguments);
    order_by(aggregate->order_by);
    if (aggregate->separator) {
        word("SEPARATOR");
        expr(aggregate->separator);
    }
    limit(aggregate->limit);
    raw(aggregate->null_clause);
    close();
    over(aggregate->over);
}

void Printer::node(const WindowFunction* function) {
    name(function->name);
    tight("(");
    exprs(function->arguments);
    close();
    word_if(function->from_first, "FROM FIRST");
    word_if(function->from_last, "FROM LAST");
    word_if(function->nulls == NullTreatment::respect, "RESPECT NULLS");
    word_if(function->nulls == NullTreatment::ignore, "IGNORE NULLS");
    if (!function->within_group.empty()) {
        word("WITHIN GROUP (");
        order_by(function->within_group);
        close();
    }
    over(function->over);
}

void Printer::over(const WindowSpec* spec) {
    if (!spec) return;
    word("OVER");
    if (spec->bare) {
        name(spec->reference);
        return;
    }
    open();
    window_body(*spec);
    close();
}

void Printer::window_body(const WindowSpec& spec) {
    name(spec.reference);
    if (!spec.partition_by.empty()) {
        word("PARTITION BY");
        exprs(spec.partition_by);
    }
    order_by(spec.order_by);
    if (!spec.frame) return;
    switch (spec.frame->unit) {
    case FrameUnit::none: break;
    case FrameUnit::rows: word("ROWS"); break;
    case FrameUnit::range: word("RANGE"); break;
    case FrameUnit::groups: word("GROUPS"); break;
    }
    if (spec.frame->between) {
        word("BETWEEN");
        edge(spec.frame->start);
        word("AND");
        edge(spec.frame->finish);
    } else {
        edge(spec.frame->start);
    }
    if (spec.frame->exclude) {
        word("EXCLUDE");
        name(spec.frame->exclude);
        if (spec.frame->exclude.text.size() == 7) word("ROW");
        if (spec.frame->exclude.text.size() == 2) word("OTHERS");
    }
}

void Printer::edge(const FrameEdge& edge) {
    expr(edge.amount);
    switch (edge.bound) {
    case FrameBound::unbounded_preceding: word("UNBOUNDED PRECEDING"); break;
    case FrameBound::unbounded_following: word("UNBOUNDED FOLLOWING"); break;
    case FrameBound::current_row: word("CURRENT ROW"); break;
    case FrameBound::preceding: word("PRECEDING"); break;
    case FrameBound::following: word("FOLLOWING"); break;
    }
}

void Printer::node(const Match* match) {
    word("MATCH");
    paren_exprs(match->columns);
    word("AGAINST (");
    expr(match->against, bit_or_level);
    switch (match->mode) {
    case MatchMode::none: break;
    case MatchMode::natural: word("IN NATURAL LANGUAGE MODE"); break;
    case MatchMode::natural_expansion: word("IN NATURAL LANGUAGE MODE WITH QUERY EXPANSION"); break;
    case MatchMode::boolean: word("IN BOOLEAN MODE"); break;
    case MatchMode::expansion: word("WITH QUERY EXPANSION"); break;
    }
    close();
}

void Printer::json_on(const JsonOn& on, std::string_view when) {
    switch (on.kind) {
    case JsonOnKind::none: return;
    case JsonOnKind::null_: word("NULL"); break;
    case JsonOnKind::error: word("ERROR"); break;
    case JsonOnKind::default_:
        word("DEFAULT");
        expr(on.value);
        break;
    }
    word("ON");
    word(when);
}

void Printer::node(const JsonValue* value) {
    word("JSON_VALUE(");
    expr(value->document);
    tight(",");
    expr(value->path);
    if (value->returning) {
        word("RETURNING");
        data_type(*value->returning);
    }
    json_on(value->on_empty, "EMPTY");
    json_on(value->on_error, "ERROR");
    close();
}

void Printer::node(const Collate* collate) {
    expr(collate->operand, collate_level);
    word("COLLATE");
    name(collate->collation);
}

void Printer::node(const OdbcEscape* escape) {
    word("{");
    name(escape->word);
    expr(escape->operand);
    word("}");
}

void Printer::node(const SequenceValue* value) {
    word(value->previous ? "PREVIOUS VALUE FOR" : "NEXT VALUE FOR");
    name(value->sequence);
}

void Printer::data_type(const DataType& type) {
    // Its own words are kept: INTEGER, INT4 and INT are one type, but not one text.
    raw(type.span);
}

}  // namespace shardway::sqlparse
