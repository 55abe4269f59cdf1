#include <cstddef>

#include "sqlparse/ast.hpp"
#include "sqlparse/walk.hpp"

namespace shardway::sqlparse {

namespace {

struct KindOf {
    std::string_view operator()(std::monostate) const { return "none"; }
    std::string_view operator()(const Query* query) const {
        if (std::holds_alternative<const ValuesTable*>(query->term)) return "values";
        if (std::holds_alternative<const TableQuery*>(query->term)) return "table";
        return "select";
    }
    std::string_view operator()(const Insert* insert) const { return insert->replace ? "replace" : "insert"; }
    std::string_view operator()(const Update*) const { return "update"; }
    std::string_view operator()(const Delete*) const { return "delete"; }
    std::string_view operator()(const LoadData* load) const { return load->xml ? "load xml" : "load data"; }
    std::string_view operator()(const Call*) const { return "call"; }
    std::string_view operator()(const Do*) const { return "do"; }
    std::string_view operator()(const Handler*) const { return "handler"; }
    std::string_view operator()(const Begin*) const { return "begin"; }
    std::string_view operator()(const Commit*) const { return "commit"; }
    std::string_view operator()(const Rollback*) const { return "rollback"; }
    std::string_view operator()(const Savepoint*) const { return "savepoint"; }
    std::string_view operator()(const ReleaseSavepoint*) const { return "release savepoint"; }
    std::string_view operator()(const Xa*) const { return "xa"; }
    std::string_view operator()(const LockTables*) const { return "lock tables"; }
    std::string_view operator()(const UnlockTables* unlock) const {
        if (unlock->instance == InstanceForm::lock_instance) return "lock instance";
        if (unlock->instance == InstanceForm::unlock_instance) return "unlock instance";
        return "unlock tables";
    }
    std::string_view operator()(const Set*) const { return "set"; }
    std::string_view operator()(const Use*) const { return "use"; }
    std::string_view operator()(const Kill*) const { return "kill"; }
    std::string_view operator()(const Prepare*) const { return "prepare"; }
    std::string_view operator()(const Execute*) const { return "execute"; }
    std::string_view operator()(const Deallocate*) const { return "deallocate"; }
    std::string_view operator()(const CreateTable*) const { return "create table"; }
    std::string_view operator()(const AlterTable*) const { return "alter table"; }
    std::string_view operator()(const RenameTable*) const { return "rename table"; }
    std::string_view operator()(const DropTable*) const { return "drop table"; }
    std::string_view operator()(const TruncateTable*) const { return "truncate table"; }
    std::string_view operator()(const CreateIndex*) const { return "create index"; }
    std::string_view operator()(const DropIndex*) const { return "drop index"; }
    std::string_view operator()(const CreateView* view) const {
        return view->alter ? "alter view" : "create view";
    }
    std::string_view operator()(const DropView*) const { return "drop view"; }
    std::string_view operator()(const CreateDatabase*) const { return "create database"; }
    std::string_view operator()(const AlterDatabase*) const { return "alter database"; }
    std::string_view operator()(const DropDatabase*) const { return "drop database"; }
    std::string_view operator()(const Sequence* sequence) const {
        if (sequence->form == SequenceForm::create) return "create sequence";
        return sequence->form == SequenceForm::alter ? "alter sequence" : "drop sequence";
    }
    std::string_view operator()(const Show*) const { return "show"; }
    std::string_view operator()(const Describe*) const { return "describe"; }
    std::string_view operator()(const Explain*) const { return "explain"; }
    std::string_view operator()(const Flush*) const { return "flush"; }
    std::string_view operator()(const Maintain* maintain) const {
        switch (maintain->kind) {
        case MaintainKind::analyze: return "analyze table";
        case MaintainKind::check: return "check table";
        case MaintainKind::optimize: return "optimize table";
        case MaintainKind::repair: return "repair table";
        case MaintainKind::checksum: return "checksum table";
        case MaintainKind::cache_index: return "cache index";
        case MaintainKind::load_index: return "load index";
        }
        return "analyze table";
    }
    std::string_view operator()(const Unread* unread) const { return unread->kind; }
};

}  // namespace

std::string_view kind_of(const Statement& statement) { return std::visit(KindOf{}, statement.node); }

}  // namespace shardway::sqlparse
