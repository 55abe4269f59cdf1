// What bench.sh runs under callgrind: one operation, a number of times.
//
//   sqlparse_bench scan-point|parse-point|scan-insert|parse-insert|memory TIMES
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sqlparse/parser.hpp"
#include "sqlparse/scan.hpp"

using namespace shardway::sqlparse;

namespace {

// 1 MiB of rows as an order system writes them: ids, amounts, a short text, a time.
std::string bulk_insert() {
    std::string text =
        "INSERT INTO t_order (order_id, user_id, merchant_id, status, amount, title, created_at) VALUES ";
    for (unsigned i = 0; text.size() < (1 << 20); ++i) {
        if (i > 0) text += ',';
        text += "(" + std::to_string(7'300'000'000'000 + i * 37) + "," +
                std::to_string(1'000'000 + i * 7919 % 900'000) + "," + std::to_string(i % 5000) + "," +
                std::to_string(i % 6) + "," + std::to_string(i % 1000) + "." + std::to_string(10 + i % 90) +
                ",'order number " + std::to_string(i) + "','2024-05-0" + std::to_string(1 + i % 9) +
                " 12:34:56')";
    }
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: sqlparse_bench WHAT TIMES\n");
        return 2;
    }
    const std::string_view what = argv[1];
    const int times = std::atoi(argv[2]);
    const ParseOptions options;
    const bool point = what.ends_with("point");
    const std::string text = point ? "SELECT c FROM sbtest1 WHERE id=12345" : bulk_insert();
    Arena arena;
    Scan scanned;
    std::uint64_t sum = 0;
    if (what.starts_with("scan")) {
        for (int i = 0; i < times; ++i) {
            scan(text, options, scanned);
            sum += scanned.key.low + scanned.digest;
        }
    } else {
        for (int i = 0; i < times; ++i) {
            arena.reset();
            const Parsed parsed = parse(text, options, arena);
            sum += parsed.statement != nullptr;
        }
    }
    if (what == "memory") std::printf("%zu %zu\n", arena.used(), text.size());
    return sum == 0 ? 1 : 0;
}
