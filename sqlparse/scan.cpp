#include "sqlparse/scan.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <optional>

#include "sqlparse/byte_table.hpp"
#include "sqlparse/keyword_table.hpp"
#include "sqlparse/word_bytes.hpp"

namespace shardway::sqlparse {

namespace {

// What a keyword does to the literals behind it, up to the next such keyword in the same parentheses.
enum class Effect : std::uint8_t {
    none,
    // Those up to `strict` only change the context; up to `starts` they may begin a statement with plain
    // values.
    select_list,  // values and spaces make labels: all of it belongs to the key
    kept,         // values belong to the key, except in subqueries: FROM, UNION, WITH
    starts,       // as kept, in front of a statement: INSERT, UPDATE, …; elsewhere nothing
    plain,        // values are plain: WHERE, ON
    strict,       // values belong to the key, in parentheses too: ORDER BY, GROUP BY, LIMIT, HAVING, INTO
    keep_next,    // only the next literal belongs to the key
    plain_set,    // SET, but not of CHARACTER SET
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
    set(Effect::starts, {insert_, replace_, update_, delete_});
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

// What the scanner asks about a keyword.
struct WordInfo {
    std::uint64_t folded;  // its text
    Keyword keyword;
    std::uint8_t flags;  // as KeywordTable::flags
    Effect effect;
};

// The keywords of up to 8 bytes once more, with all that is asked about them at the place that is looked at.
struct ShortWords {
    static constexpr std::size_t slot_bits = 12;
    static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;
    static constexpr std::size_t slot_of(std::uint64_t folded) {
        return static_cast<std::size_t>((folded * 0xff51afd7ed558ccd) >> (64 - slot_bits));
    }
    const WordInfo& find(std::uint64_t folded) const {
        std::size_t slot = slot_of(folded);
        while (slots[slot].folded != folded && slots[slot].folded != 0) slot = (slot + 1) % slot_count;
        return slots[slot];
    }

    WordInfo slots[slot_count];  // open addressing; an empty one is Keyword::none
};

constexpr ShortWords make_short_words() {
    ShortWords words{};
    std::size_t index = 0;
    const auto add = [&](std::string_view text) {
        ++index;
        if (text.size() > 8) return;
        const std::uint64_t folded = folded_word(text);
        std::size_t slot = ShortWords::slot_of(folded);
        while (words.slots[slot].folded != 0) slot = (slot + 1) % ShortWords::slot_count;
        words.slots[slot] = {folded, static_cast<Keyword>(index), keyword_flags.of[index], effects.of[index]};
    };
#define X(name, reserved, owner) add(#name);
#include "sqlparse/keywords.def"
#undef X
    return words;
}

constinit const ShortWords short_words = make_short_words();

constexpr std::uint8_t only_slow = KeywordFlags::only_before_parenthesis;

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

    // Two lanes that differ in more than their constants, so that values that meet in one do not in the
    // other.
    void key(std::uint64_t value) {
        low = (low ^ value) * key_low;
        high = (std::rotl(high, 29) + value) * key_high;
    }
    void for_people(std::uint64_t value) { digest = std::rotl((digest ^ value) * key_digest, 27); }
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

// What the current parentheses allow, as bits.
enum Context : std::uint8_t {
    plain_values = 1,   // values are plain
    forced = 2,         // never, whatever stands inside: the parentheses are part of a label, a type, …
    nested_forced = 4,  // parentheses opened here are forced
    label = 8,          // spaces and the case of keywords count: the text is part of a label
};

// What the keyword's effect makes of the context, for those that do nothing else.
constexpr std::uint8_t context_after(Effect effect) {
    switch (effect) {
    case Effect::select_list:
    case Effect::returning: return nested_forced | label;
    case Effect::plain:
    case Effect::plain_set: return plain_values;
    case Effect::strict: return nested_forced;
    default: return 0;
    }
}

}  // namespace

class Scanner {
public:
    Scanner(std::string_view text, const ParseOptions& options, Scan& out, std::uint64_t seed)
        : lexer_{text, options},
          begin_{text.data()},
          end_{text.data() + text.size()},
          options_{options},
          reserved_flag_{static_cast<std::uint8_t>(options.dialect == Dialect::mysql ? 1 : 2)},
          out_{out},
          hashes_{seed ^ key_high, seed + key_low, seed ^ key_bytes} {}
    Scanner(const Scanner&) = delete;
    Scanner& operator=(const Scanner&) = delete;

