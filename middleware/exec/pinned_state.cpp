#include "middleware/exec/pinned_state.hpp"

#include <chrono>

#include <fmt/format.h>

#include "schema/base/clock.hpp"

namespace shardway::exec {

namespace {

// Now, as SET timestamp takes it: seconds with microseconds.
std::string wall_clock_literal() {
    const auto now = base::Clock::system().wall().time_since_epoch();
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    return fmt::format("{}.{:06}", micros / 1'000'000, micros % 1'000'000);
}

}  // namespace

std::shared_ptr<const backend::SessionState> pinned_state(std::shared_ptr<const backend::SessionState> state,
                                                          const plan::Plan& plan,
                                                          backend::StatementContext& context) {
    if (!plan.reads_clock || state->find("timestamp") != nullptr) return state;
    if (!context.clock_pin) context.clock_pin = wall_clock_literal();
    return state->with("timestamp", *context.clock_pin);
}

}  // namespace shardway::exec
