#include "rules/gene.hpp"

namespace shardway::rules {

std::optional<Slot> gene_slot(const GeneRule& rule, std::uint32_t slots, const Key& value) {
    std::uint64_t bits = 0;
    // Of a negative number MySQL's & takes the two's complement too.
    if (const auto* number = std::get_if<std::int64_t>(&value.value))
        bits = static_cast<std::uint64_t>(*number);
    else if (const auto* large = std::get_if<std::uint64_t>(&value.value))
        bits = *large;
    else
        return std::nullopt;
    const auto slot = static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << rule.bits) - 1));
    if (slot >= slots) return std::nullopt;
    return Slot{slot};
}

}  // namespace shardway::rules
