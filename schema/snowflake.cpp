#include "schema/snowflake.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

#include <fmt/format.h>

namespace shardway::schema {

namespace {

constexpr int millisecond_bits = 41;
constexpr std::uint64_t last_ms = (std::uint64_t{1} << millisecond_bits) - 1;
constexpr int tick_state_bits = millisecond_bits + sequence_bits;

std::string worker_key(std::uint32_t worker) { return fmt::format("ids/worker/{:04}", worker); }

std::uint64_t mark_in(const std::string& value) {
    std::uint64_t mark = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), mark);
    // What cannot be read may hide ids that were given: that worker id stays unused.
    return error == std::errc{} && end == value.data() + value.size() ? mark : last_ms;
}

}  // namespace

SnowflakeParts parts_of_snowflake(std::uint64_t id) {
    return {static_cast<std::int64_t>(id >> (worker_bits + sequence_bits)) + snowflake_epoch_ms,
            static_cast<std::uint32_t>(id >> sequence_bits) & (workers_max - 1),
            static_cast<std::uint32_t>(id & ((1u << sequence_bits) - 1))};
}

std::string_view text_of(IdProblem problem) {
    switch (problem) {
    case IdProblem::clock_went_back:
        return "the clock of this machine went back; ids are given again when it has caught up";
    case IdProblem::too_fast:
        return "more ids were asked for at once than can be given; try again in a moment";
    case IdProblem::not_ready:
        return "no ids are left that the metadata store has granted; is the store reachable?";
    case IdProblem::exhausted: return "the segment of ids has reached its end";
    }
    return "";
}

SnowflakeWorker::SnowflakeWorker(MetaStore& store, const base::Clock& clock) : store_{store}, clock_{clock} {
    take();
}

std::uint64_t SnowflakeWorker::now_ms() const {
    const auto unix_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(clock_.wall().time_since_epoch()).count();
    if (unix_ms <= snowflake_epoch_ms) return 0;
    return std::min(static_cast<std::uint64_t>(unix_ms - snowflake_epoch_ms), last_ms);
}

void SnowflakeWorker::take() {
    const std::uint64_t now = now_ms();
    struct Candidate {
        std::uint64_t mark = 0;
        Revision revision = 0;
        std::uint32_t worker = 0;
    };
    std::vector<Candidate> candidates(workers_max);
    for (std::uint32_t worker = 0; worker < workers_max; ++worker) candidates[worker].worker = worker;
    constexpr std::string_view prefix = "ids/worker/";
    for (const auto& entry : store_.list(prefix)) {
        std::uint32_t worker = workers_max;
        std::from_chars(entry.key.data() + prefix.size(), entry.key.data() + entry.key.size(), worker);
        if (worker < workers_max) candidates[worker] = {mark_in(entry.value), entry.revision, worker};
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.mark < b.mark; });
    for (const auto& candidate : candidates) {
        if (now == 0 || candidate.mark >= now) break;
        const std::uint64_t until = std::min(now + window_ms, last_ms);
        // Lost to another process: the next one, then.
        const auto revision =
            store_.compare_and_set(worker_key(candidate.worker), candidate.revision, std::to_string(until));
        if (!revision) continue;
        revision_ = *revision;
        publish({candidate.worker, candidate.mark, until});
        return;
    }
    publish({});
}

void SnowflakeWorker::keep() {
    if (held_.until == 0) return take();
    const std::uint64_t until = std::min(now_ms() + window_ms, last_ms);
    if (until <= held_.until) return;  // called early, or the clock went back
    const auto revision = store_.compare_and_set(worker_key(held_.worker), revision_, std::to_string(until));
    if (!revision) return take();
    revision_ = *revision;
    publish({held_.worker, held_.after, until});
}

void SnowflakeWorker::publish(const Grant& grant) {
    held_ = grant;
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    worker_.store(grant.worker, std::memory_order_release);
    after_.store(grant.after, std::memory_order_release);
    until_.store(grant.until, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
}

SnowflakeWorker::Grant SnowflakeWorker::grant() const {
    for (;;) {
        const std::uint64_t before = version_.load(std::memory_order_acquire);
        Grant grant;
        grant.worker = static_cast<std::uint32_t>(worker_.load(std::memory_order_acquire));
        grant.after = after_.load(std::memory_order_acquire);
        grant.until = until_.load(std::memory_order_acquire);
        if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before) return grant;
    }
}

std::variant<SnowflakeSource::Block, IdProblem> SnowflakeSource::take(std::uint32_t size) {
    assert(size > 0);
    // Before the clock is read: a thread that is held up in between sees others' later times, not a clock
    // that went back.
    std::uint64_t latest = latest_ms_.load(std::memory_order_acquire);
    const std::uint64_t now = worker_.now_ms();
    if (now + clock_slack_ms < latest) return IdProblem::clock_went_back;
    while (now > latest && !latest_ms_.compare_exchange_weak(latest, now, std::memory_order_acq_rel))
        continue;

    const auto grant = worker_.grant();
    if (grant.until == 0) return IdProblem::not_ready;
    const std::uint64_t lowest = std::max(now, grant.after + 1) << tick_bits();
    const std::uint64_t highest = (std::min(grant.until, now + ahead_ms_max) + 1)
                                  << tick_bits();  // not included
    std::uint64_t state = state_.load(std::memory_order_relaxed);
    for (;;) {
        const bool same_worker = state >> tick_state_bits == grant.worker;
        const std::uint64_t given = same_worker ? state & ((std::uint64_t{1} << tick_state_bits) - 1) : 0;
        const std::uint64_t first = std::max(lowest, given);
        if (first >= highest)
            return grant.until < now + ahead_ms_max ? IdProblem::not_ready : IdProblem::too_fast;
        const std::uint64_t end = std::min(first + size, highest);
        const std::uint64_t next = std::uint64_t{grant.worker} << tick_state_bits | end;
        if (state_.compare_exchange_weak(state, next, std::memory_order_relaxed))
            return Block{first, end, grant.worker};
    }
}

std::uint64_t SnowflakeSource::id(std::uint64_t tick, std::uint32_t worker) const {
    const std::uint64_t ms = tick >> tick_bits();
    const std::uint64_t sequence = tick & ((std::uint64_t{1} << tick_bits()) - 1);
    return ms << (worker_bits + sequence_bits) | std::uint64_t{worker} << sequence_bits |
           sequence << gene_bits_ | gene_;
}

IdResult Snowflakes::next() {
    if (block_.next == block_.end) {
        const auto taken = source_->take(block_size);
        if (const auto* problem = std::get_if<IdProblem>(&taken)) return *problem;
        block_ = std::get<SnowflakeSource::Block>(taken);
    }
    return source_->id(block_.next++, block_.worker);
}

GeneSnowflakes::GeneSnowflakes(const SnowflakeWorker& worker, int bits) {
    assert(bits >= 1 && bits <= sequence_bits);
    for (std::uint32_t gene = 0; gene < 1u << bits; ++gene)
        sources_.push_back(std::make_unique<SnowflakeSource>(worker, bits, gene));
}

IdResult GeneSnowflakes::next(std::uint32_t gene) {
    auto& source = *sources_.at(gene);
    const auto taken = source.take(1);
    if (const auto* problem = std::get_if<IdProblem>(&taken)) return *problem;
    const auto& block = std::get<SnowflakeSource::Block>(taken);
    return source.id(block.next, block.worker);
}

}  // namespace shardway::schema
