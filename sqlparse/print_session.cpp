// Transactions, SET, SHOW and administration.
#include "sqlparse/printer.hpp"

namespace shardway::sqlparse {

void Printer::transaction_end(bool work, Tristate chain, Tristate release) {
    word_if(work, "WORK");
    word_if(chain == Tristate::yes, "AND CHAIN");
    word_if(chain == Tristate::no, "AND NO CHAIN");
    word_if(release == Tristate::yes, "RELEASE");
    word_if(release == Tristate::no, "NO RELEASE");
}

void Printer::node(const Begin* begin) {
    if (!begin->start_transaction) {
        word("BEGIN");
        word_if(begin->work, "WORK");
        return;
    }
    word("START TRANSACTION");
    word_if(begin->consistent_snapshot, "WITH CONSISTENT SNAPSHOT");
    if (begin->consistent_snapshot && begin->access != TransactionAccess::none) tight(",");
    word_if(begin->access == TransactionAccess::read_only, "READ ONLY");
    word_if(begin->access == TransactionAccess::read_write, "READ WRITE");
}

void Printer::node(const Commit* commit) {
    word("COMMIT");
    transaction_end(commit->work, commit->chain, commit->release);
}

void Printer::node(const Rollback* rollback) {
    word("ROLLBACK");
    if (rollback->savepoint) {
        word_if(rollback->work, "WORK");
        word("TO SAVEPOINT");
        name(rollback->savepoint);
        return;
    }
    transaction_end(rollback->work, rollback->chain, rollback->release);
}

void Printer::node(const Savepoint* savepoint) {
    word("SAVEPOINT");
    name(savepoint->name);
}

void Printer::node(const ReleaseSavepoint* savepoint) {
    word("RELEASE SAVEPOINT");
    name(savepoint->name);
}

void Printer::node(const Xa* xa) {
    word("XA");
    switch (xa->form) {
    case XaForm::start: word(xa->begin_word ? "BEGIN" : "START"); break;
    case XaForm::end: word("END"); break;
    case XaForm::prepare: word("PREPARE"); break;
    case XaForm::commit: word("COMMIT"); break;
    case XaForm::rollback: word("ROLLBACK"); break;
    case XaForm::recover:
        word("RECOVER");
        word_if(xa->convert_xid, "CONVERT XID");
        return;
    }
    expr(xa->gtrid);
    if (xa->bqual) {
        tight(",");
        expr(xa->bqual);
    }
    if (xa->format_id) {
        tight(",");
        expr(xa->format_id);
    }
    word_if(xa->join, "JOIN");
    word_if(xa->resume, "RESUME");
    word_if(xa->suspend, "SUSPEND");
    word_if(xa->for_migrate, "FOR MIGRATE");
    word_if(xa->one_phase, "ONE PHASE");
}

void Printer::node(const LockTables* lock) {
    word("LOCK TABLES");
    list(lock->tables, [&](const LockedTable& table) {
        name(table.table);
        if (table.alias) {
            word("AS");
            name(table.alias);
        }
        switch (table.kind) {
        case LockKind::read: word("READ"); break;
        case LockKind::read_local: word("READ LOCAL"); break;
        case LockKind::write: word("WRITE"); break;
        case LockKind::low_priority_write: word("LOW_PRIORITY WRITE"); break;
        case LockKind::write_concurrent: word("WRITE CONCURRENT"); break;
        }
    });
}

void Printer::node(const UnlockTables* unlock) {
    switch (unlock->instance) {
    case InstanceForm::none: word("UNLOCK TABLES"); break;
    case InstanceForm::lock_instance: word("LOCK INSTANCE FOR BACKUP"); break;
    case InstanceForm::unlock_instance: word("UNLOCK INSTANCE"); break;
    }
}

void Printer::scope(VariableScope scope) {
    switch (scope) {
    case VariableScope::none: break;
    case VariableScope::session: word("SESSION"); break;
    case VariableScope::local: word("LOCAL"); break;
    case VariableScope::global: word("GLOBAL"); break;
    case VariableScope::persist: word("PERSIST"); break;
    case VariableScope::persist_only: word("PERSIST_ONLY"); break;
    }
}

void Printer::set_item(const SetItem& item) {
    switch (item.kind) {
    case SetKind::variable:
        if (item.at_at) {
            const SystemVariable variable{item.scope, item.base, item.name};
            node(&variable);
        } else {
            scope(item.scope);
            name(QualifiedName{item.base, item.name});
        }
        word("=");
        expr(item.value);
        return;
    case SetKind::user_variable:
        word("@");
        tight_name(item.name);
        word("=");
        expr(item.value);
        return;
    case SetKind::names:
        word("NAMES");
        if (item.charset)
            name(item.charset);
        else
            word("DEFAULT");
        if (item.collation) {
            word("COLLATE");
            name(item.collation);
        }
        return;
    case SetKind::charset:
        word("CHARACTER SET");
        if (item.charset)
            name(item.charset);
        else
            word("DEFAULT");
        return;
    case SetKind::transaction:
        scope(item.scope);
        word("TRANSACTION");
        switch (item.isolation) {
        case IsolationLevel::none: break;
        case IsolationLevel::read_uncommitted: word("ISOLATION LEVEL READ UNCOMMITTED"); break;
        case IsolationLevel::read_committed: word("ISOLATION LEVEL READ COMMITTED"); break;
        case IsolationLevel::repeatable_read: word("ISOLATION LEVEL REPEATABLE READ"); break;
        case IsolationLevel::serializable: word("ISOLATION LEVEL SERIALIZABLE"); break;
        }
        if (item.isolation != IsolationLevel::none && item.access != TransactionAccess::none) tight(",");
        word_if(item.access == TransactionAccess::read_only, "READ ONLY");
        word_if(item.access == TransactionAccess::read_write, "READ WRITE");
        return;
    case SetKind::password: word("PASSWORD"); break;
    case SetKind::role:
    case SetKind::resource_group:
    case SetKind::statement: break;
    }
    raw(item.rest);
}

void Printer::node(const Set* set) {
    word("SET");
    if (set->statement) word("STATEMENT");
    list(set->items, [&](const SetItem& item) { set_item(item); });
    if (set->statement) {
        word("FOR");
        const Span whole = whole_;
        statement(*set->statement);
        whole_ = whole;
    }
}

void Printer::node(const Use* use) {
    word("USE");
    name(use->database);
}

void Printer::node(const Kill* kill) {
    word("KILL");
    word_if(kill->hard, "HARD");
    word_if(kill->soft, "SOFT");
    word_if(kill->keyword, "CONNECTION");
    word_if(kill->kind == KillKind::query, "QUERY");
    word_if(kill->query_id, "ID");
    if (!kill->user.empty()) {
        word("USER");
        raw(kill->user);
    }
    expr(kill->id);
}

void Printer::node(const Prepare* prepare) {
    word("PREPARE");
    name(prepare->name);
    word("FROM");
    expr(prepare->from);
}

void Printer::node(const Execute* execute) {
    word("EXECUTE");
    if (execute->immediate) {
        word("IMMEDIATE");
        expr(execute->immediate);
    } else {
        name(execute->name);
    }
    if (!execute->arguments.empty()) {
        word("USING");
        exprs(execute->arguments);
    }
}

void Printer::node(const Deallocate* deallocate) {
    word(deallocate->drop ? "DROP PREPARE" : "DEALLOCATE PREPARE");
    name(deallocate->name);
}

// The words of SHOW are kept: there are many, and each has one meaning.
void Printer::node(const Show* show) {
    (void)show;
    raw(whole_);
}

void Printer::node(const Describe* describe) {
    name(describe->word);
    name(describe->table);
    name(describe->column);
}

void Printer::node(const Explain* explain) {
    name(explain->word);
    word_if(explain->analyze, "ANALYZE");
    word_if(explain->extended, "EXTENDED");
    word_if(explain->partitions, "PARTITIONS");
    if (explain->format_word) {
        word("FORMAT =");
        name(explain->format_word);
    }
    if (explain->into) {
        word("INTO");
        name(explain->into);
    }
    if (explain->schema) {
        word("FOR SCHEMA");
        name(explain->schema);
    }
    if (explain->connection) {
        word("FOR CONNECTION");
        expr(explain->connection);
    }
    if (explain->statement) {
        const Span whole = whole_;
        statement(*explain->statement);
        whole_ = whole;
    }
}

void Printer::node(const Flush* flush) {
    word("FLUSH");
    word_if(flush->no_write_to_binlog, "NO_WRITE_TO_BINLOG");
    word_if(flush->local, "LOCAL");
    word_if(flush->tables, "TABLES");
    list(flush->names, [&](const QualifiedName& item) { name(item); });
    word_if(flush->read_lock, "WITH READ LOCK");
    word_if(flush->for_export, "FOR EXPORT");
    raw(flush->rest);
}

void Printer::node(const Maintain* maintain) {
    switch (maintain->kind) {
    case MaintainKind::analyze: word("ANALYZE"); break;
    case MaintainKind::check: word("CHECK"); break;
    case MaintainKind::optimize: word("OPTIMIZE"); break;
    case MaintainKind::repair: word("REPAIR"); break;
    case MaintainKind::checksum: word("CHECKSUM"); break;
    case MaintainKind::cache_index:
    case MaintainKind::load_index: raw(whole_); return;
    }
    word_if(maintain->no_write_to_binlog, "NO_WRITE_TO_BINLOG");
    word_if(maintain->local, "LOCAL");
    if (maintain->tables.empty()) {
        word_if(true, "VIEW");
    } else {
        word(maintain->tables_word ? "TABLES" : "TABLE");
        list(maintain->tables, [&](const QualifiedName& item) { name(item); });
    }
    raw(maintain->rest);
}

}  // namespace shardway::sqlparse
