#include "middleware/protocol/result_reader.hpp"

#include "middleware/protocol/reader.hpp"

namespace shardway::protocol {

bool ResultReader::is_row(std::size_t payload_bytes, std::uint8_t first) const {
    if (state_ != State::rows || first == err_header) return false;
    if (first != eof_header) return true;
    // A row begins with 0xfe when its first value has 16 MiB or more, and is then larger than any end of a
    // result.
    return payload_bytes >= (has_eof() ? eof_payload_bytes_max + 1 : frame_payload_bytes_max);
}

ResultReader::Part ResultReader::on_frame_slowly(FrameHeader header, Bytes payload) {
    if (header.sequence != sequence_ || state_ == State::finished) return Part::violation;
    if (row_continues_) {
        ++sequence_;
        row_continues_ = header.continues();
        return Part::row_continued;
    }
    if (header.payload_bytes == 0) return Part::violation;
    if (payload.empty()) return Part::incomplete;
    if (is_row(header.payload_bytes, payload[0])) {
        ++sequence_;
        row_continues_ = header.continues();
        return Part::row;
    }
    if (header.payload_bytes > control_payload_bytes_max) return Part::violation;
    if (payload.size() < header.payload_bytes) return Part::incomplete;
    ++sequence_;
    return take(payload);
}

ResultReader::Part ResultReader::on_packet(Bytes payload) {
    if (payload.empty() || state_ == State::finished) return Part::violation;
    if (is_row(payload.size(), payload[0])) return Part::row;
    if (payload.size() > control_payload_bytes_max) return Part::violation;
    return take(payload);
}

ResultReader::Part ResultReader::take(Bytes payload) {
    if (payload[0] == err_header) return take_err(payload);
    switch (state_) {
    case State::start: return take_first(payload);
    case State::columns: return take_column(payload);
    case State::columns_end: {
        // With a prepared statement's columns the answer is over.
        const bool over = expect_ == Expect::prepare;
        return take_separator(payload, over ? State::finished : State::rows, Part::columns_end);
    }
    case State::rows: return take_result_end(payload);
    case State::parameters: return take_parameter();
    case State::parameters_end: {
        const Part part = take_separator(payload, State::columns, Part::parameters_end);
        if (part == Part::parameters_end) begin_prepared_columns();
        return part;
    }
    case State::finished: break;
    }
    return Part::violation;
}

ResultReader::Part ResultReader::take_first(Bytes payload) {
    more_results_ = false;
    if (expect_ == Expect::prepare) return take_prepared(payload);
    if (payload[0] == ok_header) return take_ok(payload);
    if (expect_ == Expect::ok) {
        // set_option answers with EOF, or with the OK that stands for it.
        return payload[0] == eof_header ? take_result_end(payload) : Part::violation;
    }
    if (payload[0] == local_infile_header) return Part::local_infile;
    return take_column_count(payload);
}

ResultReader::Part ResultReader::take_ok(Bytes payload) {
    const auto ok = decode_ok(payload, capabilities_);
    if (!ok) return Part::violation;
    ok_ = *ok;
    more_results_ = ok_.status.has(StatusFlag::more_results);
    state_ = more_results_ ? State::start : State::finished;
    return Part::ok;
}

ResultReader::Part ResultReader::take_err(Bytes payload) {
    const auto error = decode_err(payload);
    if (!error) return Part::violation;
    error_ = *error;
    more_results_ = false;
    state_ = State::finished;
    return Part::err;
}

ResultReader::Part ResultReader::take_column_count(Bytes payload) {
    Reader in{payload};
    column_count_ = in.lenenc();
    if (!in.ok() || !in.at_end() || column_count_ == 0 || column_count_ > result_columns_max)
        return Part::violation;
    columns_left_ = column_count_;
    state_ = State::columns;
    return Part::column_count;
}

ResultReader::Part ResultReader::take_column(Bytes payload) {
    if (expect_ == Expect::columns) {
        // A definition starts with its catalog, "def", so 0xfe can only be the end.
        if (payload[0] == eof_header) return take_result_end(payload);
        return ++column_count_ <= result_columns_max ? Part::column : Part::violation;
    }
    if (--columns_left_ == 0) {
        if (has_eof())
            state_ = State::columns_end;
        else
            state_ = expect_ == Expect::prepare ? State::finished : State::rows;
    }
    return Part::column;
}

ResultReader::Part ResultReader::take_separator(Bytes payload, State next, Part part) {
    const auto eof = decode_eof(payload);
    if (!eof) return Part::violation;
    state_ = next;
    return part;
}

ResultReader::Part ResultReader::take_result_end(Bytes payload) {
    ok_ = {};
    if (has_eof()) {
        const auto eof = decode_eof(payload);
        if (!eof) return Part::violation;
        ok_.status = eof->status;
        ok_.warnings = eof->warnings;
    } else {
        const auto ok = payload[0] == eof_header ? decode_ok(payload, capabilities_) : std::nullopt;
        if (!ok) return Part::violation;
        ok_ = *ok;
    }
    more_results_ = ok_.status.has(StatusFlag::more_results);
    state_ = more_results_ ? State::start : State::finished;
    return Part::result_end;
}

ResultReader::Part ResultReader::take_prepared(Bytes payload) {
    Reader in{payload};
    in.expect(ok_header);
    prepared_.statement_id = in.u32();
    prepared_.columns = in.u16();
    prepared_.parameters = in.u16();
    in.skip(1);
    prepared_.warnings = in.u16();
    if (!in.ok()) return Part::violation;
    parameters_left_ = prepared_.parameters;
    if (parameters_left_ > 0)
        state_ = State::parameters;
    else
        begin_prepared_columns();
    return Part::prepared;
}

ResultReader::Part ResultReader::take_parameter() {
    if (--parameters_left_ == 0) {
        if (has_eof())
            state_ = State::parameters_end;
        else
            begin_prepared_columns();
    }
    return Part::parameter;
}

void ResultReader::begin_prepared_columns() {
    column_count_ = columns_left_ = prepared_.columns;
    state_ = columns_left_ > 0 ? State::columns : State::finished;
}

}  // namespace shardway::protocol
