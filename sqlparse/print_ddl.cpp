// Definitions.
#include "sqlparse/printer.hpp"

namespace shardway::sqlparse {

void Printer::option(const Option& option) {
    word_if(option.by_default, "DEFAULT");
    raw(option.name_span);
    word_if(option.equals, "=");
    raw(option.value_span);
}

void Printer::options(const List<Option>& options, std::string_view separator) {
    bool first = true;
    for (const Option& item : options) {
        if (!first) tight(separator);
        first = false;
        option(item);
    }
}

void Printer::enforced(Tristate enforced) {
    word_if(enforced == Tristate::yes, "ENFORCED");
    word_if(enforced == Tristate::no, "NOT ENFORCED");
}

void Printer::action(ReferenceAction action) {
    switch (action) {
    case ReferenceAction::none: break;
    case ReferenceAction::restrict_: word("RESTRICT"); break;
    case ReferenceAction::cascade: word("CASCADE"); break;
    case ReferenceAction::set_null: word("SET NULL"); break;
    case ReferenceAction::no_action: word("NO ACTION"); break;
    case ReferenceAction::set_default: word("SET DEFAULT"); break;
    }
}

void Printer::references(const References& references) {
    word("REFERENCES");
    name(references.table);
    if (!references.columns.empty()) key_parts(references.columns);
    word_if(references.match == ReferenceMatch::full, "MATCH FULL");
    word_if(references.match == ReferenceMatch::partial, "MATCH PARTIAL");
    word_if(references.match == ReferenceMatch::simple, "MATCH SIMPLE");
    const auto on_update = [&] {
        if (references.on_update == ReferenceAction::none) return;
        word("ON UPDATE");
        action(references.on_update);
    };
    if (references.update_first) on_update();
    if (references.on_delete != ReferenceAction::none) {
        word("ON DELETE");
        action(references.on_delete);
    }
    if (!references.update_first) on_update();
}

void Printer::attribute(const ColumnAttribute& attribute) {
    using enum ColumnAttributeKind;
    const auto value = [&](std::string_view words) {
        word(words);
        expr(attribute.expr);
    };
    const auto named = [&](std::string_view words) {
        word(words);
        name(attribute.name);
    };
    switch (attribute.kind) {
    case null_: word("NULL"); break;
    case not_null: word("NOT NULL"); break;
    case default_value:
        word("DEFAULT");
        if (attribute.parenthesized) open();
        // MariaDB's default without parentheses ends before any operator but ||.
        expr(attribute.expr, attribute.parenthesized ? 0 : 14);
        if (attribute.parenthesized) close();
        break;
    case on_update: value("ON UPDATE"); break;
    case auto_increment: word("AUTO_INCREMENT"); break;
    case primary_key: word("PRIMARY KEY"); break;
    case key: word("KEY"); break;
    case unique: word("UNIQUE"); break;
    case comment: value("COMMENT"); break;
    case collate: named("COLLATE"); break;
    case charset: named("CHARACTER SET"); break;
    case column_format: named("COLUMN_FORMAT"); break;
    case storage: named("STORAGE"); break;
    case ColumnAttributeKind::references: this->references(*attribute.references); break;
    case check:
        if (attribute.name || text_.substr(attribute.span.offset, 2).find_first_of("oO") == 1) {
            word("CONSTRAINT");
            name(attribute.name);
        }
        word("CHECK (");
        expr(attribute.expr);
        close();
        enforced(attribute.enforced);
        break;
    case generated:
        word_if(attribute.generated_always, "GENERATED ALWAYS");
        word("AS (");
        expr(attribute.expr);
        close();
        word_if(attribute.stored, "STORED");
        word_if(attribute.virtual_, "VIRTUAL");
        break;
    case visible: word("VISIBLE"); break;
    case invisible: word("INVISIBLE"); break;
    case srid: value("SRID"); break;
    case serial_default: word("SERIAL DEFAULT VALUE"); break;
    case engine_attribute: value("ENGINE_ATTRIBUTE"); break;
    case secondary_engine_attribute: value("SECONDARY_ENGINE_ATTRIBUTE"); break;
    case not_secondary: word("NOT SECONDARY"); break;
    case masking_policy: named("MASKING POLICY"); break;
    case compressed:
    case versioning:
    case row_start:
    case row_end:
    case ref_system_id:
    case ColumnAttributeKind::option: raw(attribute.span); break;
    }
}

void Printer::column(const ColumnDefinition& column) {
    name(column.name);
    data_type(*column.type);
    for (const ColumnAttribute& item : column.attributes) attribute(item);
}

void Printer::key_parts(const List<KeyPart>& parts) {
    paren_list(parts, [&](const KeyPart& part) {
        if (part.expr) {
            open();
            expr(part.expr);
            close();
        } else {
            name(part.column);
            if (part.has_prefix) {
                tight("(");
                number(part.prefix);
                close();
            }
            if (part.without_overlaps) word("WITHOUT OVERLAPS");
        }
        word_if(part.ascending, "ASC");
        word_if(part.descending, "DESC");
    });
}

void Printer::key(const KeyDefinition& key) {
    if (key.constraint_word) {
        word("CONSTRAINT");
        word_if(key.if_not_exists, "IF NOT EXISTS");
        name(key.constraint);
    }
    switch (key.kind) {
    case KeyKind::primary: word("PRIMARY KEY"); break;
    case KeyKind::unique: word("UNIQUE"); break;
    case KeyKind::fulltext: word("FULLTEXT"); break;
    case KeyKind::spatial: word("SPATIAL"); break;
    case KeyKind::index: break;
    case KeyKind::foreign: word("FOREIGN KEY"); break;
    case KeyKind::period: word("PERIOD FOR"); break;
    case KeyKind::check:
        word("CHECK (");
        expr(key.check);
        close();
        enforced(key.enforced);
        return;
    }
    if (key.key_word) word(key.index_word ? "INDEX" : "KEY");
    word_if(key.if_not_exists && !key.constraint_word, "IF NOT EXISTS");
    name(key.name);
    if (key.type_before) {
        word("USING");
        name(key.type_before);
    }
    key_parts(key.columns);
    options(key.options);
    if (key.references) references(*key.references);
}

void Printer::element(const TableElement& element) {
    if (const auto* found = std::get_if<const ColumnDefinition*>(&element)) column(**found);
    if (const auto* found = std::get_if<const KeyDefinition*>(&element)) key(**found);
}

void Printer::elements(const List<TableElement>& elements) {
    paren_list(elements, [&](const TableElement& item) { element(item); });
}

void Printer::partition_method(PartitionKind kind, bool linear, std::uint32_t algorithm, bool columns_word,
                               const Expr& value, const List<Name>& columns, Span time) {
    word_if(linear, "LINEAR");
    switch (kind) {
    case PartitionKind::hash: word("HASH"); break;
    case PartitionKind::key: word("KEY"); break;
    case PartitionKind::range: word("RANGE"); break;
    case PartitionKind::list: word("LIST"); break;
    case PartitionKind::system_time:
        word("SYSTEM_TIME");
        raw(time);
        return;
    }
    if (algorithm != 0) {
        word("ALGORITHM =");
        number(algorithm);
    }
    word_if(columns_word, "COLUMNS");
    if (value) {
        open();
        expr(value, 8);
        close();
    } else {
        paren_names(columns);
    }
}

void Printer::partitions(const List<PartitionDefinition>& definitions, bool sub) {
    paren_list(definitions, [&](const PartitionDefinition& definition) {
        word(sub ? "SUBPARTITION" : "PARTITION");
        name(definition.name);
        word_if(definition.history, "HISTORY");
        word_if(definition.current, "CURRENT");
        if (definition.less_than || definition.in) {
            word(definition.less_than ? "VALUES LESS THAN" : "VALUES IN");
            if (definition.values.max_value)
                word("MAXVALUE");
            else
                paren_list(definition.values.items, [&](const Expr& item) { expr(item, 8); });
        }
        options(definition.options);
        if (!definition.subpartitions.empty()) partitions(definition.subpartitions, true);
    });
}

void Printer::partition_by(const PartitionBy& by) {
    word("PARTITION BY");
    partition_method(by.kind, by.linear, by.algorithm, by.columns_word, by.expr, by.columns, by.system_time);
    if (by.count) {
        word("PARTITIONS");
        expr(by.count);
    }
    if (by.has_sub) {
        word("SUBPARTITION BY");
        partition_method(by.sub_kind, by.sub_linear, by.sub_algorithm, false, by.sub_expr, by.sub_columns,
                         {});
        if (by.sub_count) {
            word("SUBPARTITIONS");
            expr(by.sub_count);
        }
    }
    if (!by.definitions.empty()) partitions(by.definitions, false);
}

void Printer::node(const CreateTable* table) {
    word("CREATE");
    word_if(table->or_replace, "OR REPLACE");
    word_if(table->temporary, "TEMPORARY");
    word_if(table->external, "EXTERNAL");
    word("TABLE");
    word_if(table->if_not_exists, "IF NOT EXISTS");
    name(table->table);
    if (table->like) {
        if (table->like_parenthesized) open();
        word("LIKE");
        name(*table->like);
        if (table->like_parenthesized) close();
        return;
    }
    if (table->has_elements) elements(table->elements);
    options(table->options);
    if (table->partition_by) partition_by(*table->partition_by);
    word_if(table->duplicates == DuplicateRows::replace, "REPLACE");
    word_if(table->duplicates == DuplicateRows::ignore, "IGNORE");
    word_if(table->as_word, "AS");
    if (table->query) {
        if (table->query_parenthesized)
            paren_query(*table->query);
        else
            query(*table->query);
    }
    word_if(table->start_transaction, "START TRANSACTION");
}

void Printer::node(const AlterTable* table) {
    word("ALTER");
    word_if(table->online, "ONLINE");
    word_if(table->ignore, "IGNORE");
    word("TABLE");
    word_if(table->if_exists, "IF EXISTS");
    name(table->table);
    if (table->wait) {
        word("WAIT");
        expr(table->wait);
    }
    word_if(table->nowait, "NOWAIT");
    // Each alteration as it was written: their forms are many and their words decide.
    bool first = true;
    for (const AlterAction& item : table->actions) {
        const bool partitioning =
            item.kind == AlterKind::partition_by || item.kind == AlterKind::remove_partitioning;
        if (!first && !partitioning) tight(",");
        first = false;
        alteration(item);
    }
}

void Printer::alteration(const AlterAction& action) { raw(action.span); }

void Printer::node(const RenameTable* rename) {
    word(rename->tables_word ? "RENAME TABLES" : "RENAME TABLE");
    word_if(rename->if_exists, "IF EXISTS");
    list(rename->pairs, [&](const TablePair& pair) {
        name(pair.from);
        word("TO");
        name(pair.to);
    });
}

void Printer::behaviour(DropBehaviour behaviour) {
    word_if(behaviour == DropBehaviour::restrict_, "RESTRICT");
    word_if(behaviour == DropBehaviour::cascade, "CASCADE");
}

void Printer::node(const DropTable* drop) {
    word("DROP");
    word_if(drop->temporary, "TEMPORARY");
    word(drop->tables_word ? "TABLES" : "TABLE");
    word_if(drop->if_exists, "IF EXISTS");
    list(drop->tables, [&](const QualifiedName& item) { name(item); });
    behaviour(drop->behaviour);
}

void Printer::node(const TruncateTable* truncate) {
    word("TRUNCATE");
    word_if(truncate->table_word, "TABLE");
    name(truncate->table);
}

void Printer::node(const CreateIndex* index) {
    word("CREATE");
    word_if(index->or_replace, "OR REPLACE");
    word_if(index->kind == KeyKind::unique, "UNIQUE");
    word_if(index->kind == KeyKind::fulltext, "FULLTEXT");
    word_if(index->kind == KeyKind::spatial, "SPATIAL");
    word("INDEX");
    word_if(index->if_not_exists, "IF NOT EXISTS");
    name(index->name);
    if (index->type_before) {
        word("USING");
        name(index->type_before);
    }
    word("ON");
    name(index->table);
    key_parts(index->columns);
    options(index->options);
}

void Printer::node(const DropIndex* index) {
    word("DROP INDEX");
    word_if(index->if_exists, "IF EXISTS");
    name(index->name);
    word("ON");
    name(index->table);
    options(index->options);
}

void Printer::node(const CreateView* view) {
    word(view->alter ? "ALTER" : "CREATE");
    word_if(view->or_replace, "OR REPLACE");
    if (view->algorithm) {
        word("ALGORITHM =");
        name(view->algorithm);
    }
    raw(view->definer);
    if (view->security) {
        word("SQL SECURITY");
        name(view->security);
    }
    word("VIEW");
    word_if(view->if_not_exists, "IF NOT EXISTS");
    name(view->view);
    if (!view->columns.empty()) paren_names(view->columns);
    word("AS");
    if (view->query_parenthesized)
        paren_query(*view->query);
    else
        query(*view->query);
    switch (view->check) {
    case CheckOption::none: break;
    case CheckOption::plain: word("WITH CHECK OPTION"); break;
    case CheckOption::cascaded: word("WITH CASCADED CHECK OPTION"); break;
    case CheckOption::local: word("WITH LOCAL CHECK OPTION"); break;
    }
}

void Printer::node(const DropView* view) {
    word("DROP VIEW");
    word_if(view->if_exists, "IF EXISTS");
    list(view->views, [&](const QualifiedName& item) { name(item); });
    behaviour(view->behaviour);
}

void Printer::node(const CreateDatabase* database) {
    word("CREATE");
    word_if(database->or_replace, "OR REPLACE");
    word(database->schema_word ? "SCHEMA" : "DATABASE");
    word_if(database->if_not_exists, "IF NOT EXISTS");
    name(database->name);
    options(database->options);
}

void Printer::node(const AlterDatabase* database) {
    word(database->schema_word ? "ALTER SCHEMA" : "ALTER DATABASE");
    name(database->name);
    options(database->options);
}

void Printer::node(const DropDatabase* database) {
    word(database->schema_word ? "DROP SCHEMA" : "DROP DATABASE");
    word_if(database->if_exists, "IF EXISTS");
    name(database->name);
}

void Printer::node(const Sequence* sequence) {
    switch (sequence->form) {
    case SequenceForm::create: word("CREATE"); break;
    case SequenceForm::alter: word("ALTER"); break;
    case SequenceForm::drop: word("DROP"); break;
    }
    word_if(sequence->or_replace, "OR REPLACE");
    word_if(sequence->temporary, "TEMPORARY");
    word("SEQUENCE");
    word_if(sequence->if_exists, sequence->form == SequenceForm::create ? "IF NOT EXISTS" : "IF EXISTS");
    list(sequence->names, [&](const QualifiedName& item) { name(item); });
    raw(sequence->options);
}

}  // namespace shardway::sqlparse