    void run();

private:
    void count_word(Hashes& hashes, Span span, std::uint64_t value, const WordInfo& info);
    void word(Token token);
    void start(Keyword first);
    bool other_token(Token token);
    void literal(Token token);
    void open(Token token);
    void close(Token token);
    void begin_list();
    void end_list();
    void begin_row(Token parenthesis);
    Token end_row();
    void count_row();
    void repeat_rows();
    bool make_pattern();
    const char* repeat_row(const char* at);
    const char* repeat_literal(const char* at, LiteralKind kind) const;
    void keyword_effect(Keyword keyword, Effect effect);
    void finish(TokenKind last);

    std::uint64_t bytes_value(const char* at, std::size_t size) const;
    std::uint64_t gap_value(std::uint32_t offset, bool comma) const;
    std::uint64_t label_gap(Token token) const {
        return has(label) ? gap_value(token.offset, token.kind == TokenKind::comma) : 0;
    }
    void other(Token token, std::uint64_t value) {
        hashes_.key(value + label_gap(token));
        hashes_.for_people(value);
        record(token);
    }
    void record(Token token) {
        out_.tokens.push_back(token.span());
        last_kind_ = token.kind;
    }
    // Where the last token ended.
    std::uint32_t last_end() const {
        return out_.tokens.empty() ? 0 : std::max(out_.tokens.back().end(), out_.rows_end);
    }
    bool has(Context bit) const { return (context_ & bit) != 0; }

    // A list behind IN, and what there was before it.
    struct OpenList {
        std::size_t depth;
        Hashes before;
        std::size_t literals;
        std::size_t tokens;  // with the parenthesis
        std::uint32_t hole;
    };
    // A token of the run's first row, to be met again.
    struct PatternItem {
        LiteralKind kind;  // null_value: no literal, but this text
        bool character;    // the text is one of , ( ) between literals: spaces around it do not matter
        char first;        // of the text
        bool same_gap;     // a space before it matters as it does between words
        bool gap;
        std::string_view text;
    };

    // The rows of VALUES; made when the first begins.
    struct Rows {
        std::uint32_t offset;  // of the row at work, and what there was before it
        std::uint32_t literals;
        std::uint32_t holes;
        std::size_t tokens;
        Hashes outside;   // the statement's, while hashes_ are the row's
        Hashes previous;  // the row's before
        std::uint32_t run;
        std::uint32_t run_literals;  // where the literals of the run's first row begin
        std::uint32_t run_literal_count;
        std::size_t run_tokens;  // and its tokens
        std::size_t run_tokens_end;
        std::vector<PatternItem> pattern;
        bool no_pattern;  // the run's first row cannot be one
    };

