#include "middleware/cli/schema_file.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "schema/from_ddl.hpp"
#include "sqlparse/arena.hpp"
#include "sqlparse/ast.hpp"
#include "sqlparse/lexer.hpp"
#include "sqlparse/parser.hpp"

namespace shardway::cli {

namespace {

using sqlparse::Span;

// Reads one file, statement by statement.
class SchemaReader {
public:
    SchemaReader(const std::string& file, const rules::Rules& rules, std::string_view database,
                 const sqlparse::ParseOptions& options)
        : file_{file}, rules_{rules}, database_{database}, options_{options} {}

    SchemaFile read(std::string_view text) {
        line_ = 1;
        while (!text.empty() && result_.problems.size() < schema_problems_max) {
            const sqlparse::SplitResult first = sqlparse::split_first(text, options_);
            if (!first.blank) read_statement(first.statement);
            line_ += lines_of(text.substr(0, first.next));
            text.remove_prefix(first.next);
        }
        return std::move(result_);
    }

private:
    static int lines_of(std::string_view text) {
        return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    }

    void problem(int line, std::string_view what) {
        result_.problems.push_back(fmt::format("{}:{}: {}", file_, line, what));
    }

    void read_statement(std::string_view text) {
        arena_.reset();
        const sqlparse::Parsed parsed = sqlparse::parse(text, options_, arena_);
        if (!parsed) {
            if (parsed.empty()) return;
            const std::string_view expected = parsed.error.expected;
            return problem(line_ + static_cast<int>(parsed.error.line) - 1,
                           fmt::format("not understood near '{}'{}{}", parsed.error.near_text,
                                       expected.empty() ? "" : "; expected ", expected));
        }
        const sqlparse::Statement& statement = *parsed.statement;
        statement_line_ = line_ + lines_of(text.substr(0, statement.span.offset));
        if (const auto* table = statement.as<sqlparse::CreateTable>()) return read_table(statement, *table);
        if (const auto* use = statement.as<sqlparse::Use>()) return choose(use->database.text);
        if (const auto* database = statement.as<sqlparse::CreateDatabase>()) {
            known_database(database->name.text);
            return;
        }
        const std::string_view kind = sqlparse::kind_of(statement);
        const bool harmless = statement.as<sqlparse::Set>() || statement.as<sqlparse::LockTables>() ||
                              statement.as<sqlparse::UnlockTables>();
        if (harmless) return;
        if (statement.as<sqlparse::DropTable>()) {
            result_.passed_over.push_back(
                fmt::format("{}:{}: DROP TABLE is passed over; apply never drops", file_, statement_line_));
            return;
        }
        if (statement.as<sqlparse::Insert>())
            return problem(statement_line_, "a schema file holds no rows; load them through Shardway");
        problem(statement_line_,
                fmt::format("apply takes CREATE TABLE, CREATE DATABASE and USE; this is {}", kind));
    }

    bool known_database(std::string_view name) {
        if (rules_.find_database(name) != nullptr) return true;
        problem(statement_line_, fmt::format("the rules name no database '{}'", name));
        return false;
    }

    void choose(std::string_view name) {
        if (known_database(name)) database_ = name;
    }

    void read_table(const sqlparse::Statement& statement, const sqlparse::CreateTable& create) {
        if (create.query != nullptr || create.like != nullptr)
            return problem(statement_line_, "a table by SELECT or LIKE is not taken; write its columns");
        if (create.temporary || create.or_replace)
            return problem(statement_line_, "apply neither replaces tables nor makes temporary ones");
        SchemaTable table;
        table.database = create.table.database ? std::string{create.table.database.text} : database_;
        table.name = create.table.name.text;
        table.line = statement_line_;
        if (table.database.empty())
            return problem(statement_line_,
                           fmt::format("the rules have several databases; say which one table '{}' "
                                       "belongs to, by USE or as database.table",
                                       table.name));
        if (!known_database(table.database)) return;
        for (const SchemaTable& other : result_.tables)
            if (other.database == table.database && other.name == table.name)
                return problem(statement_line_, fmt::format("table '{}.{}' stands already in line {}",
                                                            table.database, table.name, other.line));
        const std::uint32_t start = statement.span.offset;
        const auto moved = [start](Span span) { return Span{span.offset - start, span.length}; };
        table.text = statement.span.of(statement.text);
        table.name_span = moved(create.table.span());
        table.if_not_exists = create.if_not_exists;
        for (const sqlparse::TableElement& element : create.elements) {
            if (const auto* key = std::get_if<const sqlparse::KeyDefinition*>(&element)) {
                table.named_constraints |=
                    static_cast<bool>((*key)->constraint) &&
                    ((*key)->kind == sqlparse::KeyKind::foreign || (*key)->kind == sqlparse::KeyKind::check);
                if ((*key)->references != nullptr && !add_reference(table, *(*key)->references, moved))
                    return;
            }
            if (const auto* column = std::get_if<const sqlparse::ColumnDefinition*>(&element)) {
                for (const sqlparse::ColumnAttribute& attribute : (*column)->attributes) {
                    table.named_constraints |= static_cast<bool>(attribute.name) &&
                                               (attribute.kind == sqlparse::ColumnAttributeKind::check ||
                                                attribute.kind == sqlparse::ColumnAttributeKind::references);
                    if (attribute.references != nullptr &&
                        !add_reference(table, *attribute.references, moved))
                        return;
                }
            }
        }
        result_.tables.push_back(std::move(table));
    }

    template <class Move>
    bool add_reference(SchemaTable& table, const sqlparse::References& references, const Move& moved) {
        const sqlparse::QualifiedName& target = references.table;
        if (target.database && target.database.text != table.database) {
            problem(statement_line_, fmt::format("a foreign key of '{}' leads to another database, '{}'",
                                                 table.name, target.database.text));
            return false;
        }
        table.references.push_back({std::string{target.name.text}, moved(target.span())});
        return true;
    }

    const std::string& file_;
    const rules::Rules& rules_;
    std::string database_;
    sqlparse::ParseOptions options_;
    sqlparse::Arena arena_;
    SchemaFile result_;
    int line_ = 1;
    int statement_line_ = 1;
};

}  // namespace

SchemaFile read_schema(std::string_view text, const std::string& file, const rules::Rules& rules,
                       std::string_view default_database, const sqlparse::ParseOptions& options) {
    SchemaReader reader{file, rules, default_database, options};
    return reader.read(text);
}

schema::Catalog catalog_of(const SchemaFile& file, const sqlparse::ParseOptions& options) {
    schema::Catalog::Databases databases;
    sqlparse::Arena arena;
    for (const SchemaTable& table : file.tables) {
        arena.reset();
        const auto parsed = sqlparse::parse(table.text, options, arena);
        const auto* create = parsed ? parsed.statement->as<sqlparse::CreateTable>() : nullptr;
        auto built = create == nullptr ? std::nullopt
                                       : schema::table_from_ddl(*create, parsed.statement->text, options);
        if (built)
            databases[table.database].emplace(table.name,
                                              std::make_shared<const schema::Table>(std::move(*built)));
    }
    return schema::Catalog{std::move(databases)};
}

std::string default_schema_database(const rules::Rules& rules) {
    std::optional<std::string> found;
    for (const auto& [name, database] : rules.databases) {
        if (database.is_single_node()) continue;
        if (found) return {};
        found = name;
    }
    if (found) return *found;
    return rules.databases.size() == 1 ? rules.databases.begin()->first : std::string{};
}

}  // namespace shardway::cli
