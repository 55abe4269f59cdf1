// What the results of a statement's parts look like: the same from all of them, or the statement ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "middleware/backend/answer.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/column.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::exec {

// Of a column what decides how its values compare and add up.
struct ColumnShape {
    protocol::ColumnType type = protocol::ColumnType::null;
    std::uint16_t flags = 0;
    std::uint16_t collation = 0;
    std::uint8_t decimals = 0;

    bool is_unsigned() const { return (flags & protocol::column_flag::is_unsigned) != 0; }
};

// The columns that the client is shown are those of the first part that answers, less the last `hidden`.
class ResultColumns {
public:
    explicit ResultColumns(std::uint32_t hidden) : hidden_{hidden} {}

    // A part's columns have come. The error when their values cannot stand beside those of the parts before;
    // `part` outlives this.
    std::optional<protocol::SqlError> take(backend::AnswerStream::Columns columns, const plan::Part& part,
                                           std::string_view node_name);

    bool known() const { return first_part_ != nullptr; }
    std::span<const ColumnShape> shapes() const { return shapes_; }
    std::uint32_t visible() const { return static_cast<std::uint32_t>(shapes_.size()) - hidden_; }
    // Views of this.
    backend::AnswerStream::Columns visible_columns() const;
    std::span<const plan::NameMapping> names() const { return first_part_->names; }

private:
    const std::uint32_t hidden_;
    const plan::Part* first_part_ = nullptr;
    std::string first_node_;
    std::vector<ColumnShape> shapes_;
    protocol::Buffer frames_;  // of the visible columns
};

}  // namespace shardway::exec
