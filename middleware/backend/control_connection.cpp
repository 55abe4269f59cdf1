#include "middleware/backend/control_connection.hpp"

#include <mutex>
#include <utility>

#include <errmsg.h>
#include <fmt/format.h>
#include <mysql.h>

#include "middleware/protocol/errors.hpp"

namespace shardway::backend {

namespace {

unsigned whole_seconds(std::chrono::milliseconds time) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
    return seconds < 1 ? 1U : static_cast<unsigned>(seconds);
}

// The client library's own errors; all others are the server's.
bool is_client_error(unsigned code) { return code >= CR_MIN_ERROR && code < CR_MIN_ERROR + 1000; }

void initialise_library() {
    static std::once_flag once;
    std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
}

struct FreeResult {
    void operator()(MYSQL_RES* result) const { mysql_free_result(result); }
};
using ResultHandle = std::unique_ptr<MYSQL_RES, FreeResult>;

}  // namespace

std::string quoted_name(std::string_view name) {
    std::string quoted = "`";
    for (const char c : name) {
        if (c == '`') quoted += '`';
        quoted += c;
    }
    return quoted += '`';
}

std::string quoted_text(std::string_view text) {
    // A hexadecimal literal where a backslash would make the reading depend on NO_BACKSLASH_ESCAPES.
    if (text.find('\\') != std::string_view::npos || text.find('\0') != std::string_view::npos) {
        std::string quoted = "_utf8mb4 x'";
        for (const char c : text)
            fmt::format_to(std::back_inserter(quoted), "{:02x}", static_cast<unsigned char>(c));
        return quoted += '\'';
    }
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'') quoted += '\'';
        quoted += c;
    }
    return quoted += '\'';
}

void ControlConnection::Close::operator()(st_mysql* handle) const { mysql_close(handle); }

ControlConnection::ControlConnection(std::string node, Handle handle)
    : node_{std::move(node)}, handle_{std::move(handle)} {}
ControlConnection::ControlConnection(ControlConnection&&) noexcept = default;
ControlConnection& ControlConnection::operator=(ControlConnection&&) noexcept = default;
ControlConnection::~ControlConnection() = default;

protocol::Result<ControlConnection> ControlConnection::connect(const ControlTarget& target) {
    initialise_library();
    bool tls_missing = false;
    auto connected = connect_once(target, target.tls != ControlTls::disabled, tls_missing);
    if (tls_missing && target.tls == ControlTls::preferred) return connect_once(target, false, tls_missing);
    return connected;
}

