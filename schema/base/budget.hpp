// Limits on buffered bytes: one for the process, and under it one per statement.
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <utility>

namespace shardway::base {

// Bytes that all statements of the process may buffer together. Any thread.
class ProcessBudget {
public:
    explicit ProcessBudget(std::size_t limit) : limit_{limit} {}

    // False, and nothing taken, when the limit would be passed.
    bool take(std::size_t bytes) {
        if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_) return true;
        give(bytes);
        return false;
    }
    void give(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

    std::size_t limit() const { return limit_; }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }

private:
    const std::size_t limit_;
    std::atomic<std::size_t> used_ = 0;
};

// Bytes that one statement may buffer. Belongs to the statement's thread; takes from the process in steps, so
// that the shared count is not touched for every row. Gives all back when it ends.
class StatementBudget {
public:
    enum class Verdict { granted, over_statement, over_process };

    // `process` outlives this.
    StatementBudget(ProcessBudget& process, std::size_t limit) : process_{process}, limit_{limit} {}
    StatementBudget(const StatementBudget&) = delete;
    StatementBudget& operator=(const StatementBudget&) = delete;
    ~StatementBudget() { process_.give(reserved_); }

    // Nothing is taken unless granted.
    Verdict take(std::size_t bytes);
    void give(std::size_t bytes) {
        assert(bytes <= used_);
        used_ -= bytes;
    }

    std::size_t limit() const { return limit_; }
    std::size_t process_limit() const { return process_.limit(); }
    std::size_t used() const { return used_; }

private:
    static constexpr std::size_t step_bytes = 64 * 1024;

    ProcessBudget& process_;
    const std::size_t limit_;
    std::size_t used_ = 0;
    std::size_t reserved_ = 0;  // taken from the process, at least used_
};

}  // namespace shardway::base
