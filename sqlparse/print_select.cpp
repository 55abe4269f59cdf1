// Queries and what stands in FROM.
#include <utility>

#include "sqlparse/printer.hpp"

namespace shardway::sqlparse {

void Printer::paren_query(const Query& below) {
    open();
    query(below);
    close();
}

void Printer::with(const With* with) {
    if (!with) return;
    word("WITH");
    word_if(with->recursive, "RECURSIVE");
    list(with->tables, [&](const CommonTable& table) {
        name(table.name);
        if (!table.columns.empty()) paren_names(table.columns);
        word("AS");
        paren_query(*table.query);
        if (!table.cycle.empty()) {
            word("CYCLE");
            names(table.cycle);
            word("RESTRICT");
        }
    });
}

void Printer::term(const QueryTerm& term) {
    if (const auto* only = std::get_if<const Select*>(&term)) {
        select(**only);
    } else if (const auto* operation = std::get_if<const SetOperation*>(&term)) {
        for (const SetOperand& operand : (*operation)->operands) {
            switch (operand.op) {
            case SetOp::none: break;
            case SetOp::union_: word("UNION"); break;
            case SetOp::except_: word("EXCEPT"); break;
            case SetOp::intersect: word("INTERSECT"); break;
            }
            word_if(operand.quantifier == SetQuantifier::all, "ALL");
            word_if(operand.quantifier == SetQuantifier::distinct, "DISTINCT");
            this->term(operand.term);
        }
    } else if (const auto* values = std::get_if<const ValuesTable*>(&term)) {
        word("VALUES");
        list((*values)->rows, [&](const ValuesRow& row) {
            word_if((*values)->row_keyword, "ROW");
            paren_exprs(row.values);
        });
    } else if (const auto* table = std::get_if<const TableQuery*>(&term)) {
        word("TABLE");
        name((*table)->table);
    } else if (const auto* inner = std::get_if<const Query*>(&term)) {
        paren_query(**inner);
    }
}

void Printer::query(const Query& query) {
    with(query.with);
    const Into* outer = std::exchange(into_, query.into);
    term(query.term);
    const Into* into_behind = std::exchange(into_, outer);
    order_by(query.order_by);
    limit(query.limit);
    for (const Locking& lock : query.locking) {
        if (lock.strength == LockStrength::share_mode)
            word("LOCK IN SHARE MODE");
        else
            word(lock.strength == LockStrength::update ? "FOR UPDATE" : "FOR SHARE");
        if (!lock.of.empty()) {
            word("OF");
            names(lock.of);
        }
        word_if(lock.wait == LockWait::nowait, "NOWAIT");
        word_if(lock.wait == LockWait::skip_locked, "SKIP LOCKED");
        if (lock.wait == LockWait::wait) {
            word("WAIT");
            expr(lock.seconds);
        }
    }
    if (into_behind) into(*into_behind);
}

void Printer::order_items(const List<OrderItem>& items) {
    list(items, [&](const OrderItem& item) {
        expr(item.expr);
        if (item.direction_given) word(item.descending ? "DESC" : "ASC");
    });
}

void Printer::order_by(const List<OrderItem>& items) {
    if (items.empty()) return;
    word("ORDER BY");
    order_items(items);
}

void Printer::limit(const Limit* limit) {
    if (!limit) return;
    if (limit->fetch_form) {
        raw(limit->span);
        return;
    }
    word("LIMIT");
    if (limit->comma_form) {
        expr(limit->offset);
        tight(",");
        expr(limit->count);
    } else {
        expr(limit->count);
        if (limit->offset) {
            word("OFFSET");
            expr(limit->offset);
        }
    }
    if (limit->examined) {
        word("ROWS EXAMINED");
        expr(limit->examined);
    }
}

void Printer::into(const Into& into) {
    word("INTO");
    if (into.kind == IntoKind::variables) {
        exprs(into.variables);
        return;
    }
    word(into.kind == IntoKind::outfile ? "OUTFILE" : "DUMPFILE");
    expr(into.file);
    if (into.charset) {
        word("CHARACTER SET");
        name(into.charset);
    }
    format(into.format);
}

void Printer::format(const FileFormat& format) {
    const auto part = [&](std::string_view words, const Expr& value) {
        if (!value) return;
        word(words);
        expr(value);
    };
    if (format.fields_terminated || format.enclosed || format.escaped) word("FIELDS");
    part("TERMINATED BY", format.fields_terminated);
    part(format.optionally ? "OPTIONALLY ENCLOSED BY" : "ENCLOSED BY", format.enclosed);
    part("ESCAPED BY", format.escaped);
    if (format.lines_starting || format.lines_terminated) word("LINES");
    part("STARTING BY", format.lines_starting);
    part("TERMINATED BY", format.lines_terminated);
}

void Printer::select_items(const List<SelectItem>& items) {
    list(items, [&](const SelectItem& item) {
        expr(item.expr);
        if (item.alias) {
            word("AS");
            name(item.alias);
        }
    });
}

void Printer::select(const Select& select) {
    word("SELECT");
    if (!select.hint.empty()) word(select.hint.of(text_));
    word_if(select.has(SelectOption::all), "ALL");
    word_if(select.has(SelectOption::distinct), "DISTINCT");
    word_if(select.has(SelectOption::high_priority), "HIGH_PRIORITY");
    word_if(select.has(SelectOption::straight_join), "STRAIGHT_JOIN");
    word_if(select.has(SelectOption::sql_small_result), "SQL_SMALL_RESULT");
    word_if(select.has(SelectOption::sql_big_result), "SQL_BIG_RESULT");
    word_if(select.has(SelectOption::sql_buffer_result), "SQL_BUFFER_RESULT");
    word_if(select.has(SelectOption::sql_cache), "SQL_CACHE");
    word_if(select.has(SelectOption::sql_no_cache), "SQL_NO_CACHE");
    word_if(select.has(SelectOption::sql_calc_found_rows), "SQL_CALC_FOUND_ROWS");
    select_items(select.items);
    // Where it was written: in front of FROM it is allowed in places where it is not at the end.
    if (into_ && into_->span.offset > select.span.offset && into_->span.end() <= select.span.end())
        into(*std::exchange(into_, nullptr));
    if (select.dual) {
        word("FROM DUAL");
    } else if (!select.from.empty()) {
        word("FROM");
        table_refs(select.from);
    }
    if (select.where) {
        word("WHERE");
        expr(select.where);
    }
    if (!select.group_by.empty()) {
        word("GROUP BY");
        if (select.rollup_call) {
            word("ROLLUP (");
            order_items(select.group_by);
            close();
        } else {
            order_items(select.group_by);
            word_if(select.rollup, "WITH ROLLUP");
        }
    }
    if (!select.grouping_sets.empty()) {
        word("GROUP BY");
        raw(select.grouping_sets);
    }
    if (select.having) {
        word("HAVING");
        expr(select.having);
    }
    if (!select.windows.empty()) {
        word("WINDOW");
        list(select.windows, [&](const NamedWindow& window) {
            name(window.name);
            word("AS (");
            window_body(window.spec);
            close();
        });
    }
    if (select.qualify) {
        word("QUALIFY");
        expr(select.qualify);
    }
}

void Printer::table_refs(const List<TableRef>& refs) {
    list(refs, [&](const TableRef& ref) { table_ref(ref); });
}

void Printer::table_ref(const TableRef& ref) {
    if (const TableName* table = ref.as<TableName>()) {
        table_name(*table);
    } else if (const DerivedTable* derived = ref.as<DerivedTable>()) {
        word_if(derived->lateral, "LATERAL");
        paren_query(*derived->query);
        if (derived->alias) {
            word("AS");
            name(derived->alias);
        }
        if (!derived->columns.empty()) paren_names(derived->columns);
    } else if (const JsonTable* json = ref.as<JsonTable>()) {
        word("JSON_TABLE(");
        expr(json->document);
        tight(",");
        expr(json->path);
        json_columns(json->columns);
        close();
        word("AS");
        name(json->alias);
    } else if (const TableGroup* group = ref.as<TableGroup>()) {
        if (group->odbc) {
            word("{OJ");
            table_refs(group->tables);
            word("}");
        } else {
            open();
            table_refs(group->tables);
            close();
        }
    } else if (const Join* join = ref.as<Join>()) {
        table_ref(join->left);
        switch (join->kind) {
        case JoinKind::inner: word(join->keyword_inner ? "INNER JOIN" : "JOIN"); break;
        case JoinKind::cross: word("CROSS JOIN"); break;
        case JoinKind::straight: word("STRAIGHT_JOIN"); break;
        case JoinKind::left: word(join->keyword_outer ? "LEFT OUTER JOIN" : "LEFT JOIN"); break;
        case JoinKind::right: word(join->keyword_outer ? "RIGHT OUTER JOIN" : "RIGHT JOIN"); break;
        case JoinKind::natural: word(join->keyword_inner ? "NATURAL INNER JOIN" : "NATURAL JOIN"); break;
        case JoinKind::natural_left:
            word(join->keyword_outer ? "NATURAL LEFT OUTER JOIN" : "NATURAL LEFT JOIN");
            break;
        case JoinKind::natural_right:
            word(join->keyword_outer ? "NATURAL RIGHT OUTER JOIN" : "NATURAL RIGHT JOIN");
            break;
        }
        // A join here without parentheses has its ON before ours, as it was written.
        table_ref(join->right);
        if (join->on) {
            word("ON");
            expr(join->on);
        } else if (!join->using_columns.empty()) {
            word("USING");
            paren_names(join->using_columns);
        }
    }
}

void Printer::system_time(const SystemTime* time) {
    if (!time) return;
    word("FOR SYSTEM_TIME");
    const auto point = [&](const Expr& value) {
        word_if(time->unit == SystemTimeUnit::timestamp, "TIMESTAMP");
        word_if(time->unit == SystemTimeUnit::transaction, "TRANSACTION");
        expr(value, 8);
    };
    switch (time->kind) {
    case SystemTimeKind::none: break;
    case SystemTimeKind::all: word("ALL"); break;
    case SystemTimeKind::as_of:
        word("AS OF");
        point(time->from);
        break;
    case SystemTimeKind::between:
        word("BETWEEN");
        point(time->from);
        word("AND");
        point(time->to);
        break;
    case SystemTimeKind::from_to:
        word("FROM");
        point(time->from);
        word("TO");
        point(time->to);
        break;
    }
}

void Printer::table_name(const TableName& table) {
    name(table.name);
    if (!table.partitions.empty()) {
        word("PARTITION");
        paren_names(table.partitions);
    }
    system_time(table.system_time);
    if (table.alias) {
        word("AS");
        name(table.alias);
    }
    if (table.sample) {
        word("TABLESAMPLE");
        name(table.sample_method);
        open();
        expr(table.sample);
        close();
    }
    for (const IndexHint& hint : table.hints) {
        switch (hint.kind) {
        case IndexHintKind::use: word("USE INDEX"); break;
        case IndexHintKind::force: word("FORCE INDEX"); break;
        case IndexHintKind::ignore: word("IGNORE INDEX"); break;
        }
        word_if(hint.purpose == IndexHintFor::join, "FOR JOIN");
        word_if(hint.purpose == IndexHintFor::order_by, "FOR ORDER BY");
        word_if(hint.purpose == IndexHintFor::group_by, "FOR GROUP BY");
        paren_names(hint.indexes);
    }
}

void Printer::json_columns(const List<JsonTableColumn>& columns) {
    word("COLUMNS");
    paren_list(columns, [&](const JsonTableColumn& column) {
        if (column.kind == JsonTableColumnKind::nested) {
            word("NESTED PATH");
            expr(column.path);
            json_columns(column.nested);
            return;
        }
        name(column.name);
        if (column.kind == JsonTableColumnKind::ordinality) {
            word("FOR ORDINALITY");
            return;
        }
        data_type(*column.type);
        if (column.collation) {
            word("COLLATE");
            name(column.collation);
        }
        word_if(column.kind == JsonTableColumnKind::exists, "EXISTS");
        word("PATH");
        expr(column.path);
        json_on(column.on_empty, "EMPTY");
        json_on(column.on_error, "ERROR");
    });
}

}  // namespace shardway::sqlparse
