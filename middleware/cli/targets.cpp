#include "middleware/cli/targets.hpp"

namespace shardway::cli {

namespace {

backend::ControlTls control_tls(rules::TlsMode mode) {
    switch (mode) {
    case rules::TlsMode::disabled: return backend::ControlTls::disabled;
    case rules::TlsMode::preferred: return backend::ControlTls::preferred;
    case rules::TlsMode::required: return backend::ControlTls::required;
    }
    return backend::ControlTls::required;
}

}  // namespace

backend::ControlTarget control_target(const rules::Rules& rules, rules::NodeId id) {
    const rules::Node& node = rules.node(id);
    backend::ControlTarget target;
    target.node = node.name;
    target.host = node.primary.host;
    target.port = node.primary.port;
    target.unix_path = node.primary.path;
    target.user = rules.backend.user;
    target.password = rules.backend.password;
    target.tls = control_tls(rules.backend.tls);
    target.tls_ca = rules.backend.tls_ca;
    target.connect_timeout = rules.backend.connect_timeout;
    return target;
}

std::vector<backend::CatalogSource> catalog_sources(const rules::Rules& rules) {
    std::vector<backend::CatalogSource> sources;
    for (const auto& [name, database] : rules.databases) {
        if (database.is_single_node()) continue;
        backend::CatalogSource& source = sources.emplace_back();
        source.database = name;
        source.nodes.push_back(control_target(rules, database.default_node));
        for (std::size_t i = 0; i < rules.nodes.size(); ++i)
            if (rules::NodeId{i} != database.default_node)
                source.nodes.push_back(control_target(rules, rules::NodeId{i}));
    }
    return sources;
}

}  // namespace shardway::cli
