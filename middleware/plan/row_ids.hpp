// The ids that we give to the rows of an INSERT, where its text leaves a column to us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "middleware/plan/composer.hpp"
#include "middleware/plan/template.hpp"

namespace shardway::plan {

// The ids of one text's rows. For each row `before`, then, once its slot is known, `after`; then the edits.
class RowIds {
public:
    RowIds(const IdTemplate& ids, const Values& values, const PlanContext& context);

    std::size_t row_count() const { return rows_.size(); }
    // Decides whether the row needs an id, and makes one unless it carries the gene of its slot.
    std::optional<protocol::SqlError> before(std::size_t row);
    // Makes the others. `slot` of sharded tables.
    std::optional<protocol::SqlError> after(std::size_t row, std::optional<rules::Slot> slot);

    // The id made for the row, as a literal that routes; nothing where the text gives it. Lives until the
    // next call.
    std::optional<rules::Literal> literal(std::size_t row) const;
    // Of INSERT … SET: what is written as the id; empty where the text stays.
    const std::string& set_text() const { return rows_.front().text; }
    // Of VALUES: what to write into the rows, by place.
    std::vector<PlacedEdit> edits() const;
    InsertIds summary() const;

private:
    struct RowId {
        std::string text;  // SQL; empty: the row keeps what it gives
        std::string raw;   // the value itself
    };
    const IdTemplate::Given& given(std::size_t row) const;
    rules::Literal value_of(const IdTemplate::Given& given, std::size_t row) const;
    std::optional<protocol::SqlError> make(std::size_t row, std::optional<rules::Slot> slot);
    std::optional<protocol::SqlError> check_gene(rules::Slot slot) const;
    sqlparse::Span value_span(const IdTemplate::Given& given, std::size_t row) const;

    const IdTemplate& ids_;
    const Values& values_;
    const PlanContext& context_;
    std::vector<RowId> rows_;
    bool all_given_ = true;
    bool needs_gene_ = false;  // the current row waits for its slot
    std::uint64_t first_ = 0;
    std::optional<std::uint64_t> last_given_;
};

}  // namespace shardway::plan
