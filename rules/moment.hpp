// Dates and times as MySQL writes them, as far as shard keys need them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rules/key.hpp"

namespace shardway::rules {

// MySQL's TO_DAYS: days since the year 0, of a valid date from 0000-03-01 on.
std::int64_t to_days(int year, int month, int day);
Moment from_days(std::int64_t days);
int days_in_month(int year, int month);

struct ParsedMoment {
    Moment moment;
    bool has_time = false;    // a time was written, be it 00:00:00
    int fraction_digits = 0;  // digits behind the second that are not trailing zeros
};
// Takes the one form that means the same to every server and sql_mode: YYYY-MM-DD, or YYYY-MM-DD hh:mm:ss
// with up to six digits behind a point (T instead of the space too). Anything else that MySQL may take for a
// date is nothing here.
std::optional<ParsedMoment> parse_moment(std::string_view text);

// Absent when that leaves the years 1 … 9999.
std::optional<Moment> add_seconds(const Moment& moment, std::int64_t seconds);

}  // namespace shardway::rules
