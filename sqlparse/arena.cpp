#include "sqlparse/arena.hpp"

#include <algorithm>

namespace shardway::sqlparse {

void* Arena::allocate_chunk(std::size_t bytes, std::size_t alignment) {
    used_before_ += next_ - begin_;
    const std::size_t last = chunks_.empty() ? first_chunk_bytes / 2 : chunks_.back().size;
    const std::size_t size = std::max(bytes + alignment, std::min(last * 2, chunk_bytes_max));
    chunks_.push_back({std::unique_ptr<std::byte[]>{new std::byte[size]}, size});
    begin_ = reinterpret_cast<std::uintptr_t>(chunks_.back().bytes.get());
    next_ = begin_;
    end_ = begin_ + size;
    return allocate(bytes, alignment);
}

void Arena::reset() {
    if (chunks_.empty()) return;
    if (chunks_.size() == 1 && end_ - begin_ <= kept_bytes_max) {
        next_ = begin_;
        return;
    }
    // The largest that may stay: after one large statement, ordinary ones go on without allocating.
    auto kept = chunks_.begin();
    for (auto chunk = chunks_.begin(); chunk != chunks_.end(); ++chunk)
        if (chunk->size <= kept_bytes_max && (chunk->size > kept->size || kept->size > kept_bytes_max))
            kept = chunk;
    if (kept->size > kept_bytes_max) {
        chunks_.clear();
        begin_ = next_ = end_ = 0;
    } else {
        if (kept != chunks_.begin()) std::swap(*chunks_.begin(), *kept);
        chunks_.resize(1);
        begin_ = next_ = reinterpret_cast<std::uintptr_t>(chunks_.front().bytes.get());
        end_ = begin_ + chunks_.front().size;
    }
    used_before_ = 0;
}

}  // namespace shardway::sqlparse
