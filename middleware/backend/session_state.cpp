#include "middleware/backend/session_state.hpp"

#include <algorithm>
#include <functional>

namespace shardway::backend {

namespace {

auto position_of(const SessionState::Variables& variables, std::string_view name) {
    return std::lower_bound(variables.begin(), variables.end(), name,
                            [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
}

void append_assignment(std::string& out, std::string_view name, std::string_view value) {
    out += out.empty() ? "SET " : ",";
    // Names are those that the server accepted before, so they need no quoting.
    out.append("SESSION ").append(name).append("=").append(value);
}

}  // namespace

SessionState::SessionState(Variables variables, bool found_rows)
    : variables_{std::move(variables)}, found_rows_{found_rows}, signature_{found_rows ? 1U : 0U} {
    for (const auto& [name, value] : variables_) {
        for (const std::string& part : {name, value})
            signature_ = (signature_ ^ std::hash<std::string>{}(part)) * 0x9e3779b97f4a7c15ULL + 1;
    }
}

std::shared_ptr<const SessionState> SessionState::after_login(std::string_view charset,
                                                              std::string_view collation, bool found_rows) {
    const std::string name{charset};
    Variables variables{{"character_set_client", name},
                        {"character_set_results", name},
                        {"collation_connection", std::string{collation}}};
    return std::make_shared<const SessionState>(std::move(variables), found_rows);
}

const std::string* SessionState::find(std::string_view name) const {
    const auto found = position_of(variables_, name);
    return found != variables_.end() && found->first == name ? &found->second : nullptr;
}

std::shared_ptr<const SessionState> SessionState::with(std::string_view name, std::string value) const {
    Variables changed = variables_;
    const auto at = changed.begin() + (position_of(variables_, name) - variables_.begin());
    if (at != changed.end() && at->first == name) {
        at->second = std::move(value);
    } else {
        changed.emplace(at, std::string{name}, std::move(value));
    }
    return std::make_shared<const SessionState>(std::move(changed), found_rows_);
}

std::shared_ptr<const SessionState> SessionState::without(std::string_view name) const {
    Variables changed = variables_;
    std::erase_if(changed, [&](const auto& entry) { return entry.first == name; });
    return std::make_shared<const SessionState>(std::move(changed), found_rows_);
}

std::string set_statement(const SessionState& from, const SessionState& to) {
    std::string out;
    auto old = from.variables().begin();
    const auto old_end = from.variables().end();
    for (const auto& [name, value] : to.variables()) {
        for (; old != old_end && old->first < name; ++old) append_assignment(out, old->first, "DEFAULT");
        const bool same_name = old != old_end && old->first == name;
        if (!same_name || old->second != value) append_assignment(out, name, value);
        if (same_name) ++old;
    }
    for (; old != old_end; ++old) append_assignment(out, old->first, "DEFAULT");
    return out;
}

}  // namespace shardway::backend
