#include "middleware/exec/fold.hpp"

#include <algorithm>
#include <charconv>

#include "middleware/exec/attendance.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::exec {

using plan::Combine;
using protocol::ColumnType;
using protocol::SqlError;
using protocol::Value;

namespace {

// Weights are cut behind as many characters (middleware/plan/build_scatter.cpp). Texts of more bytes may
// differ where their weights do not.
constexpr std::size_t grouped_text_bytes_max = 1024;
constexpr std::size_t compared_text_bytes_max = 512;
// What a group costs beside its texts: its place in the table, and a pointer to it for sorting.
constexpr std::size_t group_bytes = 128;

template <class T>
bool read(const Value& value, T& number) {
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
    return error == std::errc{} && end == value->data() + value->size();
}

bool is_integer(ColumnType type) {
    return type == ColumnType::int64 || type == ColumnType::int32 || type == ColumnType::int24 ||
           type == ColumnType::int16 || type == ColumnType::int8;
}
bool is_decimal(ColumnType type) { return type == ColumnType::newdecimal || type == ColumnType::decimal; }
bool is_floating(ColumnType type) { return type == ColumnType::float64 || type == ColumnType::float32; }
bool is_bits(Combine how) {
    return how == Combine::bit_and || how == Combine::bit_or || how == Combine::bit_xor;
}

}  // namespace

Fold::Fold(const plan::Merge& merge, std::span<const ColumnShape> shapes, backend::StatementContext& context)
    : merge_{merge},
      shapes_{shapes},
      context_{context},
      visible_{static_cast<std::uint32_t>(shapes.size()) - merge.hidden},
      scratch_(shapes.size()) {}

protocol::Result<std::unique_ptr<Fold>> Fold::make(const plan::Merge& merge,
                                                   std::span<const ColumnShape> shapes,
                                                   std::size_t sort_bytes_max,
                                                   backend::StatementContext& context) {
    std::unique_ptr<Fold> owner{new Fold{merge, shapes, context}};
    Fold& made = *owner;
    if (auto refused = made.check_columns()) return std::move(*refused);
    auto groups = KeyEncoder::make(merge.groups, shapes, merge.hidden, KeyEncoder::Use::group, SIZE_MAX);
    if (groups.has_error()) return std::move(groups).error();
    made.groups_of_ = std::move(groups).value();
    auto order = KeyEncoder::make(merge.order.empty() ? merge.groups : merge.order, shapes, merge.hidden,
                                  KeyEncoder::Use::order, sort_bytes_max);
    if (order.has_error()) return std::move(order).error();
    made.order_of_ = std::move(order).value();
    made.extreme_of_.resize(made.visible_);
    for (std::uint32_t i = 0; i < made.visible_; ++i) {
        const plan::MergeColumn& column = merge.columns[i];
        if (column.how != Combine::min && column.how != Combine::max) continue;
        plan::MergeKey key;
        key.column = {false, i};
        key.weight = column.weight;
        auto encoder = KeyEncoder::make({&key, 1}, shapes, merge.hidden, KeyEncoder::Use::group, SIZE_MAX);
        if (encoder.has_error())
            return protocol::not_supported("MIN or MAX of this type over several shards");
        made.extreme_of_[i] = std::move(encoder).value();
    }
    return owner;
}

std::optional<SqlError> Fold::check_columns() const {
    for (std::uint32_t i = 0; i < visible_; ++i) {
        const plan::MergeColumn& column = merge_.columns[i];
        const ColumnType type = shapes_[i].type;
        const bool adds = is_integer(type) || is_decimal(type) || is_floating(type);
        if ((column.how == Combine::sum || column.how == Combine::average) && !adds)
            return protocol::not_supported("SUM or AVG of this type over several shards");
        if (is_bits(column.how) && !is_integer(type))
            return protocol::not_supported("a bit aggregate of binary strings over several shards");
    }
    return std::nullopt;
}

std::uint32_t Fold::position(const plan::RowColumn& column) const {
    return column.position(static_cast<std::uint32_t>(shapes_.size()), merge_.hidden);
}

