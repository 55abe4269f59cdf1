// Ids for those who only want to see a plan: 1, 2, 3, … with their gene. Nobody was given them.
#pragma once

#include "middleware/plan/plan.hpp"
#include "rules/ids.hpp"

namespace shardway::plan {

class SampleIds final : public IdProvider {
public:
    rules::GeneratedIdResult next(std::string_view, const rules::TableState& table,
                                  std::optional<rules::Slot> slot) override {
        const rules::IdRule* rule = table.rule == nullptr ? nullptr : rules::id_rule_of(*table.rule);
        ++count_;
        if (rule != nullptr && rule->generator == rules::IdGenerator::uuid7)
            return rules::GeneratedId{schema::make_uuid7(count_, 0, 0)};
        const int gene_bits = rule == nullptr ? 0 : rules::gene_bits_of(*table.rule, *rule);
        return rules::GeneratedId{count_ << gene_bits | (gene_bits != 0 && slot ? slot->value : 0)};
    }

private:
    std::uint64_t count_ = 0;
};

}  // namespace shardway::plan
