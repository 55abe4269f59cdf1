#include "sqlparse/print.hpp"

#include "sqlparse/lexer.hpp"
#include "sqlparse/printer.hpp"

namespace shardway::sqlparse {

void Printer::word(std::string_view text) {
    if (!out_.empty() && out_.back() != '(') out_ += ' ';
    out_ += text;
}

// As it was written, with one space for each gap; without comments.
void Printer::raw(Span span) {
    if (span.empty()) return;
    // In the whole text, since two signs at the end of a part would begin a comment.
    Lexer lexer{text_, options_};
    lexer.restart(span.offset);
    Token last;
    for (Token token = lexer.next(); token.kind != TokenKind::end && token.offset < span.end();
         token = lexer.next()) {
        const std::string_view part = token.span().of(text_);
        const bool signs = token.kind == TokenKind::minus && last.kind == TokenKind::minus;
        if (token.offset == span.offset) {
            word(part);
        } else {
            if (token.offset > last.end() || signs) out_ += ' ';
            out_ += part;
        }
        last = token;
        if (token.kind == TokenKind::error) break;
    }
}

void Printer::name(const Name& name) {
    if (name) word(name.span.of(text_));
}

void Printer::name(const QualifiedName& qualified) {
    if (qualified.database) {
        name(qualified.database);
        tight(".");
        tight_name(qualified.name);
    } else {
        name(qualified.name);
    }
}

void Printer::names(const List<Name>& names) {
    list(names, [&](const Name& item) { name(item); });
}

void Printer::paren_names(const List<Name>& names) {
    paren_list(names, [&](const Name& item) { name(item); });
}

void Printer::exprs(const List<Expr>& exprs) {
    list(exprs, [&](const Expr& item) { expr(item); });
}

void Printer::paren_exprs(const List<Expr>& exprs) {
    paren_list(exprs, [&](const Expr& item) { expr(item); });
}

void Printer::statement(const Statement& statement) {
    whole_ = statement.span;
    std::visit([&](const auto& alternative) { node(alternative); }, statement.node);
}

std::string print(const Statement& statement, const ParseOptions& options) {
    Printer printer{statement.text, options};
    printer.statement(statement);
    return printer.take();
}

std::string print(const Expr& expr, std::string_view text, const ParseOptions& options) {
    Printer printer{text, options};
    printer.expr(expr);
    return printer.take();
}

void Printer::node(const Query* query) { this->query(*query); }

void Printer::assignments(const List<Assignment>& assignments) {
    list(assignments, [&](const Assignment& item) {
        expr(item.target);
        word("=");
        expr(item.value);
    });
}

void Printer::returning(const List<SelectItem>& items) {
    if (items.empty()) return;
    word("RETURNING");
    select_items(items);
}

void Printer::portion(const Period* portion) {
    if (!portion) return;
    word("FOR PORTION OF");
    name(portion->name);
    word("FROM");
    expr(portion->from, 8);
    word("TO");
    expr(portion->to, 8);
}

void Printer::node(const Insert* insert) {
    word(insert->replace ? "REPLACE" : "INSERT");
    if (!insert->hint.empty()) word(insert->hint.of(text_));
    word_if(insert->priority == Priority::low, "LOW_PRIORITY");
    word_if(insert->priority == Priority::high, "HIGH_PRIORITY");
    word_if(insert->priority == Priority::delayed, "DELAYED");
    word_if(insert->ignore, "IGNORE");
    word_if(insert->into, "INTO");
    name(insert->table);
    if (!insert->partitions.empty()) {
        word("PARTITION");
        paren_names(insert->partitions);
    }
    if (insert->has_columns) paren_exprs(insert->columns);
    switch (insert->source) {
    case InsertSource::values:
        word(insert->value_keyword ? "VALUE" : "VALUES");
        list(insert->rows, [&](const InsertRow& row) {
            word_if(insert->row_keyword, "ROW");
            paren_exprs(row.values);
        });
        break;
    case InsertSource::set:
        word("SET");
        assignments(insert->set);
        break;
    case InsertSource::query:
        if (insert->query_parenthesized)
            paren_query(*insert->query);
        else
            query(*insert->query);
        break;
    }
    if (insert->row_alias) {
        word("AS");
        name(insert->row_alias);
        if (!insert->column_aliases.empty()) paren_names(insert->column_aliases);
    }
    if (!insert->on_duplicate.empty()) {
        word("ON DUPLICATE KEY UPDATE");
        assignments(insert->on_duplicate);
    }
    returning(insert->returning);
}

void Printer::node(const Update* update) {
    with(update->with);
    word("UPDATE");
    if (!update->hint.empty()) word(update->hint.of(text_));
    word_if(update->low_priority, "LOW_PRIORITY");
    word_if(update->ignore, "IGNORE");
    table_refs(update->tables);
    portion(update->portion);
    word("SET");
    assignments(update->set);
    if (update->where) {
        word("WHERE");
        expr(update->where);
    }
    order_by(update->order_by);
    limit(update->limit);
}

void Printer::node(const Delete* statement) {
    with(statement->with);
    word("DELETE");
    if (!statement->hint.empty()) word(statement->hint.of(text_));
    word_if(statement->low_priority, "LOW_PRIORITY");
    word_if(statement->quick, "QUICK");
    word_if(statement->ignore, "IGNORE");
    const auto targets = [&] {
        list(statement->targets, [&](const DeleteTarget& target) {
            name(target.name);
            if (target.dot_star) tight(".*");
        });
    };
    switch (statement->form) {
    case DeleteForm::single: {
        word_if(statement->history, "HISTORY");
        word("FROM");
        const TableName& table = *statement->from[0].as<TableName>();
        name(table.name);
        portion(statement->portion);
        if (statement->history) {
            system_time(table.system_time);
            if (statement->before) {
                word("BEFORE SYSTEM_TIME");
                expr(statement->before);
            }
            return;
        }
        if (table.alias) {
            word("AS");
            name(table.alias);
        }
        if (!table.partitions.empty()) {
            word("PARTITION");
            paren_names(table.partitions);
        }
        break;
    }
    case DeleteForm::from:
        targets();
        word("FROM");
        table_refs(statement->from);
        break;
    case DeleteForm::from_using:
        word("FROM");
        targets();
        word("USING");
        table_refs(statement->from);
        break;
    }
    if (statement->where) {
        word("WHERE");
        expr(statement->where);
    }
    order_by(statement->order_by);
    limit(statement->limit);
    returning(statement->returning);
}

void Printer::node(const LoadData* load) {
    word(load->xml ? "LOAD XML" : "LOAD DATA");
    word_if(load->priority == Priority::low, "LOW_PRIORITY");
    word_if(load->concurrent, "CONCURRENT");
    word_if(load->local, "LOCAL");
    raw(load->bulk);
    const std::string_view bulk = load->bulk.of(text_);
    word_if(bulk.empty() || bulk.size() == 4, "INFILE");
    expr(load->file);
    raw(load->bulk_rest);
    word_if(load->duplicates == DuplicateRows::replace, "REPLACE");
    word_if(load->duplicates == DuplicateRows::ignore, "IGNORE");
    word("INTO TABLE");
    name(load->table);
    if (!load->partitions.empty()) {
        word("PARTITION");
        paren_names(load->partitions);
    }
    if (load->charset) {
        word("CHARACTER SET");
        name(load->charset);
    }
    if (load->rows_identified) {
        word("ROWS IDENTIFIED BY");
        expr(load->rows_identified);
    }
    format(load->format);
    if (load->ignore_lines) {
        word("IGNORE");
        expr(load->ignore_lines);
        word(load->ignore_rows_word ? "ROWS" : "LINES");
    }
    if (!load->columns_span.empty()) paren_exprs(load->columns);
    if (!load->set.empty()) {
        word("SET");
        assignments(load->set);
    }
}

void Printer::node(const Call* call) {
    word("CALL");
    name(call->procedure);
    if (call->parentheses) paren_exprs(call->arguments);
}

void Printer::node(const Do* statement) {
    word("DO");
    select_items(statement->expressions);
}

void Printer::node(const Handler* handler) {
    word("HANDLER");
    name(handler->table);
    switch (handler->form) {
    case HandlerForm::open:
        word("OPEN");
        if (handler->alias) {
            word("AS");
            name(handler->alias);
        }
        return;
    case HandlerForm::close: word("CLOSE"); return;
    case HandlerForm::read: break;
    }
    word("READ");
    name(handler->index);
    name(handler->direction);
    if (handler->has_values) {
        switch (handler->compare) {
        case BinaryOp::less: word("<"); break;
        case BinaryOp::less_equal: word("<="); break;
        case BinaryOp::greater: word(">"); break;
        case BinaryOp::greater_equal: word(">="); break;
        default: word("=");
        }
        paren_exprs(handler->values);
    }
    if (handler->where) {
        word("WHERE");
        expr(handler->where);
    }
    limit(handler->limit);
}

void Printer::node(const Unread*) { raw(whole_); }

}  // namespace shardway::sqlparse
