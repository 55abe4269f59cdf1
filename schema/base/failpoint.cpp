#include "schema/base/failpoint.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace shardway::base::failpoint {

namespace {

enum class Action { fail, crash, sleep };

struct Point {
    Action action;
    std::uint64_t sleep_ms = 0;
    std::uint64_t times_left = UINT64_MAX;
    std::uint64_t hits = 0;
};

struct Registry {
    std::mutex mutex;
    std::map<std::string, Point, std::less<>> points;
    std::atomic<bool> any = false;  // keeps an unarmed process off the mutex
};

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::invalid_argument{"failpoint: not a number: " + std::string{text}};
    return value;
}

Point parse(std::string_view spec) {
    Point point{Action::fail};
    if (const auto star = spec.find('*'); star != spec.npos) {
        point.times_left = number(spec.substr(star + 1));
        spec = spec.substr(0, star);
    }
    if (spec == "fail") return point;
    if (spec == "crash") {
        point.action = Action::crash;
        return point;
    }
    if (spec.starts_with("sleep(") && spec.ends_with(')')) {
        point.action = Action::sleep;
        point.sleep_ms = number(spec.substr(6, spec.size() - 7));
        return point;
    }
    throw std::invalid_argument{"failpoint: unknown action: " + std::string{spec}};
}

void arm_from_environment(Registry& registry) {
    const char* text = std::getenv("SHARDWAY_FAILPOINTS");
    std::string_view rest = text ? text : "";
    while (!rest.empty()) {
        const auto end = rest.find(';');
        const std::string_view entry = rest.substr(0, end);
        rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
        const auto equals = entry.find('=');
        if (equals == entry.npos) throw std::invalid_argument{"failpoint: no '=' in " + std::string{entry}};
        registry.points.insert_or_assign(std::string{entry.substr(0, equals)},
                                         parse(entry.substr(equals + 1)));
        registry.any = true;
    }
}

Registry& registry() {
    static Registry* const instance = [] {
        auto* made = new Registry;  // never freed: threads may pass points while the process exits
        arm_from_environment(*made);
        return made;
    }();
    return *instance;
}

}  // namespace

void arm(std::string_view name, std::string_view spec) {
    const Point point = parse(spec);
    const std::lock_guard lock{registry().mutex};
    registry().points.insert_or_assign(std::string{name}, point);
    registry().any = true;
}

void disarm_all() {
    const std::lock_guard lock{registry().mutex};
    registry().points.clear();
    registry().any = false;
}

std::uint64_t hits(std::string_view name) {
    const std::lock_guard lock{registry().mutex};
    const auto found = registry().points.find(name);
    return found == registry().points.end() ? 0 : found->second.hits;
}

bool passed(const char* name) {
    if (!registry().any.load(std::memory_order_relaxed)) return false;
    Point point{Action::fail};
    {
        const std::lock_guard lock{registry().mutex};
        const auto found = registry().points.find(std::string_view{name});
        if (found == registry().points.end()) return false;
        ++found->second.hits;
        if (found->second.times_left == 0) return false;
        --found->second.times_left;
        point = found->second;
    }
    switch (point.action) {
    case Action::fail: return true;
    case Action::crash: std::raise(SIGKILL); return true;
    case Action::sleep: std::this_thread::sleep_for(std::chrono::milliseconds{point.sleep_ms}); return false;
    }
    return false;
}

}  // namespace shardway::base::failpoint
