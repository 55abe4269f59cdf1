#include "middleware/admin/explain_statement.hpp"

#include "middleware/plan/explain.hpp"

namespace shardway::admin {

protocol::Result<std::string> explain_statement(plan::Planner& planner, const plan::PlanContext& context,
                                                std::string_view statement, bool json) {
    const auto routed = planner.plan(statement, context);
    if (routed.has_error()) return routed.error();
    const plan::Explanation explanation = plan::explain(routed.value(), context, statement);
    if (json) return plan::to_json(explanation);
    std::string text = plan::to_text(explanation);
    text.pop_back();
    return text;
}

}  // namespace shardway::admin