    Lexer lexer_;
    const char* const begin_;
    const char* const end_;
    const ParseOptions& options_;
    const std::uint8_t reserved_flag_;
    std::uint8_t context_ = forced;
    TokenKind last_kind_ = TokenKind::end;
    bool rows_possible_ = false;
    bool list_open_ = false;
    Keyword last_keyword_ = Keyword::none;  // of the last token; a hint does not count
    Scan& out_;
    Hashes hashes_;
    union {
        OpenList list_;  // while list_open_
    };
    std::optional<Rows> rows_;
    bool in_row_ = false;
};

inline std::uint64_t Scanner::bytes_value(const char* at, std::size_t size) const {
    if (size <= 8) return size == 0 ? 0 : load_bytes(at, size, begin_, end_) * key_bytes + size;
    std::uint64_t value = size;
    const char* last = at + size - 8;
    for (; at < last; at += 8) value = multiply_fold(value ^ load_u64(at), key_bytes);
    return multiply_fold(value ^ load_u64(last), key_bytes);
}

// The spaces and comments before a token, in labels.
std::uint64_t Scanner::gap_value(std::uint32_t offset, bool comma) const {
    const bool between_items = last_kind_ == TokenKind::comma || last_keyword_ == Keyword::select_ || comma;
    if (between_items && !has(forced)) return 0;
    const std::uint32_t gap = offset - last_end();
    if (gap == 0 || out_.tokens.empty()) return 0;
    return (bytes_value(begin_ + last_end(), gap) << 1) | 1;
}

static bool is_json_function(const char* at, std::size_t size) {
    if (size < 6) return false;
    std::uint32_t first;
    std::memcpy(&first, at, sizeof first);
    return (first | 0x20202020) == 0x6e6f736a && at[4] == '_';  // json_
}

static bool names_kept_function(std::string_view name) {
    const auto is = [&](std::string_view other) {
        return name.size() == other.size() &&
               std::equal(name.begin(), name.end(), other.begin(), [](char a, char b) {
                   return static_cast<char>(a | 0x20) == static_cast<char>(b | 0x20);
               });
    };
    return is("weight_string") || is("name_const");
}

inline void Scanner::keyword_effect(Keyword keyword, Effect effect) {
    if (out_.tokens.empty()) start(keyword);
    if (effect == Effect::starts) return;
    if (has(forced)) {
        // A query somewhere inside: its items have labels too.
        if (effect == Effect::select_list) context_ |= label;
        return;
    }
    if (effect == Effect::keep_next || effect == Effect::kept_call) return;
    if (effect == Effect::returning && options_.dialect != Dialect::mariadb) return;
    if (effect == Effect::plain_set &&
        (last_keyword_ == Keyword::character_ || last_keyword_ == Keyword::charset_ ||
         last_keyword_ == Keyword::char_ || !out_.contexts.empty()))
        return;
    context_ = context_after(effect);
}

// `value` is bytes_value of the word's text.
void Scanner::word(Token token) {
    const auto index = static_cast<std::size_t>(token.keyword);
    const std::uint64_t value = bytes_value(begin_ + token.offset, token.length);
    count_word(hashes_, token.span(), value,
               {0, token.keyword, keyword_table.flags[index], effects.of[index]});
}

// `value` is bytes_value of the word's text.
[[gnu::always_inline]] inline void Scanner::count_word(Hashes& hashes, Span span, std::uint64_t value,
                                                       const WordInfo& info) {
    const std::uint64_t keyword = keyword_tag + static_cast<std::uint64_t>(info.keyword);
    std::uint64_t key = value + tag(TokenKind::word);
    if ((info.flags & reserved_flag_) != 0) key = keyword;
    if (has(label) && (info.keyword != Keyword::from_ || has(forced))) [[unlikely]]
        key = value + tag(TokenKind::word) + gap_value(span.offset, false);
    hashes.key(key);
    hashes.for_people((info.flags & reserved_flag_) != 0 ? keyword : value);
    if (info.effect != Effect::none) keyword_effect(info.keyword, info.effect);
    last_keyword_ = info.keyword;
    last_kind_ = TokenKind::word;
    out_.tokens.push_back(span);
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
        value += label_gap(token);
    }
    hashes_.key(value);
    last_keyword_ = Keyword::none;
    record(token);
    if (continues) {
        out_.literals.back().length = token.end() - out_.literals.back().offset;
        return;
    }
    hashes_.for_people(literal_tag);
    out_.literals.push_back(
        {token.offset, token.length, out_.holes++, kinds.of[static_cast<std::size_t>(token.kind)], plain});
    if (token.kind == TokenKind::parameter) ++out_.parameters;
}

void Scanner::open(Token token) {
    std::uint8_t inner = context_ & static_cast<std::uint8_t>(forced | label | plain_values);
    if (has(nested_forced)) inner |= forced;
    if (last_kind_ == TokenKind::word && !has(forced)) {
        const Span last = out_.tokens.back();
        const char* name = begin_ + last.offset;
        if (effects.of[static_cast<std::size_t>(last_keyword_)] == Effect::kept_call ||
            (last_keyword_ == Keyword::none && names_kept_function({name, last.length})) ||
            is_json_function(name, last.length))
            inner |= forced;
    }
    if ((inner & forced) != 0) inner &= static_cast<std::uint8_t>(~plain_values);
    out_.contexts.push_back(context_);
    other(token, tag(token.kind));
    context_ = inner;
    last_keyword_ = Keyword::none;
}

void Scanner::close(Token token) {
    if (list_open_ && out_.contexts.size() == list_.depth) {
        end_list();
        list_open_ = false;
    }
    other(token, tag(token.kind));
    if (!out_.contexts.empty()) {
        context_ = out_.contexts.back();
        out_.contexts.pop_back();
    }
    last_keyword_ = Keyword::none;
}

// Behind IN and its parenthesis.
void Scanner::begin_list() {
    list_open_ = true;
    list_.depth = out_.contexts.size();
    list_.before = hashes_;
    list_.literals = out_.literals.size();
    list_.tokens = out_.tokens.size();
    list_.hole = out_.holes;
}

// At the closing parenthesis: a list of nothing but literals counts by their kinds alone, where they are
// plain.
void Scanner::end_list() {
    const std::size_t literals = out_.literals.size() - list_.literals;
    if (literals == 0 || out_.tokens.size() - list_.tokens != 2 * literals - 1) return;
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < literals; ++i) {
        const ScanLiteral& literal = out_.literals[list_.literals + i];
        // Literals and commas by turns.
        if (out_.tokens[list_.tokens + 2 * i].offset != literal.offset) return;
        if (i > 0 && begin_[out_.tokens[list_.tokens + 2 * i - 1].offset] != ',') return;
        mask |= std::uint64_t{1} << static_cast<unsigned>(literal.kind);
    }
    hashes_.digest = list_.before.digest;
    hashes_.for_people(list_tag);
    if (!has(plain_values)) return;
    hashes_.low = list_.before.low;
    hashes_.high = list_.before.high;
    hashes_.key(list_tag + mask);
    for (std::size_t i = list_.literals; i < out_.literals.size(); ++i) out_.literals[i].hole = list_.hole;
    out_.holes = list_.hole + 1;
    out_.tokens.shrink(list_.tokens + 1);
}

