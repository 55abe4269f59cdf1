#include <condition_variable>
#include <mutex>

#include <fmt/format.h>
#include <sqlite3.h>

#include "schema/base/failpoint.hpp"
#include "schema/meta_store.hpp"

namespace shardway::schema {

namespace {

constexpr int application_id = 0x53687764;  // "Shwd"
constexpr int format_version = 1;
constexpr int busy_timeout_ms = 10'000;
// How often a waiting watcher looks for changes by other processes. Those of its own process wake it at once.
constexpr std::chrono::milliseconds watch_interval{50};

constexpr const char* create_tables = R"(
    CREATE TABLE entry (key TEXT PRIMARY KEY, value BLOB, revision INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX entry_revision ON entry (revision);
    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO counter VALUES ('revision', 0), ('lease', 0);
    CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, token INTEGER NOT NULL, expires_ms INTEGER NOT NULL)
        WITHOUT ROWID;
)";

// One statement, bound and stepped; finalized at the end of its scope.
class SqliteStatement {
public:
    SqliteStatement(sqlite3* db, const char* sql) : db_{db} {
        if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK) fail();
    }
    SqliteStatement(const SqliteStatement&) = delete;
    SqliteStatement& operator=(const SqliteStatement&) = delete;
    ~SqliteStatement() { sqlite3_finalize(statement_); }

