// The tree, fourth part: definitions of tables, indexes, views, databases.
#pragma once

#include "sqlparse/ast_dml.hpp"

namespace shardway::sqlparse {

// NAME [=] value, of a table, index, column, partition or database. What few readers need has no struct of
// its own: `value` is a literal, a Column (a bare word), or absent, and `value_span` all of it (a list in
// parentheses has only that).
struct Option {
    Span span;
    Span name_span;  // one or more words: DEFAULT CHARACTER SET
    std::string_view
        name;  // in lower case, one space between words, without DEFAULT: "character set", "engine"
    bool by_default = false;  // DEFAULT was written
    bool equals = false;
    Expr value;
    Raw value_span;
};

// The option of that name, or null. Charset and character set are both "character set".
const Option* find_option(const List<Option>& options, std::string_view name);

enum class ReferenceAction : std::uint8_t { none, restrict_, cascade, set_null, no_action, set_default };

struct KeyPart {
    Name column;  // empty for an expression
    Expr expr;
    bool has_prefix = false;
    std::uint32_t prefix = 0;  // column(prefix)
    bool ascending = false;    // written
    bool descending = false;
    Name without_overlaps;  // MariaDB: period WITHOUT OVERLAPS
    Span span;
};

enum class ReferenceMatch : std::uint8_t { none, full, partial, simple };

struct References {
    QualifiedName table;
    List<KeyPart> columns;
    ReferenceMatch match = ReferenceMatch::none;
    ReferenceAction on_delete = ReferenceAction::none;
    ReferenceAction on_update = ReferenceAction::none;
    bool update_first = false;  // ON UPDATE was written before ON DELETE
    Span span;
};

enum class ColumnAttributeKind : std::uint8_t {
    null_,
    not_null,
    default_value,  // `expr`; `parenthesized` for an expression default
    on_update,      // `expr`: CURRENT_TIMESTAMP
    auto_increment,
    primary_key,
    unique,
    key,  // KEY alone: a primary key
    comment,
    collate,
    charset,  // after other attributes
    column_format,
    storage,
    references,
    check,
    generated,  // `expr`
    visible,
    invisible,
    srid,
    serial_default,  // SERIAL DEFAULT VALUE
    engine_attribute,
    secondary_engine_attribute,
    not_secondary,
    masking_policy,
    compressed,  // MariaDB
    versioning,  // MariaDB: WITH or WITHOUT SYSTEM VERSIONING
    row_start,   // MariaDB: GENERATED ALWAYS AS ROW START
    row_end,
    ref_system_id,  // MariaDB
    option,         // MariaDB: an engine's name = value
};

struct ColumnAttribute {
    ColumnAttributeKind kind;
    Span span;
    Expr expr;
    Name name;  // of collate, charset, column_format, storage; the constraint's of check and references
    const References* references = nullptr;
    bool generated_always = false;  // GENERATED ALWAYS was written
    bool stored = false;            // STORED or PERSISTENT
    bool virtual_ = false;          // written
    bool parenthesized = false;
    Tristate enforced = Tristate::unset;
};

struct ColumnDefinition {
    Span span;
    Name name;
    const DataType* type = nullptr;  // null only for MariaDB's PERIOD columns
    List<ColumnAttribute> attributes;