// At the parenthesis of a row of VALUES.
void Scanner::begin_row(Token parenthesis) {
    in_row_ = true;
    if (!rows_) rows_.emplace(Rows{});
    rows_->outside = hashes_;
    rows_->offset = parenthesis.offset;
    rows_->tokens = out_.tokens.size();
    rows_->literals = static_cast<std::uint32_t>(out_.literals.size());
    rows_->holes = out_.holes;
    hashes_ = {key_low, key_high, key_bytes};
    last_kind_ = TokenKind::comma;
    open(parenthesis);
    context_ = plain_values;
}

// Rows that are equal but for plain values, one behind the other, are a run and count once.
void Scanner::count_row() {
    const auto literals = static_cast<std::uint32_t>(out_.literals.size()) - rows_->literals;
    const bool same = !out_.rows.empty() && hashes_.low == rows_->previous.low &&
                      hashes_.high == rows_->previous.high && literals == rows_->run_literal_count;
    if (out_.rows.empty() || hashes_.digest != rows_->previous.digest)
        rows_->outside.for_people(hashes_.digest + row_tag);
    if (same) {
        for (std::uint32_t i = 0; i < literals; ++i)
            out_.literals[rows_->literals + i].hole = out_.literals[rows_->run_literals + i].hole;
        out_.holes = rows_->holes;
        out_.tokens.shrink(rows_->tokens);
    } else {
        if (!out_.rows.empty()) ++rows_->run;
        rows_->outside.key(hashes_.low + row_tag);
        rows_->outside.key(hashes_.high);
        rows_->run_literals = rows_->literals;
        rows_->run_literal_count = literals;
        rows_->run_tokens = rows_->tokens;
        rows_->run_tokens_end = out_.tokens.size();
        rows_->pattern.clear();
        rows_->no_pattern = false;
    }
    rows_->previous = hashes_;
    out_.rows.push_back({{rows_->offset, last_end() - rows_->offset}, rows_->literals, rows_->run});
}

