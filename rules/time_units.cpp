#include "rules/algorithm.hpp"
#include "rules/moment.hpp"

namespace shardway::rules {

namespace {

// TO_DAYS of the first Monday.
constexpr std::int64_t first_monday = 2;

}  // namespace

std::int64_t unit_number(TimeUnit unit, const Moment& moment) {
    switch (unit) {
    case TimeUnit::day: return to_days(moment.year, moment.month, moment.day);
    case TimeUnit::week: return (to_days(moment.year, moment.month, moment.day) - first_monday) / 7;
    case TimeUnit::month: return moment.year * 12 + moment.month - 1;
    case TimeUnit::quarter: return moment.year * 4 + (moment.month - 1) / 3;
    case TimeUnit::year: return moment.year;
    }
    return 0;
}

Moment unit_begin(TimeUnit unit, std::int64_t number) {
    const auto first_of = [](std::int64_t year, std::int64_t month) {
        return Moment{static_cast<std::int16_t>(year), static_cast<std::int8_t>(month), 1};
    };
    switch (unit) {
    case TimeUnit::day: return from_days(number);
    case TimeUnit::week: return from_days(number * 7 + first_monday);
    case TimeUnit::month: return first_of(number / 12, number % 12 + 1);
    case TimeUnit::quarter: return first_of(number / 4, number % 4 * 3 + 1);
    case TimeUnit::year: return first_of(number, 1);
    }
    return {};
}

}  // namespace shardway::rules
