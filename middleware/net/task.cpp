#include "middleware/net/task.hpp"

#include <array>
#include <new>

namespace shardway::net::detail {

namespace {

// A frame that was given back would hide its wrong use from a sanitizer.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_frames = false;
#else
constexpr bool keeps_frames = true;
#endif

constexpr std::size_t class_bytes = 64;
constexpr std::size_t class_count = 64;                       // larger frames are not kept
constexpr std::size_t kept_bytes_max = std::size_t{1} << 20;  // per thread, after a burst

class FrameLists {
public:
    ~FrameLists() {
        for (Free* list : lists_)
            while (list != nullptr) ::operator delete(std::exchange(list, list->next));
    }
    void* take(std::size_t size_class) {
        Free* const frame = lists_[size_class];
        if (frame == nullptr) return ::operator new((size_class + 1) * class_bytes);
        lists_[size_class] = frame->next;
        kept_bytes_ -= (size_class + 1) * class_bytes;
        return frame;
    }
    void give(void* memory, std::size_t size_class) noexcept {
        if (kept_bytes_ >= kept_bytes_max) return ::operator delete(memory);
        kept_bytes_ += (size_class + 1) * class_bytes;
        lists_[size_class] = new (memory) Free{lists_[size_class]};
    }

private:
    struct Free {
        Free* next;
    };
    std::array<Free*, class_count> lists_{};
    std::size_t kept_bytes_ = 0;
};

thread_local FrameLists frame_lists;

}  // namespace

void* take_frame(std::size_t bytes) {
    const std::size_t size_class = (bytes - 1) / class_bytes;
    if (!keeps_frames || size_class >= class_count) return ::operator new(bytes);
    return frame_lists.take(size_class);
}

void give_frame(void* frame, std::size_t bytes) noexcept {
    const std::size_t size_class = (bytes - 1) / class_bytes;
    if (!keeps_frames || size_class >= class_count) return ::operator delete(frame);
    frame_lists.give(frame, size_class);
}

}  // namespace shardway::net::detail
