#include "middleware/exec/result_columns.hpp"

#include <algorithm>

#include "middleware/protocol/charset.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/frame.hpp"

namespace shardway::exec {

using backend::AnswerStream;

namespace {

using protocol::ColumnType;

// Keys and defaults may differ where somebody altered a shard by hand; what they are is not of interest here.
constexpr std::uint16_t flags_that_matter =
    protocol::column_flag::is_unsigned | protocol::column_flag::enumeration | protocol::column_flag::set;

// One of the types whose values are written and compared alike. Shards choose their ways to a result each for
// itself, and a value that went through a temporary table is an INT or a BIGINT, a VARCHAR or a TEXT.
ColumnType kind_of(ColumnType type) {
    switch (type) {
    case ColumnType::int8:
    case ColumnType::int16:
    case ColumnType::int24:
    case ColumnType::int32:
    case ColumnType::year: return ColumnType::int64;
    case ColumnType::float32: return ColumnType::float64;
    case ColumnType::decimal: return ColumnType::newdecimal;
    case ColumnType::newdate: return ColumnType::date;
    case ColumnType::timestamp: return ColumnType::datetime;
    case ColumnType::string:
    case ColumnType::varchar:
    case ColumnType::tiny_blob:
    case ColumnType::blob:
    case ColumnType::medium_blob:
    case ColumnType::long_blob: return ColumnType::var_string;
    default: return type;
    }
}

// MySQL says the collation that character_set_results came with, which connections of one state have got in
// several ways; that of JSON says only which way it came. What counts is whether a text has a character set.
bool agree(const ColumnShape& a, const ColumnShape& b) {
    const bool both_text =
        (a.collation == protocol::binary_collation) == (b.collation == protocol::binary_collation);
    return kind_of(a.type) == kind_of(b.type) && a.flags == b.flags &&
           (both_text || a.type == ColumnType::json);
}

}  // namespace

std::optional<protocol::SqlError> ResultColumns::take(AnswerStream::Columns columns, const plan::Part& part,
                                                      std::string_view node_name) {
    if (columns.count <= hidden_)
        return protocol::node_protocol_violation(node_name, "a result with too few columns");
    std::vector<ColumnShape> shapes;
    protocol::Bytes frames = columns.frames;
    std::size_t visible_end = 0;
    for (std::uint32_t i = 0; i < columns.count; ++i) {
        const auto frame = protocol::front_frame(frames);
        const auto column = frame ? protocol::decode_column(frame->payload) : std::nullopt;
        if (!column) return protocol::node_protocol_violation(node_name, "a column definition is malformed");
        shapes.push_back({column->type, static_cast<std::uint16_t>(column->flags & flags_that_matter),
                          column->collation, column->decimals});
        frames = frames.subspan(frame->header.frame_bytes());
        if (i + 1 == columns.count - hidden_) visible_end = columns.frames.size() - frames.size();
    }
    if (known()) {
        if (!std::equal(shapes.begin(), shapes.end(), shapes_.begin(), shapes_.end(), agree))
            return protocol::shard_columns_differ(first_node_, node_name);
        for (std::size_t i = 0; i < shapes.size(); ++i)
            shapes_[i].decimals = std::max(shapes_[i].decimals, shapes[i].decimals);
        return std::nullopt;
    }
    shapes_ = std::move(shapes);
    frames_.append(columns.frames.first(visible_end));
    first_part_ = &part;
    first_node_ = node_name;
    return std::nullopt;
}

AnswerStream::Columns ResultColumns::visible_columns() const { return {visible(), frames_.view()}; }

}  // namespace shardway::exec