// Behind a row. Gives the next token that is still to be counted.
Token Scanner::end_row() {
    in_row_ = false;
    out_.rows_end = out_.tokens.back().end();  // before the row's tokens may go
    count_row();
    repeat_rows();
    hashes_ = rows_->outside;
    const Token token = lexer_.next();
    if (token.kind != TokenKind::comma) return token;
    const Token behind = lexer_.next();
    if (behind.kind == TokenKind::left_paren) {
        begin_row(behind);
        return lexer_.next();
    }
    other(token, tag(TokenKind::comma));
    return behind;
}

// The run's first row as a pattern. False when it holds what repeat_row does not know.
bool Scanner::make_pattern() {
    std::size_t literal = rows_->run_literals;
    bool after_simple = true;
    std::uint32_t last_end = 0;
    for (std::size_t i = rows_->run_tokens; i < rows_->run_tokens_end; ++i) {
        const Span token = out_.tokens[i];
        PatternItem item{LiteralKind::null_value,
                         false,
                         begin_[token.offset],
                         false,
                         false,
                         {begin_ + token.offset, token.length}};
        if (literal < out_.literals.size() && out_.literals[literal].offset == token.offset) {
            item.kind = out_.literals[literal].kind;
            if (!out_.literals[literal].plain || out_.literals[literal].length != token.length) return false;
            if (item.kind != LiteralKind::integer && item.kind != LiteralKind::decimal &&
                item.kind != LiteralKind::string && item.kind != LiteralKind::parameter)
                return false;
            ++literal;
        }
        const bool simple =
            item.kind != LiteralKind::null_value || item.text == "," || item.text == "(" || item.text == ")";
        item.same_gap = !simple || !after_simple;
        item.gap = token.offset != last_end;
        item.character = item.kind == LiteralKind::null_value && simple && !item.same_gap;
        rows_->pattern.push_back(item);
        after_simple = simple;
        last_end = token.end();
    }
    return literal == rows_->run_literals + rows_->run_literal_count;
}

// Behind a row: takes the rows that repeat the run's first one straight from the text, as far as they go.
// What is not spelled plainly (comments, escapes of an unusual kind, other cases) is left to the lexer, which
// finds the same.
void Scanner::repeat_rows() {
    const char* done = begin_ + last_end();
    for (;;) {
        const char* at = done;
        while (at < end_ && is_space_byte(*at)) ++at;
        if (at >= end_ || *at != ',' || options_.charset != CharsetClass::ascii_safe) break;
        ++at;
        while (at < end_ && is_space_byte(*at)) ++at;
        if (at >= end_ || *at != '(') break;
        if (rows_->pattern.empty() && !rows_->no_pattern && !make_pattern()) {
            rows_->pattern.clear();
            rows_->no_pattern = true;
        }
        if (rows_->no_pattern) break;
        const std::size_t literals = out_.literals.size();
        const std::uint32_t parameters = out_.parameters;
        const char* behind = repeat_row(at);
        if (!behind) {
            out_.literals.resize(literals);
            out_.parameters = parameters;
            break;
        }
        const auto offset = static_cast<std::uint32_t>(at - begin_);
        out_.rows.push_back({{offset, static_cast<std::uint32_t>(behind - at)},
                             static_cast<std::uint32_t>(literals),
                             rows_->run});
        done = behind;
    }
    out_.rows_end = static_cast<std::uint32_t>(done - begin_);
    lexer_.restart(out_.rows_end);
}

