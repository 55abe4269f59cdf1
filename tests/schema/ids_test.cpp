#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>

#include <unistd.h>

#include "schema/segment.hpp"
#include "schema/snowflake.hpp"
#include "schema/uuid7.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::schema;

namespace {

class IdFolder {
public:
    IdFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "shardway-ids-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~IdFolder() { std::filesystem::remove_all(path_); }
    std::unique_ptr<MetaStore> open() const { return open_sqlite_store(path_ + "/meta.db"); }

private:
    std::string path_;
};

class IdClock final : public base::Clock {
public:
    base::WallTime wall() const override {
        const base::WallTime time{std::chrono::milliseconds{unix_ms.load()}};
        if (const auto meanwhile = std::exchange(held_up, nullptr)) meanwhile();
        return time;
    }
    std::atomic<std::int64_t> unix_ms = snowflake_epoch_ms + 1'000'000;
    // What others do between one reader's look at the clock and its next step.
    mutable std::function<void()> held_up;
};

std::uint64_t id_of(const IdResult& result) {
    REQUIRE(std::holds_alternative<std::uint64_t>(result));
    return std::get<std::uint64_t>(result);
}
bool is_problem(const IdResult& result, IdProblem problem) {
    const auto* found = std::get_if<IdProblem>(&result);
    return found != nullptr && *found == problem;
}

}  // namespace

TEST_CASE("a snowflake is milliseconds, worker and sequence") {
    const IdFolder folder;
    const auto store = folder.open();
    IdClock clock;
    SnowflakeWorker worker{*store, clock};
    SnowflakeSource source{worker};
    Snowflakes ids{source};
    const std::uint64_t first = id_of(ids.next()), second = id_of(ids.next());
    CHECK(parts_of_snowflake(first).unix_ms == clock.unix_ms);
    CHECK(parts_of_snowflake(first).worker == worker.grant().worker);
    CHECK(parts_of_snowflake(first).sequence == 0);
    CHECK(parts_of_snowflake(second).sequence == 1);
    CHECK(first >> 63 == 0);
    // One id, computed by hand: 1,000,000 ms, worker 0, sequence 0.
    CHECK(first == 1'000'000ull << 22);
}

TEST_CASE("two processes have two worker ids; a dead one's is taken later, behind its mark") {
    const IdFolder folder;
    const auto one = folder.open(), two = folder.open();
    IdClock clock;
    SnowflakeWorker a{*one, clock};
    SnowflakeWorker b{*two, clock};
    CHECK(a.grant().worker != b.grant().worker);
    CHECK(a.grant().until == a.now_ms() + SnowflakeWorker::window_ms);
    // Of all worker ids those with the lowest marks come first, so an old one returns only after all others.
    std::set<std::uint32_t> seen{a.grant().worker, b.grant().worker};
    for (std::uint32_t i = 2; i < workers_max; ++i) seen.insert(SnowflakeWorker{*one, clock}.grant().worker);
    CHECK(seen.size() == workers_max);
    CHECK(SnowflakeWorker(*one, clock).grant().until == 0);
    clock.unix_ms += SnowflakeWorker::window_ms + 1;
    SnowflakeWorker heir{*one, clock};
    REQUIRE(heir.grant().until != 0);
    CHECK(heir.grant().worker == a.grant().worker);
    CHECK(heir.grant().after == a.grant().until);
    // The first holder finds its worker id lost and takes another.
    a.keep();
    CHECK(a.grant().worker != heir.grant().worker);
}

TEST_CASE("a clock that goes back is refused, not repeated") {
    const IdFolder folder;
    const auto store = folder.open();
    IdClock clock;
    SnowflakeWorker worker{*store, clock};
    SnowflakeSource source{worker};
    std::set<std::uint64_t> given;
    const auto take = [&] {
        Snowflakes ids{source};
        const auto result = ids.next();
        if (const auto* id = std::get_if<std::uint64_t>(&result)) CHECK(given.insert(*id).second);
        return result;
    };
    id_of(take());
    clock.unix_ms -= static_cast<std::int64_t>(SnowflakeSource::clock_slack_ms);
    id_of(take());
    clock.unix_ms -= 1;
    CHECK(is_problem(take(), IdProblem::clock_went_back));
    clock.unix_ms += 2;
    id_of(take());

    // A process that starts after its clock was set back takes a worker id that nobody used, or none.
    clock.unix_ms -= 500'000;
    SnowflakeWorker later{*store, clock};
    CHECK(later.grant().worker != worker.grant().worker);
    clock.unix_ms = snowflake_epoch_ms - 1;
    CHECK(SnowflakeWorker(*store, clock).grant().until == 0);
}

TEST_CASE(
    "a thread that is held up behind its look at the clock does not take others' time for a clock set back") {
    const IdFolder folder;
    const auto store = folder.open();
    IdClock clock;
    SnowflakeWorker worker{*store, clock};
    SnowflakeSource source{worker};
    std::uint64_t others = 0;
    clock.held_up = [&] {
        clock.unix_ms += 1'000;
        Snowflakes ids{source};
        others = id_of(ids.next());
    };
    Snowflakes ids{source};
    CHECK(id_of(ids.next()) != others);
    CHECK(others != 0);
}

