// Ten million ids of each kind from two processes on one metadata store: none twice. Then a clock that is set
// back: an error, and still none twice. `ids_storm [COUNT]`, minutes.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules/ids.hpp"
#include "rules/load.hpp"

using namespace shardway;

namespace {

constexpr std::size_t processes = 2, threads_each = 2;

const char* const storm_rules = R"(version: 1
users: {app: {password: app}}
backend: {user: u, password: p}
nodes: {node0: {primary: h:1}}
databases:
  shop:
    default_node: node0
    groups:
      g: {algorithm: {type: hash, slots: 256}, place: {node0: 0-255}}
    tables:
      snowflake: {group: g, key: user_id, id: {column: id, generator: snowflake}}
      gene: {group: g, key: user_id, id: {column: id, generator: snowflake}, gene: {column: id, bits: 8}}
      segment: {group: g, key: user_id, id: {column: id, generator: segment}}
      segment_gene: {group: g, key: user_id, id: {column: id, generator: segment}, gene: {column: id, bits: 8}}
)";

std::shared_ptr<const rules::Topology> storm_topology() {
    const auto loaded = rules::load_rules(storm_rules, "f");
    if (!loaded.rules) throw std::runtime_error{"the rules are wrong"};
    return rules::Topology::build(loaded.rules, std::make_shared<const schema::Catalog>(), {}, 1);
}

// System time, and what a test adds to it.
class MovedClock final : public base::Clock {
public:
    std::atomic<std::int64_t> moved_ms = 0;
    base::WallTime wall() const override {
        return std::chrono::system_clock::now() + std::chrono::milliseconds{moved_ms.load()};
    }
};

struct Tally {
    std::uint64_t waits = 0;
};

// Fills `out` with ids of one table; what is not there yet is asked for again.
void give(rules::IdSources& sources, const rules::TableState& table, bool gene, std::uint64_t* out,
          std::size_t count, std::size_t seed, Tally& tally) {
    rules::ThreadIds ids{sources};
    for (std::size_t i = 0; i < count;) {
        const rules::Slot slot{static_cast<std::uint32_t>((i * 7 + seed) % 256)};
        const auto result = ids.next("shop", table, gene ? std::optional{slot} : std::nullopt);
        if (const auto* problem = std::get_if<schema::IdProblem>(&result)) {
            if (*problem == schema::IdProblem::clock_went_back || *problem == schema::IdProblem::exhausted)
                throw std::runtime_error{std::string{schema::text_of(*problem)}};
            ++tally.waits;
            usleep(200);
            continue;
        }
        out[i] = std::get<std::uint64_t>(std::get<rules::GeneratedId>(result));
        if (gene && out[i] % 256 != slot.value) throw std::runtime_error{"an id without its gene"};
        ++i;
    }
}