// Behind a literal of that kind at `at`, or null.
inline const char* Scanner::repeat_literal(const char* at, LiteralKind kind) const {
    if (at >= end_) return nullptr;
    if (kind == LiteralKind::parameter) return *at == '?' ? at + 1 : nullptr;
    if (kind == LiteralKind::string) {
        const char quote = *at++;
        if (quote != '\'' && (quote != '"' || options_.modes.ansi_quotes)) return nullptr;
        for (;; ++at) {
            at = skip_plain_text(at, end_);
            if (at >= end_) return nullptr;
            if (*at == quote) {
                if (end_ - at < 2 || at[1] != quote) return at + 1;
                ++at;
            } else if (*at == '\\' && !options_.modes.no_backslash_escapes) {
                ++at;
            }
        }
    }
    if (!is_digit(*at)) return nullptr;
    at = skip_digit_bytes(at, end_);
    if (kind == LiteralKind::decimal) {
        if (at >= end_ || *at != '.') return nullptr;
        ++at;
        while (at < end_ && is_digit(*at)) ++at;
    }
    return at < end_ && (is_word_byte(*at) || *at == '.') ? nullptr : at;
}

// Behind the row at `at`, or null where it does not repeat the pattern.
const char* Scanner::repeat_row(const char* at) {
    std::size_t literal = rows_->run_literals;
    for (const PatternItem& item : rows_->pattern) {
        if (item.character && at < end_ && *at == item.first) {
            ++at;
            continue;
        }
        const char* start = at;
        if (start < end_ && is_space_byte(*start)) [[unlikely]] {
            while (start < end_ && is_space_byte(*start)) ++start;
            if (item.same_gap && !item.gap) return nullptr;
        } else if (item.same_gap && item.gap) {
            return nullptr;
        }
        if (item.kind == LiteralKind::null_value) {
            const std::size_t size = item.text.size();
            if (static_cast<std::size_t>(end_ - start) < size) return nullptr;
            if (std::memcmp(start, item.text.data(), size) != 0) return nullptr;
            at = start + size;
            if (is_word_byte(at[-1]) && at < end_ && (is_word_byte(*at) || *at == '.')) return nullptr;
            continue;
        }
        at = repeat_literal(start, item.kind);
        if (!at) return nullptr;
        out_.literals.push_back({static_cast<std::uint32_t>(start - begin_),
                                 static_cast<std::uint32_t>(at - start), out_.literals[literal++].hole,
                                 item.kind, true});
        if (item.kind == LiteralKind::parameter) ++out_.parameters;
    }
    return at;
}

void Scanner::finish(TokenKind last) {
    out_.end = last_end();
    if (last == TokenKind::error) {
        out_.status = ScanStatus::invalid;
        return;
    }
    if (in_row_) {  // a row without its end: no statement, but the text before it counts
        hashes_.key(rows_->outside.low);
        hashes_.key(rows_->outside.high);
    }
    if (last == TokenKind::semicolon) {
        Token token = lexer_.next();
        while (token.kind == TokenKind::semicolon) token = lexer_.next();
        out_.more = token.kind != TokenKind::end;
    }
    out_.status = out_.tokens.empty() ? ScanStatus::blank : ScanStatus::ok;
    if (out_.first == Keyword::none && !out_.tokens.empty())
        out_.first = find_keyword(out_.tokens.front().of({begin_, static_cast<std::size_t>(end_ - begin_)}));
    out_.key = {multiply_fold(hashes_.low, key_bytes), multiply_fold(hashes_.high, key_bytes)};
    out_.digest = multiply_fold(hashes_.digest, key_bytes);
}

