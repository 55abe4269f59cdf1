// Memory for one statement's tree: taken piece by piece, given back all at once. Runs no destructors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace shardway::sqlparse {

// An immutable sequence in an arena.
template <class T>
class List {
public:
    List() = default;
    List(const T* data, std::uint32_t size) : data_{data}, size_{size} {}

    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    const T& front() const { return data_[0]; }
    const T& back() const { return data_[size_ - 1]; }
    std::span<const T> span() const { return {data_, size_}; }

private:
    const T* data_ = nullptr;
    std::uint32_t size_ = 0;
};

// One statement at a time, one thread. reset() keeps the first chunk, so a session's arena soon allocates
// nothing.
class Arena {
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    void* allocate(std::size_t bytes, std::size_t alignment) {
        std::size_t at = (next_ + alignment - 1) & ~(alignment - 1);
        if (at + bytes > end_) [[unlikely]]
            return allocate_chunk(bytes, alignment);
        next_ = at + bytes;
        return reinterpret_cast<void*>(at);
    }

    template <class T, class... Args>
    T* make(Args&&... args) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
        return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
    }

    template <class T>
    List<T> copy(std::span<const T> items) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
        if (items.empty()) return {};
        T* data = static_cast<T*>(allocate(sizeof(T) * items.size(), alignof(T)));
        std::uninitialized_copy(items.begin(), items.end(), data);
        return {data, static_cast<std::uint32_t>(items.size())};
    }

    std::string_view copy(std::string_view text) {
        if (text.empty()) return {};
        char* data = static_cast<char*>(allocate(text.size(), 1));
        std::memcpy(data, text.data(), text.size());
        return {data, text.size()};
    }

    // Everything made so far is gone.
    void reset();
    // Bytes handed out since the last reset, with the gaps between them.
    std::size_t used() const { return used_before_ + (next_ - begin_); }

private:
    static constexpr std::size_t first_chunk_bytes = 16 * 1024;
    static constexpr std::size_t chunk_bytes_max = 1024 * 1024;
    static constexpr std::size_t kept_bytes_max = 256 * 1024;  // a chunk that reset() keeps

    void* allocate_chunk(std::size_t bytes, std::size_t alignment);

    struct Chunk {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size;
    };
    std::vector<Chunk> chunks_;
    std::uintptr_t begin_ = 0;  // of the current chunk
    std::uintptr_t next_ = 0;
    std::uintptr_t end_ = 0;
    std::size_t used_before_ = 0;  // in chunks before the current one
};

}  // namespace shardway::sqlparse
