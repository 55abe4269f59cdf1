// The tree of one statement. Reading order: ast_expr.hpp, ast_select.hpp, ast_dml.hpp, ast_ddl.hpp,
// ast_admin.hpp.
#pragma once

#include "sqlparse/ast_admin.hpp"

namespace shardway::sqlparse {

struct Statement {
    std::string_view text;         // what the spans count in: the parsed text, which must outlive the tree
    Span span;                     // from the first token to the last, without `;`
    std::uint32_t parameters = 0;  // how many ?
    std::variant<std::monostate, const Query*, const Insert*, const Update*, const Delete*, const LoadData*,
                 const Call*, const Do*, const Handler*, const Begin*, const Commit*, const Rollback*,
                 const Savepoint*, const ReleaseSavepoint*, const Xa*, const LockTables*, const UnlockTables*,
                 const Set*, const Use*, const Kill*, const Prepare*, const Execute*, const Deallocate*,
                 const CreateTable*, const AlterTable*, const RenameTable*, const DropTable*,
                 const TruncateTable*, const CreateIndex*, const DropIndex*, const CreateView*,
                 const DropView*, const CreateDatabase*, const AlterDatabase*, const DropDatabase*,
                 const Sequence*, const Show*, const Describe*, const Explain*, const Flush*, const Maintain*,
                 const Unread*>
        node;

    template <class T>
    const T* as() const {
        const auto* found = std::get_if<const T*>(&node);
        return found ? *found : nullptr;
    }
};

// "select", "insert", "replace", "update", "create table", …: the words that a report would use.
std::string_view kind_of(const Statement& statement);

}  // namespace shardway::sqlparse
