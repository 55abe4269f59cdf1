#include "middleware/protocol/answer.hpp"

#include <string>

#include "test_bytes.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;

namespace {
constexpr Capabilities with_eof = Capability::protocol_41;
constexpr Capabilities without_eof = Capability::protocol_41 | Capability::deprecate_eof;
constexpr Capabilities tracking = Capability::protocol_41 | Capability::session_track;
}  // namespace

TEST_CASE("an OK packet is read as the manual shows it") {
    const auto packet = bytes({0x00, 0x01, 0xfc, 0x00, 0x01, 0x03, 0x00, 0x02, 0x00});
    const auto ok = decode_ok(packet, with_eof);
    REQUIRE(ok);
    CHECK(ok->affected_rows == 1);
    CHECK(ok->last_insert_id == 256);
    CHECK(ok->status == (StatusFlag::in_transaction | StatusFlag::autocommit));
    CHECK(ok->warnings == 2);
    CHECK(ok->info.empty());
    for_each_cut(packet, [](Bytes cut, std::size_t) { CHECK_FALSE(decode_ok(cut, with_eof)); });
}

TEST_CASE("an OK packet comes back as it was written, with either header") {
    OkPacket ok;
    ok.affected_rows = UINT64_MAX;
    ok.last_insert_id = 1ULL << 40;
    ok.status = StatusFlag::autocommit | StatusFlag::more_results;
    ok.warnings = 65535;
    ok.info = "Rows matched: 1  Changed: 1  Warnings: 0";
    for (const std::uint8_t header : {ok_header, eof_header}) {
        const Buffer packet = payload_of([&](Writer& out) { encode_ok(out, ok, header); });
        CHECK(packet.view()[0] == header);
        for (const Capabilities capabilities : {with_eof, without_eof, tracking}) {
            const auto again = decode_ok(packet.view(), capabilities);
            REQUIRE(again);
            CHECK(again->affected_rows == ok.affected_rows);
            CHECK(again->last_insert_id == ok.last_insert_id);
            CHECK(again->status == ok.status);
            CHECK(again->warnings == ok.warnings);
            CHECK(again->info == ok.info);
        }
        for_each_cut(packet.view(), [](Bytes cut, std::size_t) { decode_ok(cut, tracking); });
    }
}

TEST_CASE("an info text without a length is taken as well") {
    const auto packet = bytes({0, 0, 0, 2, 0, 0, 0, 'R', 'o', 'w', 's'});
    CHECK(decode_ok(packet, with_eof)->info == "Rows");
}

TEST_CASE("session changes are read over, and their flag is dropped") {
    // SET NAMES on a connection with session_track: an empty info, then the changes.
    const auto packet = bytes({0x00, 0x00, 0x00, 0x02, 0x40, 0x00, 0x00, 0x00, 0x04, 0x01, 0x02, 0x01, 'x'});
    const auto ok = decode_ok(packet, tracking);
    REQUIRE(ok);
    CHECK(ok->status == StatusFlag::autocommit);
    CHECK(ok->info.empty());
    for (std::size_t size = 8; size < packet.size(); ++size)
        CHECK_FALSE(decode_ok(Bytes{packet}.first(size), tracking));
}

TEST_CASE("an EOF packet has at most eight bytes") {
    const auto packet = bytes({0xfe, 0x01, 0x00, 0x0a, 0x00});
    const auto eof = decode_eof(packet);
    REQUIRE(eof);
    CHECK(eof->warnings == 1);
    CHECK(eof->status == (StatusFlag::autocommit | StatusFlag::more_results));
    for_each_cut(packet, [](Bytes cut, std::size_t) { CHECK_FALSE(decode_eof(cut)); });
    CHECK(decode_eof(bytes({0xfe, 0, 0, 0, 0, 0, 0, 0})));
    CHECK_FALSE(decode_eof(bytes({0xfe, 0, 0, 0, 0, 0, 0, 0, 0})));
    CHECK_FALSE(decode_eof(bytes({0x00, 0, 0, 0, 0})));
}

TEST_CASE("the end of a result set is EOF or OK, by what the client knows") {
    const EofPacket end{3, StatusFlag::autocommit};
    const Buffer eof = payload_of([&](Writer& out) { encode_result_end(out, end, with_eof); });
    CHECK(text_of(eof.view()) == text_of(bytes({0xfe, 3, 0, 2, 0})));
    const Buffer ok = payload_of([&](Writer& out) { encode_result_end(out, end, without_eof); });
    CHECK(text_of(ok.view()) == text_of(bytes({0xfe, 0, 0, 2, 0, 3, 0})));
}

TEST_CASE("an ERR packet is read with and without SQLSTATE") {
    const auto packet = bytes({0xff, 0x7a, 0x04, '#', '4', '2', 'S', '0', '2', 'N', 'o'});
    const auto error = decode_err(packet);
    REQUIRE(error);
    CHECK(error->to_sql_error() == SqlError{1146, "42S02", "No"});
    const auto without_state = bytes({0xff, 0x10, 0x04, 'T', 'o', 'o'});
    const auto early = decode_err(without_state);
    REQUIRE(early);
    CHECK(early->to_sql_error() == SqlError{1040, "HY000", "Too"});
}

TEST_CASE("an ERR packet with a cut SQLSTATE is malformed") {
    const auto packet = bytes({0xff, 0x7a, 0x04, '#', '4', '2', 'S', '0', '2'});
    for (std::size_t size = 4; size < packet.size(); ++size)
        CHECK_FALSE(decode_err(std::span{packet}.first(size)));
    for (std::size_t size = 0; size < 3; ++size) CHECK_FALSE(decode_err(std::span{packet}.first(size)));
}

TEST_CASE("an ERR packet comes back as it was written") {
    const SqlError error{1064, "42000", "You have an error"};
    const Buffer packet = payload_of([&](Writer& out) { encode_err(out, error); });
    CHECK(decode_err(packet.view())->to_sql_error() == error);
    const Buffer early = payload_of([&](Writer& out) {
        encode_early_err(out, SqlError{1040, "08004", "Too many"});
    });
    CHECK(decode_err(early.view())->to_sql_error() == SqlError{1040, "HY000", "Too many"});
    // A SQLSTATE of another length would shift the text.
    const Buffer odd = payload_of([&](Writer& out) { encode_err(out, SqlError{1, "42", "x"}); });
    CHECK(decode_err(odd.view())->to_sql_error() == SqlError{1, "HY000", "x"});
}

TEST_CASE("warnings are counted up to 65535") {
    CHECK(capped_warnings(0) == 0);
    CHECK(capped_warnings(65535) == 65535);
    CHECK(capped_warnings(65536) == 65535);
}
