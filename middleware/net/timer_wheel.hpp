// Deadlines by the thousand: arming and disarming are a few instructions, expiry is seen within one tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schema/base/clock.hpp"

namespace shardway::net {

// A hashed wheel (Varghese and Lauck, 1987): a deadline lies in the bucket of its tick modulo the wheel's
// size, and is looked at once per turn until its tick has come. One thread. Deadlines round up to the tick:
// never early, at most one tick late.
class TimerWheel {
public:
    static constexpr std::chrono::milliseconds tick{50};
    static constexpr std::size_t bucket_count = 512;  // one turn is 25.6 s

    // A deadline, embedded in what waits. Disarms itself when destroyed. Not movable while armed.
    class Entry {
    public:
        Entry() = default;
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;
        virtual ~Entry() { disarm(); }
        bool armed() const { return next_ != nullptr; }
        void disarm() {
            if (!next_) return;
            previous_->next_ = next_;
            next_->previous_ = previous_;
            next_ = previous_ = nullptr;
        }

    protected:
        // Called by advance() after the entry was disarmed; may arm it again, may destroy it.
        virtual void expired() {}

    private:
        friend class TimerWheel;
        Entry* next_ = nullptr;
        Entry* previous_ = nullptr;
        std::uint64_t due_tick_ = 0;
    };

    explicit TimerWheel(base::SteadyTime start) : start_{start}, recent_{start}, buckets_(bucket_count) {
        for (Entry& head : buckets_) head.next_ = head.previous_ = &head;
    }
    ~TimerWheel();
    TimerWheel(const TimerWheel&) = delete;
    TimerWheel& operator=(const TimerWheel&) = delete;

    // Arms `entry` for `deadline`, in place of what it was armed for. SteadyTime::max() only disarms it.
    void arm(Entry& entry, base::SteadyTime deadline);
    // Calls expired() of all whose time has come by `now`.
    void advance(base::SteadyTime now);
    // When it was last advanced: a tick ago at most, while the thread is not busy with one thing. Costs
    // nothing, where a look at the clock would cost as much as the rest.
    base::SteadyTime recent() const { return recent_; }

private:
    std::uint64_t tick_of(base::SteadyTime time) const;

    const base::SteadyTime start_;
    base::SteadyTime recent_;
    std::uint64_t current_tick_ = 0;  // all of this tick and before has expired
    std::vector<Entry> buckets_;      // list heads
};

}  // namespace shardway::net
