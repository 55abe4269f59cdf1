#include "middleware/exec/result_columns.hpp"

#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/frame.hpp"

namespace shardway::exec {

using backend::AnswerStream;

namespace {

// Keys and defaults may differ where somebody altered a shard by hand; what they are is not of interest here.
constexpr std::uint16_t flags_that_matter =
    protocol::column_flag::is_unsigned | protocol::column_flag::enumeration | protocol::column_flag::set;

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
        if (shapes == shapes_) return std::nullopt;
        return protocol::shard_columns_differ(first_node_, node_name);
    }
    shapes_ = std::move(shapes);
    frames_.append(columns.frames.first(visible_end));
    first_part_ = &part;
    first_node_ = node_name;
    return std::nullopt;
}

AnswerStream::Columns ResultColumns::visible_columns() const { return {visible(), frames_.view()}; }

}  // namespace shardway::exec
