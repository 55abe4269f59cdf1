#include "rules/ids.hpp"

#include <filesystem>
#include <set>

#include <unistd.h>

#include "rules/gene.hpp"
#include "rules/load.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::rules;

namespace {

const std::string ids_rules = R"(version: 1
users: {app: {password: app}}
backend: {user: u, password: p}
nodes: {node0: {primary: h:1}}
databases:
  shop:
    default_node: node0
    groups:
      g: {algorithm: {type: hash, slots: 8}, place: {node0: 0-7}}
    tables:
      plain: {group: g, key: user_id, id: {column: id, generator: snowflake}}
      gene: {group: g, key: user_id, id: {column: id, generator: snowflake}, gene: {column: id, bits: 3}}
      counted: {group: g, key: user_id, id: {column: id, generator: segment}}
      counted_gene: {group: g, key: user_id, id: {column: id, generator: segment}, gene: {column: id, bits: 4}}
      named: {group: g, key: user_id, id: {column: id, generator: uuid7}}
      town: {reference: true, id: {column: id, generator: segment}}
      bare: {group: g, key: user_id}
)";

class IdsFolder {
public:
    IdsFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "shardway-rules-ids-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
        store = schema::open_sqlite_store(path_ + "/meta.db");
    }
    ~IdsFolder() {
        store.reset();
        std::filesystem::remove_all(path_);
    }
    std::unique_ptr<schema::MetaStore> store;

private:
    std::string path_;
};

std::shared_ptr<const Topology> ids_topology(const std::string& text) {
    const auto loaded = load_rules(text, "f");
    for (const auto& finding : loaded.findings) UNSCOPED_INFO(finding.text());
    REQUIRE(loaded.rules);
    return Topology::build(loaded.rules, std::make_shared<const schema::Catalog>(), {}, 1);
}

std::uint64_t number_in(const GeneratedIdResult& result) {
    REQUIRE(std::holds_alternative<GeneratedId>(result));
    return std::get<std::uint64_t>(std::get<GeneratedId>(result));
}

}  // namespace

TEST_CASE("each table's ids come from its own generator") {
    const IdsFolder folder;
    const auto topology = ids_topology(ids_rules);
    IdSources sources{*folder.store, base::Clock::system(), base::Random::system(),
                      [](const std::string&) {}};
    const auto table = [&](std::string_view name) -> const TableState& {
        return *topology->table("shop", name);
    };
    ThreadIds early{sources};
    CHECK(std::holds_alternative<schema::IdProblem>(early.next("shop", table("plain"), std::nullopt)));
    sources.prepare(*topology);
    ThreadIds ids{sources};

    const std::uint64_t one = number_in(ids.next("shop", table("plain"), std::nullopt));
    CHECK(number_in(ids.next("shop", table("plain"), std::nullopt)) > one);
    const std::uint64_t gene = number_in(ids.next("shop", table("gene"), Slot{5u}));
    CHECK(gene % 8 == 5);
    CHECK(gene_slot({"id", 3}, 8, Key::of(gene)) == Slot{5u});
    CHECK(number_in(ids.next("shop", table("counted"), std::nullopt)) == 1);
    CHECK(number_in(ids.next("shop", table("counted"), std::nullopt)) == 2);
    CHECK(number_in(ids.next("shop", table("counted_gene"), Slot{7u})) == (1 << 4 | 7));
    CHECK(number_in(ids.next("shop", table("town"), std::nullopt)) == 1);
    const auto uuid = ids.next("shop", table("named"), std::nullopt);
    REQUIRE(std::holds_alternative<GeneratedId>(uuid));
    CHECK(std::holds_alternative<schema::Uuid>(std::get<GeneratedId>(uuid)));
    CHECK(id_rule_of(*table("bare").rule) == nullptr);
}

TEST_CASE("the keeper fetches blocks before a segment ends") {
    const IdsFolder folder;
    const auto topology = ids_topology(ids_rules);
    IdSources sources{*folder.store, base::Clock::system(), base::Random::system(),
                      [](const std::string&) {}};
    sources.prepare(*topology);
    ThreadIds ids{sources};
    std::set<std::uint64_t> given;
    while (given.size() < 5 * schema::Segment::block_size_min) {
        const auto result = ids.next("shop", *topology->table("shop", "counted"), std::nullopt);
        if (std::holds_alternative<GeneratedId>(result))
            CHECK(given.insert(number_in(result)).second);
        else
            std::this_thread::yield();
    }
}

TEST_CASE("an id may be chosen among several") {
    const IdsFolder folder;
    const auto topology = ids_topology(ids_rules);
    IdSources sources{*folder.store, base::Clock::system(), base::Random::system(),
                      [](const std::string&) {}};
    sources.prepare(*topology);
    ThreadIds ids{sources};
    const auto even =
        ids.next_liked("shop", *topology->table("shop", "counted"), std::nullopt, 4,
                       [](const GeneratedId& id) { return std::get<std::uint64_t>(id) % 2 == 0; });
    CHECK(number_in(even) == 2);
    const auto none = ids.next_liked("shop", *topology->table("shop", "counted"), std::nullopt, 4,
                                     [](const GeneratedId&) { return false; });
    CHECK(number_in(none) == 6);
}

TEST_CASE("another generator for a table that has given ids is refused") {
    const IdsFolder folder;
    IdSources sources{*folder.store, base::Clock::system(), base::Random::system(),
                      [](const std::string&) {}};
    sources.prepare(*ids_topology(ids_rules));
    std::string other = ids_rules;
    other.replace(other.find("generator: segment"), 18, "generator: snowflake");
    CHECK_THROWS_AS(sources.prepare(*ids_topology(other)), schema::MetaError);
}

TEST_CASE("a gene names a slot or none") {
    const GeneRule rule{"id", 4};
    CHECK(gene_slot(rule, 10, Key::of(std::int64_t{0x123})) == Slot{3u});
    CHECK_FALSE(gene_slot(rule, 10, Key::of(std::int64_t{0x12f})));
    CHECK(gene_slot(rule, 16, Key::of(std::int64_t{-1})) == Slot{15u});
    CHECK(gene_slot(rule, 16, Key::of(UINT64_MAX - 1)) == Slot{14u});
    CHECK_FALSE(gene_slot(rule, 16, Key::of("3")));
}
