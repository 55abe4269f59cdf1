#include "middleware/exec/outcome.hpp"

#include <charconv>
#include <string_view>
#include <vector>

namespace shardway::exec {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "Records: 3  Duplicates: 0  Warnings: 0" and "Rows matched: 1  Changed: 1  Warnings: 0": words and numbers.
// Texts with the same words have their numbers added; drivers read them.
struct InfoText {
    std::vector<std::string_view> words;  // between the numbers
    std::vector<std::uint64_t> numbers;
};

InfoText split_info(std::string_view info) {
    InfoText split;
    while (!info.empty()) {
        std::size_t word = 0;
        while (word < info.size() && !is_digit(info[word])) ++word;
        split.words.push_back(info.substr(0, word));
        info.remove_prefix(word);
        std::size_t digits = 0;
        while (digits < info.size() && is_digit(info[digits])) ++digits;
        if (digits == 0) break;
        std::uint64_t number = 0;
        std::from_chars(info.data(), info.data() + digits, number);
        split.numbers.push_back(number);
        info.remove_prefix(digits);
    }
    return split;
}

std::string sum_info(const std::string& first, const std::string& second) {
    const InfoText a = split_info(first), b = split_info(second);
    if (first.empty()) return second;
    if (a.words != b.words || a.numbers.size() != b.numbers.size()) return first;
    std::string sum;
    for (std::size_t index = 0; index < a.words.size(); ++index) {
        sum += a.words[index];
        if (index < a.numbers.size()) sum += std::to_string(a.numbers[index] + b.numbers[index]);
    }
    return sum;
}

}  // namespace

void add(Outcome& sum, const Outcome& part) {
    sum.has_rows = sum.has_rows || part.has_rows;
    sum.affected_rows += part.affected_rows;
    sum.row_count += part.row_count;
    sum.warnings += part.warnings;
    if (sum.last_insert_id == 0) sum.last_insert_id = part.last_insert_id;
    sum.status = sum.status | part.status;
    sum.info = sum_info(sum.info, part.info);
}

}  // namespace shardway::exec
