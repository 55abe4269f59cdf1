// Reads the fields of a packet one after the other.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "middleware/protocol/bytes.hpp"

namespace shardway::protocol {

// Remembers a failed read and gives zeros and empty strings from then on, so that a decoder is a straight
// line that asks ok() at its end. Strings are views into the packet. Integers are little-endian.
class Reader {
public:
    explicit Reader(Bytes packet) : next_{packet.data()}, end_{packet.data() + packet.size()} {}

    bool ok() const { return ok_; }
    bool at_end() const { return next_ == end_; }
    std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }
    // For what the fields say of each other: a decoder that finds them at odds calls it.
    void fail() {
        ok_ = false;
        next_ = end_;
    }

    std::uint8_t u8() { return static_cast<std::uint8_t>(integer<1>()); }
    std::uint16_t u16() { return static_cast<std::uint16_t>(integer<2>()); }
    std::uint32_t u24() { return static_cast<std::uint32_t>(integer<3>()); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(integer<4>()); }
    std::uint64_t u64() { return integer<8>(); }

    // The next byte, which stays; zero at the end.
    std::uint8_t peek() const { return at_end() ? 0 : *next_; }
    void expect(std::uint8_t byte) {
        if (at_end() || *next_ != byte) return fail();
        ++next_;
    }
    bool skip_if(std::uint8_t byte) {
        if (at_end() || *next_ != byte) return false;
        ++next_;
        return true;
    }
    void skip(std::size_t size) {
        if (size > remaining()) return fail();
        next_ += size;
    }

    std::string_view string(std::size_t size) { return text_of(bytes(size)); }
    Bytes bytes(std::size_t size) {
        if (size > remaining()) {
            fail();
            return {};
        }
        const Bytes taken{next_, size};
        next_ += size;
        return taken;
    }
    // Up to a NUL, which must be there and is consumed.
    std::string_view nul_string() {
        const void* nul = at_end() ? nullptr : std::memchr(next_, 0, remaining());
        if (!nul) {
            fail();
            return {};
        }
        const std::string_view text =
            string(static_cast<std::size_t>(static_cast<const std::uint8_t*>(nul) - next_));
        ++next_;
        return text;
    }
    std::string_view rest() { return string(remaining()); }
    Bytes rest_bytes() { return bytes(remaining()); }

    // Length-encoded integer. 0xfb (NULL) and 0xff (ERR) are none and fail.
    std::uint64_t lenenc() {
        const std::uint8_t first = u8();
        if (first < 0xfb) return first;
        switch (first) {
        case 0xfc: return integer<2>();
        case 0xfd: return integer<3>();
        case 0xfe: return integer<8>();
        default: fail(); return 0;
        }
    }
    std::string_view lenenc_string() { return text_of(lenenc_bytes()); }
    Bytes lenenc_bytes() {
        const std::uint64_t size = lenenc();
        if (size > remaining()) {
            fail();
            return {};
        }
        return bytes(static_cast<std::size_t>(size));
    }
    // A value of a text row: nullopt is SQL's NULL (and what a failed reader gives, which ok() tells).
    std::optional<std::string_view> value() {
        if (!ok_ || skip_if(0xfb)) return std::nullopt;
        const std::string_view text = lenenc_string();
        return ok_ ? std::optional{text} : std::nullopt;
    }

private:
    template <int Size>
    std::uint64_t integer() {
        if (remaining() < Size) {
            fail();
            return 0;
        }
        std::uint64_t value = 0;
        for (int i = 0; i < Size; ++i) value |= std::uint64_t{next_[i]} << (8 * i);
        next_ += Size;
        return value;
    }

    const std::uint8_t* next_;
    const std::uint8_t* end_;
    bool ok_ = true;
};

}  // namespace shardway::protocol
