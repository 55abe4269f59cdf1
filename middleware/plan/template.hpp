// A plan's inner side: everything that was found out about a statement, with holes for its values. `fill`
// puts one text's values in. Pure; pointers go into the topology that the plan was made for (its epoch is
// part of the cache key).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "middleware/plan/bind.hpp"
#include "middleware/plan/condition.hpp"
#include "middleware/plan/plan.hpp"

namespace shardway::plan {

// An edit as it is kept. The span is of the text that the plan was made from; in another text with the same
// key the anchors find it again.
struct EditTemplate {
    sqlparse::Span span;
    sqlparse::Span label;
    sqlparse::Anchor first{}, last{};              // start of the span, end of the span
    sqlparse::Anchor label_first{}, label_last{};  // of the label
    Fill fill = Fill::text;
    ValueRef value{};         // of list
    std::uint32_t route = 0;  // position in RouteTemplate::sharded, for table names
    std::string text{};
    std::string scope{};
    bool scatter_only = false;  // made only when the statement goes to several shards
};

// A reference to a sharded table and what the conditions say of its key.
struct TableRoute {
    const rules::DatabaseState* database = nullptr;
    const rules::TableState* table = nullptr;
    Condition condition{};
    bool write_target = false;
};

// Where a statement without sharded tables may go.
enum class NodeChoice : std::uint8_t {
    fixed,   // RouteTemplate::node
    home,    // the default node of the session's database, the transaction's node before it, or any
    rotate,  // the transaction's node, or any
    every    // all nodes
};

// The shard of each entry of RouteTemplate::sharded. Few, and made for every statement: no heap.
using Shards = boost::container::small_vector<rules::ShardId, 4>;

struct InsertTemplate {
    std::uint32_t route = 0;
    // For each run of rows (sqlparse::ScanRow::run) the constants of the shard key, one per part. INSERT …
    // SET has one row that is no row of the scan.
    std::vector<std::vector<ValueRef>> runs;
    bool set_form = false;
    // The part of the key that is the id column, where a generator fills that.
    std::optional<std::size_t> id_part;
    bool ignore = false;  // INSERT IGNORE: the server makes something of what does not fit
};

// Who makes the ids that an INSERT leaves out.
enum class IdSource : std::uint8_t {
    generator,  // we, as the table's rule says
    server,     // the one that has the table
    nobody      // each shard would count by itself: refused
};

// The id column of an INSERT's table: that of the table's rule, or the AUTO_INCREMENT column.
struct IdTemplate {
    const rules::DatabaseState* database = nullptr;
    const rules::TableState* table = nullptr;
    const schema::Column* column = nullptr;
    std::size_t position = 0;  // of the column in its table
    IdSource source = IdSource::server;
    int gene_bits = 0;  // of the id: the slot of the row's key
    bool set_form = false;
    bool on_duplicate = false;
    // What a row gives for it.
    struct Given {
        enum class Form : std::uint8_t {
            absent,   // the column is not named
            missing,  // DEFAULT
            value,    // a literal, which may be NULL or 0
            unknown   // an expression, where NULL and 0 ask for nothing, or the server counts
        };
        Form form = Form::absent;
        ValueRef value{};         // of value
        std::uint32_t index = 0;  // among the row's values
        bool empty_row = false;   // ()
    };
    std::vector<Given> runs{};  // by sqlparse::ScanRow::run
};

struct ScatterTemplate;  // middleware/plan/scatter.hpp

struct RouteTemplate {
    std::vector<TableRoute> sharded;
    NodeChoice choice = NodeChoice::home;
    rules::NodeId node;                 // of fixed
    bool fixed_node = false;            // single tables are among the sharded ones: only that node will do
    std::optional<rules::NodeId> home;  // of home
    std::string_view default_database;  // in the topology, or none_database
    std::vector<EditTemplate> edits;    // by place
    std::optional<InsertTemplate> insert;
    std::optional<IdTemplate> ids;  // of an INSERT of rows
    std::uint32_t driver = 0;       // the entry of `sharded` whose slots decide in a scatter
    std::string scattered;          // what is refused when the tables do not meet in one place
    std::shared_ptr<const ScatterTemplate> scatter;  // how to run over several shards; null: refused
    std::uint32_t whole_until = 0;  // not 0: passed on unread, to this place, semicolons and all
    bool cacheable = true;          // all edits have anchors
};

// One text's parts. `rotation` chooses among equals. `plan` holds `route`.
protocol::Result<Routed> fill(const std::shared_ptr<const Plan>& plan, const RouteTemplate& route,
                              const Values& values, const PlanContext& context, std::uint32_t rotation,
                              const PlannerLimits& limits);

// From the binder's edits, sorted, with anchors. Routes are numbered by `route_of[instance]`.
void take_edits(RouteTemplate& route, const std::vector<Edit>& edits,
                const std::vector<std::uint32_t>& route_of, const sqlparse::Scan& scan);

// The physical names in a part, and what the client calls them.
void add_names(Part& part, const RouteTemplate& route, const Shards& shards);

// Where the statement begins and ends in the text when it travels: from its first token to its last, with the
// marks of an executable comment around them.
struct Extent {
    std::uint32_t begin = 0, end = 0;
};
Extent extent_of(std::string_view text, const sqlparse::Scan& scan);

std::size_t bytes_of(const Plan& plan, const RouteTemplate& route);

}  // namespace shardway::plan
