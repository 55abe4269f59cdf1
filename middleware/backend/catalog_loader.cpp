#include "middleware/backend/catalog_loader.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "middleware/protocol/errors.hpp"

namespace shardway::backend {

namespace {

struct LoadedDatabase {
    schema::Catalog::Tables tables;
    std::optional<protocol::SqlError> failure;
    std::vector<protocol::SqlError> unreachable;
};

LoadedDatabase load_database(const CatalogSource& source) {
    LoadedDatabase loaded;
    for (const ControlTarget& target : source.nodes) {
        auto connection = ControlConnection::connect(target);
        if (connection.has_error()) {
            loaded.unreachable.push_back(connection.error());
            continue;
        }
        auto tables = load_tables(*connection, source.database);
        if (tables.has_error())
            loaded.failure = tables.error();
        else
            loaded.tables = std::move(*tables);
        return loaded;
    }
    loaded.failure = loaded.unreachable.empty() ? protocol::internal_error("a database without nodes")
                                                : loaded.unreachable.front();
    return loaded;
}

}  // namespace

protocol::Result<schema::Catalog::Tables> load_tables(ControlConnection& connection,
                                                      std::string_view database) {
    auto tables = connection.query(schema::tables_query(database));
    if (tables.has_error()) return tables.error();
    auto columns = connection.query(schema::columns_query(database));
    if (columns.has_error()) return columns.error();
    auto keys = connection.query(schema::keys_query(database));
    if (keys.has_error()) return keys.error();
    return schema::tables_from_rows(tables->rows, columns->rows, keys->rows);
}

protocol::Result<LoadedCatalog> load_catalog(std::span<const CatalogSource> sources) {
    std::vector<LoadedDatabase> loaded(sources.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < sources.size(); i = next++) loaded[i] = load_database(sources[i]);
    };
    {
        std::vector<std::jthread> threads;
        const std::size_t count = std::min(sources.size(), load_threads_max);
        for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
        work();
    }
    LoadedCatalog result;
    schema::Catalog::Databases databases;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (loaded[i].failure) return *loaded[i].failure;
        if (loaded[i].tables.empty()) result.empty.push_back(sources[i].database);
        for (auto& error : loaded[i].unreachable)
            if (std::find(result.unreachable.begin(), result.unreachable.end(), error) ==
                result.unreachable.end())
                result.unreachable.push_back(std::move(error));
        databases[sources[i].database] = std::move(loaded[i].tables);
    }
    result.catalog = std::make_shared<const schema::Catalog>(std::move(databases));
    return result;
}

}  // namespace shardway::backend
