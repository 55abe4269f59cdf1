#include "middleware/protocol/result_reader.hpp"

#include <array>
#include <string>
#include <vector>

#include "middleware/protocol/packet_writer.hpp"
#include "middleware/protocol/text_row.hpp"
#include "test_bytes.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;
using Part = ResultReader::Part;
using Expect = ResultReader::Expect;

namespace {

constexpr Capabilities eof_mode = Capability::protocol_41 | Capability::multi_results;
constexpr Capabilities ok_mode = eof_mode | Capabilities{Capability::deprecate_eof};

// Writes the answer of a node, packet by packet.
class NodeAnswer {
public:
    explicit NodeAnswer(Capabilities capabilities) : capabilities_{capabilities} {}

    NodeAnswer& column_count(std::uint64_t count) {
        return packet([&](Writer& out) { out.lenenc(count); });
    }
    NodeAnswer& column(std::string_view name) {
        ColumnDefinition definition;
        definition.name = name;
        return packet([&](Writer& out) { encode_column(out, definition); });
    }
    NodeAnswer& separator() {
        if (capabilities_.has(Capability::deprecate_eof)) return *this;
        return packet([&](Writer& out) { encode_eof(out, {0, StatusFlag::autocommit}); });
    }
    NodeAnswer& row(std::initializer_list<Value> values) {
        return packet([&](Writer& out) { encode_text_row(out, values); });
    }
    NodeAnswer& end(StatusFlags status = StatusFlag::autocommit, std::uint16_t warnings = 0) {
        return packet([&](Writer& out) { encode_result_end(out, {warnings, status}, capabilities_); });
    }
    NodeAnswer& ok(StatusFlags status = StatusFlag::autocommit) {
        return packet([&](Writer& out) { encode_ok(out, {3, 9, status, 1, "info"}); });
    }
    NodeAnswer& err() {
        return packet([&](Writer& out) {
            encode_err(out, {1317, "70100", "Query execution was interrupted"});
        });
    }
    template <class Encode>
    NodeAnswer& packet(Encode encode) {
        append_packet(wire, sequence_, encode);
        return *this;
    }

    Buffer wire;

private:
    const Capabilities capabilities_;
    std::uint8_t sequence_ = 1;
};

// What the reader says of the frames, brought whole at once or byte by byte.
std::vector<Part> read_frames(const Buffer& wire, ResultReader& reader, std::size_t step) {
    std::vector<Part> parts;
    Bytes left = wire.view();
    std::size_t visible = 0;  // of what is left
    while (!left.empty()) {
        visible = std::min(visible + step, left.size());
        const auto frame = front_frame(left.first(visible));
        if (!frame) continue;
        const Part part = reader.on_frame(frame->header, frame->payload);
        if (part == Part::incomplete) {
            if (frame->complete()) {
                parts.push_back(part);  // never right
                return parts;
            }
            continue;
        }
        parts.push_back(part);
        if (part == Part::violation) return parts;
        left = left.subspan(frame->header.frame_bytes());
        visible = 0;
    }
    return parts;
}

std::vector<Part> read_frames(const NodeAnswer& answer, Capabilities capabilities,
                              Expect expect = Expect::query) {
    ResultReader whole{expect, capabilities};
    const auto parts = read_frames(answer.wire, whole, answer.wire.size());
    ResultReader trickled{expect, capabilities};
    CHECK(read_frames(answer.wire, trickled, 1) == parts);
    CHECK(whole.finished() == trickled.finished());
    return parts;
}

}  // namespace

TEST_CASE("a result set is told apart packet by packet, with and without EOF") {
    for (const Capabilities mode : {eof_mode, ok_mode}) {
        NodeAnswer answer{mode};
        answer.column_count(2).column("a").column("b").separator();
        answer.row({"1", std::nullopt}).row({std::nullopt, ""}).end(StatusFlag::autocommit, 7);
        auto expected = std::vector{Part::column_count, Part::column, Part::column};
        if (mode == eof_mode) expected.push_back(Part::columns_end);
        for (const Part part : {Part::row, Part::row, Part::result_end}) expected.push_back(part);
        CHECK(read_frames(answer, mode) == expected);

        ResultReader reader{Expect::query, mode};
        read_frames(answer.wire, reader, answer.wire.size());
        CHECK(reader.finished());
        CHECK(reader.column_count() == 2);
        CHECK(reader.end().warnings == 7);
        CHECK(reader.end().status == StatusFlag::autocommit);
    }
}