// `tls_missing` is set when the login failed because the server offers no TLS.
protocol::Result<ControlConnection> ControlConnection::connect_once(const ControlTarget& target,
                                                                    bool with_tls, bool& tls_missing) {
    Handle handle{mysql_init(nullptr)};
    if (!handle) throw std::bad_alloc{};
    const unsigned connect_seconds = whole_seconds(target.connect_timeout);
    const unsigned read_seconds = whole_seconds(target.read_timeout);
    mysql_options(handle.get(), MYSQL_OPT_CONNECT_TIMEOUT, &connect_seconds);
    mysql_options(handle.get(), MYSQL_OPT_READ_TIMEOUT, &read_seconds);
    mysql_options(handle.get(), MYSQL_OPT_WRITE_TIMEOUT, &read_seconds);
    mysql_options(handle.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
    const my_bool yes = 1;
    const my_bool verify = target.tls_ca.empty() ? 0 : 1;
    if (with_tls) {
        mysql_options(handle.get(), MYSQL_OPT_SSL_ENFORCE, &yes);
        mysql_options(handle.get(), MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
        if (verify != 0) mysql_options(handle.get(), MYSQL_OPT_SSL_CA, target.tls_ca.c_str());
    }
    const bool by_socket = !target.unix_path.empty();
    const auto begin = std::chrono::steady_clock::now();
    if (mysql_real_connect(handle.get(), by_socket ? nullptr : target.host.c_str(), target.user.c_str(),
                           target.password.c_str(), nullptr, target.port,
                           by_socket ? target.unix_path.c_str() : nullptr, 0) != nullptr) {
        // The library goes on in plain when the server offers no TLS, whatever was asked of it.
        if (target.tls == ControlTls::required && mysql_get_ssl_cipher(handle.get()) == nullptr)
            return protocol::node_unreachable(target.node, "it offers no TLS, which the rules require");
        return ControlConnection{target.node, std::move(handle)};
    }

    const unsigned code = mysql_errno(handle.get());
    const std::string text = mysql_error(handle.get());
    if (!is_client_error(code)) {
        const protocol::SqlError answer{static_cast<std::uint16_t>(code), mysql_sqlstate(handle.get()), text};
        return protocol::node_login_refused(target.node, answer);
    }
    const bool waited = std::chrono::steady_clock::now() - begin >= target.connect_timeout;
    if (code == CR_SSL_CONNECTION_ERROR) {
        tls_missing = text.find("does not support") != std::string::npos;
        if (!waited) return protocol::node_unreachable(target.node, text);
    }
    if (waited) return protocol::node_connect_timeout(target.node, target.connect_timeout);
    return protocol::node_unreachable(target.node, text);
}

protocol::SqlError ControlConnection::error() const {
    const unsigned code = mysql_errno(handle_.get());
    if (is_client_error(code)) {
        // What the statement was, and how far it came, only the caller knows.
        if (code == CR_SERVER_GONE_ERROR || code == CR_SERVER_LOST || code == CR_SSL_CONNECTION_ERROR)
            return protocol::outcome_unknown(node_);
        return protocol::node_protocol_violation(node_, mysql_error(handle_.get()));
    }
    return protocol::make_error(static_cast<std::uint16_t>(code), mysql_sqlstate(handle_.get()),
                                fmt::format("Node '{}': {}", node_, mysql_error(handle_.get())));
}

protocol::Result<void> ControlConnection::for_each_row(std::string_view statement,
                                                       const std::function<bool(Cells)>& visit) {
    if (mysql_real_query(handle_.get(), statement.data(), statement.size()) != 0) return error();
    const ResultHandle result{mysql_use_result(handle_.get())};
    if (!result) {
        if (mysql_errno(handle_.get()) != 0) return error();
        return {};  // a statement without rows
    }
    const unsigned count = mysql_num_fields(result.get());
    std::vector<std::optional<std::string_view>> cells(count);
    while (const MYSQL_ROW row = mysql_fetch_row(result.get())) {
        const unsigned long* lengths = mysql_fetch_lengths(result.get());
        for (unsigned i = 0; i < count; ++i) {
            cells[i] = std::nullopt;
            if (row[i] != nullptr) cells[i] = std::string_view{row[i], lengths[i]};
        }
        if (!visit(cells)) return {};  // freeing the result reads what is left of it
    }
    if (mysql_errno(handle_.get()) != 0) return error();
    return {};
}

protocol::Result<ControlConnection::Rows> ControlConnection::query(std::string_view statement) {
    if (mysql_real_query(handle_.get(), statement.data(), statement.size()) != 0) return error();
    Rows rows;
    const ResultHandle result{mysql_store_result(handle_.get())};
    if (!result) {
        if (mysql_errno(handle_.get()) != 0) return error();
        return rows;
    }
    const unsigned count = mysql_num_fields(result.get());
    const MYSQL_FIELD* fields = mysql_fetch_fields(result.get());
    for (unsigned i = 0; i < count; ++i) rows.columns.emplace_back(fields[i].name, fields[i].name_length);
    rows.rows.reserve(static_cast<std::size_t>(mysql_num_rows(result.get())));
    while (const MYSQL_ROW row = mysql_fetch_row(result.get())) {
        const unsigned long* lengths = mysql_fetch_lengths(result.get());
        Row& cells = rows.rows.emplace_back(count);
        for (unsigned i = 0; i < count; ++i)
            if (row[i] != nullptr) cells[i].emplace(row[i], lengths[i]);
    }
    return rows;
}

protocol::Result<ControlConnection::Done> ControlConnection::exec(std::string_view statement) {
    if (mysql_real_query(handle_.get(), statement.data(), statement.size()) != 0) return error();
    const ResultHandle result{mysql_store_result(handle_.get())};
    if (!result && mysql_errno(handle_.get()) != 0) return error();
    Done done;
    done.affected = result ? mysql_num_rows(result.get()) : mysql_affected_rows(handle_.get());
    done.warnings = mysql_warning_count(handle_.get());
    return done;
}

std::string_view ControlConnection::server_version() const {
    const char* version = mysql_get_server_info(handle_.get());
    return version == nullptr ? std::string_view{} : std::string_view{version};
}

bool ControlConnection::is_mariadb() const {
    return server_version().find("MariaDB") != std::string_view::npos;
}

}  // namespace shardway::backend
