#include "rules/key.hpp"

#include <cassert>

#include <fmt/format.h>

namespace shardway::rules {

namespace {

// Order of strings as if spaces without end followed each.
std::strong_ordering compare_padded(std::string_view left, std::string_view right) {
    const std::size_t common = std::min(left.size(), right.size());
    if (const int order = left.substr(0, common).compare(right.substr(0, common)); order != 0)
        return order <=> 0;
    const auto against_spaces = [](std::string_view tail) {
        for (const unsigned char c : tail)
            if (c != ' ') return c <=> static_cast<unsigned char>(' ');
        return std::strong_ordering::equal;
    };
    return left.size() > common ? against_spaces(left.substr(common))
                                : 0 <=> against_spaces(right.substr(common));
}

// On the path of every point statement, where format_to would cost more than the hash itself.
template <class Number>
void append_number(std::string& out, Number number) {
    const fmt::format_int digits{number};
    out.append(digits.data(), digits.size());
}

}  // namespace

Key Key::of(std::uint64_t number) {
    if (number <= static_cast<std::uint64_t>(INT64_MAX)) return Key{static_cast<std::int64_t>(number)};
    return Key{number};
}

void Key::append_text(std::string& out) const {
    if (const auto* text = std::get_if<std::string>(&value)) {
        out += *text;
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
        append_number(out, *number);
    } else if (const auto* large = std::get_if<std::uint64_t>(&value)) {
        append_number(out, *large);
    } else {
        const auto& m = std::get<Moment>(value);
        fmt::format_to(std::back_inserter(out), FMT_STRING("{:04}-{:02}-{:02}"), m.year, m.month, m.day);
        if (fsp == day_only) return;
        fmt::format_to(std::back_inserter(out), FMT_STRING(" {:02}:{:02}:{:02}"), m.hour, m.minute, m.second);
        if (fsp == 0) return;
        const std::string micros = fmt::format(FMT_STRING(".{:06}"), m.microsecond);
        out.append(micros, 0, static_cast<std::size_t>(fsp) + 1);
    }
}

std::string Key::text() const {
    std::string out;
    append_text(out);
    return out;
}

std::strong_ordering compare(const Key& left, const Key& right) {
    if (left.is_number()) {
        assert(right.is_number());
        // A uint64 is always the larger: Key::of keeps what fits an int64 in one.
        if (left.value.index() != right.value.index()) return left.value.index() <=> right.value.index();
        if (const auto* number = std::get_if<std::int64_t>(&left.value))
            return *number <=> std::get<0>(right.value);
        return std::get<1>(left.value) <=> std::get<1>(right.value);
    }
    assert(left.value.index() == right.value.index());
    if (const auto* moment = std::get_if<Moment>(&left.value))
        return *moment <=> std::get<Moment>(right.value);
    const auto& a = std::get<std::string>(left.value);
    const auto& b = std::get<std::string>(right.value);
    if (left.pads || right.pads) return compare_padded(a, b);
    return a.compare(b) <=> 0;
}

}  // namespace shardway::rules