int storm_process(const std::string& store_file, const std::string& name, bool gene, std::uint64_t* out,
                  std::size_t count, std::size_t number) {
    try {
        const auto store = schema::open_sqlite_store(store_file);
        const auto topology = storm_topology();
        rules::IdSources sources{*store, base::Clock::system(), base::Random::system(),
                                 [](const std::string& trouble) { fmt::print(stderr, "{}\n", trouble); }};
        sources.prepare(*topology);
        const rules::TableState& table = *topology->table("shop", name);
        std::vector<std::thread> threads;
        std::atomic<bool> failed = false;
        const std::size_t share = count / threads_each;
        for (std::size_t t = 0; t < threads_each; ++t)
            threads.emplace_back([&, t] {
                Tally tally;
                try {
                    give(sources, table, gene, out + t * share, share, number * 31 + t * 7, tally);
                } catch (const std::exception& error) {
                    fmt::print(stderr, "{}\n", error.what());
                    failed = true;
                }
            });
        for (auto& thread : threads) thread.join();
        return failed ? 1 : 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

// The number of ids that were given more than once.
std::size_t repeats_in(std::uint64_t* ids, std::size_t count) {
    std::sort(ids, ids + count);
    std::size_t repeats = 0;
    for (std::size_t i = 1; i < count; ++i) repeats += ids[i] == ids[i - 1] && ids[i] != 0;
    return repeats;
}

bool storm(const std::string& store_file, const std::string& name, bool gene, std::size_t count) {
    const auto begin = std::chrono::steady_clock::now();
    void* memory = mmap(nullptr, count * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error{"no memory"};
    auto* ids = static_cast<std::uint64_t*>(memory);
    const std::size_t share = count / processes;
    std::vector<pid_t> children;
    for (std::size_t number = 0; number < processes; ++number) {
        const pid_t child = fork();
        if (child == 0) _exit(storm_process(store_file, name, gene, ids + number * share, share, number));
        children.push_back(child);
    }
    bool well = true;
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        well = well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::size_t repeats = repeats_in(ids, count);
    fmt::print("{:14} {:>11} ids, {} processes of {} threads, {:6.1f} s, {:>9.0f} ids/s, {} given twice{}\n",
               name, count, processes, threads_each, took, static_cast<double>(count) / took, repeats,
               well ? "" : ", A PROCESS FAILED");
    std::fflush(stdout);
    munmap(memory, count * sizeof(std::uint64_t));
    return well && repeats == 0;
}

// Ids while the clock jumps back and forth; none may come twice, and far behind there must be none at all.
bool clock_storm(const std::string& store_file, std::size_t rounds) {
    const auto store = schema::open_sqlite_store(store_file);
    const auto topology = storm_topology();
    std::vector<std::uint64_t> ids;
    std::size_t refused = 0, given_behind = 0;
    MovedClock clock;
    for (std::size_t round = 0; round < rounds; ++round) {
        // Each round is a process's life: the clock may have been set back between two of them as well.
        rules::IdSources sources{*store, clock, base::Random::system(), [](const std::string&) {}};
        sources.prepare(*topology);
        rules::ThreadIds thread_ids{sources};
        const rules::TableState& table = *topology->table("shop", round % 2 ? "gene" : "snowflake");
        const std::optional<rules::Slot> slot =
            round % 2 ? std::optional{rules::Slot{std::uint32_t{9}}} : std::nullopt;
        const auto take = [&](std::size_t count, bool behind) {
            for (std::size_t i = 0; i < count; ++i) {
                const auto result = thread_ids.next("shop", table, slot);
                if (const auto* id = std::get_if<rules::GeneratedId>(&result)) {
                    ids.push_back(std::get<std::uint64_t>(*id));
                    given_behind += behind;
                } else {
                    ++refused;
                }
            }
        };
        take(20'000, false);
        const std::int64_t before = clock.moved_ms;
        for (const std::int64_t back : {5, 50, 3'000, 3'600'000}) {
            clock.moved_ms = before - back;
            // What is left of a block was taken while the clock was right.
            take(200, false);
            take(2'000, back >= 3'000);
        }
        clock.moved_ms = before + 10;
        take(20'000, false);
        clock.moved_ms = before - static_cast<std::int64_t>(round) * 100;
    }
    const std::size_t count = ids.size();
    const std::size_t repeats = repeats_in(ids.data(), ids.size());
    fmt::print("clock set back {:>11} ids, {} refused, {} given while it was behind, {} given twice\n", count,
               refused, given_behind, repeats);
    return repeats == 0 && given_behind == 0 && refused > 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
    std::string folder = (std::filesystem::temp_directory_path() / "shardway-ids-storm-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return 2;
    bool well = true;
    try {
        const std::string file = folder + "/meta.db";
        well &= storm(file, "snowflake", false, count);
        well &= storm(file, "gene", true, count);
        well &= storm(file, "segment", false, count);
        well &= storm(file, "segment_gene", true, count);
        well &= clock_storm(folder + "/clock.db", 20);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        well = false;
    }
    std::filesystem::remove_all(folder);
    fmt::print("{}\n", well ? "no id came twice" : "FAILED");
    return well ? 0 : 1;
}
