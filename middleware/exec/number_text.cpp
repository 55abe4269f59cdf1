#include "middleware/exec/number_text.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace shardway::exec {

namespace {

using Integer = boost::multiprecision::int256_t;

Integer power_of_ten(unsigned exponent) {
    Integer power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

// To the nearest, halves away from zero.
Integer rounded_quotient(const Integer& dividend, const Integer& divisor) {
    Integer quotient, remainder;
    divide_qr(Integer{abs(dividend)}, Integer{abs(divisor)}, quotient, remainder);
    if (remainder * 2 >= abs(divisor)) ++quotient;
    return (dividend < 0) != (divisor < 0) ? Integer{-quotient} : quotient;
}

constexpr unsigned decimals_not_fixed = 31;
// Digits before the point of a whole number, or zeros behind it, up to which servers write no exponent (asked
// of MySQL 9.7 and MariaDB 10.11).
constexpr int plain_digits_max = 15;

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
    Decimal made;
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    unsigned digits = 0;
    bool behind_point = false;
    for (const char c : text) {
        if (c == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (c < '0' || c > '9') return std::nullopt;
        made.units_ = made.units_ * 10 + (c - '0');
        digits += made.units_ != 0 ? 1 : 0;
        made.scale_ += behind_point ? 1 : 0;
        if (digits > digits_max || made.scale_ > scale_max) return std::nullopt;
    }
    if (text.empty() || text == ".") return std::nullopt;
    if (negative) made.units_ = -made.units_;
    return made;
}

Decimal Decimal::rescaled(unsigned scale) const {
    Decimal made;
    made.scale_ = scale;
    made.units_ = scale >= scale_ ? Integer{units_ * power_of_ten(scale - scale_)}
                                  : rounded_quotient(units_, power_of_ten(scale_ - scale));
    return made;
}

void Decimal::add(const Decimal& other) {
    const unsigned scale = std::max(scale_, other.scale_);
    *this = rescaled(scale);
    units_ += other.rescaled(scale).units_;
}

Decimal Decimal::divided_by(std::int64_t divisor, unsigned scale) const {
    Decimal made;
    made.scale_ = scale;
    // One division only: to round twice can round differently.
    if (scale >= scale_) {
        made.units_ = rounded_quotient(units_ * power_of_ten(scale - scale_), Integer{divisor});
    } else {
        made.units_ = rounded_quotient(units_, Integer{divisor} * power_of_ten(scale_ - scale));
    }
    return made;
}

bool Decimal::fits() const { return abs(units_) < power_of_ten(digits_max); }

std::string Decimal::text(unsigned scale) const {
    const Integer units = rescaled(scale).units_;
    std::string digits = Integer{abs(units)}.str();
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    if (scale > 0) digits.insert(digits.size() - scale, 1, '.');
    return units < 0 ? "-" + digits : digits;
}

std::string double_text(double value, unsigned decimals) {
    if (decimals < decimals_not_fixed) return fmt::format("{:.{}f}", value, decimals);
    if (value == 0) return std::signbit(value) ? "-0" : "0";
    char shortest[32];
    const auto end =
        std::to_chars(shortest, shortest + sizeof shortest, value, std::chars_format::scientific);
    std::string_view text{shortest, static_cast<std::size_t>(end.ptr - shortest)};
    const bool negative = text.front() == '-';
    if (negative) text.remove_prefix(1);
    const std::size_t e = text.find('e');
    std::string digits{text.substr(0, 1)};
    if (e > 2) digits += text.substr(2, e - 2);
    int exponent = 0;
    const std::string_view written = text.substr(text[e + 1] == '+' ? e + 2 : e + 1);
    std::from_chars(written.data(), written.data() + written.size(), exponent);

    std::string out;
    const int point = exponent + 1;  // digits before the point
    const bool is_whole = digits.size() <= static_cast<std::size_t>(std::max(point, 0));
    if ((point > plain_digits_max && is_whole) || point < -plain_digits_max + 1) {
        out = digits.substr(0, 1);
        if (digits.size() > 1) out += "." + digits.substr(1);
        out += fmt::format("e{}", exponent);
    } else if (point <= 0) {
        out = "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    } else {
        const auto before = static_cast<std::size_t>(point);
        if (digits.size() < before) digits.append(before - digits.size(), '0');
        out = digits.substr(0, before);
        if (digits.size() > before) out += "." + digits.substr(before);
    }
    return negative ? "-" + out : out;
}

}  // namespace shardway::exec