// Counts a token that the loop of plain_tokens leaves over. False at the statement's end.
bool Scanner::other_token(Token token) {
    for (;;) {
        switch (token.kind) {
        case TokenKind::word: word(token); return true;
        case TokenKind::string:
        case TokenKind::national_string:
        case TokenKind::integer:
        case TokenKind::decimal:
        case TokenKind::floating:
        case TokenKind::hex:
        case TokenKind::bit:
        case TokenKind::parameter: literal(token); return true;
        case TokenKind::left_paren:
            if (last_kind_ == TokenKind::word && last_keyword_ == Keyword::in_) {
                open(token);
                begin_list();
            } else if (rows_possible_ && last_kind_ == TokenKind::word && out_.contexts.empty() &&
                       (last_keyword_ == Keyword::values_ || last_keyword_ == Keyword::value_)) {
                rows_possible_ = false;
                begin_row(token);
            } else {
                open(token);
            }
            return true;
        case TokenKind::right_paren:
            close(token);
            if (!in_row_ || !out_.contexts.empty()) return true;
            token = end_row();
            continue;
        case TokenKind::quoted_word: {
            const char* at = begin_ + token.offset;
            hashes_.key(bytes_value(at, token.length) + tag(token.kind) + label_gap(token));
            hashes_.for_people(bytes_value(at + 1, token.length - 2));
            record(token);
            break;
        }
        case TokenKind::user_variable:
        case TokenKind::introducer:
            other(token, bytes_value(begin_ + token.offset, token.length) + tag(token.kind));
            break;
        case TokenKind::hint:
            // Part of the plan, but not of what people call the same statement.
            hashes_.key(bytes_value(begin_ + token.offset, token.length) + tag(token.kind) +
                        label_gap(token));
            out_.tokens.push_back(token.span());
            return true;
        case TokenKind::end:
        case TokenKind::semicolon:
        case TokenKind::error: finish(token.kind); return false;
        default: other(token, tag(token.kind)); break;
        }
        last_keyword_ = Keyword::none;
        return true;
    }
}

// The first word decides what the whole statement is; only those of statements with plain values come here.
void Scanner::start(Keyword first) {
    switch (first) {
    case Keyword::insert_:
    case Keyword::replace_: rows_possible_ = true; break;
    case Keyword::select_:
    case Keyword::update_:
    case Keyword::delete_:
    case Keyword::with_: break;
    default: return;
    }
    out_.first = first;
    context_ = 0;
}

