#include "middleware/backend/connection_source.hpp"

namespace shardway::backend {

Connection* PooledConnections::try_borrow(NodeIndex node, const SessionState* wanted) {
    first_ = pool_.try_acquire(node, wanted);
    return first_ ? &*first_ : nullptr;
}

net::Task<protocol::Result<std::vector<Loan>>> PooledConnections::borrow(
    std::vector<NodeIndex> nodes, std::shared_ptr<const SessionState> wanted, base::SteadyTime deadline) {
    std::vector<Loan> loans(nodes.size());
    auto acquired = co_await pool_.acquire(std::move(nodes), wanted.get(), deadline);
    if (acquired.has_error()) co_return std::move(acquired).error();
    for (std::size_t index = 0; index < loans.size(); ++index) {
        loans[index].connection = &*acquired.value()[index];
        leases_.push_back(std::move(acquired.value()[index]));
    }
    co_return loans;
}

}  // namespace shardway::backend
