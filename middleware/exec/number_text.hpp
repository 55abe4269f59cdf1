// Sums as MySQL writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/multiprecision/cpp_int.hpp>

namespace shardway::exec {

// An exact decimal of up to 65 digits (MySQL manual, "Precision Math"): an integer and how many of its digits
// stand behind the point. 256 bits hold a sum of more of them than there are rows. Plain data, no allocation.
class Decimal {
public:
    static constexpr unsigned digits_max = 65;
    static constexpr unsigned scale_max = 38;  // what MariaDB allows; MySQL 30

    // "-12.340"; nothing when it is not a decimal, or has too many digits.
    static std::optional<Decimal> parse(std::string_view text);

    void add(const Decimal& other);
    // Half away from zero, as the server does. `divisor` is not 0.
    Decimal divided_by(std::int64_t divisor, unsigned scale) const;
    bool fits() const;  // in 65 digits

    // With `scale` digits behind the point, rounded where it had more.
    std::string text(unsigned scale) const;

private:
    using Integer = boost::multiprecision::int256_t;
    Decimal rescaled(unsigned scale) const;

    Integer units_ = 0;
    unsigned scale_ = 0;
};

// A DOUBLE in a text result: the shortest digits that read back the same, with an exponent where the server
// writes one; or `decimals` digits behind the point, where a column fixes them (31: it does not).
std::string double_text(double value, unsigned decimals);

}  // namespace shardway::exec