// The loop over the text. Short words, integers, commas and = are counted as they are read, with the lexer's
// own tables; everything else is lexed first. (The tests compare both ways.)
void Scanner::run() {
    const char* const begin = begin_;
    const char* const end = end_;
    // Kept here, since what is written through pointers below might else be these.
    Hashes hashes = hashes_;
    SpanList::Writer tokens{out_.tokens};
    Keyword last_keyword = Keyword::none;
    TokenKind last_kind = TokenKind::end;
    const auto slowly = [&] {
        const Token token = lexer_.next();
        if (out_.tokens.empty() && token.kind == TokenKind::left_paren) context_ = 0;
        return other_token(token);
    };
    // Multi-byte charsets, and text that is too long.
    if (lexer_.mode_ != 0) {
        while (slowly()) {}
        return;
    }
    const char* at = lexer_.next_;
    for (;;) {
        if (at < end && *at == ' ') ++at;
        if (at < end) [[likely]] {
            const unsigned char byte = static_cast<unsigned char>(*at);
            const auto offset = static_cast<std::uint32_t>(at - begin);
            switch (byte_table.fast[byte]) {
            case FastClass::word: {
                std::size_t size;
                std::uint64_t bytes;
#ifdef __SSE2__
                if (end - at >= 16) {
                    size = leading_word_bytes(at);
                    bytes = load_u64(at);
                } else
#endif
                {
                    size = 1;
                    while (at + size < end && is_word_byte(at[size])) ++size;
                    bytes = size > 8 ? 0 : load_bytes(at, size, begin, end);
                }
                if (size > 8 || (at + size < end && at[size] == '.')) break;
                const std::uint64_t mask = low_bytes_mask(size);
                bytes &= mask;
                const WordInfo& info = short_words.find(fold_case(bytes) & mask);
                if ((info.flags & only_slow) != 0) break;
                // As bytes_value.
                const std::uint64_t value = bytes * key_bytes + size;
                std::uint64_t key = value + tag(TokenKind::word);
                std::uint64_t digest = value;
                if (info.keyword != Keyword::none) {
                    if ((info.flags & reserved_flag_) != 0)
                        key = digest = keyword_tag + static_cast<std::uint64_t>(info.keyword);
                    if (info.effect != Effect::none) {
                        // Rare words change more than the context.
                        if (info.effect >= Effect::keep_next) break;
                        if (tokens.empty()) start(info.keyword);
                        if (has(label)) [[unlikely]]
                            if (info.keyword != Keyword::from_ || has(forced)) break;
                        if (has(forced)) {
                            if (info.effect == Effect::select_list) break;
                        } else if (info.effect != Effect::starts) {
                            context_ = context_after(info.effect);
                        }
                    } else if (has(label)) {
                        break;
                    }
                } else if (has(label)) {
                    // The first word of an item has no gap that would count.
                    if (last_keyword != Keyword::select_ || has(forced)) break;
                }
                hashes.key(key);
                hashes.for_people(digest);
                last_keyword = info.keyword;
                last_kind = TokenKind::word;
                tokens.push({offset, static_cast<std::uint32_t>(size)});
                at += size;
                continue;
            }
            case FastClass::digit: {
                const char* finish = at + 1;
                while (finish < end && is_digit(*finish)) ++finish;
                if (finish < end && (is_word_byte(*finish) || *finish == '.')) break;
                if (!has(plain_values) ||
                    effects.of[static_cast<std::size_t>(last_keyword)] == Effect::keep_next ||
                    last_kind == TokenKind::arrow || last_kind == TokenKind::double_arrow)
                    break;
                hashes.key(tag(TokenKind::integer));
                hashes.for_people(literal_tag);
                out_.literals.push_back({offset, static_cast<std::uint32_t>(finish - at), out_.holes++,
                                         LiteralKind::integer, true});
                tokens.push({offset, static_cast<std::uint32_t>(finish - at)});
                last_keyword = Keyword::none;
                last_kind = TokenKind::integer;
                at = finish;
                continue;
            }
            case FastClass::comma:
            case FastClass::equal: {
                if (has(label)) break;
                const TokenKind kind = byte == ',' ? TokenKind::comma : TokenKind::equal;
                hashes.key(tag(kind));
                hashes.for_people(tag(kind));
                tokens.push({offset, 1});
                last_keyword = Keyword::none;
                last_kind = kind;
                ++at;
                continue;
            }
            case FastClass::none: break;
            }
        }
        if (at == end) [[unlikely]] {
            hashes_ = hashes;
            tokens.flush();
            finish(TokenKind::end);
            return;
        }
        // The slow way, with everything back in its place.
        hashes_ = hashes;
        tokens.flush();
        last_keyword_ = last_keyword;
        last_kind_ = last_kind;
        lexer_.next_ = at;
        lexer_.last_ = last_keyword;
        do {
            if (!slowly()) return;
        } while (lexer_.mode_ != 0);
        hashes = hashes_;
        tokens.reload();
        last_keyword = last_keyword_;
        last_kind = last_kind_;
        at = lexer_.next_;
    }
}

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

void SpanList::grow() {
    constexpr std::size_t first_capacity = 64;
    const std::size_t capacity = capacity_ == 0 ? first_capacity : capacity_ * 2;
    auto data = std::make_unique_for_overwrite<Span[]>(capacity);
    std::copy(begin(), end(), data.get());
    data_ = std::move(data);
    capacity_ = capacity;
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