    // The first attribute of that kind, or null.
    const ColumnAttribute* find(ColumnAttributeKind kind) const {
        for (const ColumnAttribute& attribute : attributes)
            if (attribute.kind == kind) return &attribute;
        return nullptr;
    }
    bool has(ColumnAttributeKind kind) const { return find(kind) != nullptr; }
    bool auto_increment() const {
        return has(ColumnAttributeKind::auto_increment) || type->kind == TypeKind::serial;
    }
    bool primary_key() const {
        return has(ColumnAttributeKind::primary_key) || has(ColumnAttributeKind::key);
    }
};

enum class KeyKind : std::uint8_t { primary, unique, index, fulltext, spatial, foreign, check, period };

struct KeyDefinition {
    Span span;
    KeyKind kind;
    bool constraint_word = false;
    Name constraint;             // CONSTRAINT name
    bool index_word = false;     // INDEX, else KEY, where either could stand
    bool key_word = false;       // either was written
    bool if_not_exists = false;  // MariaDB
    Name name;
    Name type_before;  // USING BTREE before the columns
    List<KeyPart> columns;
    List<Option> options;
    const References* references = nullptr;  // of foreign
    Expr check;
    Tristate enforced = Tristate::unset;
};

// In the order written. The list of columns alone: for_each_column.
using TableElement = std::variant<std::monostate, const ColumnDefinition*, const KeyDefinition*>;

enum class PartitionKind : std::uint8_t { hash, key, range, list, system_time };

struct PartitionValues {
    bool max_value = false;  // LESS THAN MAXVALUE
    List<Expr> items;        // MAXVALUE among them is a Column of that name; a Row for several columns
};

struct PartitionDefinition {
    Span span;
    Name name;
    bool less_than = false;
    bool in = false;
    bool history = false;  // MariaDB: HISTORY, CURRENT
    bool current = false;
    PartitionValues values;
    List<Option> options;
    List<PartitionDefinition> subpartitions;
};

struct PartitionBy {
    Span span;
    PartitionKind kind;
    bool linear = false;
    bool columns_word = false;
    std::uint32_t algorithm = 0;
    Expr expr;
    List<Name> columns;
    Expr count;
    bool has_sub = false;
    PartitionKind sub_kind = PartitionKind::hash;
    bool sub_linear = false;
    std::uint32_t sub_algorithm = 0;
    Expr sub_expr;
    List<Name> sub_columns;
    Expr sub_count;
    List<PartitionDefinition> definitions;
    Raw system_time;  // MariaDB: what stands between SYSTEM_TIME and the partitions
};

struct CreateTable {
    bool or_replace = false;  // MariaDB
    bool temporary = false;
    bool external = false;
    bool if_not_exists = false;
    QualifiedName table;
    const QualifiedName* like = nullptr;
    bool like_parenthesized = false;
    bool has_elements = false;
    List<TableElement> elements;
    Span elements_span;  // with the parentheses
    List<Option> options;
    const PartitionBy* partition_by = nullptr;
    DuplicateRows duplicates = DuplicateRows::error;
    bool as_word = false;
    const Query* query = nullptr;
    bool query_parenthesized = false;
    bool start_transaction = false;
};

enum class AlterKind : std::uint8_t {
    add_column,  // one, or several in parentheses with keys among them: `elements`
    add_key,
    change_column,  // `name` → `column`
    modify_column,
    drop_column,
    drop_key,  // DROP INDEX name
    drop_primary_key,
    drop_foreign_key,
    drop_check,
    drop_constraint,
    drop_period,           // MariaDB
    alter_column_default,  // SET DEFAULT value, DROP DEFAULT (value absent)
    alter_column_visible,
    alter_column_masking,  // MASKING POLICY `word`, or none
    alter_index_visible,
    alter_check,  // ENFORCED or not; `constraint_word` for ALTER CONSTRAINT
    rename_table,
    rename_column,
    rename_key,
    convert_charset,
    order_by,
    disable_keys,
    enable_keys,
    discard_tablespace,
    import_tablespace,
    force,
    options,  // table options
    algorithm,
    lock,
    validation,  // WITH or WITHOUT VALIDATION
    secondary_load,
    secondary_unload,
    add_partition,
    drop_partition,
    truncate_partition,
    coalesce_partition,
    reorganize_partition,
    exchange_partition,
    analyze_partition,
    check_partition,
    optimize_partition,
    rebuild_partition,
    repair_partition,
    discard_partition_tablespace,
    import_partition_tablespace,
    remove_partitioning,
    partition_by,
    add_system_versioning,  // MariaDB
    drop_system_versioning,
    other,  // MariaDB's rarer ones, whole in `rest`
};

struct AlterAction {
    AlterKind kind;
    Span span;
    bool column_word = false;
    bool constraint_word = false;
    bool if_exists = false;  // MariaDB; also IF NOT EXISTS
    Name name;
    Name new_name;
    QualifiedName table;  // of rename_table, exchange_partition
    Name rename_word;     // TO, AS, or =
    const ColumnDefinition* column = nullptr;
    bool first = false;
    Name after;
    const KeyDefinition* key = nullptr;
    bool parenthesized = false;
    List<TableElement> elements;
    Expr expr;         // of a default
    bool yes = false;  // VISIBLE, ENFORCED, WITH VALIDATION
    Name charset;
    Name collation;
    List<OrderItem> order_by;
    List<Option> options;
    Name word;  // of algorithm and lock; RESTRICT, CASCADE
    bool equals = false;
    bool all_partitions = false;
    bool no_write_to_binlog = false;
    bool local = false;
    List<Name> partitions;
    Expr count;
    List<PartitionDefinition> definitions;
    const PartitionBy* partition_by = nullptr;
    Raw rest;  // options of CHECK and REPAIR PARTITION
};

struct AlterTable {
    bool online = false;  // MariaDB
    bool ignore = false;
    bool if_exists = false;
    Expr wait;  // MariaDB: WAIT n
    bool nowait = false;
    QualifiedName table;
    List<AlterAction> actions;
};

struct TablePair {
    QualifiedName from;
    QualifiedName to;
};

struct RenameTable {
    bool tables_word = false;
    bool if_exists = false;
    List<TablePair> pairs;
};

enum class DropBehaviour : std::uint8_t { none, restrict_, cascade };

struct DropTable {
    bool temporary = false;
    bool tables_word = false;
    bool if_exists = false;
    List<QualifiedName> tables;
    DropBehaviour behaviour = DropBehaviour::none;
};

struct TruncateTable {
    bool table_word = false;
    QualifiedName table;
};

struct CreateIndex {
    bool or_replace = false;
    KeyKind kind = KeyKind::index;
    bool if_not_exists = false;
    Name name;
    Name type_before;
    QualifiedName table;
    List<KeyPart> columns;
    List<Option> options;
};

struct DropIndex {
    bool if_exists = false;
    Name name;
    QualifiedName table;
    List<Option> options;
};

enum class CheckOption : std::uint8_t { none, plain, cascaded, local };

struct CreateView {
    bool or_replace = false;
    bool alter = false;
    bool if_not_exists = false;
    Name algorithm;
    Raw definer;    // DEFINER = account, or empty
    Name security;  // DEFINER, INVOKER
    QualifiedName view;
    List<Name> columns;
    Span columns_span;
    const Query* query = nullptr;
    bool query_parenthesized = false;
    CheckOption check = CheckOption::none;
};

struct DropView {
    bool if_exists = false;
    List<QualifiedName> views;
    DropBehaviour behaviour = DropBehaviour::none;
};

struct CreateDatabase {
    bool or_replace = false;
    bool schema_word = false;
    bool if_not_exists = false;
    Name name;
    List<Option> options;
};

struct AlterDatabase {
    bool schema_word = false;
    Name name;  // may be absent: the current one
    List<Option> options;
};

struct DropDatabase {
    bool schema_word = false;
    bool if_exists = false;
    Name name;
};

enum class SequenceForm : std::uint8_t { create, alter, drop };

// MariaDB.
struct Sequence {
    SequenceForm form;
    bool or_replace = false;
    bool temporary = false;
    bool if_exists = false;  // IF NOT EXISTS in create
    List<QualifiedName> names;
    Raw options;
};

}  // namespace shardway::sqlparse