bool Fold::charge(std::size_t bytes) {
    const auto verdict = context_.budget.take(bytes);
    if (verdict != base::StatementBudget::Verdict::granted) {
        error_ = budget_error(verdict, context_);
        return false;
    }
    charged_ += bytes;
    return true;
}

std::optional<SqlError> Fold::add(protocol::Bytes row) {
    const auto malformed = [] { return protocol::node_protocol_violation("?", "a row is malformed"); };
    if (!protocol::decode_text_row(row, scratch_)) return malformed();
    for (const plan::MergeKey& key : merge_.groups) {
        const Value& value = scratch_[position(key.column)];
        if (key.weight && value && value->size() >= grouped_text_bytes_max)
            return protocol::not_supported(
                "GROUP BY or DISTINCT of texts of 1024 bytes or more over several shards");
    }
    key_.clear();
    if (!groups_of_.append(scratch_, key_)) return malformed();
    const auto [found, is_new] = groups_.try_emplace(key_);
    const bool combined = is_new ? begin_group(found->second, scratch_) : combine(found->second, scratch_);
    if (error_) return std::move(error_);
    if (!combined) return malformed();
    return std::nullopt;
}

bool Fold::begin_group(Group& group, std::span<const Value> row) {
    std::size_t bytes = group_bytes + key_.size() * 2 + visible_ * sizeof(Total);
    group.values.reserve(row.size());
    for (const Value& value : row) {
        group.values.emplace_back(value);
        bytes += sizeof(group.values.back()) + (value ? value->size() : 0);
    }
    group.totals.resize(visible_);
    if (!charge(bytes)) return false;
    for (std::uint32_t i = 0; i < visible_; ++i)
        if (!add_to(group.totals[i], merge_.columns[i], i, row)) return false;
    return true;
}

bool Fold::combine(Group& group, std::span<const Value> row) {
    for (std::uint32_t i = 0; i < visible_; ++i) {
        const plan::MergeColumn& column = merge_.columns[i];
        const bool done =
            extreme_of_[i] ? keep_extreme(group, column, i, row) : add_to(group.totals[i], column, i, row);
        if (!done) return false;
    }
    return true;
}

bool Fold::add_to(Total& total, const plan::MergeColumn& column, std::uint32_t index,
                  std::span<const Value> row) const {
    const Value& value = row[index];
    if (column.how == Combine::first || extreme_of_[index]) return true;
    if (column.how == Combine::average) return add_average(total, column, row);
    if (!value) return true;  // the sum of no rows
    if (column.how == Combine::count) {
        std::int64_t count = 0;
        if (!read(value, count)) return false;
        if (std::holds_alternative<std::monostate>(total)) total = std::int64_t{0};
        std::get<std::int64_t>(total) += count;
        return true;
    }
    if (is_bits(column.how)) {
        std::uint64_t bits = 0;
        if (!read(value, bits)) return false;
        if (std::holds_alternative<std::monostate>(total)) {
            total = bits;
            return true;
        }
        auto& sum = std::get<std::uint64_t>(total);
        if (column.how == Combine::bit_and) sum &= bits;
        if (column.how == Combine::bit_or) sum |= bits;
        if (column.how == Combine::bit_xor) sum ^= bits;
        return true;
    }
    if (is_floating(shapes_[index].type)) {
        double number = 0;
        if (!read(value, number)) return false;
        if (std::holds_alternative<std::monostate>(total)) total = 0.0;
        std::get<double>(total) += number;
        return true;
    }
    const auto number = Decimal::parse(*value);
    if (!number) return false;
    if (std::holds_alternative<std::monostate>(total)) {
        total = *number;
    } else {
        std::get<Decimal>(total).add(*number);
    }
    return true;
}

