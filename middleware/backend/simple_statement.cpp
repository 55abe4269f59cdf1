#include "middleware/backend/simple_statement.hpp"

#include "middleware/backend/answer.hpp"
#include "middleware/backend/train.hpp"
#include "middleware/protocol/errors.hpp"

namespace shardway::backend {

net::Task<protocol::Result<SimpleAnswer>> run_simple(Connection& connection, std::string statement) {
    Train train{connection, nullptr, {}};
    train.carry(statement);
    try {
        const auto departed = co_await train.depart();
        if (departed.has_error()) co_return departed.error();
        AnswerStream answer{train};
        SimpleAnswer simple;
        while (!answer.done()) {
            auto item = co_await answer.next();
            if (auto* error = std::get_if<protocol::SqlError>(&item)) co_return std::move(*error);
            if (const auto* ok = std::get_if<AnswerStream::Ok>(&item))
                simple = {ok->affected_rows, ok->status};
        }
        co_return simple;
    } catch (const net::ConnectionLost&) {
        connection.mark_broken();
    }
    co_return train.left() ? protocol::outcome_unknown(connection.node_name())
                           : protocol::connection_lost(connection.node_name());
}

}  // namespace shardway::backend