    SqliteStatement& bind(std::string_view text) {
        return check(sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                                       SQLITE_TRANSIENT));
    }
    SqliteStatement& bind_blob(const std::optional<std::string>& bytes) {
        if (!bytes) return check(sqlite3_bind_null(statement_, ++bound_));
        const char* const data = bytes->empty() ? "" : bytes->data();
        return check(
            sqlite3_bind_blob(statement_, ++bound_, data, static_cast<int>(bytes->size()), SQLITE_TRANSIENT));
    }
    SqliteStatement& bind(std::int64_t number) {
        return check(sqlite3_bind_int64(statement_, ++bound_, number));
    }

    // True while there is a row.
    bool step() {
        const int result = sqlite3_step(statement_);
        if (result == SQLITE_ROW) return true;
        if (result != SQLITE_DONE) fail();
        return false;
    }
    std::int64_t number(int column) { return sqlite3_column_int64(statement_, column); }
    std::string text(int column) {
        const void* const data = sqlite3_column_blob(statement_, column);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        return size == 0 ? std::string{} : std::string{static_cast<const char*>(data), size};
    }
    bool is_null(int column) { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

private:
    SqliteStatement& check(int result) {
        if (result != SQLITE_OK) fail();
        return *this;
    }
    [[noreturn]] void fail() { throw MetaError(fmt::format("metadata store: {}", sqlite3_errmsg(db_))); }

    sqlite3* db_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

class SqliteStore final : public MetaStore {
public:
    SqliteStore(const std::string& file, const base::Clock& clock) : clock_{clock} {
        const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
        const int result = sqlite3_open_v2(file.c_str(), &db_, flags, nullptr);
        try {
            if (result != SQLITE_OK)
                throw MetaError(fmt::format("metadata store {}: {}", file, sqlite3_errstr(result)));
            prepare(file);
        } catch (...) {
            sqlite3_close(db_);
            throw;
        }
    }
    ~SqliteStore() override { sqlite3_close(db_); }

    std::optional<MetaEntry> get(std::string_view key) override {
        const std::lock_guard lock{mutex_};
        SqliteStatement select{db_, "SELECT value, revision FROM entry WHERE key = ? AND value IS NOT NULL"};
        if (!select.bind(key).step()) return std::nullopt;
        return MetaEntry{std::string{key}, select.text(0), static_cast<Revision>(select.number(1))};
    }

    std::vector<MetaEntry> list(std::string_view prefix) override {
        const std::lock_guard lock{mutex_};
        SqliteStatement select{db_,
                               "SELECT key, value, revision FROM entry WHERE value IS NOT NULL AND key >= ?1 "
                               "AND substr(key, 1, length(?1)) = ?1 ORDER BY key"};
        select.bind(prefix);
        return entries(select);
    }

    std::optional<Revision> commit(std::span<const MetaWrite> writes) override {
        for (const auto& write : writes) check_sizes(write);
        const std::lock_guard lock{mutex_};
        Transaction transaction{*this};
        for (const auto& write : writes) {
            SqliteStatement select{db_, "SELECT revision FROM entry WHERE key = ? AND value IS NOT NULL"};
            const Revision current =
                select.bind(write.key).step() ? static_cast<Revision>(select.number(0)) : 0;
            if (current != write.expected) return std::nullopt;
        }
        const Revision revision = next("revision");
        for (const auto& write : writes) {
            // What is erased stays as an entry without value, for watchers.
            SqliteStatement upsert{
                db_,
                "INSERT INTO entry VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = "
                "excluded.value, revision = excluded.revision"};
            upsert.bind(write.key).bind_blob(write.value).bind(static_cast<std::int64_t>(revision)).step();
        }
        if (FAILPOINT("meta.commit")) throw MetaError("metadata store: failpoint");
        transaction.commit();
        changed_.notify_all();
        return revision;
    }

    Revision revision() override {
        const std::lock_guard lock{mutex_};
        SqliteStatement select{db_, "SELECT value FROM counter WHERE name = 'revision'"};
        select.step();
        return static_cast<Revision>(select.number(0));
    }

    std::vector<MetaEntry> watch(std::string_view prefix, Revision after,
                                 std::chrono::milliseconds timeout) override {
        const auto deadline = std::chrono::steady_clock::now() + timeout;
        std::unique_lock lock{mutex_};
        for (;;) {
            SqliteStatement select{db_,
                                   "SELECT key, value, revision FROM entry WHERE revision > ?2 "
                                   "AND substr(key, 1, length(?1)) = ?1 ORDER BY revision, key"};
            select.bind(prefix).bind(static_cast<std::int64_t>(after));
            auto changes = entries(select);
            const auto now = std::chrono::steady_clock::now();
            if (!changes.empty() || now >= deadline) return changes;
            changed_.wait_until(lock, std::min(deadline, now + watch_interval));
        }
    }

    std::optional<MetaLease> acquire(std::string_view name, std::string_view holder,
                                     std::chrono::milliseconds duration) override {
        const std::lock_guard lock{mutex_};
        Transaction transaction{*this};
        SqliteStatement select{db_, "SELECT holder, token, expires_ms FROM lease WHERE name = ?"};
        const bool exists = select.bind(name).step();
        const bool live = exists && select.number(2) > now_ms();
        const bool ours = live && select.text(0) == holder;
        if (live && !ours) return std::nullopt;
        const std::int64_t token = ours ? select.number(1) : static_cast<std::int64_t>(next("lease"));
        const std::int64_t expires = now_ms() + duration.count();
        SqliteStatement upsert{db_,
                               "INSERT INTO lease VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
                               "holder = excluded.holder, "
                               "token = excluded.token, expires_ms = excluded.expires_ms"};
        upsert.bind(name).bind(holder).bind(token).bind(expires).step();
        transaction.commit();
        return MetaLease{std::string{name}, std::string{holder}, static_cast<std::uint64_t>(token),
                         at_ms(expires)};
    }

    bool renew(MetaLease& lease, std::chrono::milliseconds duration) override {
        const std::lock_guard lock{mutex_};
        Transaction transaction{*this};
        const std::int64_t expires = now_ms() + duration.count();
        // An expired lease that nobody took is still its holder's.
        SqliteStatement update{db_, "UPDATE lease SET expires_ms = ? WHERE name = ? AND token = ?"};
        update.bind(expires).bind(lease.name).bind(static_cast<std::int64_t>(lease.token)).step();
        if (sqlite3_changes(db_) == 0) return false;
        transaction.commit();
        lease.expires = at_ms(expires);
        return true;
    }

    void release(const MetaLease& lease) override {
        const std::lock_guard lock{mutex_};
        Transaction transaction{*this};
        SqliteStatement erase{db_, "DELETE FROM lease WHERE name = ? AND token = ?"};
        erase.bind(lease.name).bind(static_cast<std::int64_t>(lease.token)).step();
        transaction.commit();
    }

private:
    // Takes the write lock at once, so that what is read inside is what is changed. Rolls back unless
    // committed.
    class Transaction {
    public:
        explicit Transaction(SqliteStore& store) : store_{store} { store_.run("BEGIN IMMEDIATE"); }
        Transaction(const Transaction&) = delete;
        Transaction& operator=(const Transaction&) = delete;
        ~Transaction() {
            if (!committed_) sqlite3_exec(store_.db_, "ROLLBACK", nullptr, nullptr, nullptr);
        }
        void commit() {
            store_.run("COMMIT");
            committed_ = true;
        }

    private:
        SqliteStore& store_;
        bool committed_ = false;
    };

    void prepare(const std::string& file) {
        sqlite3_busy_timeout(db_, busy_timeout_ms);
        sqlite3_extended_result_codes(db_, 1);
        run("PRAGMA journal_mode = WAL");
        run("PRAGMA synchronous = FULL");
        const auto pragma = [&](const char* sql) {
            SqliteStatement select{db_, sql};
            return select.step() ? select.number(0) : 0;
        };
        Transaction transaction{*this};
        const std::int64_t id = pragma("PRAGMA application_id"), version = pragma("PRAGMA user_version");
        const bool fresh = id == 0 && version == 0 && pragma("SELECT count(*) FROM sqlite_master") == 0;
        if (!fresh && id != application_id)
            throw MetaError(fmt::format("{} is not a metadata store of Shardway", file));
        if (version > format_version)
            throw MetaError(fmt::format("{} is from a newer Shardway (format {})", file, version));
        if (!fresh) return;
        run(create_tables);
        run(fmt::format("PRAGMA application_id = {}", application_id).c_str());
        run(fmt::format("PRAGMA user_version = {}", format_version).c_str());
        transaction.commit();
    }

    void run(const char* sql) {
        char* message = nullptr;
        if (sqlite3_exec(db_, sql, nullptr, nullptr, &message) == SQLITE_OK) return;
        const std::string text = message == nullptr ? sqlite3_errmsg(db_) : message;
        sqlite3_free(message);
        throw MetaError("metadata store: " + text);
    }

    static void check_sizes(const MetaWrite& write) {
        if (write.key.empty() || write.key.size() > meta_key_bytes_max)
            throw MetaError(fmt::format("metadata store: a key of {} bytes; it may have 1 to {}",
                                        write.key.size(), meta_key_bytes_max));
        if (write.value && write.value->size() > meta_value_bytes_max)
            throw MetaError(fmt::format("metadata store: {} with {} bytes; it may have {}", write.key,
                                        write.value->size(), meta_value_bytes_max));
    }

    Revision next(std::string_view counter) {
        SqliteStatement update{db_, "UPDATE counter SET value = value + 1 WHERE name = ? RETURNING value"};
        if (!update.bind(counter).step()) throw MetaError("metadata store: a counter is missing");
        const auto value = static_cast<Revision>(update.number(0));
        update.step();
        return value;
    }

    static std::vector<MetaEntry> entries(SqliteStatement& select) {
        std::vector<MetaEntry> result;
        while (select.step())
            result.push_back(
                {select.text(0), select.text(1), static_cast<Revision>(select.number(2)), select.is_null(1)});
        return result;
    }

    std::int64_t now_ms() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(clock_.wall().time_since_epoch())
            .count();
    }
    static base::WallTime at_ms(std::int64_t ms) { return base::WallTime{std::chrono::milliseconds{ms}}; }

    const base::Clock& clock_;
    std::mutex mutex_;  // one statement at a time on the one connection
    std::condition_variable changed_;
    sqlite3* db_ = nullptr;
};

}  // namespace

std::optional<Revision> MetaStore::compare_and_set(std::string_view key, Revision expected,
                                                   std::string value) {
    const MetaWrite write{std::string{key}, expected, std::move(value)};
    return commit({&write, 1});
}

bool MetaStore::compare_and_erase(std::string_view key, Revision expected) {
    const MetaWrite write{std::string{key}, expected, std::nullopt};
    return commit({&write, 1}).has_value();
}

std::unique_ptr<MetaStore> open_sqlite_store(const std::string& file, const base::Clock& clock) {
    return std::make_unique<SqliteStore>(file, clock);
}

}  // namespace shardway::schema
