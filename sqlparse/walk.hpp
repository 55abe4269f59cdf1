// Going through a tree without spelling out its kinds of nodes.
#pragma once

#include <type_traits>
#include <variant>

#include "sqlparse/ast.hpp"
#include "sqlparse/reflect.hpp"

namespace shardway::sqlparse {

namespace walk_detail {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<List<T>> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

// Structs that hold neither expressions nor tables.
template <class T>
inline constexpr bool is_plain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string_view> ||
    std::is_same_v<T, Span> || std::is_same_v<T, Raw> || std::is_same_v<T, Name> ||
    std::is_same_v<T, QualifiedName> || std::is_same_v<T, std::monostate> || std::is_same_v<T, Literal> ||
    std::is_same_v<T, Parameter>;

// Hands `visit` the nearest Expr, Query, TableRef, Select and Statement nodes within `part`.
template <class T, class Visit>
void nearest(const T& part, Visit& visit) {
    if constexpr (is_plain<T>) {
    } else if constexpr (std::is_pointer_v<T>) {
        if (part) nearest(*part, visit);
    } else if constexpr (IsList<T>::value) {
        using Item = std::remove_cvref_t<decltype(*part.begin())>;
        if constexpr (!is_plain<Item>)
            for (const auto& item : part) nearest(item, visit);
    } else if constexpr (IsVariant<T>::value) {
        std::visit([&](const auto& alternative) { nearest(alternative, visit); }, part);
    } else if constexpr (std::is_same_v<T, Expr>) {
        if (part) visit(part);
    } else if constexpr (std::is_same_v<T, TableRef> || std::is_same_v<T, Query> ||
                         std::is_same_v<T, Select> || std::is_same_v<T, Statement>) {
        visit(part);
    } else {
        reflect::for_each_member(part, [&](const auto& member) { nearest(member, visit); });
    }
}

}  // namespace walk_detail

// Calls `visit` with each node directly below `parent`. `visit` is callable with const Expr&, const
// TableRef&, const Query&, const Select& and const Statement&: a set of overloads, or a generic lambda. What
// lies between (a WHEN, an ORDER BY item, a window, a definition) is passed through. Absent expressions are
// left out. Order is the order of the members, which is nearly that of the text.
template <class Parent, class Visit>
void for_each_child(const Parent& parent, Visit&& visit) {
    if constexpr (std::is_same_v<Parent, Expr> || std::is_same_v<Parent, TableRef> ||
                  std::is_same_v<Parent, Statement>) {
        std::visit([&](const auto& node) { walk_detail::nearest(node, visit); }, parent.node);
    } else {
        reflect::for_each_member(parent, [&](const auto& member) { walk_detail::nearest(member, visit); });
    }
}

// A set of overloads from lambdas: Overloaded{[](const Expr&) {…}, [](const Query&) {…}, [](const auto&) {}}.
template <class... T>
struct Overloaded : T... {
    using T::operator()...;
};
template <class... T>
Overloaded(T...) -> Overloaded<T...>;

// Calls `enter` with every Expr in `expr`, itself first; where `enter` answers false, what is below is left
// out. Subqueries are not entered.
template <class Enter>
void for_each_expr(const Expr& expr, Enter& enter) {
    if (!expr || !enter(expr)) return;
    for_each_child(expr,
                   Overloaded{[&](const Expr& child) { for_each_expr(child, enter); }, [](const auto&) {}});
}

}  // namespace shardway::sqlparse
