#include "rules/moment.hpp"

namespace shardway::rules {

namespace {

constexpr std::int64_t seconds_per_day = 86400;

// Exactly `count` digits from `at` on.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
    if (at + count > text.size()) return std::nullopt;
    int value = 0;
    for (const char c : text.substr(at, count)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

}  // namespace

int days_in_month(int year, int month) {
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

// Both count years from March, so that the leap day is a year's last.
std::int64_t to_days(int year, int month, int day) {
    const std::int64_t y = month <= 2 ? year - 1 : year;
    const std::int64_t month_from_march = (month + 9) % 12;
    const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    constexpr std::int64_t march_first_of_year_0 = 60;
    return march_first_of_year_0 + 365 * y + y / 4 - y / 100 + y / 400 + day_of_year;
}

Moment from_days(std::int64_t days) {
    const std::int64_t since = days - 60;
    const std::int64_t era = since / 146097;
    const std::int64_t of_era = since % 146097;
    const std::int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const std::int64_t day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
    Moment moment;
    moment.day = static_cast<std::int8_t>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    moment.month =
        static_cast<std::int8_t>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    moment.year = static_cast<std::int16_t>(year_of_era + era * 400 + (moment.month <= 2 ? 1 : 0));
    return moment;
}

std::optional<ParsedMoment> parse_moment(std::string_view text) {
    const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
    if (!year || !month || !day || text[4] != '-' || text[7] != '-') return std::nullopt;
    if (*year < 1 || *month < 1 || *month > 12 || *day < 1 || *day > days_in_month(*year, *month))
        return std::nullopt;
    ParsedMoment parsed;
    parsed.moment.year = static_cast<std::int16_t>(*year);
    parsed.moment.month = static_cast<std::int8_t>(*month);
    parsed.moment.day = static_cast<std::int8_t>(*day);
    if (text.size() == 10) return parsed;

    const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
    if (!hour || !minute || !second || (text[10] != ' ' && text[10] != 'T') || text[13] != ':' ||
        text[16] != ':')
        return std::nullopt;
    if (*hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
    parsed.has_time = true;
    parsed.moment.hour = static_cast<std::int8_t>(*hour);
    parsed.moment.minute = static_cast<std::int8_t>(*minute);
    parsed.moment.second = static_cast<std::int8_t>(*second);
    if (text.size() == 19) return parsed;

    const std::string_view fraction = text.substr(20);
    if (text[19] != '.' || fraction.empty() || fraction.size() > 6) return std::nullopt;
    const auto value = digits(fraction, 0, fraction.size());
    if (!value) return std::nullopt;
    std::int32_t micros = *value;
    for (std::size_t i = fraction.size(); i < 6; ++i) micros *= 10;
    parsed.moment.microsecond = micros;
    parsed.fraction_digits = micros == 0 ? 0 : 6;
    for (; micros != 0 && micros % 10 == 0; micros /= 10) --parsed.fraction_digits;
    return parsed;
}

std::optional<Moment> add_seconds(const Moment& moment, std::int64_t seconds) {
    const std::int64_t total = to_days(moment.year, moment.month, moment.day) * seconds_per_day +
                               moment.hour * 3600 + moment.minute * 60 + moment.second + seconds;
    if (total < to_days(1, 1, 1) * seconds_per_day || total >= (to_days(9999, 12, 31) + 1) * seconds_per_day)
        return std::nullopt;
    Moment result = from_days(total / seconds_per_day);
    const std::int64_t of_day = total % seconds_per_day;
    result.hour = static_cast<std::int8_t>(of_day / 3600);
    result.minute = static_cast<std::int8_t>(of_day / 60 % 60);
    result.second = static_cast<std::int8_t>(of_day % 60);
    result.microsecond = moment.microsecond;
    return result;
}

}  // namespace shardway::rules
