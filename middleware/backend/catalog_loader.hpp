// Reads the catalog of tables from the template databases when serving starts, and after a DDL.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "middleware/backend/control_connection.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "schema/catalog.hpp"

namespace shardway::backend {

// A logical database and the nodes that have its template, best first (the default node, then the others):
// all templates are alike, so the first node that answers is asked.
struct CatalogSource {
    std::string database;
    std::vector<ControlTarget> nodes;
};

struct LoadedCatalog {
    std::shared_ptr<const schema::Catalog> catalog;
    std::vector<std::string> empty;  // databases without a table: `shardway apply` was not run yet
    std::vector<protocol::SqlError> unreachable;  // nodes that did not answer, where another one did
};

// All databases at the same time, a thread each (at most load_threads_max). The error of the database for
// which no node answered, or of a query that failed.
protocol::Result<LoadedCatalog> load_catalog(std::span<const CatalogSource> sources);
constexpr std::size_t load_threads_max = 16;

// One database's tables by a connection that is open: what a DDL refreshes.
protocol::Result<schema::Catalog::Tables> load_tables(ControlConnection& connection,
                                                      std::string_view database);

}  // namespace shardway::backend