TEST_CASE("an empty result set, OK, ERR and LOCAL INFILE") {
    for (const Capabilities mode : {eof_mode, ok_mode}) {
        NodeAnswer empty{mode};
        empty.column_count(1).column("a").separator().end();
        CHECK(read_frames(empty, mode).back() == Part::result_end);

        NodeAnswer ok{mode};
        ok.ok();
        CHECK(read_frames(ok, mode) == std::vector{Part::ok});
        ResultReader reader{Expect::query, mode};
        read_frames(ok.wire, reader, ok.wire.size());
        CHECK(reader.ok().affected_rows == 3);
        CHECK(reader.ok().last_insert_id == 9);
        CHECK(reader.ok().info == "info");

        NodeAnswer err{mode};
        err.err();
        CHECK(read_frames(err, mode) == std::vector{Part::err});
        ResultReader failed{Expect::query, mode};
        read_frames(err.wire, failed, err.wire.size());
        CHECK(failed.error().code == 1317);
        CHECK(failed.finished());

        NodeAnswer infile{mode};
        infile.packet([](Writer& out) {
            out.u8(0xfb);
            out.string("/etc/passwd");
        });
        infile.ok();
        CHECK(read_frames(infile, mode) == std::vector{Part::local_infile, Part::ok});
    }
}

TEST_CASE("an ERR may come behind rows") {
    NodeAnswer answer{ok_mode};
    answer.column_count(1).column("a").row({"1"}).err();
    CHECK(read_frames(answer, ok_mode) ==
          std::vector{Part::column_count, Part::column, Part::row, Part::err});
}

TEST_CASE("further results follow while the flag says so") {
    const StatusFlags more = StatusFlag::autocommit | StatusFlag::more_results;
    for (const Capabilities mode : {eof_mode, ok_mode}) {
        NodeAnswer answer{mode};
        answer.ok(more).column_count(1).column("a").separator().row({"1"}).end(more);
        answer.column_count(2).column("a").column("b").separator().end(more).ok();
        const auto parts = read_frames(answer, mode);
        CHECK(parts.front() == Part::ok);
        CHECK(parts.back() == Part::ok);
        CHECK(std::ranges::count(parts, Part::result_end) == 2);

        ResultReader reader{Expect::query, mode};
        Bytes left = answer.wire.view();
        std::vector<bool> more_after;
        while (!left.empty()) {
            const auto frame = front_frame(left);
            const Part part = reader.on_frame(frame->header, frame->payload);
            if (part == Part::ok || part == Part::result_end) more_after.push_back(reader.more_results());
            left = left.subspan(frame->header.frame_bytes());
            CHECK(reader.finished() == left.empty());
        }
        CHECK(more_after == std::vector{true, true, true, false});
    }
    NodeAnswer failed{ok_mode};
    failed.ok(more).err();
    CHECK(read_frames(failed, ok_mode) == std::vector{Part::ok, Part::err});
}

TEST_CASE("a row of 16 MiB begins with 0xfe and goes on in further frames, whatever those look like") {
    const std::string large(frame_payload_bytes_max + 100, '\xff');
    for (const Capabilities mode : {eof_mode, ok_mode}) {
        NodeAnswer answer{mode};
        answer.column_count(1).column("a").separator().row({large}).end();
        ResultReader reader{Expect::query, mode};
        const auto parts = read_frames(answer.wire, reader, answer.wire.size());
        auto expected = std::vector{Part::column_count, Part::column};
        if (mode == eof_mode) expected.push_back(Part::columns_end);
        for (const Part part : {Part::row, Part::row_continued, Part::result_end}) expected.push_back(part);
        CHECK(parts == expected);

        // The first bytes of the row are enough to tell.
        ResultReader early{Expect::query, mode};
        Bytes left = answer.wire.view();
        for (std::size_t i = 0; i + 3 < expected.size(); ++i) {
            const auto frame = front_frame(left);
            early.on_frame(frame->header, frame->payload);
            left = left.subspan(frame->header.frame_bytes());
        }
        CHECK(early.on_frame(frame_header(left), {}) == Part::incomplete);
        CHECK(early.on_frame(frame_header(left), left.subspan(4, 1)) == Part::row);
    }
    // A row whose last frame is empty.
    NodeAnswer exact{ok_mode};
    const std::string filling(frame_payload_bytes_max - 4, 'x');
    exact.column_count(1).column("a").row({filling}).end();
    ResultReader reader{Expect::query, ok_mode};
    CHECK(read_frames(exact.wire, reader, exact.wire.size()) ==
          std::vector{Part::column_count, Part::column, Part::row, Part::row_continued, Part::result_end});
}

TEST_CASE("0xfe ends a result by its size") {
    const auto nine = bytes({0xfe, 0, 0, 2, 0, 0, 0, 0, 0});
    const auto eight = bytes({0xfe, 0, 0, 2, 0, 0, 0, 0});
    const auto part_of = [](Capabilities mode, Bytes packet) {
        NodeAnswer answer{mode};
        answer.column_count(1).column("a").separator();
        ResultReader reader{Expect::query, mode};
        read_frames(answer.wire, reader, answer.wire.size());
        return reader.on_packet(packet);
    };
    CHECK(part_of(eof_mode, eight) == Part::result_end);
    CHECK(part_of(eof_mode, nine) == Part::row);
    CHECK(part_of(ok_mode, nine) == Part::result_end);
}

