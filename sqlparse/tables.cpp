#include "sqlparse/tables.hpp"

#include <algorithm>
#include <type_traits>

#include "sqlparse/walk.hpp"

namespace shardway::sqlparse {

namespace {

class TableCollector {
public:
    template <class T>
    void collect(const T& part) {
        using namespace walk_detail;
        if constexpr (std::is_same_v<T, QualifiedName>) {
            if (part.name) names_.push_back(part);
        } else if constexpr (std::is_same_v<T, CommonTable>) {
            common_.push_back(part.name.text);
            collect(part.query);
        } else if constexpr (std::is_same_v<T, Function>) {
            collect(part.arguments);
        } else if constexpr (std::is_same_v<T, Call>) {
            collect(part.arguments);
        } else if constexpr (std::is_same_v<T, Show>) {
            if (part.kind != ShowKind::create_other && part.kind != ShowKind::engine &&
                part.kind != ShowKind::function_code && part.kind != ShowKind::procedure_code)
                collect(part.table);
            collect(part.where);
        } else if constexpr (is_plain<T> || std::is_same_v<T, Raw> || std::is_same_v<T, DeleteTarget> ||
                             std::is_same_v<T, SequenceValue>) {
            // DELETE's targets are names of its FROM.
        } else if constexpr (std::is_pointer_v<T>) {
            if (part) collect(*part);
        } else if constexpr (IsList<T>::value) {
            for (const auto& item : part) collect(item);
        } else if constexpr (IsVariant<T>::value) {
            std::visit([&](const auto& alternative) { collect(alternative); }, part);
        } else if constexpr (std::is_same_v<T, Expr> || std::is_same_v<T, TableRef> ||
                             std::is_same_v<T, Statement>) {
            collect(part.node);
        } else {
            reflect::for_each_member(part, [&](const auto& member) { collect(member); });
        }
    }

    std::vector<QualifiedName> take() {
        std::vector<QualifiedName> result;
        for (const QualifiedName& name : names_) {
            const bool common =
                !name.database && std::find(common_.begin(), common_.end(), name.name.text) != common_.end();
            const bool known = std::any_of(result.begin(), result.end(), [&](const QualifiedName& other) {
                return other.database.text == name.database.text && other.name.text == name.name.text;
            });
            if (!common && !known) result.push_back(name);
        }
        return result;
    }

private:
    std::vector<QualifiedName> names_;
    std::vector<std::string_view> common_;
};

}  // namespace

std::vector<QualifiedName> tables_of(const Statement& statement) {
    TableCollector collector;
    collector.collect(statement);
    return collector.take();
}

}  // namespace shardway::sqlparse
