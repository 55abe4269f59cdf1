// Scan, look up, else parse and build; then fill.
#include <algorithm>
#include <cstring>

#include "middleware/plan/build.hpp"
#include "middleware/plan/parsed_statement.hpp"
#include "middleware/plan/plan_cache.hpp"
#include "middleware/plan/template.hpp"
#include "middleware/protocol/errors.hpp"
#include "sqlparse/parser.hpp"
#include "sqlparse/scan.hpp"

namespace shardway::plan {

namespace {

// Mixes one more number into both halves.
void mix(CacheKey& key, std::uint64_t value) {
    key.low = (key.low ^ value) * 0x9e3779b97f4a7c15ULL;
    key.low ^= key.low >> 32;
    key.high = (key.high + value) * 0xc2b2ae3d27d4eb4fULL;
    key.high ^= key.high >> 29;
}

void mix(CacheKey& key, std::string_view text) {
    mix(key, text.size());
    for (std::size_t at = 0; at < text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min<std::size_t>(8, text.size() - at));
        mix(key, word);
    }
}

CacheKey cache_key(const sqlparse::Scan& scan, const PlanContext& context) {
    CacheKey key{scan.key.high, scan.key.low};
    mix(key, context.database);
    mix(key, context.state_hash);
    const sqlparse::ParseOptions& options = context.options;
    const sqlparse::SqlModes& modes = options.modes;
    mix(key, static_cast<std::uint64_t>(options.dialect) | static_cast<std::uint64_t>(options.charset) << 4 |
                 std::uint64_t{modes.ansi_quotes} << 8 | std::uint64_t{modes.pipes_as_concat} << 9 |
                 std::uint64_t{modes.ignore_space} << 10 | std::uint64_t{modes.no_backslash_escapes} << 11 |
                 std::uint64_t{modes.high_not_precedence} << 12 | std::uint64_t{context.keys.strict} << 13 |
                 std::uint64_t{options.server_version} << 32);
    mix(key, context.topology.epoch());
    mix(key, reinterpret_cast<std::uintptr_t>(&context.topology));
    return key;
}

protocol::SqlError parse_failure(const sqlparse::ParseError& error) {
    if (error.kind == sqlparse::ParseErrorKind::empty) return protocol::empty_query();
    return protocol::make_error(error.code, error.code == 1064 ? "42000" : "HY000", error.message());
}

}  // namespace

struct Planner::Impl {
    explicit Impl(PlannerLimits its_limits) : limits{its_limits}, cache{its_limits.cache_bytes_max} {}

    PlannerLimits limits;
    PlanCache cache;
    PlannerCounters counters;
    sqlparse::Arena arena;
    sqlparse::Scan scan;
    std::uint32_t rotation = 0;

    protocol::Result<Routed> plan(std::string_view text, const PlanContext& context);
    protocol::Result<Routed> plan_anew(std::string_view text, const PlanContext& context,
                                       const CacheKey* key);
    protocol::Result<Routed> pass_unparsed(std::string_view text, const PlanContext& context);
    protocol::Result<Routed> fill_plan(const std::shared_ptr<const Plan>& plan, std::string_view text,
                                       const PlanContext& context);
};

protocol::Result<Routed> Planner::Impl::plan(std::string_view text, const PlanContext& context) {
    ++rotation;
    sqlparse::scan(text, context.options, scan);
    if (scan.status == sqlparse::ScanStatus::blank) return protocol::empty_query();
    const bool cacheable = scan.status == sqlparse::ScanStatus::ok && !scan.more && scan.parameters == 0 &&
                           text.size() <= limits.cached_text_bytes_max;
    if (!cacheable) return plan_anew(text, context, nullptr);
    const CacheKey key = cache_key(scan, context);
    if (const std::shared_ptr<const Plan> found = cache.find(key)) {
        ++counters.hits;
        // Another user's plan may name databases that this one has no right to.
        for (const std::string& database : found->databases)
            if (!context.session.may_use(database)) return database_denied(context, database);
        return fill_plan(found, text, context);
    }
    ++counters.misses;
    return plan_anew(text, context, &key);
}

protocol::Result<Routed> Planner::Impl::plan_anew(std::string_view text, const PlanContext& context,
                                                  const CacheKey* key) {
    arena.reset();
    const sqlparse::Parsed parsed = sqlparse::parse(text, context.options, arena, &scan);
    if (!parsed) {
        const bool unknown_syntax = parsed.error.kind == sqlparse::ParseErrorKind::syntax && !scan.more;
        if (unknown_syntax && scan.status == sqlparse::ScanStatus::ok && may_pass_unread(context, text))
            return pass_unparsed(text, context);
        return parse_failure(parsed.error);
    }
    std::shared_ptr<Plan> plan;
    try {
        Draft draft = Builder{context, scan, text}.build(*parsed.statement);
        plan = std::make_shared<Plan>(std::move(draft.plan));
        plan->route = std::make_shared<const RouteTemplate>(std::move(draft.route));
    } catch (const protocol::SqlErrorException& failure) {
        return failure.error();
    }
    std::size_t bytes = bytes_of(*plan, *plan->route);
    if (plan->strategy == Strategy::session && scan.literals.empty()) {
        plan->parsed = parse_owned(text, context.options);
        bytes += text.size() + plan->parsed->arena.used();
    }
    auto result = fill_plan(plan, text, context);
    const bool keep =
        plan->route->cacheable && (plan->strategy != Strategy::session || plan->parsed != nullptr);
    if (key != nullptr && keep && result.has_value()) {
        cache.insert(*key, plan, bytes);
        counters.evictions = cache.evictions();
    }
    return result;
}

protocol::Result<Routed> Planner::Impl::fill_plan(const std::shared_ptr<const Plan>& plan,
                                                  std::string_view text, const PlanContext& context) {
    if (plan->strategy == Strategy::session) {
        Routed routed;
        routed.plan = plan;
        routed.strategy = Strategy::session;
        routed.parsed = plan->parsed != nullptr ? plan->parsed : parse_owned(text, context.options);
        return routed;
    }
    const Values values{text, scan, context.options, context.charset};
    return fill(plan, *plan->route, values, context, rotation, limits);
}

// Its words are unknown to us, its database lies whole on one node: that node shall say.
protocol::Result<Routed> Planner::Impl::pass_unparsed(std::string_view text, const PlanContext& context) {
    const rules::DatabaseState* database = context.topology.database(context.database);
    auto plan = std::make_shared<Plan>();
    plan->writes = true;
    plan->unparsed = true;
    plan->returns_rows = true;
    plan->access = AccessPath::its_node;
    plan->databases.push_back(database->rule->name);
    auto route = std::make_shared<RouteTemplate>();
    route->choice = NodeChoice::fixed;
    route->node = database->rule->default_node;
    route->default_database = database->rule->name;
    plan->route = std::move(route);
    return fill_plan(plan, text, context);
}

Planner::Planner(PlannerLimits limits) : impl_{std::make_unique<Impl>(limits)} {}
Planner::~Planner() = default;

protocol::Result<Routed> Planner::plan(std::string_view text, const PlanContext& context) {
    return impl_->plan(text, context);
}

const PlannerCounters& Planner::counters() const { return impl_->counters; }
std::size_t Planner::cache_bytes() const { return impl_->cache.bytes(); }
void Planner::clear_cache() { impl_->cache.clear(); }

}  // namespace shardway::plan
