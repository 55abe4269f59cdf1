#include <array>
#include <thread>

#include "schema/base/budget.hpp"
#include "schema/base/clock.hpp"
#include "schema/base/counters.hpp"
#include "schema/base/failpoint.hpp"
#include "schema/base/random.hpp"
#include "tests/catch.hpp"

using namespace shardway::base;

TEST_CASE("a statement may buffer up to its limit and not one byte more (invariant 5)") {
    ProcessBudget process{1 << 20};
    StatementBudget budget{process, 1000};
    CHECK(budget.take(999) == StatementBudget::Verdict::granted);
    CHECK(budget.take(2) == StatementBudget::Verdict::over_statement);
    CHECK(budget.used() == 999);
    CHECK(budget.take(1) == StatementBudget::Verdict::granted);
    budget.give(1000);
    CHECK(budget.used() == 0);
}

TEST_CASE("statements together never pass the process's limit (invariant 5)") {
    ProcessBudget process{100'000};
    StatementBudget first{process, 1 << 20};
    StatementBudget second{process, 1 << 20};
    CHECK(first.take(90'000) == StatementBudget::Verdict::granted);
    CHECK(second.take(10'001) == StatementBudget::Verdict::over_process);
    CHECK(second.used() == 0);
    CHECK(process.used() <= process.limit());
}

TEST_CASE("a statement that ends gives the process everything back") {
    ProcessBudget process{1 << 20};
    {
        StatementBudget budget{process, 1 << 20};
        REQUIRE(budget.take(300'000) == StatementBudget::Verdict::granted);
        CHECK(process.used() >= 300'000);
    }
    CHECK(process.used() == 0);
}

TEST_CASE("counters of all threads add up") {
    enum class Kind { queries, errors, count_ };
    Counters<Kind> counters{2};
    std::thread other{[&] {
        for (int i = 0; i < 1000; ++i) counters.row(1).add(Kind::queries);
    }};
    for (int i = 0; i < 1000; ++i) counters.row(0).add(Kind::queries);
    other.join();
    CHECK(counters.sum(Kind::queries) == 2000);
    CHECK(counters.sum(Kind::errors) == 0);
}

TEST_CASE("a seeded sequence repeats, another seed gives another") {
    std::array<std::uint8_t, 21> first{}, again{}, other{};
    SeededRandom{7}.fill(first);
    SeededRandom{7}.fill(again);
    SeededRandom{8}.fill(other);
    CHECK(first == again);
    CHECK(first != other);
    CHECK(Random::system().u64() != Random::system().u64());
}

TEST_CASE("a failpoint acts as often as it was armed for") {
    failpoint::disarm_all();
    CHECK_FALSE(failpoint::passed("base.test"));
    failpoint::arm("base.test", "fail*2");
    CHECK(failpoint::passed("base.test"));
    CHECK(failpoint::passed("base.test"));
    CHECK_FALSE(failpoint::passed("base.test"));
    CHECK(failpoint::hits("base.test") == 3);
    CHECK_THROWS_AS(failpoint::arm("base.test", "explode"), std::invalid_argument);
    CHECK_THROWS_AS(failpoint::arm("base.test", "fail*many"), std::invalid_argument);
    failpoint::disarm_all();
}
