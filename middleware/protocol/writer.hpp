// Appends the fields of a packet to a Buffer; the mirror of Reader. Integers are little-endian.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "middleware/protocol/bytes.hpp"

namespace shardway::protocol {

// Bytes that write_lenenc would take.
constexpr std::size_t lenenc_size(std::uint64_t value) {
    return value < 0xfb ? 1 : value <= 0xffff ? 3 : value <= 0xffffff ? 4 : 9;
}

class Writer {
public:
    explicit Writer(Buffer& out) : out_{out} {}  // `out` outlives the writer

    void u8(std::uint8_t value) { out_.append(value); }
    void u16(std::uint16_t value) { integer<2>(value); }
    void u24(std::uint32_t value) { integer<3>(value); }
    void u32(std::uint32_t value) { integer<4>(value); }
    void u64(std::uint64_t value) { integer<8>(value); }
    void zeros(std::size_t count) {
        std::memset(out_.prepare(count).data(), 0, count);
        out_.commit(count);
    }

    void bytes(Bytes value) { out_.append(value); }
    void string(std::string_view text) { out_.append(text); }
    // `text` holds no NUL; the caller checked.
    void nul_string(std::string_view text) {
        out_.append(text);
        u8(0);
    }
    void lenenc(std::uint64_t value) {
        switch (lenenc_size(value)) {
        case 1: u8(static_cast<std::uint8_t>(value)); break;
        case 3:
            u8(0xfc);
            integer<2>(value);
            break;
        case 4:
            u8(0xfd);
            integer<3>(value);
            break;
        default: u8(0xfe); integer<8>(value);
        }
    }
    void lenenc_string(std::string_view text) {
        lenenc(text.size());
        out_.append(text);
    }
    void null() { u8(0xfb); }  // SQL's NULL in a text row
    void value(std::optional<std::string_view> text) { text ? lenenc_string(*text) : null(); }

private:
    template <int Size>
    void integer(std::uint64_t value) {
        const auto room = out_.prepare(Size);
        for (int i = 0; i < Size; ++i)
            room[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value >> (8 * i));
        out_.commit(Size);
    }

    Buffer& out_;
};

}  // namespace shardway::protocol
