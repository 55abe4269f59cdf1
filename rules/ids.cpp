#include "rules/ids.hpp"

#include <cassert>

#include <fmt/format.h>

namespace shardway::rules {

namespace {

// The largest id that the column holds; of an unknown column, of BIGINT.
std::uint64_t largest_id(const TableState& table, const IdRule& rule) {
    const auto position = table.columns == nullptr ? std::nullopt : table.columns->find_column(rule.column);
    if (!position) return INT64_MAX;
    const auto& column = table.columns->columns[*position];
    int bits = 64;
    if (column.type == schema::ColumnType::tinyint) bits = 8;
    if (column.type == schema::ColumnType::smallint) bits = 16;
    if (column.type == schema::ColumnType::mediumint) bits = 24;
    if (column.type == schema::ColumnType::integer) bits = 32;
    // Unsigned BIGINTs end at the signed range too: clients read ids into signed numbers.
    const bool half = !column.is_unsigned || bits == 64;
    return half ? (std::uint64_t{1} << (bits - 1)) - 1 : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

int gene_bits_of(const TableRule& rule, const IdRule& id) {
    const auto* sharded = rule.sharded();
    const bool in_id =
        sharded != nullptr && sharded->gene && schema::same_identifier(sharded->gene->column, id.column);
    return in_id ? static_cast<int>(sharded->gene->bits) : 0;
}

const IdRule* id_rule_of(const TableRule& rule) {
    if (const auto* sharded = rule.sharded()) return sharded->id ? &*sharded->id : nullptr;
    if (const auto* reference = std::get_if<ReferenceTable>(&rule.kind))
        return reference->id ? &*reference->id : nullptr;
    return nullptr;
}

IdSources::IdSources(schema::MetaStore& store, const base::Clock& clock, base::Random& random,
                     std::function<void(const std::string&)> on_trouble)
    : store_{store},
      clock_{clock},
      random_{random},
      on_trouble_{std::move(on_trouble)},
      worker_{store, clock} {
    keeper_ = std::thread{[this] { keep_running(); }};
}

IdSources::~IdSources() {
    {
        const std::lock_guard lock{waking_};
        stop_ = true;
    }
    woken_.notify_one();
    keeper_.join();
}

std::string IdSources::name_of(std::string_view database, std::string_view table) {
    return fmt::format("{}/{}", database, table);
}

IdSources::Source* IdSources::find(const std::string& name) {
    const std::lock_guard lock{mutex_};
    const auto found = sources_.find(name);
    return found == sources_.end() ? nullptr : found->second.get();
}

void IdSources::prepare(const Topology& topology) {
    for (const auto& [database, state] : topology.databases())
        for (const auto& [name, table] : state.tables) {
            const IdRule* const rule = table->rule == nullptr ? nullptr : id_rule_of(*table->rule);
            if (rule == nullptr) continue;
            const int gene_bits = gene_bits_of(*table->rule, *rule);
            const std::string key = name_of(database, name);
            if (const Source* const known = find(key)) {
                // Ids of another kind or gene may meet those given already, in no order that anyone could
                // promise.
                if (known->generator == rule->generator && known->gene_bits == gene_bits) continue;
                throw schema::MetaError(
                    fmt::format("{}.{}: another id generator or gene needs a restart", database, name));
            }
            auto source = std::make_unique<Source>();
            source->generator = rule->generator;
            source->gene_bits = gene_bits;
            if (rule->generator == IdGenerator::snowflake && gene_bits > 0)
                source->gene_snowflakes = std::make_unique<schema::GeneSnowflakes>(worker_, gene_bits);
            if (rule->generator == IdGenerator::snowflake && gene_bits == 0)
                source->snowflakes = std::make_unique<schema::SnowflakeSource>(worker_);
            if (rule->generator == IdGenerator::segment) {
                const std::string sequence =
                    fmt::format("ids/segment/{}/{}/{}", database, name, rule->column);
                source->segment = std::make_unique<schema::Segment>(store_, sequence,
                                                                    largest_id(*table, *rule) >> gene_bits);
                source->segment->fill();
            }
            const std::lock_guard lock{mutex_};
            sources_.emplace(key, std::move(source));
        }
}

void IdSources::wake() {
    {
        const std::lock_guard lock{waking_};
        wake_ = true;
    }
    woken_.notify_one();
}

void IdSources::keep_running() {
    std::unique_lock lock{waking_};
    while (!stop_) {
        woken_.wait_for(lock, schema::SnowflakeWorker::keep_interval, [this] { return wake_ || stop_; });
        wake_ = false;
        if (stop_) return;
        lock.unlock();
        try {
            keep_once();
        } catch (const schema::MetaError& error) {
            on_trouble_(error.what());
        }
        lock.lock();
    }
}

void IdSources::keep_once() {
    worker_.keep();
    std::vector<schema::Segment*> segments;
    {
        const std::lock_guard lock{mutex_};
        for (const auto& [name, source] : sources_)
            if (source->segment) segments.push_back(source->segment.get());
    }
    for (auto* segment : segments)
        if (segment->wants_fill()) segment->fill();
}

GeneratedIdResult ThreadIds::next(std::string_view database, const TableState& table,
                                  std::optional<Slot> slot) {
    std::string name = IdSources::name_of(database, table.name);
    auto found = mine_.find(name);
    if (found == mine_.end()) {
        auto* const source = sources_.find(name);
        if (source == nullptr) return schema::IdProblem::not_ready;
        Mine mine{source, std::nullopt};
        if (source->snowflakes) mine.snowflakes.emplace(*source->snowflakes);
        found = mine_.emplace(std::move(name), std::move(mine)).first;
    }
    auto& [source, snowflakes] = found->second;
    if (source->generator == IdGenerator::uuid7) return uuids_.next();
    assert(source->gene_bits == 0 || slot);
    const auto as_id = [](const schema::IdResult& result) -> GeneratedIdResult {
        if (const auto* problem = std::get_if<schema::IdProblem>(&result)) return *problem;
        return GeneratedId{std::get<std::uint64_t>(result)};
    };
    if (snowflakes) return as_id(snowflakes->next());
    if (source->gene_snowflakes) return as_id(source->gene_snowflakes->next(slot->value));

    if (source->segment->wants_fill()) sources_.wake();
    auto result = source->segment->next();
    if (source->gene_bits != 0)
        if (auto* number = std::get_if<std::uint64_t>(&result))
            *number = *number << source->gene_bits | slot->value;
    return as_id(result);
}

GeneratedIdResult ThreadIds::next_liked(std::string_view database, const TableState& table,
                                        std::optional<Slot> slot, int tries,
                                        const std::function<bool(const GeneratedId&)>& wanted) {
    for (int i = 1;; ++i) {
        auto result = next(database, table, slot);
        const auto* id = std::get_if<GeneratedId>(&result);
        if (id == nullptr || i >= tries || wanted(*id)) return result;
    }
}

}  // namespace shardway::rules
