// Bytes on their way between a socket and a decoder.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace shardway::protocol {

// A view; whoever hands one out says how long it lives.
using Bytes = std::span<const std::uint8_t>;

inline Bytes bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A queue of bytes: appended at the end, consumed from the front, contiguous in between. Serves as the read
// buffer of a socket (prepare, read into it, commit; decode from view(); consume) and as its write buffer.
// Any view of it dies with the next call that may grow or move it: prepare, append, copy_of, shrink.
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(Bytes bytes) { append(bytes); }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer taken{std::move(other)};
        swap(taken);
        return *this;
    }
    Buffer copy() const { return Buffer{view()}; }  // explicit, for a copy is never free

    std::size_t size() const { return end_ - begin_; }
    bool empty() const { return begin_ == end_; }
    std::size_t capacity() const { return capacity_; }
    const std::uint8_t* data() const { return storage_.get() + begin_; }
    Bytes view() const { return {data(), size()}; }
    // For patching what was appended, such as a packet's header once its size is known.
    std::span<std::uint8_t> writable() { return {storage_.get() + begin_, size()}; }

    // Room for at least `size` bytes (all there is is handed out) behind the last one; commit(n) makes n of
    // them count.
    std::span<std::uint8_t> prepare(std::size_t size) {
        if (capacity_ - end_ < size) make_room(size);
        return {storage_.get() + end_, capacity_ - end_};
    }
    void commit(std::size_t size) {
        assert(size <= capacity_ - end_);
        end_ += size;
    }

    // `bytes` may not be a view of this buffer.
    void append(Bytes bytes) {
        if (bytes.empty()) return;
        std::memcpy(prepare(bytes.size()).data(), bytes.data(), bytes.size());
        end_ += bytes.size();
    }
    void append(std::string_view text) { append(bytes_of(text)); }
    void append(std::uint8_t byte) {
        prepare(1)[0] = byte;
        ++end_;
    }

    void consume(std::size_t size) {
        assert(size <= this->size());
        begin_ += size;
        if (begin_ == end_) begin_ = end_ = 0;
    }
    // Drops what was appended last, down to `size` bytes.
    void truncate(std::size_t size) {
        assert(size <= this->size());
        end_ = begin_ + size;
    }
    void clear() { begin_ = end_ = 0; }

    // Gives memory back after a burst: an empty buffer that grew above `bound` bytes lets go of all of them.
    void shrink(std::size_t bound) {
        if (empty() && capacity_ > bound) *this = Buffer{};
    }

    void swap(Buffer& other) noexcept {
        std::swap(storage_, other.storage_);
        std::swap(capacity_, other.capacity_);
        std::swap(begin_, other.begin_);
        std::swap(end_, other.end_);
    }

private:
    void make_room(std::size_t size);  // moves to the front or to a larger block

    std::unique_ptr<std::uint8_t[]> storage_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace shardway::protocol
