// Follows a node's answer to a command, packet by packet, and says what each one is.
#pragma once

#include <cstdint>

#include "middleware/protocol/answer.hpp"
#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/capability.hpp"
#include "middleware/protocol/column.hpp"
#include "middleware/protocol/frame.hpp"

namespace shardway::protocol {

// Packets that are looked at (all but rows) must be whole in memory, so they are bounded.
constexpr std::size_t control_payload_bytes_max = 1024 * 1024;

// Handed either whole packets (on_packet) or frames as they begin to arrive (on_frame), for those who pass
// frames on without waiting for the rest; not both within one answer. Binary rows are the same to it as text
// rows.
class ResultReader {
public:
    enum class Expect : std::uint8_t {
        query,    // query, stmt_execute: OK, ERR, LOCAL INFILE or result sets, as many as there are
        ok,       // ping, init_db, reset_connection, …: OK or ERR; set_option: EOF as well
        columns,  // field_list: column definitions without their number
        prepare,  // stmt_prepare
    };
    enum class Part : std::uint8_t {
        incomplete,     // on_frame only: bring this frame again when it is whole
        column_count,   // column_count() says it
        column,         // decode_column reads it
        columns_end,    // the EOF between columns and rows; never on a connection with deprecate_eof
        row,            // on_frame: the first frame of one, of which there may be more to come
        row_continued,  // on_frame only: a further frame of the same row
        result_end,     // end() says the rest; more_results() whether another result follows
        ok,             // ok() says the rest
        err,            // error() says the rest; the answer is over
        local_infile,   // the node wants file data; an OK or ERR follows once it has it
        prepared,       // prepared() says the rest
        parameter,      // a placeholder's definition
        parameters_end,
        violation,  // not what the protocol allows here; the connection is of no more use
    };
    struct Prepared {
        std::uint32_t statement_id = 0;
        std::uint16_t columns = 0;
        std::uint16_t parameters = 0;
        std::uint16_t warnings = 0;
    };

    // `capabilities` are those in force with the node; `sequence` the number that the answer's first frame
    // carries.
    ResultReader(Expect expect, Capabilities capabilities, std::uint8_t sequence = 1)
        : capabilities_{capabilities}, expect_{expect}, sequence_{sequence} {
        if (expect == Expect::columns) state_ = State::columns;
    }

    // Takes the front frame: its header, and as much of its payload as has come. Any other answer than
    // incomplete is for the whole frame: the caller lets the rest of it pass unseen, and the next call is for
    // the next frame.
    Part on_frame(FrameHeader header, Bytes payload) {
        if (state_ == State::rows && !row_continues_ && header.sequence == sequence_ && !payload.empty() &&
            payload[0] < eof_header) {
            ++sequence_;
            row_continues_ = header.continues();
            return Part::row;
        }
        // A column definition that is not the last, of which nothing has to be known.
        if (state_ == State::columns && expect_ == Expect::query && columns_left_ > 1 &&
            header.sequence == sequence_ && !payload.empty() && payload.size() == header.payload_bytes &&
            payload[0] != err_header && payload.size() <= control_payload_bytes_max) {
            ++sequence_;
            --columns_left_;
            return Part::column;
        }
        return on_frame_slowly(header, payload);
    }
    // Takes a whole packet, whose sequence numbers were checked (PacketDecoder does).
    Part on_packet(Bytes payload);

    // The answer is complete: the connection has nothing more to say to this command.
    bool finished() const { return state_ == State::finished; }
    // Another result follows the one that just ended.
    bool more_results() const { return more_results_; }
    bool inside_rows() const { return state_ == State::rows; }
    bool inside_columns() const { return state_ == State::columns || state_ == State::columns_end; }

    // Of the current result, once the part has come. Views into its packet.
    std::uint64_t column_count() const { return column_count_; }
    const OkPacket& ok() const { return ok_; }
    EofPacket end() const { return {ok_.warnings, ok_.status}; }
    const ErrPacket& error() const { return error_; }
    const Prepared& prepared() const { return prepared_; }
    // What the next frame must carry.
    std::uint8_t next_sequence() const { return sequence_; }

private:
    enum class State : std::uint8_t {
        start,
        columns,
        columns_end,
        rows,
        parameters,
        parameters_end,
        finished
    };

    Part on_frame_slowly(FrameHeader header, Bytes payload);
    // Whether a packet that starts so can only be a row. `payload_bytes` is the packet's size or that of its
    // first frame.
    bool is_row(std::size_t payload_bytes, std::uint8_t first) const;
    Part take(Bytes payload);  // a whole packet that is no row
    Part take_first(Bytes payload);
    Part take_ok(Bytes payload);
    Part take_err(Bytes payload);
    Part take_column_count(Bytes payload);
    Part take_column(Bytes payload);
    Part take_parameter();
    Part take_prepared(Bytes payload);
    Part take_separator(Bytes payload, State next, Part part);
    Part take_result_end(Bytes payload);
    void begin_prepared_columns();
    bool has_eof() const { return !capabilities_.has(Capability::deprecate_eof); }

    const Capabilities capabilities_;
    const Expect expect_;
    State state_ = State::start;
    std::uint8_t sequence_;
    bool row_continues_ = false;
    bool more_results_ = false;
    std::uint64_t column_count_ = 0;
    std::uint64_t columns_left_ = 0;
    std::uint64_t parameters_left_ = 0;
    OkPacket ok_;
    ErrPacket error_ = {};
    Prepared prepared_;
};

}  // namespace shardway::protocol
