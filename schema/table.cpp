#include "schema/table.hpp"

namespace shardway::schema {

namespace {

constexpr char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

bool same_identifier(std::string_view left, std::string_view right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i)
        if (folded(left[i]) != folded(right[i])) return false;
    return true;
}

std::optional<std::size_t> Table::find_column(std::string_view column) const {
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (same_identifier(columns[i].name, column)) return i;
    return std::nullopt;
}

std::optional<std::size_t> Table::auto_increment_column() const {
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].auto_increment) return i;
    return std::nullopt;
}

}  // namespace shardway::schema
