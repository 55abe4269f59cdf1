#include "middleware/exec/warnings.hpp"

#include <algorithm>
#include <charconv>

#include "middleware/exec/logical.hpp"

namespace shardway::exec {

namespace {

backend::Level level_of(std::string_view word) {
    if (word == "Error") return backend::Level::error;
    return word == "Note" ? backend::Level::note : backend::Level::warning;
}

// "… at row 3" is 3.
std::uint64_t row_of(const std::string& message) {
    constexpr std::string_view words = " at row ";
    const std::size_t at = message.rfind(words);
    std::uint64_t row = 0;
    if (at != message.npos)
        std::from_chars(message.data() + at + words.size(), message.data() + message.size(), row);
    return row;
}

}  // namespace

std::vector<backend::Diagnostic> diagnostics_of(const std::vector<backend::FetchedRow>& rows,
                                                const plan::Part& part) {
    std::vector<backend::Diagnostic> diagnostics;
    for (const backend::FetchedRow& row : rows) {
        if (row.size() != 3 || !row[0] || !row[1] || !row[2]) continue;
        std::uint16_t code = 0;
        std::from_chars(row[1]->data(), row[1]->data() + row[1]->size(), code);
        diagnostics.push_back({level_of(*row[0]), code, logical_message(*row[2], part)});
    }
    return diagnostics;
}

void sort_by_row(std::vector<backend::Diagnostic>& diagnostics) {
    std::stable_sort(diagnostics.begin(), diagnostics.end(),
                     [](const backend::Diagnostic& a, const backend::Diagnostic& b) {
                         return row_of(a.message) < row_of(b.message);
                     });
}

net::Task<void> collect_warnings(backend::Connection& connection, const plan::Part& part, std::uint32_t count,
                                 backend::Diagnostics& diagnostics) {
    auto rows = co_await backend::fetch_rows(connection, "SHOW WARNINGS");
    std::uint32_t collected = 0;
    if (!rows.has_error()) {
        for (backend::Diagnostic& each : diagnostics_of(rows.value(), part)) {
            diagnostics.add(each.level, each.code, std::move(each.message));
            ++collected;
        }
    }
    if (collected < count) diagnostics.add_count(count - collected);
}

}  // namespace shardway::exec
