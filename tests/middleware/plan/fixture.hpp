// A topology from a rules file and a catalog of the model's tables, a session, and a planner: what the
// planner's tests share.
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/plan/merge.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/plan/sample_ids.hpp"
#include "rules/load.hpp"
#include "rules/topology.hpp"

namespace plan_test {

using namespace shardway;

inline std::string read_whole(const std::string& file) {
    std::ifstream in{file, std::ios::binary};
    if (!in) throw std::runtime_error{"cannot read " + file};
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

// "user_id bigint", "name varchar utf8mb4_bin null", "id bigint unsigned auto_increment", "note varchar
// default"
inline schema::Column make_column(const std::string& text) {
    std::istringstream words{text};
    schema::Column column;
    std::string word;
    words >> column.name >> word;
    column.type = schema::column_type_named(word);
    column.type_text = word;
    column.nullable = false;
    column.length = 64;
    if (schema::is_text(column.type)) {
        column.charset = "utf8mb4";
        column.collation = "utf8mb4_general_ci";
    }
    while (words >> word) {
        if (word == "null")
            column.nullable = column.has_default = true;
        else if (word == "unsigned")
            column.is_unsigned = true;
        else if (word == "auto_increment")
            column.auto_increment = column.has_default = true;
        else if (word == "default")
            column.has_default = true;
        else if (word == "invisible")
            column.invisible = true;
        else
            column.collation = word;
    }
    return column;
}

inline std::shared_ptr<const schema::Table> make_table(const std::string& name,
                                                       const std::vector<std::string>& columns) {
    auto table = std::make_shared<schema::Table>();
    table->name = name;
    for (const std::string& column : columns) table->columns.push_back(make_column(column));
    return table;
}

inline schema::Catalog::Tables model_tables() {
    schema::Catalog::Tables tables;
    const auto add = [&](const std::string& name, const std::vector<std::string>& columns) {
        tables[name] = make_table(name, columns);
    };
    add("t_user",
        {"user_id bigint", "name varchar", "phone varchar null", "city varchar null", "created_at datetime"});
    add("t_order",
        {"user_id bigint", "order_id bigint", "merchant_id bigint", "status tinyint", "amount decimal",
         "note varchar null", "created_at datetime", "updated_at datetime default"});
    add("t_order_item",
        {"user_id bigint", "item_id bigint", "order_id bigint", "sku varchar", "qty int", "price decimal"});
    add("t_merchant", {"merchant_id bigint", "name varchar", "city varchar null"});
    add("t_setting", {"name varchar", "value varchar null"});
    return tables;
}

// The tables of tests/middleware/plan/rules.yaml.
inline schema::Catalog::Tables other_tables() {
    schema::Catalog::Tables tables;
    const auto add = [&](const std::string& name, const std::vector<std::string>& columns) {
        tables[name] = make_table(name, columns);
    };
    add("t_account", {"name varchar utf8mb4_bin", "balance decimal"});
    add("t_entry", {"entry_id bigint", "name varchar utf8mb4_bin", "amount decimal"});
    add("t_event", {"day date", "id bigint unsigned auto_increment", "what varchar"});
    add("t_note", {"id bigint auto_increment", "text varchar null"});
    add("t_far", {"id bigint", "text varchar null"});
    add("t_list", {"country varchar utf8mb4_bin", "id bigint"});
    add("t_pair", {"a bigint", "b bigint", "n bigint"});
    return tables;
}

// The tables of tests/middleware/plan/ids.yaml.
inline schema::Catalog::Tables id_tables() {
    schema::Catalog::Tables tables;
    const auto add = [&](const std::string& name, const std::vector<std::string>& columns) {
        tables[name] = make_table(name, columns);
    };
    add("user", {"id bigint auto_increment", "name varchar null"});
    add("item", {"id bigint auto_increment", "user_id bigint", "v varchar null"});
    add("gene", {"id bigint", "user_id bigint"});
    add("stamp", {"id bigint", "user_id bigint"});
    add("page", {"id char utf8mb4_bin", "v varchar null"});
    add("bytes", {"id binary", "v varchar null"});
    add("bare", {"id bigint auto_increment", "user_id bigint"});
    add("note", {"id bigint auto_increment", "v varchar null"});
    add("plain", {"id bigint auto_increment", "v varchar null"});
    add("alone", {"id bigint auto_increment", "v varchar null"});
    return tables;
}

inline std::shared_ptr<const rules::Topology> make_topology(const std::string& which) {
    static std::map<std::string, std::shared_ptr<const rules::Topology>> made;
    if (made.contains(which)) return made[which];
    const std::string folder = SHARDWAY_TESTS_DIR;
    const std::string file =
        which == "model" ? folder + "/model/shardway.yaml" : folder + "/middleware/plan/" + which + ".yaml";
    const rules::LoadResult loaded = rules::load_rules_file(file);
    for (const rules::Finding& finding : loaded.findings) throw std::runtime_error{finding.text()};
    schema::Catalog::Databases databases;
    databases["shop"] = which == "model" ? model_tables() : which == "ids" ? id_tables() : other_tables();
    return made[which] = rules::Topology::build(loaded.rules,
                                                std::make_shared<const schema::Catalog>(databases), {}, 1);
}

class TestSession final : public plan::SessionView {
public:
    std::set<std::string, std::less<>> databases{"shop", "legacy", "other", "nodb"};
    bool may_use(std::string_view database) const override { return databases.contains(database); }
    std::optional<std::string> variable(std::string_view, std::string_view name) const override {
        if (name == "version") return "'8.0.99-shardway'";
        if (name == "version_comment") return "'Shardway'";
        return std::nullopt;
    }
};

struct Bench {
    std::shared_ptr<const rules::Topology> topology;
    TestSession session;
    std::string database = "shop";
    sqlparse::ParseOptions options;
    std::optional<rules::NodeId> preferred;
    rules::KeyContext keys;
    mutable plan::SampleIds ids;
    bool zero_is_a_value = false;

    explicit Bench(const std::string& which = "model") : topology{make_topology(which)} {}
    plan::PlanContext context() const {
        plan::PlanContext context{.topology = *topology,
                                  .session = session,
                                  .options = options,
                                  .database = database,
                                  .user = "app@127.0.0.1",
                                  .current_user = "app@%",
                                  .keys = keys,
                                  .preferred_node = preferred};
        ids = {};
        context.ids = &ids;
        context.zero_is_a_value = zero_is_a_value;
        context.state_hash = zero_is_a_value;
        context.connection_id = 77;
        context.last_insert_id = 5;
        return context;
    }
};

inline std::string render(const plan::RowColumn& column) {
    return (column.hidden ? "h" : "") + std::to_string(column.index);
}

inline std::string render(const std::vector<plan::MergeKey>& keys) {
    std::string out;
    for (const plan::MergeKey& key : keys) {
        out += (out.empty() ? "" : ", ") + render(key.column);
        if (key.weight) out += " by " + render(*key.weight);
        if (key.descending) out += " desc";
    }
    return out;
}

// Columns by number, hidden ones as h0, h1, ...; "by" names the weight.
inline std::string render(const plan::Merge& merge) {
    static constexpr const char* kinds[] = {"concatenate", "ordered", "aggregate"};
    static constexpr const char* folds[] = {"first",   "count", "sum", "min", "max",
                                            "average", "and",   "or",  "xor"};
    std::ostringstream out;
    out << "merge " << kinds[static_cast<int>(merge.kind)];
    if (merge.hidden != 0) out << ", hidden " << merge.hidden;
    if (!merge.groups.empty()) out << ", groups (" << render(merge.groups) << ")";
    if (!merge.columns.empty()) {
        out << ", columns";
        for (const plan::MergeColumn& column : merge.columns) {
            out << " " << folds[static_cast<int>(column.how)];
            if (column.weight) out << "(by " << render(*column.weight) << ")";
            if (column.how == plan::Combine::average)
                out << "(" << render(column.sum) << "/" << render(column.count) << ")";
        }
    }
    if (!merge.order.empty()) out << ", order (" << render(merge.order) << ")";
    if (merge.limit) out << ", limit " << *merge.limit;
    if (merge.offset != 0) out << " offset " << merge.offset;
    out << "\n";
    return out.str();
}

// What the session would be told, as lines of text. Of a scatter over many shards the first two parts are
// shown.
inline std::string render(const protocol::Result<plan::Routed>& result, const rules::Topology& topology) {
    std::ostringstream out;
    if (result.has_error()) {
        out << "error " << result.error().code << ": " << result.error().message << "\n";
        return out.str();
    }
    const plan::Routed& routed = *result;
    out << name_of(routed.strategy);
    if (routed.strategy != plan::Strategy::session) out << ", " << name_of(routed.access);
    if (routed.plan->unparsed) out << ", unparsed";
    if (routed.plan->implicit_commit) out << ", commits";
    if (routed.plan->locking_read) out << ", locks";
    if (routed.ids && routed.ids->first_made != 0) out << ", first id " << routed.ids->first_made;
    if (routed.ids && routed.ids->all_given) out << ", ids are given";
    if (routed.ids && routed.ids->last_given) out << ", the last is " << *routed.ids->last_given;
    out << "\n";
    if (routed.merge) out << render(*routed.merge);
    const bool scatter = routed.access == plan::AccessPath::scatter;
    std::size_t shown = 0;
    for (const plan::Part& part : routed.parts) {
        if (scatter && ++shown > 2) continue;
        out << topology.node(part.node).name << " " << part.default_database;
        if (part.shard) out << " #" << part.shard->value;
        out << ": " << part.text;
        for (std::size_t i = 0; i < part.rows.size(); ++i)
            out << (i == 0 ? "  -- rows " : ",") << part.rows[i];
        out << "\n";
    }
    if (shown > 2) out << "and " << shown - 2 << " more\n";
    return out.str();
}

}  // namespace plan_test
