#include "middleware/session/column_memo.hpp"

#include "tests/catch.hpp"

using namespace shardway;
using session::ColumnMemo;

namespace {

std::vector<std::uint8_t> frames_of(std::size_t bytes, std::uint8_t filled_with) {
    return std::vector<std::uint8_t>(bytes, filled_with);
}

}  // namespace

TEST_CASE("columns are remembered for the same bytes, names and number alone") {
    ColumnMemo memo;
    const auto frames = frames_of(100, 1);
    const auto shown = frames_of(90, 2);
    const std::vector<plan::NameMapping> names{{"shop_03", "t_order", "shop", "t_order"}};
    CHECK(memo.find(frames, names, 2).empty());
    memo.keep(frames, names, 2, shown);
    const auto found = memo.find(frames, names, 2);
    CHECK(std::equal(found.begin(), found.end(), shown.begin(), shown.end()));

    CHECK(memo.find(frames, names, 3).empty());
    CHECK(memo.find(frames, {}, 2).empty());
    std::vector<plan::NameMapping> others = names;
    others[0].logical_table = "t_orders";
    CHECK(memo.find(frames, others, 2).empty());
    others = names;
    others.push_back(names.front());
    CHECK(memo.find(frames, others, 2).empty());
    auto changed = frames;
    changed[50] = 9;
    CHECK(memo.find(changed, names, 2).empty());
}

TEST_CASE("large column definitions are not remembered, and what is remembered is bounded") {
    ColumnMemo memo;
    const auto largest = frames_of(ColumnMemo::frames_bytes_max, 1);
    memo.keep(largest, {}, 2, largest);
    CHECK(memo.find(largest, {}, 2).size() == largest.size());
    const auto larger = frames_of(ColumnMemo::frames_bytes_max + 1, 1);
    memo.keep(larger, {}, 2, larger);
    CHECK(memo.find(larger, {}, 2).empty());

    std::size_t kept = 0;
    for (std::size_t size = 1; size <= 4 * ColumnMemo::entries_max; ++size)
        memo.keep(frames_of(size, 7), {}, 2, frames_of(size, 8));
    for (std::size_t size = 1; size <= 4 * ColumnMemo::entries_max; ++size)
        kept += !memo.find(frames_of(size, 7), {}, 2).empty();
    CHECK(kept <= ColumnMemo::entries_max);
    CHECK(kept > ColumnMemo::entries_max / 2);
}
