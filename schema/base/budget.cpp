#include "schema/base/budget.hpp"

namespace shardway::base {

StatementBudget::Verdict StatementBudget::take(std::size_t bytes) {
    if (bytes > limit_ - used_) return Verdict::over_statement;
    if (used_ + bytes > reserved_) {
        const std::size_t missing = used_ + bytes - reserved_;
        const std::size_t wanted = (missing + step_bytes - 1) / step_bytes * step_bytes;
        if (process_.take(wanted)) {
            reserved_ += wanted;
        } else if (process_.take(missing)) {
            reserved_ += missing;  // near the limit every byte counts
        } else {
            return Verdict::over_process;
        }
    }
    used_ += bytes;
    return Verdict::granted;
}

}  // namespace shardway::base
