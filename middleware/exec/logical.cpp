#include "middleware/exec/logical.hpp"

#include <charconv>

namespace shardway::exec {

namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

// Replaces whole words only: shop_01 is not part of shop_010.
void replace_word(std::string& text, std::string_view from, std::string_view to) {
    if (from.empty() || from == to) return;
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at)) {
        const std::size_t end = at + from.size();
        const bool whole = (at == 0 || !is_name_character(text[at - 1])) &&
                           (end == text.size() || !is_name_character(text[end]));
        if (!whole) {
            at = end;
            continue;
        }
        text.replace(at, from.size(), to);
        at += to.size();
    }
}

void map_row_number(std::string& text, const std::vector<std::uint32_t>& rows) {
    constexpr std::string_view marker = " at row ";
    const std::size_t at = text.rfind(marker);
    if (rows.empty() || at == text.npos) return;
    const char* const digits = text.data() + at + marker.size();
    std::uint32_t row = 0;
    const auto [end, error] = std::from_chars(digits, text.data() + text.size(), row);
    if (error != std::errc{} || row == 0 || row > rows.size()) return;
    text.replace(at + marker.size(), static_cast<std::size_t>(end - digits),
                 std::to_string(rows[row - 1] + 1));
}

}  // namespace

std::string logical_message(std::string_view message, const plan::Part& part) {
    std::string text{message};
    for (const plan::NameMapping& name : part.names) {
        replace_word(text, name.physical_database, name.logical_database);
        replace_word(text, name.physical_table, name.logical_table);
    }
    map_row_number(text, part.rows);
    return text;
}

protocol::SqlError logical_error(protocol::SqlError error, const plan::Part& part) {
    error.message = logical_message(error.message, part);
    return error;
}

}  // namespace shardway::exec