TEST_CASE("ids end at the mark until it is moved") {
    const IdFolder folder;
    const auto store = folder.open();
    IdClock clock;
    SnowflakeWorker worker{*store, clock};
    SnowflakeSource source{worker};
    clock.unix_ms += SnowflakeWorker::window_ms;
    id_of(Snowflakes{source}.next());
    clock.unix_ms += 1;
    CHECK(is_problem(Snowflakes{source}.next(), IdProblem::not_ready));
    worker.keep();
    id_of(Snowflakes{source}.next());
}

TEST_CASE("a burst borrows milliseconds up to a limit") {
    const IdFolder folder;
    const auto store = folder.open();
    IdClock clock;
    SnowflakeWorker worker{*store, clock};
    SnowflakeSource source{worker};
    std::uint64_t taken = 0;
    for (;;) {
        const auto block = source.take(4096);
        if (std::holds_alternative<IdProblem>(block)) {
            CHECK((std::get<IdProblem>(block) == IdProblem::too_fast));
            break;
        }
        taken += std::get<0>(block).end - std::get<0>(block).next;
    }
    CHECK(taken == (SnowflakeSource::ahead_ms_max + 1) * 4096);
    clock.unix_ms += 1;
    CHECK(std::holds_alternative<SnowflakeSource::Block>(source.take(1)));
}

TEST_CASE("gene ids carry the slot in their low bits and never meet") {
    const IdFolder folder;
    const auto store = folder.open();
    IdClock clock;
    SnowflakeWorker worker{*store, clock};
    GeneSnowflakes ids{worker, 8};
    std::set<std::uint64_t> given;
    for (int round = 0; round < 40; ++round)
        for (std::uint32_t gene = 0; gene < 256; gene += 15) {
            const std::uint64_t id = id_of(ids.next(gene));
            CHECK((id & 255) == gene);
            CHECK(given.insert(id).second);
        }
}

TEST_CASE("two generators on one store and four threads never collide in ten million ids") {
    const IdFolder folder;
    const auto one = folder.open(), two = folder.open();
    SnowflakeWorker workers[] = {{*one, base::Clock::system()}, {*two, base::Clock::system()}};
    SnowflakeSource sources[] = {SnowflakeSource{workers[0]}, SnowflakeSource{workers[1]}};
    constexpr std::size_t each = 2'500'000;
    std::vector<std::uint64_t> ids(4 * each);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Snowflakes mine{sources[t % 2]};
            for (std::size_t i = 0; i < each;) {
                const auto result = mine.next();
                if (const auto* id = std::get_if<std::uint64_t>(&result)) {
                    ids[t * each + i++] = *id;
                    continue;
                }
                // On a busy machine this takes longer than a mark lasts; one thread of each worker moves it.
                if (t < 2) workers[t].keep();
                std::this_thread::yield();
            }
        });
    for (auto& thread : threads) thread.join();
    std::sort(ids.begin(), ids.end());
    CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
}

TEST_CASE("segments count on from the store and never overlap") {
    const IdFolder folder;
    const auto one = folder.open(), two = folder.open();
    Segment a{*one, "ids/segment/s"}, b{*two, "ids/segment/s"};
    CHECK(is_problem(a.next(), IdProblem::not_ready));
    CHECK(a.wants_fill());
    a.fill();
    b.fill();
    CHECK(id_of(a.next()) == 1);
    CHECK(id_of(b.next()) == Segment::block_size_min + 1);
    std::set<std::uint64_t> given;
    for (int i = 0; i < 5'000; ++i)
        for (auto* segment : {&a, &b}) {
            if (segment->wants_fill()) segment->fill();
            CHECK(given.insert(id_of(segment->next())).second);
        }

    Segment small{*one, "ids/segment/tiny", 3};
    small.fill();
    for (std::uint64_t id = 1; id <= 3; ++id) CHECK(id_of(small.next()) == id);
    small.fill();
    CHECK(is_problem(small.next(), IdProblem::exhausted));
}

TEST_CASE("threads share a segment") {
    const IdFolder folder;
    const auto store = folder.open();
    Segment segment{*store, "ids/segment/s"};
    std::vector<std::uint64_t> ids(40'000);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 10'000;) {
                if (segment.wants_fill()) segment.fill();
                const auto result = segment.next();
                if (const auto* id = std::get_if<std::uint64_t>(&result)) ids[t * 10'000 + i++] = *id;
            }
        });
    for (auto& thread : threads) thread.join();
    std::sort(ids.begin(), ids.end());
    CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
}

TEST_CASE("uuid7 is RFC 9562's") {
    // Appendix A.6 of the RFC.
    CHECK(text_of(make_uuid7(0x017f22e279b0, 0xcc3, 0x18c4dc0c0c07398f)) ==
          "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    IdClock clock;
    base::SeededRandom random{1};
    Uuid7Generator ids{clock, random};
    Uuid last = ids.next();
    for (int i = 0; i < 20'000; ++i) {
        if (i == 10'000) clock.unix_ms -= 1'000;
        const Uuid next = ids.next();
        if (next <= last) FAIL(text_of(next));
        CHECK(next[6] >> 4 == 7);
        CHECK(next[8] >> 6 == 0b10);
        last = next;
    }
}
