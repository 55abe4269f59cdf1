#include "middleware/exec/warnings.hpp"

#include "middleware/backend/fetch.hpp"
#include "middleware/exec/logical.hpp"

namespace shardway::exec {

namespace {

backend::Level level_of(std::string_view word) {
    if (word == "Error") return backend::Level::error;
    return word == "Note" ? backend::Level::note : backend::Level::warning;
}

}  // namespace

net::Task<void> collect_warnings(backend::Connection& connection, const plan::Part& part, std::uint32_t count,
                                 backend::Diagnostics& diagnostics) {
    auto rows = co_await backend::fetch_rows(connection, "SHOW WARNINGS");
    std::uint32_t collected = 0;
    if (!rows.has_error()) {
        for (const backend::FetchedRow& row : rows.value()) {
            if (row.size() != 3 || !row[0] || !row[1] || !row[2]) continue;
            diagnostics.add(level_of(*row[0]), static_cast<std::uint16_t>(std::stoul(*row[1])),
                            logical_message(*row[2], part));
            ++collected;
        }
    }
    if (collected < count) diagnostics.add_count(count - collected);
}

}  // namespace shardway::exec
