// Buffer, Reader and Writer.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/reader.hpp"
#include "middleware/protocol/writer.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;

TEST_CASE("a buffer keeps what is appended until it is consumed") {
    Buffer buffer;
    std::string expected;
    std::size_t consumed = 0;
    for (int round = 0; round < 1000; ++round) {
        const std::string piece(static_cast<std::size_t>(round % 37), static_cast<char>('a' + round % 26));
        buffer.append(piece);
        expected += piece;
        if (round % 3 == 0) {
            const std::size_t size = buffer.size() / 2;
            buffer.consume(size);
            consumed += size;
        }
        REQUIRE(text_of(buffer.view()) == std::string_view{expected}.substr(consumed));
    }
    buffer.consume(buffer.size());
    CHECK(buffer.empty());
}

TEST_CASE("a buffer that is read and consumed in step does not grow") {
    Buffer buffer;
    const std::string piece(300, 'x');
    for (int round = 0; round < 10'000; ++round) {
        buffer.append(piece);
        buffer.consume(200);
        buffer.consume(100);
    }
    CHECK(buffer.capacity() <= 1024);
    buffer.append("yy");
    for (int round = 0; round < 10'000; ++round) {  // never empty
        buffer.append(piece);
        buffer.consume(300);
    }
    CHECK(buffer.size() == 2);
    CHECK(buffer.capacity() <= 4096);
}

TEST_CASE("an empty buffer gives memory back above the bound only") {
    Buffer buffer;
    buffer.append(std::string(10'000, 'x'));
    buffer.shrink(100);
    CHECK(buffer.size() == 10'000);
    buffer.clear();
    buffer.shrink(1'000'000);
    CHECK(buffer.capacity() >= 10'000);
    buffer.shrink(buffer.capacity());
    CHECK(buffer.capacity() >= 10'000);
    buffer.shrink(buffer.capacity() - 1);
    CHECK(buffer.capacity() == 0);
    buffer.append("x");
    CHECK(text_of(buffer.view()) == "x");
}

TEST_CASE("prepare and commit, truncate, move and copy") {
    Buffer buffer;
    const auto room = buffer.prepare(4);
    REQUIRE(room.size() >= 4);
    std::ranges::copy(std::string_view{"abcd"}, room.begin());
    buffer.commit(3);
    CHECK(text_of(buffer.view()) == "abc");
    buffer.truncate(2);
    Buffer copied = buffer.copy();
    Buffer moved = std::move(buffer);
    CHECK(text_of(copied.view()) == "ab");
    CHECK(text_of(moved.view()) == "ab");
    moved.writable()[0] = 'x';
    CHECK(text_of(moved.view()) == "xb");
    moved = std::move(copied);
    CHECK(text_of(moved.view()) == "ab");
}

TEST_CASE("what the writer wrote the reader reads") {
    Buffer buffer;
    Writer out{buffer};
    out.u8(0x12);
    out.u16(0x1234);
    out.u24(0x123456);
    out.u32(0x12345678);
    out.u64(0x123456789abcdef0);
    out.nul_string("name");
    out.lenenc_string("text");
    out.value("v");
    out.value(std::nullopt);
    out.value("");
    out.zeros(3);
    out.string("rest");
    Reader in{buffer.view()};
    CHECK(in.u8() == 0x12);
    CHECK(in.u16() == 0x1234);
    CHECK(in.u24() == 0x123456);
    CHECK(in.u32() == 0x12345678);
    CHECK(in.u64() == 0x123456789abcdef0);
    CHECK(in.nul_string() == "name");
    CHECK(in.lenenc_string() == "text");
    CHECK(in.value() == "v");
    CHECK(in.value() == std::nullopt);
    CHECK(in.value() == "");
    in.skip(3);
    CHECK(in.rest() == "rest");
    CHECK(in.at_end());
    CHECK(in.ok());
}

TEST_CASE("length-encoded integers take the shortest form and come back") {
    const std::uint64_t values[] = {0,      250,     251,      252,       255,       256,
                                    0xffff, 0x10000, 0xffffff, 0x1000000, UINT64_MAX};
    for (const std::uint64_t value : values) {
        CAPTURE(value);
        Buffer buffer;
        Writer{buffer}.lenenc(value);
        CHECK(buffer.size() == lenenc_size(value));
        Reader in{buffer.view()};
        CHECK(in.lenenc() == value);
        CHECK(in.ok());
        for (std::size_t size = 0; size < buffer.size(); ++size) {
            Reader cut{buffer.view().first(size)};
            CHECK(cut.lenenc() == 0);
            CHECK_FALSE(cut.ok());
        }
    }
    CHECK(lenenc_size(250) == 1);
    CHECK(lenenc_size(251) == 3);
    CHECK(lenenc_size(0x10000) == 4);
    CHECK(lenenc_size(0x1000000) == 9);
}

TEST_CASE("NULL and 0xff are no lengths") {
    for (const std::uint8_t first : {std::uint8_t{0xfb}, std::uint8_t{0xff}}) {
        const std::array<std::uint8_t, 10> packet{first};
        Reader in{packet};
        in.lenenc();
        CHECK_FALSE(in.ok());
    }
    const std::array<std::uint8_t, 3> ff{0xff, 0, 0};
    Reader in{ff};
    CHECK_FALSE(in.value());
    CHECK_FALSE(in.ok());
}

TEST_CASE("a length beyond the packet fails, however large") {
    const std::array<std::uint8_t, 9> huge{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    Reader in{huge};
    CHECK(in.lenenc_string().empty());
    CHECK_FALSE(in.ok());
    const std::array<std::uint8_t, 3> one_short{3, 'a', 'b'};
    Reader other{one_short};
    CHECK(other.lenenc_string().empty());
    CHECK_FALSE(other.ok());
}

TEST_CASE("a failed reader stays failed and gives zeros") {
    const std::array<std::uint8_t, 5> packet{1, 2, 3, 4, 5};
    Reader in{packet};
    CHECK(in.u64() == 0);
    CHECK_FALSE(in.ok());
    CHECK(in.u8() == 0);
    CHECK(in.rest().empty());
    CHECK(in.nul_string().empty());
    CHECK_FALSE(in.skip_if(1));
    CHECK(in.peek() == 0);

    Reader no_nul{packet};
    CHECK(no_nul.nul_string().empty());
    CHECK_FALSE(no_nul.ok());
    Reader wrong{packet};
    wrong.expect(2);
    CHECK_FALSE(wrong.ok());
    Reader empty{Bytes{}};
    CHECK(empty.rest().empty());
    CHECK(empty.ok());
}
