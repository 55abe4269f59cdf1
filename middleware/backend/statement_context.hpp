// What everything that works for one statement is handed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/protocol/sql_error.hpp"
#include "schema/base/budget.hpp"
#include "schema/base/clock.hpp"

namespace shardway::rules {
class Topology;
}

namespace shardway::backend {

// How a statement is told to stop. One thread: the session's.
class Cancellation {
public:
    // Whatever waits for the statement; enters itself for as long as it waits. Entering costs no allocation.
    class Waiter {
    public:
        Waiter() = default;
        Waiter(const Waiter&) = delete;
        Waiter& operator=(const Waiter&) = delete;
        virtual ~Waiter() { leave(); }
        void leave();

    protected:
        virtual void stop() = 0;  // ends the wait soon; may leave(), must not destroy other waiters

    private:
        friend class Cancellation;
        Cancellation* owner_ = nullptr;
        Waiter* next_ = nullptr;
        Waiter* previous_ = nullptr;
    };

    Cancellation() = default;
    Cancellation(const Cancellation&) = delete;
    Cancellation& operator=(const Cancellation&) = delete;
    ~Cancellation();

    // A waiter that enters after cancel() is stopped at once.
    void enter(Waiter& waiter);
    // The first error stays; all who wait are stopped.
    void cancel(protocol::SqlError why);
    const std::optional<protocol::SqlError>& why() const { return why_; }

private:
    std::optional<protocol::SqlError> why_;
    Waiter* first_ = nullptr;
};

enum class Level : std::uint8_t { note, warning, error };

struct Diagnostic {
    Level level;
    std::uint16_t code;
    std::string message;
};

// The diagnostics area of a statement: what SHOW WARNINGS shows. Texts have logical names and the client's
// row numbers.
class Diagnostics {
public:
    // MySQL's default for max_error_count: so many are kept, all are counted.
    static constexpr std::size_t kept_max = 1024;

    void add(Level level, std::uint16_t code, std::string message);
    // Warnings that are known by number only.
    void add_count(std::uint32_t warnings) { count_ += warnings; }
    void clear();

    const std::vector<Diagnostic>& kept() const { return kept_; }
    std::uint32_t count() const { return count_; }
    // As the two bytes of an OK packet say it.
    std::uint16_t count_on_wire() const {
        return count_ > 65535 ? 65535 : static_cast<std::uint16_t>(count_);
    }

private:
    std::vector<Diagnostic> kept_;
    std::uint32_t count_ = 0;
};

// Where a statement's time went: named moments, for the slow log. Off unless asked for.
class Trace {
public:
    struct Step {
        const char* name;  // static text
        base::SteadyTime at;
    };
    void step(const char* name, base::SteadyTime at) { steps_.push_back({name, at}); }
    const std::vector<Step>& steps() const { return steps_; }

private:
    std::vector<Step> steps_;
};

// Lives from the arrival of a statement until its answer is out; belongs to the session's thread.
struct StatementContext {
    StatementContext(std::shared_ptr<const rules::Topology> snapshot, base::ProcessBudget& process,
                     std::size_t memory_limit)
        : topology{std::move(snapshot)}, budget{process, memory_limit} {}

    const std::shared_ptr<const rules::Topology> topology;  // the one it started with, to its end
    base::StatementBudget budget;
    base::SteadyTime deadline = base::SteadyTime::max();  // query_time
    Cancellation cancellation;
    // NOW() and its kin for all parts, as the literal for SET timestamp, where one statement runs in several
    // places.
    std::optional<std::string> clock_pin;
    bool wants_snapshot = false;  // reads of several nodes must see one moment
    Diagnostics diagnostics;
    std::optional<Trace> trace;
};

}  // namespace shardway::backend
