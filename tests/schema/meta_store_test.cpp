#include "schema/meta_store.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "schema/base/failpoint.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::schema;
using namespace std::chrono_literals;

namespace {

// A folder of the test's own.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "shardway-meta-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string file() const { return path_ + "/meta.db"; }

private:
    std::string path_;
};

class HandClock final : public base::Clock {
public:
    base::WallTime wall() const override { return now; }
    base::WallTime now{std::chrono::milliseconds{1'000'000}};
};

}  // namespace

TEST_CASE("a change holds only against the revision its maker saw") {
    const Folder folder;
    const auto one = open_sqlite_store(folder.file()), two = open_sqlite_store(folder.file());
    CHECK_FALSE(one->get("a"));
    const auto first = one->compare_and_set("a", 0, "1");
    REQUIRE(first);
    CHECK(two->get("a") == MetaEntry{"a", "1", *first});
    CHECK_FALSE(two->compare_and_set("a", 0, "2"));
    const auto second = two->compare_and_set("a", *first, "2");
    REQUIRE(second);
    CHECK(*second > *first);
    CHECK_FALSE(one->compare_and_set("a", *first, "3"));
    CHECK(one->get("a")->value == "2");
    CHECK_FALSE(one->compare_and_erase("a", *first));
    CHECK(one->compare_and_erase("a", *second));
    CHECK_FALSE(two->get("a"));
    CHECK(two->compare_and_set("a", 0, std::string("\0\xff", 2)));
    CHECK(one->get("a")->value == std::string("\0\xff", 2));
}

TEST_CASE("several writes hold together or not at all") {
    const Folder folder;
    const auto store = open_sqlite_store(folder.file());
    const auto revision = store->compare_and_set("a", 0, "1");
    const MetaWrite wrong[] = {{"b", 0, "1"}, {"a", *revision + 1, "2"}};
    CHECK_FALSE(store->commit(wrong));
    CHECK_FALSE(store->get("b"));
    const MetaWrite right[] = {{"b", 0, "1"}, {"a", *revision, "2"}};
    CHECK(store->commit(right));
    CHECK(store->get("b")->revision == store->get("a")->revision);
}

TEST_CASE("list and watch see what starts with a prefix") {
    const Folder folder;
    const auto one = open_sqlite_store(folder.file()), two = open_sqlite_store(folder.file());
    for (const auto* key : {"job/2", "job/1", "jobs", "map_1", "map%1"})
        REQUIRE(one->compare_and_set(key, 0, key));
    const auto jobs = two->list("job/");
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].key == "job/1");
    CHECK(two->list("map_").size() == 1);

    const Revision seen = two->revision();
    CHECK(two->watch("job/", seen, 0ms).empty());
    REQUIRE(one->compare_and_erase("job/1", jobs[0].revision));
    const auto changes = two->watch("job/", seen, 10s);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].erased);

    // The other handle's change ends a wait that has begun.
    std::thread writer{[&] { one->compare_and_set("job/3", 0, "x"); }};
    const auto later = two->watch("job/", two->get("job/3") ? seen : changes[0].revision, 10s);
    writer.join();
    REQUIRE_FALSE(later.empty());
    CHECK(later.back().key == "job/3");
}

TEST_CASE("a lease has one holder until it expires") {
    const Folder folder;
    HandClock clock;
    const auto one = open_sqlite_store(folder.file(), clock), two = open_sqlite_store(folder.file(), clock);
    auto lease = one->acquire("w", "A", 1s);
    REQUIRE(lease);
    CHECK_FALSE(two->acquire("w", "B", 1s));
    CHECK(one->acquire("w", "A", 1s)->token == lease->token);
    clock.now += 999ms;
    CHECK(one->renew(*lease, 1s));
    clock.now += 999ms;
    CHECK_FALSE(two->acquire("w", "B", 1s));
    clock.now += 1ms;
    const auto next = two->acquire("w", "B", 1s);
    REQUIRE(next);
    CHECK(next->token != lease->token);
    CHECK_FALSE(one->renew(*lease, 1s));
    one->release(*lease);  // not its own any more
    CHECK_FALSE(one->acquire("w", "A", 1s));
    two->release(*next);
    CHECK(one->acquire("w", "A", 1s));
}

TEST_CASE("files that are no store are refused") {
    const Folder folder;
    std::ofstream{folder.file()} << "this is text, and longer than a header of SQLite would be, which is a "
                                    "hundred bytes, so it reads on";
    CHECK_THROWS_AS(open_sqlite_store(folder.file()), MetaError);
    CHECK_THROWS_AS(open_sqlite_store("/nonexistent/folder/meta.db"), MetaError);
}

TEST_CASE("sizes have limits") {
    const Folder folder;
    const auto store = open_sqlite_store(folder.file());
    CHECK(store->compare_and_set(std::string(meta_key_bytes_max, 'k'), 0, ""));
    CHECK_THROWS_AS(store->compare_and_set(std::string(meta_key_bytes_max + 1, 'k'), 0, ""), MetaError);
    CHECK(store->compare_and_set("v", 0, std::string(meta_value_bytes_max, 'v')));
    CHECK_THROWS_AS(store->compare_and_set("w", 0, std::string(meta_value_bytes_max + 1, 'v')), MetaError);
}

TEST_CASE("what was acknowledged survives kill -9") {
    const Folder folder;
    open_sqlite_store(folder.file());
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        // Counts up as fast as it can, and says so only after the store did.
        const auto store = open_sqlite_store(folder.file());
        Revision revision = 0;
        for (std::uint32_t i = 1;; ++i) {
            revision = *store->compare_and_set("count", revision, std::to_string(i));
            if (write(ends[1], &i, sizeof i) != sizeof i) _exit(1);
        }
    }
    std::uint32_t acknowledged = 0, last = 0;
    while (acknowledged < 20 && read(ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged)
        continue;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ends[1]);
    while (read(ends[0], &last, sizeof last) == sizeof last) acknowledged = last;
    close(ends[0]);
    const auto store = open_sqlite_store(folder.file());
    const auto entry = store->get("count");
    REQUIRE(entry);
    const auto stored = std::stoul(entry->value);
    CHECK(stored >= acknowledged);
    CHECK(stored <= acknowledged + 1);
    CHECK(store->compare_and_set("count", entry->revision, "0"));
}

#ifdef SHARDWAY_FAILPOINTS
TEST_CASE("a commit that fails leaves nothing") {
    const Folder folder;
    const auto store = open_sqlite_store(folder.file());
    base::failpoint::arm("meta.commit", "fail*1");
    CHECK_THROWS_AS(store->compare_and_set("a", 0, "1"), MetaError);
    base::failpoint::disarm_all();
    CHECK_FALSE(store->get("a"));
    CHECK(store->compare_and_set("a", 0, "1"));
}
#endif