TEST_CASE("a prepared statement's answer holds parameters, then columns") {
    struct Case {
        std::uint16_t parameters;
        std::uint16_t columns;
    };
    for (const Capabilities mode : {eof_mode, ok_mode})
        for (const Case c : {Case{0, 0}, Case{2, 0}, Case{0, 1}, Case{2, 1}}) {
            CAPTURE(mode.bits(), c.parameters, c.columns);
            NodeAnswer answer{mode};
            answer.packet([&](Writer& out) {
                out.u8(0);
                out.u32(0x01020304);
                out.u16(c.columns);
                out.u16(c.parameters);
                out.u8(0);
                out.u16(5);
            });
            auto expected = std::vector{Part::prepared};
            for (int i = 0; i < c.parameters; ++i) {
                answer.column("?");
                expected.push_back(Part::parameter);
            }
            if (c.parameters > 0) answer.separator();
            if (c.parameters > 0 && mode == eof_mode) expected.push_back(Part::parameters_end);
            for (int i = 0; i < c.columns; ++i) {
                answer.column("a");
                expected.push_back(Part::column);
            }
            if (c.columns > 0) answer.separator();
            if (c.columns > 0 && mode == eof_mode) expected.push_back(Part::columns_end);
            CHECK(read_frames(answer, mode, Expect::prepare) == expected);
            ResultReader reader{Expect::prepare, mode};
            read_frames(answer.wire, reader, answer.wire.size());
            CHECK(reader.finished());
            CHECK(reader.prepared().statement_id == 0x01020304);
            CHECK(reader.prepared().parameters == c.parameters);
            CHECK(reader.prepared().columns == c.columns);
            CHECK(reader.prepared().warnings == 5);
        }
}

TEST_CASE("COM_FIELD_LIST is answered by columns without their number") {
    for (const Capabilities mode : {eof_mode, ok_mode}) {
        NodeAnswer answer{mode};
        answer.column("a").column("b").end();
        CHECK(read_frames(answer, mode, Expect::columns) ==
              std::vector{Part::column, Part::column, Part::result_end});
    }
}

TEST_CASE("commands that know only OK and ERR, and set_option, which knows EOF") {
    for (const Capabilities mode : {eof_mode, ok_mode}) {
        NodeAnswer ok{mode};
        ok.ok();
        CHECK(read_frames(ok, mode, Expect::ok) == std::vector{Part::ok});
        NodeAnswer end{mode};
        end.end();
        CHECK(read_frames(end, mode, Expect::ok) == std::vector{Part::result_end});
        NodeAnswer result{mode};
        result.column_count(1);
        CHECK(read_frames(result, mode, Expect::ok) == std::vector{Part::violation});
    }
}

TEST_CASE("what the protocol does not allow is a violation") {
    const auto first_part = [](Bytes packet, Expect expect = Expect::query) {
        ResultReader reader{expect, ok_mode};
        return reader.on_packet(packet);
    };
    CHECK(first_part({}) == Part::violation);
    CHECK(first_part(bytes({0xfe})) == Part::violation);
    CHECK(first_part(bytes({1, 2})) == Part::violation);
    CHECK(first_part(bytes({0x00})) == Part::violation);
    CHECK(first_part(bytes({0xff, 1})) == Part::violation);
    CHECK(first_part(bytes({0x01}), Expect::prepare) == Part::violation);
    CHECK(first_part(bytes({0xfc, 0x00, 0x10})) == Part::column_count);  // 4096
    CHECK(first_part(bytes({0xfc, 0x01, 0x10})) == Part::violation);

    ResultReader out_of_order{Expect::query, ok_mode};
    NodeAnswer ok{ok_mode};
    ok.ok();
    CHECK(out_of_order.on_frame({7, 2}, {}) == Part::violation);
    ResultReader finished{Expect::query, ok_mode};
    CHECK(read_frames(ok.wire, finished, ok.wire.size()) == std::vector{Part::ok});
    CHECK(finished.on_frame({7, 2}, ok.wire.view().subspan(4)) == Part::violation);
    CHECK(finished.on_packet(ok.wire.view().subspan(4)) == Part::violation);

    // A packet that must be looked at is refused by its header when it is too large.
    ResultReader at_limit{Expect::query, ok_mode};
    const auto first = bytes({0xff});
    CHECK(at_limit.on_frame({control_payload_bytes_max, 1}, first) == Part::incomplete);
    ResultReader above{Expect::query, ok_mode};
    CHECK(above.on_frame({control_payload_bytes_max + 1, 1}, first) == Part::violation);
}

TEST_CASE("an answer counts on from its command, and wraps") {
    Buffer wire;
    std::uint8_t sequence = 255;
    append_packet(wire, sequence, [](Writer& out) { out.lenenc(1); });
    append_packet(wire, sequence, [](Writer& out) { encode_column(out, {}); });
    ResultReader reader{Expect::query, ok_mode, 255};
    CHECK(read_frames(wire, reader, 1) == std::vector{Part::column_count, Part::column});
    CHECK(reader.next_sequence() == 1);
}
