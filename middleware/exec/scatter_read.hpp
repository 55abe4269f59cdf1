// Reads of several shards, and the one result that is made of them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "middleware/backend/connection_source.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/exec/fold.hpp"
#include "middleware/exec/outcome.hpp"
#include "middleware/exec/part_stream.hpp"
#include "middleware/exec/result_columns.hpp"
#include "middleware/exec/row_output.hpp"
#include "middleware/exec/row_sink.hpp"
#include "middleware/exec/sort_key.hpp"
#include "middleware/net/task.hpp"
#include "middleware/plan/merge.hpp"
#include "middleware/plan/plan.hpp"

namespace shardway::exec {

// One try of one statement (Strategy::scatter_read). Nodes work side by side. The parts of a node run one
// after the other on one connection, unless they are sorted and long: then each has a connection of its own,
// as far as the node's cap allows, so that nothing must be held but a window of each stream. Parts that share
// a connection in a sorted merge are held, within the statement's budget, but for the last.
class ScatterRead {
public:
    // Sorted results up to so many rows (offset + limit) are held rather than streamed side by side.
    static constexpr std::uint64_t held_rows_max = 1000;

    // All that it is given outlives it.
    ScatterRead(const plan::Routed& routed, backend::ConnectionSource& source,
                backend::StatementContext& context, std::shared_ptr<const backend::SessionState> state,
                RowSink& sink);
    ~ScatterRead();

    // Throws net::ConnectionLost only when the sink's client is gone.
    net::Task<protocol::Result<Outcome>> run();
    // After an error of run(): a connection broke before the client saw anything.
    bool may_be_repeated() const { return lost_ && !output_.has_begun(); }

private:
    class TurnOrder;
    class Turn;
    struct HeldRow {
        std::string key;
        std::string payload;
    };
    // What one connection gives to a sorted merge beside its held rows: those of its last part, as they come.
    struct LiveSource {
        PartStream* stream;
        bool has_row = false;  // stream->row(), sorted by
        std::string key{};
        std::string before{};  // the key of the row before it
    };

    net::Task<protocol::Result<void>> borrow_streams();
    std::size_t streams_wanted(std::size_t parts) const;
    net::Task<void> run_all(net::Task<void> (ScatterRead::*work)(std::size_t stream));

    net::Task<void> concatenate(std::size_t index);
    net::Task<void> pass_rows(PartStream& stream, Turn& turn);
    net::Task<void> add_rows(PartStream& stream, Turn& turn);

    net::Task<void> fold(std::size_t index);
    net::Task<void> emit_groups();

    net::Task<void> hold(std::size_t index);
    bool keep_row(std::vector<HeldRow>& held, std::size_t sorted_until, const std::string& key,
                  protocol::Bytes row);
    void merge_held(std::vector<HeldRow>& held, std::size_t sorted_until);
    net::Task<void> merge();
    net::Task<void> advance(LiveSource& source);
    void take_row(LiveSource& source);
    bool read_key(PartStream& stream, std::string& key);
    bool keeps_order(const PartStream& stream, const std::string& before, const std::string& key);

    void fail(protocol::SqlError error);  // the first one stays
    void fail(const PartStream& stream);
    void stop_others();
    bool rest_is_short() const;
    net::Task<void> finish_streams();
    net::Task<void> collect_all_warnings();

    const plan::Routed& routed_;
    const plan::Merge& merge_;
    backend::ConnectionSource& source_;
    backend::StatementContext& context_;
    std::shared_ptr<const backend::SessionState> state_;
    std::size_t sort_bytes_max_;

    ResultColumns columns_;
    RowOutput output_;
    std::vector<std::unique_ptr<PartStream>> streams_;
    std::vector<std::vector<HeldRow>> held_;  // by stream
    std::vector<LiveSource> live_;            // by stream
    std::size_t held_bytes_ = 0;
    std::unique_ptr<TurnOrder> turns_;
    std::unique_ptr<Fold> fold_;
    std::optional<KeyEncoder> order_of_;
    std::vector<protocol::Value> scratch_;
    bool stopped_ = false;  // no more rows are wanted, whatever the reason
    bool lost_ = false;
    std::optional<protocol::SqlError> error_;
};

}  // namespace shardway::exec
