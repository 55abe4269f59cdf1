// Gene keys: an id whose low bits are the slot of another key, so that the id alone routes.
#pragma once

#include <optional>

#include "rules/key.hpp"
#include "rules/rules.hpp"
#include "rules/slots.hpp"

namespace shardway::rules {

// Where rows with this value of the gene column lie. Nothing for a value whose bits name no slot: no row has
// it.
std::optional<Slot> gene_slot(const GeneRule& rule, std::uint32_t slots, const Key& value);

}  // namespace shardway::rules
