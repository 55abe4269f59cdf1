// Invariant 2, tried at random: equal plan keys mean equal trees up to plain values.
//
//   sqlparse_plan_keys PAIRS [SEED [STATEMENTS]]
//
// Makes statements from a small grammar (and takes those of STATEMENTS, each ended by a zero byte), changes
// literals, labels, lists, hints, cases, spaces in a copy, and compares keys and trees of both. Ends with 1
// at the first pair whose keys are equal and whose trees are not, or when fewer than 5,000 shapes or, of a
// million pairs, fewer than 300,000 equal keys were met.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sqlparse/lexer.hpp"
#include "sqlparse/parser.hpp"
#include "sqlparse/print.hpp"
#include "sqlparse/scan.hpp"

using namespace shardway::sqlparse;

namespace {

class Maker {
public:
    explicit Maker(std::uint64_t seed) : random_{seed} {}

    std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <std::size_t N>
    const char* one_of(const char* const (&items)[N]) {
        return items[below(N)];
    }

    std::string number() { return std::to_string(below(chance(50) ? 10 : 100'000)); }
    std::string text() {
        static const char* const texts[] = {"'x'", "'it''s'",      "'a\\'b'", "\"q\"",
                                            "''",  "'2024-01-01'", "'%a%'"};
        return one_of(texts);
    }
    std::string literal() {
        switch (below(12)) {
        case 0: return number() + "." + number();
        case 1: return number() + "e3";
        case 2: return "NULL";
        case 3: return "0x1F";
        case 4: return "?";
        case 5: return "TRUE";
        case 6:
        case 7:
        case 8: return text();
        default: return number();
        }
    }
    std::string column() {
        static const char* const columns[] = {"a",    "b",   "id",     "user_id", "t.a",
                                              "t.id", "`a`", "status", "u.x"};
        return one_of(columns);
    }
    std::string list(const char* between, std::size_t most, std::string (Maker::*make)()) {
        std::string result = (this->*make)();
        for (std::size_t i = below(most); i > 0; --i) result += between + (this->*make)();
        return result;
    }
    std::string expr() {
        if (++depth_ > 4) {
            --depth_;
            return chance(50) ? column() : literal();
        }
        std::string result;
        switch (below(24)) {
        case 0: result = expr() + " + " + expr(); break;
        case 1: result = expr() + " = " + expr(); break;
        case 2: result = expr() + " AND " + expr(); break;
        case 3: result = expr() + " OR " + expr(); break;
        case 4: result = "(" + expr() + ")"; break;
        case 5: result = column() + " IN (" + list(", ", 5, &Maker::literal) + ")"; break;
        case 6: result = column() + " IN (" + list(", ", 6, &Maker::number) + ")"; break;
        case 7: result = column() + " BETWEEN " + literal() + " AND " + literal(); break;
        case 8: result = column() + " LIKE " + text() + (chance(30) ? " ESCAPE '|'" : ""); break;
        case 9: result = "CAST(" + expr() + " AS DECIMAL(10," + std::to_string(below(5)) + "))"; break;
        case 10: result = "NOW() - INTERVAL " + number() + " DAY"; break;
        case 11: result = "a->'$." + std::string(1, static_cast<char>('a' + below(3))) + "'"; break;
        case 12:
            result = "JSON_EXTRACT(b, '$." + std::string(1, static_cast<char>('a' + below(3))) + "')";
            break;
        case 13: result = "COALESCE(" + expr() + ", " + literal() + ")"; break;
        case 14: result = "CASE WHEN " + expr() + " THEN " + literal() + " ELSE " + literal() + " END"; break;
        case 15: result = "id IN (SELECT " + expr() + " FROM u WHERE x = " + literal() + ")"; break;
        case 16:
            result = "(a, b) IN ((" + number() + ", " + number() + "), (" + number() + ", " + text() + "))";
            break;
        case 17: result = column() + " IS NULL"; break;
        case 18: result = "GROUP_CONCAT(a ORDER BY " + number() + " SEPARATOR " + text() + ")"; break;
        case 19: result = "DATE '2024-01-0" + std::to_string(1 + below(9)) + "'"; break;
        case 20: result = "_utf8mb4" + text(); break;
        case 21: result = "-" + number(); break;
        case 22: result = "SUBSTRING(s FROM " + number() + ")"; break;
        default: result = column() + " = " + literal(); break;
        }
        --depth_;
        return result;
    }
    std::string item() {
        std::string result = chance(40) ? column() : expr();
        if (chance(30)) result += chance(50) ? " AS x" : " AS 'label'";
        return result;
    }
    std::string order() { return chance(50) ? number() : expr() + (chance(30) ? " DESC" : ""); }
    std::string select() {
        std::string sql = "SELECT ";
        if (chance(10)) sql += "/*+ MAX_EXECUTION_TIME(" + number() + ") */ ";
        if (chance(10)) sql += "DISTINCT ";
        sql += list(", ", 3, &Maker::item);
        sql += " FROM t";
        if (chance(20)) sql += " JOIN u ON " + expr();
        if (chance(10)) sql += ", (SELECT " + item() + " FROM v WHERE " + expr() + ") AS d";
        if (chance(80)) sql += " WHERE " + expr();
        if (chance(20)) sql += " GROUP BY " + order();
        if (chance(10)) sql += " HAVING " + expr();
        if (chance(20)) sql += " ORDER BY " + list(", ", 2, &Maker::order);
        if (chance(20)) sql += " LIMIT " + number() + (chance(30) ? " OFFSET " + number() : "");
        if (chance(5)) sql += " FOR UPDATE";
        return sql;
    }
    std::string assignment() { return std::string{one_of(names_)} + " = " + expr(); }
    std::string row() {
        std::string result = "(";
        for (std::size_t i = 0; i < row_width_; ++i) {
            if (i > 0) result += ", ";
            result += i < row_kinds_.size() && row_kinds_[i] == 'n' ? number() : chance(80) ? text() : expr();
        }
        return result + ")";
    }
    std::string statement() {
        switch (below(10)) {
        case 0:
        case 1: {
            row_width_ = 1 + below(4);
            row_kinds_.clear();
            for (std::size_t i = 0; i < row_width_; ++i) row_kinds_ += chance(70) ? 'n' : 's';
            std::string sql = chance(80) ? "INSERT INTO t (a, b) VALUES " : "REPLACE INTO t VALUES ";
            sql += list(", ", 6, &Maker::row);
            if (sql[0] == 'I' && chance(30)) sql += " ON DUPLICATE KEY UPDATE " + assignment();
            return sql;
        }
        case 2: return "UPDATE t SET " + list(", ", 3, &Maker::assignment) + " WHERE " + expr();
        case 3: return "DELETE FROM t WHERE " + expr() + (chance(30) ? " LIMIT " + number() : "");
        case 4: return select() + " UNION ALL " + select();
        case 5: return "INSERT INTO t SET " + list(", ", 3, &Maker::assignment);
        case 6: return "INSERT INTO t (a) " + select();
        case 7: return "SET @a = " + expr();
        default: return select();
        }
    }

    // Another text that often, but not always, has the same key.
    std::string changed(std::string_view original) {
        const ParseOptions options;
        Lexer lexer{original, options};
        std::string result;
        std::uint32_t last_end = 0;
        const bool bold = chance(20);  // also change what decides about the plan
        for (Token token = lexer.next(); token.kind != TokenKind::end && token.kind != TokenKind::error;
             token = lexer.next()) {
            const std::string_view gap = original.substr(last_end, token.offset - last_end);
            const std::string_view raw = token.span().of(original);
            last_end = token.end();
            const bool may_grow = !gap.empty() && gap.find_first_not_of(' ') == gap.npos;
            if (may_grow && chance(bold ? 10 : 3)) {
                static const char* const gaps[] = {"  ", "\n", " /* c */ ", "\t", " -- x\n"};
                result += one_of(gaps);
            } else {
                result += gap;
            }
            switch (token.kind) {
            case TokenKind::integer:
                result += chance(bold ? 40 : 20) ? number() : std::string{raw};
                if (chance(bold ? 10 : 3)) result += ", " + number();
                break;
            case TokenKind::string:
                result += chance(bold ? 40 : 20) ? text() : std::string{raw};
                if (bold && chance(3)) result += " 'piece'";
                break;
            case TokenKind::decimal: result += chance(40) ? number() + ".5" : std::string{raw}; break;
            case TokenKind::word:
                if (chance(bold ? 10 : 1))
                    result += flipped(raw);
                else if (bold && chance(3))
                    result += column();
                else
                    result += raw;
                break;
            case TokenKind::hint:
                result += chance(50) ? "/*+ MAX_EXECUTION_TIME(" + number() + ") */" : std::string{raw};
                break;
            default:
                if (bold && chance(1)) result += literal();
                result += raw;
            }
        }
        // A row more, or a row less.
        if (const std::size_t at = result.find("), ("); at != result.npos && chance(30)) {
            const std::size_t end = result.find(')', at + 4);
            if (end != result.npos) {
                const std::string row = result.substr(at + 1, end - at);
                if (chance(50))
                    result.insert(at + 1, row);
                else
                    result.erase(at + 1, row.size());
            }
        }
        return result;
    }

private:
    std::string flipped(std::string_view raw) {
        std::string result{raw};
        for (char& c : result)
            if (c >= 'a' && c <= 'z')
                c = static_cast<char>(c - 32);
            else if (c >= 'A' && c <= 'Z')
                c = static_cast<char>(c + 32);
        return result;
    }

    static constexpr const char* names_[] = {"a", "b", "status"};
    std::mt19937_64 random_;
    int depth_ = 0;
    std::size_t row_width_ = 2;
    std::string row_kinds_;
};

struct Side {
    Scan scanned;
    Arena arena;
    Parsed parsed;

    void read(std::string_view text, const ParseOptions& options) {
        arena.reset();
        scan(text, options, scanned);
        parsed = parse(text, options, arena, &scanned);
    }
};

}  // namespace

int main(int argc, char** argv) {
    const std::size_t pairs = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 20'000;
    Maker maker{argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1};
    std::string corpus;
    std::vector<std::string_view> statements;
    if (argc > 3) {
        std::ifstream file{argv[3], std::ios::binary};
        corpus.assign(std::istreambuf_iterator<char>{file}, {});
        std::string_view rest = corpus;
        for (std::size_t end = rest.find('\0'); end != rest.npos; end = rest.find('\0')) {
            if (end < 2000) statements.push_back(rest.substr(0, end));
            rest.remove_prefix(end + 1);
        }
    }
    const ParseOptions options;
    std::set<std::uint64_t> shapes;
    std::size_t equal = 0;
    Side left;
    Side right;
    std::string text;
    for (std::size_t i = 0; i < pairs; ++i) {
        // Several copies of each: pairs of copies are as good as pairs with the original.
        if (i % 4 == 0)
            text = statements.empty() || maker.chance(50)
                       ? maker.statement()
                       : std::string{statements[maker.below(statements.size())]};
        const std::string other = maker.changed(text);
        left.read(text, options);
        right.read(other, options);
        if (left.parsed) shapes.insert(left.scanned.key.low);
        if (!(left.scanned.key == right.scanned.key)) {
            if (right.parsed && maker.chance(50)) text = other;
            continue;
        }
        if (left.scanned.status != right.scanned.status && left.scanned.status == ScanStatus::invalid)
            continue;
        const bool both = left.parsed && right.parsed;
        if (both) ++equal;
        const bool same = both ? dump_shape(*left.parsed.statement, left.scanned, options) ==
                                     dump_shape(*right.parsed.statement, right.scanned, options)
                               : static_cast<bool>(left.parsed) == static_cast<bool>(right.parsed);
        const bool same_places = left.scanned.tokens.size() == right.scanned.tokens.size() &&
                                 left.scanned.holes == right.scanned.holes;
        if (!same || !same_places || left.scanned.digest != right.scanned.digest) {
            std::printf("equal keys, but %s:\n%s\n%s\n",
                        same ? "tokens, holes or digest differ" : "trees differ", text.c_str(),
                        other.c_str());
            if (both)
                std::printf("%s\n%s\n", dump_shape(*left.parsed.statement, left.scanned, options).c_str(),
                            dump_shape(*right.parsed.statement, right.scanned, options).c_str());
            return 1;
        }
        if (maker.chance(50)) text = other;
    }
    std::printf("pairs: %zu, with equal keys: %zu, shapes: %zu\n", pairs, equal, shapes.size());
    const bool enough = equal * 10 >= pairs * 3 && (pairs < 100'000 || shapes.size() >= 5'000);
    return enough ? 0 : 1;
}
