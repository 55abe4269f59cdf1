#include "sqlparse/scan.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "sqlparse/keyword_table.hpp"
#include "sqlparse/word_bytes.hpp"

namespace shardway::sqlparse {

namespace {

// What a keyword does to the literals behind it, up to the next such keyword in the same parentheses.
enum class Effect : std::uint8_t {
    none,
    select_list,  // values and spaces make labels: all of it belongs to the key
    plain,        // values are plain: WHERE, ON
    plain_set,    // SET, but not of CHARACTER SET
    kept,         // values belong to the key, except in subqueries: FROM, UNION, WITH
    strict,       // and in parentheses too: ORDER BY, GROUP BY, LIMIT, HAVING, INTO
    keep_next,    // only the next literal belongs to the key
    returning,    // as select_list, in MariaDB
    kept_call,    // a function whose arguments are syntax, or decide about types
};

struct Effects {
    Effect of[keyword_count_all];
};

constexpr Effects make_effects() {
    Effects effects{};
    const auto set = [&](Effect effect, std::initializer_list<Keyword> keywords) {
        for (const Keyword keyword : keywords) effects.of[static_cast<std::size_t>(keyword)] = effect;
    };
    using enum Keyword;
    set(Effect::select_list, {select_});
    set(Effect::plain, {where_, on_});
    set(Effect::plain_set, {set_});
    set(Effect::kept, {from_, union_, except_, intersect_, with_});
    set(Effect::strict,
        {order_, group_, limit_, having_, into_, window_, procedure_, for_, lock_, fetch_, qualify_});
    set(Effect::keep_next, {escape_, interval_, collate_, as_, offset_});
    set(Effect::returning, {returning_});
    set(Effect::kept_call,
        {cast_,       convert_,        group_concat_, json_value_,        json_arrayagg_, json_objectagg_,
         json_table_, position_,       now_,          current_timestamp_, current_time_,  curtime_,
         localtime_,  localtimestamp_, sysdate_,      utc_time_,          utc_timestamp_, over_,
         ntile_,      lead_,           lag_,          nth_value_,         nextval_,       setval_});
    return effects;
}

constexpr Effects effects = make_effects();

constexpr std::uint64_t key_low = 0x9e3779b97f4a7c15;
constexpr std::uint64_t key_high = 0xc2b2ae3d27d4eb4f;
constexpr std::uint64_t key_digest = 0x165667b19e3779f9;
constexpr std::uint64_t key_bytes = 0xff51afd7ed558ccd;

// Both halves of the 128-bit product, as one number.
inline std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

struct Hashes {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t digest;

    void key(std::uint64_t value) {
        low = multiply_fold(low ^ value, key_low);
        high = multiply_fold(high + value, key_high);
    }
    void for_people(std::uint64_t value) { digest = multiply_fold(digest ^ value, key_digest); }
};

// One number per kind, so that a word never counts as punctuation.
constexpr std::uint64_t tag(TokenKind kind) { return (static_cast<std::uint64_t>(kind) + 1) << 40; }
constexpr std::uint64_t literal_tag = std::uint64_t{0x71} << 40;
constexpr std::uint64_t list_tag = std::uint64_t{0x72} << 40;
constexpr std::uint64_t row_tag = std::uint64_t{0x73} << 40;
constexpr std::uint64_t keyword_tag = std::uint64_t{0x74} << 40;
constexpr std::uint64_t pieces_tag = std::uint64_t{0x75} << 40;

struct KindTable {
    LiteralKind of[64];
};
constexpr KindTable make_kinds() {
    KindTable table{};
    for (LiteralKind& kind : table.of) kind = LiteralKind::null_value;
    const auto set = [&](TokenKind token, LiteralKind kind) {
        table.of[static_cast<std::size_t>(token)] = kind;
    };
    set(TokenKind::string, LiteralKind::string);
    set(TokenKind::national_string, LiteralKind::national_string);
    set(TokenKind::integer, LiteralKind::integer);
    set(TokenKind::decimal, LiteralKind::decimal);
    set(TokenKind::floating, LiteralKind::floating);
    set(TokenKind::hex, LiteralKind::hex);
    set(TokenKind::bit, LiteralKind::bit);
    set(TokenKind::parameter, LiteralKind::parameter);
    return table;
}
constexpr KindTable kinds = make_kinds();

bool is_literal(TokenKind kind) {
    return kinds.of[static_cast<std::size_t>(kind)] != LiteralKind::null_value;
}

// What the current parentheses allow, as bits.
enum Context : std::uint8_t {
    plain_values = 1,   // values are plain
    forced = 2,         // never, whatever stands inside: the parentheses are part of a label, a type, …
    nested_forced = 4,  // parentheses opened here are forced
    label = 8,          // spaces and the case of keywords count: the text is part of a label
};

class Scanner {
public:
    Scanner(std::string_view text, const ParseOptions& options, Scan& out, std::uint64_t seed)
        : lexer_{text, options},
          begin_{text.data()},
          end_{text.data() + text.size()},
          dialect_{options.dialect},
          reserved_flag_{static_cast<std::uint8_t>(options.dialect == Dialect::mysql ? 1 : 2)},
          out_{out},
          hashes_{seed ^ key_high, seed + key_low, seed ^ key_bytes} {}

