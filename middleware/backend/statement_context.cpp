#include "middleware/backend/statement_context.hpp"

namespace shardway::backend {

void Cancellation::Waiter::leave() {
    if (!owner_) return;
    if (previous_) {
        previous_->next_ = next_;
    } else {
        owner_->first_ = next_;
    }
    if (next_) next_->previous_ = previous_;
    owner_ = nullptr;
    next_ = previous_ = nullptr;
}

Cancellation::~Cancellation() {
    while (first_) first_->leave();
}

void Cancellation::enter(Waiter& waiter) {
    waiter.leave();
    waiter.owner_ = this;
    waiter.next_ = first_;
    if (first_) first_->previous_ = &waiter;
    first_ = &waiter;
    if (why_) waiter.stop();
}

void Cancellation::cancel(protocol::SqlError why) {
    if (why_) return;
    why_ = std::move(why);
    for (Waiter* waiter = first_; waiter != nullptr;) {
        Waiter* const following = waiter->next_;
        waiter->stop();
        waiter = following;
    }
}

void Diagnostics::add(Level level, std::uint16_t code, std::string message) {
    ++count_;
    if (kept_.size() < kept_max) kept_.push_back({level, code, std::move(message)});
}

void Diagnostics::clear() {
    kept_.clear();
    count_ = 0;
}

}  // namespace shardway::backend
