#include "middleware/exec/sort_key.hpp"

#include <bit>
#include <charconv>

#include "middleware/protocol/charset.hpp"
#include "middleware/protocol/errors.hpp"

namespace shardway::exec {

using protocol::ColumnType;
using protocol::Value;

namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

void append_big_endian(std::uint64_t value, std::string& key) {
    for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(value >> shift));
}

template <class T>
std::optional<T> number_of(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// A zero byte becomes 00 ff, the end 00 00: a string sorts before all that begin with it.
void append_escaped(std::string_view bytes, std::string& key) {
    while (true) {
        const std::size_t zero = bytes.find('\0');
        key.append(bytes.substr(0, zero));
        key.push_back('\0');
        if (zero == bytes.npos) break;
        key.push_back('\xff');
        bytes.remove_prefix(zero + 1);
    }
    key.push_back('\0');
}

void invert(std::string& key, std::size_t from) {
    for (std::size_t at = from; at < key.size(); ++at) key[at] = static_cast<char>(~key[at]);
}

// Sign, number of digits before the point, digits without the zeros that change nothing, an end below all
// digits; of negative numbers all but the sign is inverted.
bool append_decimal(std::string_view text, std::string& key) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const std::size_t point = text.find('.');
    std::string_view whole = text.substr(0, point);
    std::string_view fraction = point == text.npos ? std::string_view{} : text.substr(point + 1);
    if (whole.empty() && fraction.empty()) return false;
    if ((std::string_view{"-+"}.find(text.empty() ? '-' : text[0])) != std::string_view::npos) return false;
    if (whole.find_first_not_of("0123456789") != whole.npos) return false;
    if (fraction.find_first_not_of("0123456789") != fraction.npos) return false;
    whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
    const std::size_t last = fraction.find_last_not_of('0');
    fraction = fraction.substr(0, last == fraction.npos ? 0 : last + 1);
    if (whole.size() > 255) return false;
    if (whole.empty() && fraction.empty()) {
        key.push_back(1);
        return true;
    }
    key.push_back(negative ? 0 : 2);
    const std::size_t begin = key.size();
    key.push_back(static_cast<char>(whole.size()));
    key.append(whole).append(fraction).push_back('\0');
    if (negative) invert(key, begin);
    return true;
}

}  // namespace

std::optional<std::int64_t> time_micros(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const std::size_t first = text.find(':');
    if (first == text.npos || text.size() < first + 6 || text[first + 3] != ':') return std::nullopt;
    const auto hours = number_of<std::int64_t>(text.substr(0, first));
    const auto minutes = number_of<std::int64_t>(text.substr(first + 1, 2));
    const auto seconds = number_of<std::int64_t>(text.substr(first + 4, 2));
    if (!hours || !minutes || !seconds) return std::nullopt;
    std::int64_t micros = ((*hours * 60 + *minutes) * 60 + *seconds) * 1'000'000;
    std::string_view rest = text.substr(first + 6);
    if (!rest.empty()) {
        const auto fraction = number_of<std::int64_t>(rest.substr(1));
        if (rest[0] != '.' || rest.size() > 7 || !fraction) return std::nullopt;
        std::int64_t scaled = *fraction;
        for (std::size_t digits = rest.size() - 1; digits < 6; ++digits) scaled *= 10;
        micros += scaled;
    }
    return negative ? -micros : micros;
}

// ENUM and SET travel as text and sort as numbers.
bool KeyEncoder::is_plain_text(const ColumnShape& shape) {
    using namespace protocol::column_flag;
    if ((shape.flags & (enumeration | set)) != 0) return false;
    switch (shape.type) {
    case ColumnType::varchar:
    case ColumnType::var_string:
    case ColumnType::string:
    case ColumnType::tiny_blob:
    case ColumnType::blob:
    case ColumnType::medium_blob:
    case ColumnType::long_blob: return true;
    default: return false;
    }
}

KeyEncoder::Coding KeyEncoder::coding_of(const ColumnShape& shape) {
    if (is_plain_text(shape))
        return shape.collation == protocol::binary_collation ? Coding::bytes : Coding::nothing;
    switch (shape.type) {
    case ColumnType::int8:
    case ColumnType::int16:
    case ColumnType::int24:
    case ColumnType::int32:
    case ColumnType::int64:
    case ColumnType::year: return shape.is_unsigned() ? Coding::unsigned_integer : Coding::integer;
    case ColumnType::float32:
    case ColumnType::float64: return Coding::floating;
    case ColumnType::decimal:
    case ColumnType::newdecimal: return Coding::decimal;
    case ColumnType::time: return Coding::time;
    case ColumnType::date:
    case ColumnType::newdate:
    case ColumnType::datetime:
    case ColumnType::timestamp:
    case ColumnType::bit:
    case ColumnType::null: return Coding::bytes;
    default: return Coding::nothing;
    }
}

protocol::Result<KeyEncoder> KeyEncoder::make(std::span<const plan::MergeKey> keys,
                                              std::span<const ColumnShape> shapes, std::uint32_t hidden,
                                              Use use, std::size_t sort_bytes_max) {
    KeyEncoder made;
    if (use == Use::order) made.bytes_max_ = sort_bytes_max;
    const auto total = static_cast<std::uint32_t>(shapes.size());
    for (const plan::MergeKey& key : keys) {
        Field field{Coding::nothing, key.column.position(total, hidden), 0, key.descending};
        field.value = field.column;
        field.coding = coding_of(shapes[field.column]);
        if (field.coding == Coding::nothing && key.weight && is_plain_text(shapes[field.column])) {
            field.column = key.weight->position(total, hidden);
            field.coding = coding_of(shapes[field.column]);
        }
        if (field.coding == Coding::nothing)
            return protocol::not_supported(use == Use::order
                                               ? "ORDER BY a value of this type over several shards"
                                               : "GROUP BY a value of this type over several shards");
        made.fields_.push_back(field);
    }
    return made;
}

bool KeyEncoder::append(std::span<const Value> row, std::string& key) const {
    for (const Field& field : fields_) {
        const std::size_t begin = key.size();
        if (!row[field.value]) {
            key.push_back('\0');
        } else {
            key.push_back('\1');
            if (!row[field.column] || !append_value(field, *row[field.column], key)) return false;
        }
        if (field.descending) invert(key, begin);
    }
    return true;
}

bool KeyEncoder::append_value(const Field& field, std::string_view value, std::string& key) const {
    switch (field.coding) {
    case Coding::integer: {
        const auto number = number_of<std::int64_t>(value);
        if (number) append_big_endian(static_cast<std::uint64_t>(*number) ^ sign_bit, key);
        return number.has_value();
    }
    case Coding::unsigned_integer: {
        const auto number = number_of<std::uint64_t>(value);
        if (number) append_big_endian(*number, key);
        return number.has_value();
    }
    case Coding::floating: {
        const auto number = number_of<double>(value);
        if (!number) return false;
        const auto bits = std::bit_cast<std::uint64_t>(*number == 0 ? 0.0 : *number);
        append_big_endian((bits & sign_bit) != 0 ? ~bits : bits | sign_bit, key);
        return true;
    }
    case Coding::decimal: return append_decimal(value, key);
    case Coding::time: {
        const auto micros = time_micros(value);
        if (micros) append_big_endian(static_cast<std::uint64_t>(*micros) ^ sign_bit, key);
        return micros.has_value();
    }
    case Coding::bytes: append_escaped(value.substr(0, bytes_max_), key); return true;
    case Coding::nothing: break;
    }
    return false;
}

}  // namespace shardway::exec