    void run();

private:
    Token step(Token token);
    Token open(Token token);
    Token close(Token token);
    Token in_list(Token parenthesis);
    Token rows(Token parenthesis);
    void word(Token token);
    void literal(Token token);
    void keyword_effect(Keyword keyword);
    void finish(Token last);

    Token next() { return lexer_.next(); }
    std::uint64_t bytes_value(const char* at, std::size_t size) const;
    std::uint64_t gap_value(Token token) const;
    void record(Token token) {
        out_.tokens.push_back(token.span());
        last_end_ = token.end();
    }
    void add_literal(Token token, std::uint32_t hole, bool plain) {
        out_.literals.push_back(
            {token.offset, token.length, hole, kinds.of[static_cast<std::size_t>(token.kind)], plain});
        out_.parameters += token.kind == TokenKind::parameter;
    }
    bool has(Context bit) const { return (context_ & bit) != 0; }
    static bool ends(Token token) {
        return token.kind == TokenKind::end || token.kind == TokenKind::semicolon ||
               token.kind == TokenKind::error;
    }

    Lexer lexer_;
    const char* begin_;
    const char* end_;
    Dialect dialect_;
    std::uint8_t reserved_flag_;
    Scan& out_;
    Hashes hashes_;
    std::uint8_t context_ = 0;
    bool rows_possible_ = false;
    std::uint32_t last_end_ = 0;
    TokenKind last_kind_ = TokenKind::end;
    Keyword last_keyword_ = Keyword::none;
    Token last_{};
};

inline std::uint64_t Scanner::bytes_value(const char* at, std::size_t size) const {
    if (size <= 8) return size == 0 ? 0 : load_bytes(at, size, begin_, end_) * key_bytes + size;
    std::uint64_t value = size;
    const char* last = at + size - 8;
    for (; at < last; at += 8) value = multiply_fold(value ^ load_u64(at), key_bytes);
    return multiply_fold(value ^ load_u64(last), key_bytes);
}

// The spaces and comments before a token, in labels.
inline std::uint64_t Scanner::gap_value(Token token) const {
    const std::uint32_t gap = token.offset - last_end_;
    if (gap == 0 || out_.tokens.empty()) return 0;
    const bool between_items =
        last_kind_ == TokenKind::comma || last_keyword_ == Keyword::select_ || token.kind == TokenKind::comma;
    if (between_items && !has(forced)) return 0;
    return (bytes_value(begin_ + last_end_, gap) << 1) | 1;
}

bool is_json_function(const char* at, std::size_t size) {
    if (size < 6) return false;
    std::uint32_t first;
    std::memcpy(&first, at, sizeof first);
    return (first | 0x20202020) == 0x6e6f736a && at[4] == '_';  // json_
}

bool names_kept_function(std::string_view name) {
    const auto is = [&](std::string_view other) {
        return name.size() == other.size() &&
               std::equal(name.begin(), name.end(), other.begin(), [](char a, char b) {
                   return static_cast<char>(a | 0x20) == static_cast<char>(b | 0x20);
               });
    };
    return is("weight_string") || is("name_const");
}

void Scanner::keyword_effect(Keyword keyword) {
    if (has(forced)) return;
    const std::uint8_t inherited = context_ & label;
    switch (effects.of[static_cast<std::size_t>(keyword)]) {
    case Effect::none:
    case Effect::keep_next:
    case Effect::kept_call: return;
    case Effect::returning:
        if (dialect_ != Dialect::mariadb) return;
        [[fallthrough]];
    case Effect::select_list: context_ = inherited | nested_forced | label; return;
    case Effect::plain_set:
        if (last_keyword_ == Keyword::character_ || last_keyword_ == Keyword::charset_ ||
            last_keyword_ == Keyword::char_ || !out_.contexts.empty())
            return;
        [[fallthrough]];
    case Effect::plain: context_ = plain_values; return;
    case Effect::kept: context_ = 0; return;
    case Effect::strict: context_ = nested_forced; return;
    }
}

inline void Scanner::word(Token token) {
    const char* at = begin_ + token.offset;
    const bool reserved =
        (keyword_table.flags[static_cast<std::size_t>(token.keyword)] & reserved_flag_) != 0;
    const std::uint64_t keyword = keyword_tag + static_cast<std::uint64_t>(token.keyword);
    const std::uint64_t bytes = bytes_value(at, token.length);
    if (has(label) && (token.keyword != Keyword::from_ || has(forced))) {
        hashes_.key(bytes + tag(token.kind) + gap_value(token));
    } else {
        hashes_.key(reserved ? keyword : bytes + tag(TokenKind::word));
    }
    hashes_.for_people(token.keyword != Keyword::none ? keyword : bytes);
    if (effects.of[static_cast<std::size_t>(token.keyword)] != Effect::none) keyword_effect(token.keyword);
    last_keyword_ = token.keyword;
}

inline void Scanner::literal(Token token) {
    const bool plain = has(plain_values) && last_kind_ != TokenKind::arrow &&
                       last_kind_ != TokenKind::double_arrow &&
                       effects.of[static_cast<std::size_t>(last_keyword_)] != Effect::keep_next;
    std::uint64_t value = tag(token.kind);
    const bool continues = token.kind == TokenKind::string &&
                           (last_kind_ == TokenKind::string || last_kind_ == TokenKind::national_string) &&
                           !out_.literals.empty();
    if (continues) value = pieces_tag;
    if (!plain || (continues && !out_.literals.back().plain)) {
        value += bytes_value(begin_ + token.offset, token.length);
        if (has(label)) value += gap_value(token);
    }
    hashes_.key(value);
    if (continues) {
        out_.literals.back().length = token.end() - out_.literals.back().offset;
        return;
    }
    hashes_.for_people(literal_tag);
    add_literal(token, out_.holes++, plain);
}

Token Scanner::open(Token token) {
    const bool call = last_kind_ == TokenKind::word;
    std::uint8_t inner = context_ & static_cast<std::uint8_t>(forced | label | plain_values);
    if (has(nested_forced)) inner |= forced;
    if (call && !has(forced)) {
        const char* name = begin_ + last_.offset;
        if (effects.of[static_cast<std::size_t>(last_keyword_)] == Effect::kept_call ||
            (last_keyword_ == Keyword::none && names_kept_function({name, last_.length})) ||
            is_json_function(name, last_.length))
            inner |= forced;
    }
    if ((inner & forced) != 0) inner &= static_cast<std::uint8_t>(~plain_values);
    out_.contexts.push_back(context_);
    hashes_.key(tag(token.kind) + (has(label) ? gap_value(token) : 0));
    hashes_.for_people(tag(token.kind));
    context_ = inner;
    record(token);
    last_kind_ = token.kind;
    last_keyword_ = Keyword::none;
    return next();
}

Token Scanner::close(Token token) {
    hashes_.key(tag(token.kind) + (has(label) ? gap_value(token) : 0));
    hashes_.for_people(tag(token.kind));
    if (!out_.contexts.empty()) {
        context_ = out_.contexts.back();
        out_.contexts.pop_back();
    }
    record(token);
    last_kind_ = token.kind;
    last_keyword_ = Keyword::none;
    return next();
}

// Behind IN. A list of nothing but literals counts by its kinds alone.
Token Scanner::in_list(Token parenthesis) {
    const bool collapse = has(plain_values);
    const std::size_t first = out_.literals.size();
    const std::size_t first_token = out_.tokens.size() + 1;
    const Hashes before = hashes_;
    Token token = open(parenthesis);
    std::uint64_t mask = 0;
    for (;;) {
        if (!is_literal(token.kind)) break;
        mask |= std::uint64_t{1} << static_cast<unsigned>(token.kind);
        const Token value = token;
        token = next();
        if (token.kind != TokenKind::comma && token.kind != TokenKind::right_paren) {
            // Not a list of literals. The comma before this literal was recorded below.
            last_kind_ = TokenKind::comma;
            literal(value);
            record(value);
            last_kind_ = value.kind;
            return token;
        }
        // As if it would not collapse; taken back below.
        last_kind_ = TokenKind::comma;
        literal(value);
        record(value);
        last_kind_ = value.kind;
        if (token.kind == TokenKind::right_paren) {
            hashes_.digest = before.digest;
            hashes_.for_people(list_tag);
            if (collapse) {
                hashes_.low = before.low;
                hashes_.high = before.high;
                hashes_.key(list_tag + mask);
                const std::uint32_t hole = out_.literals[first].hole;
                for (std::size_t i = first; i < out_.literals.size(); ++i) out_.literals[i].hole = hole;
                out_.holes = hole + 1;
                out_.tokens.resize(first_token + 1);
            }
            const std::uint64_t digest = hashes_.digest;
            token = close(token);
            hashes_.digest = digest;
            return token;
        }
        hashes_.key(tag(token.kind) + (has(label) ? gap_value(token) : 0));
        hashes_.for_people(tag(token.kind));
        record(token);
        last_kind_ = token.kind;
        last_keyword_ = Keyword::none;
        token = next();
    }
    return token;
}

// Behind VALUES of INSERT and REPLACE. Rows that are equal but for plain values, one behind the other, count
// once.
Token Scanner::rows(Token parenthesis) {
    const Hashes outside = hashes_;
    const Hashes row_start = {outside.low ^ key_bytes, outside.high, key_bytes};
    Hashes main = outside;
    Hashes previous{};
    std::uint32_t run = UINT32_MAX;
    std::uint32_t run_first_literal = 0;
    const std::uint8_t outer = context_;
    Token token = parenthesis;
    Token comma{};
    for (;;) {
        const std::size_t tokens_before = out_.tokens.size();
        const auto first_literal = static_cast<std::uint32_t>(out_.literals.size());
        const std::uint32_t holes_before = out_.holes;
        const std::uint32_t row_offset = token.offset;
        if (comma.kind == TokenKind::comma) record(comma);
        hashes_ = row_start;
        context_ = has(forced) ? context_ : static_cast<std::uint8_t>(plain_values);
        const std::size_t depth = out_.contexts.size();
        last_kind_ = TokenKind::comma;
        token = open(token);
        while (out_.contexts.size() > depth && !ends(token)) token = step(token);
        context_ = outer;
        const bool same =
            run != UINT32_MAX && hashes_.low == previous.low && hashes_.high == previous.high &&
            out_.literals.size() - first_literal == first_literal - out_.rows.back().first_literal;
        if (!same) {
            ++run;
            run_first_literal = first_literal;
            main.key(hashes_.low + row_tag);
            main.key(hashes_.high);
        } else {
            for (std::size_t i = 0; i < out_.literals.size() - first_literal; ++i)
                out_.literals[first_literal + i].hole = out_.literals[run_first_literal + i].hole;
            out_.holes = holes_before;
            out_.tokens.resize(tokens_before);
        }
        if (run == 0 && !same) main.for_people(hashes_.digest);
        if (out_.rows.empty() || hashes_.digest != previous.digest) {
            if (!out_.rows.empty()) main.for_people(hashes_.digest + row_tag);
        }
        previous = hashes_;
        out_.rows_end = last_end_;
        out_.rows.push_back({{row_offset, last_end_ - row_offset}, first_literal, run});
        if (token.kind != TokenKind::comma) break;
        comma = token;
        token = next();
        if (token.kind == TokenKind::left_paren) continue;
        hashes_ = main;
        record(comma);
        hashes_.key(tag(TokenKind::comma));
        hashes_.for_people(tag(TokenKind::comma));
        last_kind_ = TokenKind::comma;
        return token;
    }
    hashes_ = main;
    return token;
}

inline Token Scanner::step(Token token) {
    switch (token.kind) {
    case TokenKind::word:
        word(token);
        last_ = token;
        break;
    case TokenKind::string:
    case TokenKind::national_string:
    case TokenKind::integer:
    case TokenKind::decimal:
    case TokenKind::floating:
    case TokenKind::hex:
    case TokenKind::bit:
    case TokenKind::parameter:
        literal(token);
        last_keyword_ = Keyword::none;
        break;
    case TokenKind::left_paren:
        if (last_kind_ == TokenKind::word) {
            if (last_keyword_ == Keyword::in_) return in_list(token);
            if ((last_keyword_ == Keyword::values_ || last_keyword_ == Keyword::value_) && rows_possible_ &&
                out_.contexts.empty()) {
                rows_possible_ = false;
                return rows(token);
            }
        }
        return open(token);
    case TokenKind::right_paren: return close(token);
    case TokenKind::quoted_word: {
        const char* at = begin_ + token.offset;
        hashes_.key(bytes_value(at, token.length) + tag(token.kind) + (has(label) ? gap_value(token) : 0));
        hashes_.for_people(bytes_value(at + 1, token.length - 2));
        last_keyword_ = Keyword::none;
        break;
    }
    case TokenKind::user_variable:
    case TokenKind::introducer:
    case TokenKind::hint: {
        const std::uint64_t value = bytes_value(begin_ + token.offset, token.length) + tag(token.kind);
        hashes_.key(value + (has(label) ? gap_value(token) : 0));
        if (token.kind != TokenKind::hint) hashes_.for_people(value);
        last_keyword_ = Keyword::none;
        break;
    }
    default:
        hashes_.key(tag(token.kind) + (has(label) ? gap_value(token) : 0));
        hashes_.for_people(tag(token.kind));
        last_keyword_ = Keyword::none;
        break;
    }
    record(token);
    last_kind_ = token.kind;
    return next();
}

void Scanner::finish(Token last) {
    out_.end = last_end_;
    if (last.kind == TokenKind::error) {
        out_.status = ScanStatus::invalid;
        return;
    }
    if (last.kind == TokenKind::semicolon) {
        Token token = next();
        while (token.kind == TokenKind::semicolon) token = next();
        out_.more = token.kind != TokenKind::end;
    }
    out_.status = out_.tokens.empty() ? ScanStatus::blank : ScanStatus::ok;
    out_.key = {hashes_.low, hashes_.high};
    out_.digest = hashes_.digest;
}

void Scanner::run() {
    Token token = next();
    if (token.kind == TokenKind::word) out_.first = token.keyword;
    const bool inserts = out_.first == Keyword::insert_ || out_.first == Keyword::replace_;
    const bool has_plain_values = inserts || out_.first == Keyword::select_ ||
                                  out_.first == Keyword::update_ || out_.first == Keyword::delete_ ||
                                  out_.first == Keyword::with_ || token.kind == TokenKind::left_paren;
    rows_possible_ = inserts;
    context_ = has_plain_values ? 0 : forced;
    while (!ends(token)) token = step(token);
    finish(token);
}

}  // namespace

void scan(std::string_view text, const ParseOptions& options, Scan& out, std::uint64_t seed) {
    out.status = ScanStatus::blank;
    out.key = {};
    out.digest = 0;
    out.first = Keyword::none;
    out.holes = out.parameters = out.end = out.rows_end = 0;
    out.more = false;
    out.literals.clear();
    out.rows.clear();
    out.tokens.clear();
    out.contexts.clear();
    Scanner{text, options, out, seed}.run();
}

Anchor anchor_start(const Scan& scan, std::uint32_t offset) {
    const auto found = std::lower_bound(scan.tokens.begin(), scan.tokens.end(), offset,
                                        [](Span span, std::uint32_t value) { return span.offset < value; });
    if (found == scan.tokens.end() || found->offset != offset) return {UINT32_MAX, false};
    return {static_cast<std::uint32_t>(found - scan.tokens.begin()), false};
}

Anchor anchor_end(const Scan& scan, std::uint32_t offset) {
    const auto found = std::lower_bound(scan.tokens.begin(), scan.tokens.end(), offset,
                                        [](Span span, std::uint32_t value) { return span.end() < value; });
    if (found == scan.tokens.end() || found->end() != offset) return {UINT32_MAX, true};
    return {static_cast<std::uint32_t>(found - scan.tokens.begin()), true};
}

}  // namespace shardway::sqlparse
