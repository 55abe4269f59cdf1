// Rows with equal groups become one: aggregates over several shards, and DISTINCT.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "middleware/backend/statement_context.hpp"
#include "middleware/exec/number_text.hpp"
#include "middleware/exec/result_columns.hpp"
#include "middleware/exec/sort_key.hpp"
#include "middleware/plan/merge.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "middleware/protocol/text_row.hpp"

namespace shardway::exec {

// Takes the shards' rows in any order, hands out the result's rows sorted. Groups are kept in a hash table
// whose bytes count in the statement's budget (invariant 5).
class Fold {
public:
    // All outlive it. Fails where values of a column's type cannot be grouped, compared or added here.
    static protocol::Result<std::unique_ptr<Fold>> make(const plan::Merge& merge,
                                                        std::span<const ColumnShape> shapes,
                                                        std::size_t sort_bytes_max,
                                                        backend::StatementContext& context);
    ~Fold() { context_.budget.give(charged_); }
    Fold(const Fold&) = delete;
    Fold& operator=(const Fold&) = delete;

    std::optional<protocol::SqlError> add(protocol::Bytes row);

    // All rows have come: sorts the groups, by the first columns that GROUP BY names where nothing else is
    // asked for, so that the same data give the same order.
    std::optional<protocol::SqlError> finish();
    std::size_t size() const { return sorted_.size(); }
    // The payload of a row: its visible columns. Lives until the next call.
    protocol::Bytes row(std::size_t index);

private:
    struct Average {
        std::variant<Decimal, double> sum;
        std::int64_t count = 0;
    };
    // What a column has come to so far. Nothing: NULL, or a column that is copied.
    using Total = std::variant<std::monostate, std::int64_t, std::uint64_t, Decimal, double, Average>;
    struct Group {
        std::vector<std::optional<std::string>> values;  // of the whole row
        std::vector<Total> totals;                       // of the visible columns
    };
    using Groups = std::unordered_map<std::string, Group>;

    Fold(const plan::Merge& merge, std::span<const ColumnShape> shapes, backend::StatementContext& context);

    std::optional<protocol::SqlError> check_columns() const;
    bool charge(std::size_t bytes);
    bool begin_group(Group& group, std::span<const protocol::Value> row);
    bool combine(Group& group, std::span<const protocol::Value> row);
    bool add_to(Total& total, const plan::MergeColumn& column, std::uint32_t index,
                std::span<const protocol::Value> row) const;
    bool add_average(Total& total, const plan::MergeColumn& column,
                     std::span<const protocol::Value> row) const;
    bool keep_extreme(Group& group, const plan::MergeColumn& column, std::uint32_t index,
                      std::span<const protocol::Value> row);
    std::optional<std::string> text_of(const Total& total, std::uint32_t index) const;
    std::uint32_t position(const plan::RowColumn& column) const;

    const plan::Merge& merge_;
    const std::span<const ColumnShape> shapes_;
    backend::StatementContext& context_;
    const std::uint32_t visible_;
    KeyEncoder groups_of_, order_of_;
    std::vector<std::optional<KeyEncoder>> extreme_of_;  // of min and max columns

    Groups groups_;
    struct Sorted {
        std::string order;
        Groups::value_type* group;
    };
    std::vector<Sorted> sorted_;
    std::vector<protocol::Value> scratch_;
    std::string key_, other_key_;
    protocol::Buffer row_;
    std::size_t charged_ = 0;
    std::optional<protocol::SqlError> error_;
};

}  // namespace shardway::exec
