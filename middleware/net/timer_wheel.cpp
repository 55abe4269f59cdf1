#include "middleware/net/timer_wheel.hpp"

#include <algorithm>

namespace shardway::net {

TimerWheel::~TimerWheel() {
    for (Entry& head : buckets_) {
        while (head.next_ != &head) head.next_->disarm();
        head.next_ = head.previous_ = nullptr;
    }
}

std::uint64_t TimerWheel::tick_of(base::SteadyTime time) const {
    if (time <= start_) return 0;
    return static_cast<std::uint64_t>((time - start_) / tick);
}

void TimerWheel::arm(Entry& entry, base::SteadyTime deadline) {
    entry.disarm();
    if (deadline == base::SteadyTime::max()) return;
    // The tick after the one the deadline falls into: never early. What is past expires with the next tick.
    entry.due_tick_ = std::max(tick_of(deadline) + 1, current_tick_ + 1);
    Entry& head = buckets_[entry.due_tick_ % bucket_count];
    entry.next_ = &head;
    entry.previous_ = head.previous_;
    head.previous_->next_ = &entry;
    head.previous_ = &entry;
}

void TimerWheel::advance(base::SteadyTime now) {
    recent_ = now;
    const std::uint64_t target = tick_of(now);
    // After a long pause one turn visits every bucket; more turns would visit them again for nothing.
    const std::uint64_t last = std::min(target, current_tick_ + bucket_count);
    for (std::uint64_t visit = current_tick_ + 1; visit <= last; ++visit) {
        Entry& head = buckets_[visit % bucket_count];
        // What is due is moved aside first: expired() may arm and disarm entries, these ones too.
        Entry due;
        due.next_ = due.previous_ = &due;
        for (Entry* entry = head.next_; entry != &head;) {
            Entry* const following = entry->next_;
            if (entry->due_tick_ <= target) {
                entry->disarm();
                entry->next_ = &due;
                entry->previous_ = due.previous_;
                due.previous_->next_ = entry;
                due.previous_ = entry;
            }
            entry = following;
        }
        current_tick_ = std::max(current_tick_, visit);
        while (due.next_ != &due) {
            Entry* const entry = due.next_;
            entry->disarm();
            entry->expired();
        }
        due.next_ = due.previous_ = nullptr;
    }
    current_tick_ = std::max(current_tick_, target);
}

}  // namespace shardway::net