bool Fold::add_average(Total& total, const plan::MergeColumn& column, std::span<const Value> row) const {
    const std::uint32_t sum_at = position(column.sum);
    const Value &sum = row[sum_at], &count = row[position(column.count)];
    if (!sum || !count) return true;
    std::int64_t rows = 0;
    if (!read(count, rows)) return false;
    if (std::holds_alternative<std::monostate>(total)) {
        Average average;
        if (is_floating(shapes_[sum_at].type)) average.sum = 0.0;
        total = average;
    }
    auto& average = std::get<Average>(total);
    average.count += rows;
    if (auto* floating = std::get_if<double>(&average.sum)) {
        double number = 0;
        if (!read(sum, number)) return false;
        *floating += number;
        return true;
    }
    const auto number = Decimal::parse(*sum);
    if (!number) return false;
    std::get<Decimal>(average.sum).add(*number);
    return true;
}

bool Fold::keep_extreme(Group& group, const plan::MergeColumn& column, std::uint32_t index,
                        std::span<const Value> row) {
    if (!row[index]) return true;
    auto& kept = group.values[index];
    const std::optional<std::uint32_t> weight =
        column.weight ? std::optional{position(*column.weight)} : std::nullopt;
    int compared = -1;  // of the new value and the kept one
    if (kept) {
        std::vector<Value> old(row.begin(), row.end());
        old[index] = *kept;
        if (weight) old[*weight] = group.values[*weight];
        key_.clear();
        other_key_.clear();
        if (!extreme_of_[index]->append(row, key_) || !extreme_of_[index]->append(old, other_key_))
            return false;
        compared = key_.compare(other_key_);
        if (compared == 0 && weight && *row[index] != *kept &&
            row[index]->size() >= compared_text_bytes_max) {
            error_ = protocol::not_supported("MIN or MAX of texts of 512 bytes or more over several shards");
            return false;
        }
        if (column.how == Combine::max) compared = -compared;
    }
    if (compared >= 0) return true;
    if (!charge(row[index]->size())) return false;
    kept = *row[index];
    if (weight) group.values[*weight] = row[*weight];
    return true;
}

std::optional<std::string> Fold::text_of(const Total& total, std::uint32_t index) const {
    const unsigned decimals = shapes_[index].decimals;
    if (const auto* count = std::get_if<std::int64_t>(&total)) return std::to_string(*count);
    if (const auto* bits = std::get_if<std::uint64_t>(&total)) return std::to_string(*bits);
    if (const auto* sum = std::get_if<Decimal>(&total)) return sum->text(decimals);
    if (const auto* sum = std::get_if<double>(&total)) return double_text(*sum, decimals);
    if (const auto* average = std::get_if<Average>(&total)) {
        if (average->count == 0) return std::nullopt;
        if (const auto* floating = std::get_if<double>(&average->sum))
            return double_text(*floating / static_cast<double>(average->count), decimals);
        return std::get<Decimal>(average->sum).divided_by(average->count, decimals).text(decimals);
    }
    return std::nullopt;
}

std::optional<SqlError> Fold::finish() {
    for (auto& each : groups_) {
        Group& group = each.second;
        for (std::uint32_t i = 0; i < visible_; ++i) {
            if (merge_.columns[i].how == Combine::first || extreme_of_[i]) continue;
            if (const auto* sum = std::get_if<Decimal>(&group.totals[i]); sum && !sum->fits())
                return protocol::make_error(1690, "22003", "DECIMAL value is out of range in 'sum'");
            group.values[i] = text_of(group.totals[i], i);
        }
        for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = group.values[i];
        std::string order;
        if (!order_of_.append(scratch_, order))
            return protocol::node_protocol_violation("?", "a row is malformed");
        if (!charge(order.size())) return std::move(error_);
        sorted_.push_back({std::move(order), &each});
    }
    // What is equal in ORDER BY stands in the order of the groups.
    std::sort(sorted_.begin(), sorted_.end(), [](const Sorted& a, const Sorted& b) {
        const int compared = a.order.compare(b.order);
        return compared != 0 ? compared < 0 : a.group->first < b.group->first;
    });
    return std::nullopt;
}

protocol::Bytes Fold::row(std::size_t index) {
    row_.clear();
    protocol::Writer out{row_};
    const Group& group = sorted_[index].group->second;
    for (std::uint32_t i = 0; i < visible_; ++i) out.value(group.values[i]);
    return row_.view();
}

}  // namespace shardway::exec
