#include "sqlparse/scan.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "sqlparse/byte_table.hpp"
#include "sqlparse/keyword_table.hpp"
#include "sqlparse/scanner.hpp"
#include "sqlparse/word_bytes.hpp"

namespace shardway::sqlparse {

namespace scanning {

namespace {

[[gnu::always_inline]] inline void finish_scan(std::string_view text, Hashes hashes, Scan& out) {
    out.end = last_end(out);
    out.status = out.tokens.empty() ? ScanStatus::blank : ScanStatus::ok;
    if (out.first == Keyword::none && !out.tokens.empty())
        out.first = find_keyword(out.tokens.front().of(text));
    out.key = {multiply_fold(hashes.low, key_bytes), hashes.high};
    out.digest = multiply_fold(hashes.digest, key_bytes);
}

// The first word decides what the whole statement is; those of other statements have no plain values.
bool has_plain_values(Keyword first) {
    switch (first) {
    case Keyword::insert_:
    case Keyword::replace_:
    case Keyword::select_:
    case Keyword::update_:
    case Keyword::delete_:
    case Keyword::with_: return true;
    default: return false;
    }
}

}  // namespace

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
    if (out_.tokens.empty() && has_plain_values(keyword)) {
        out_.first = keyword;
        rows_possible_ = has_rows(keyword);
        context_ = 0;
    }
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

void Scanner::word(Token token) {
    const auto index = static_cast<std::size_t>(token.keyword);
    const std::uint64_t value = word_value(begin_ + token.offset, token.length);
    std::uint64_t digest = value;
    if ((keyword_table.flags[index] & reserved_flag_) != 0)
        digest = reserved_value(token.keyword, {begin_ + token.offset, token.length});
    std::uint64_t key = digest;
    if (has(label) && (token.keyword != Keyword::from_ || has(forced)))
        key = value + gap_value(token.offset, false);
    hashes_.key(key);
    hashes_.for_people(digest);
    if (effects.of[index] != Effect::none) keyword_effect(token.keyword, effects.of[index]);
    last_keyword_ = token.keyword;
    record(token);
}

// Whether a string here would be a name: of a loadable function's argument, f(a 'name'). Wrong in doubt.
bool Scanner::string_names() const {
    switch (last_kind_) {
    case TokenKind::quoted_word:
    case TokenKind::right_paren:
    case TokenKind::right_brace:
    case TokenKind::integer:
    case TokenKind::decimal:
    case TokenKind::floating:
    case TokenKind::hex:
    case TokenKind::bit:
    case TokenKind::parameter:
    case TokenKind::string:  // one behind DATE '…'
    case TokenKind::user_variable: return true;
    case TokenKind::word: break;
    default: return false;
    }
    switch (last_keyword_) {
    case Keyword::and_:
    case Keyword::between_:
    case Keyword::binary_:
    case Keyword::case_:
    case Keyword::date_:
    case Keyword::div_:
    case Keyword::else_:
    case Keyword::like_:
    case Keyword::mod_:
    case Keyword::not_:
    case Keyword::on_:
    case Keyword::or_:
    case Keyword::regexp_:
    case Keyword::rlike_:
    case Keyword::then_:
    case Keyword::time_:
    case Keyword::timestamp_:
    case Keyword::when_:
    case Keyword::where_:
    case Keyword::xor_: return false;
    default: return true;
    }
}

inline void Scanner::literal(Token token) {
    const bool continues = token.kind == TokenKind::string && !typed_string_ &&
                           (last_kind_ == TokenKind::string || last_kind_ == TokenKind::national_string) &&
                           !out_.literals.empty();
    const bool plain = has(plain_values) && last_kind_ != TokenKind::arrow &&
                       last_kind_ != TokenKind::double_arrow &&
                       effects.of[static_cast<std::size_t>(last_keyword_)] != Effect::keep_next &&
                       !(token.kind == TokenKind::string && !continues && string_names());
    typed_string_ = last_kind_ == TokenKind::word &&
                    (last_keyword_ == Keyword::date_ || last_keyword_ == Keyword::time_ ||
                     last_keyword_ == Keyword::timestamp_);
    std::uint64_t value = continues ? pieces_tag : tag(token.kind);
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

void Scanner::finish(TokenKind last) {
    if (last == TokenKind::error) {
        out_.end = last_end();
        out_.status = ScanStatus::invalid;
        out_.key = {};
        out_.digest = 0;
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
    finish_scan({begin_, static_cast<std::size_t>(end_ - begin_)}, hashes_, out_);
}

// Counts a token. False at the statement's end.
bool Scanner::other_token(Token token) {
    for (;;) {
        if (is_value(token.kind)) {
            literal(token);
            return true;
        }
        switch (token.kind) {
        case TokenKind::word: word(token); return true;
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
            hashes_.for_people(word_value(at + 1, token.length - 2));
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

bool Scanner::take(Progress& progress) {
    hashes_ = progress.hashes;
    last_keyword_ = progress.last_keyword;
    last_kind_ = progress.last_kind;
    context_ = progress.context;
    lexer_.next_ = progress.at;
    // Behind a hint there is none, though for us the hint does not count.
    const bool behind_hint =
        !out_.tokens.empty() && out_.tokens.back().length > 2 && begin_[out_.tokens.back().offset] == '/';
    lexer_.last_ = behind_hint ? Keyword::none : progress.last_keyword;
    do {
        const Token token = lexer_.next();
        if (out_.tokens.empty() && token.kind == TokenKind::left_paren) context_ = 0;
        if (!other_token(token)) return false;
    } while (lexer_.mode_ != 0);
    progress = {hashes_, lexer_.next_, last_keyword_, last_kind_, context_};
    return true;
}

namespace {

constexpr std::size_t action_count = 16;
static_assert(static_cast<std::size_t>(WordAction::count) <= action_count);
constexpr std::uint8_t at_start = 16;  // beside Context's bits: no token was read yet
constexpr std::size_t context_count = 32;

// What each word does to each context: as Scanner::keyword_effect, where that is simple. A context is a row
// here, and a step leads to the next one, or is one of those below.
struct Steps {
    std::uint16_t of[context_count * action_count];
};
static_assert((action_count & (action_count - 1)) == 0, "a context's bits are bits of its row");
constexpr std::uint16_t row_of(unsigned context) {
    return static_cast<std::uint16_t>(context * action_count);
}
constexpr std::uint8_t context_of(std::size_t row) { return static_cast<std::uint8_t>(row / action_count); }
constexpr std::uint16_t starts_statement = 0x2000;  // beside a row: the statement's first word
constexpr std::uint16_t go_slow = 0x8000;           // the Scanner knows

constexpr std::uint16_t step_of(WordAction action, unsigned context) {
    const bool first = (context & at_start) != 0;
    const std::uint16_t same = row_of(context & 15);
    if (action == WordAction::slow) return go_slow;
    if (action == WordAction::name) return same;
    if (action == WordAction::keyword) return (context & label) != 0 ? go_slow : same;
    if (first) {
        if (action == WordAction::select_list)
            return starts_statement | row_of(context_after(Effect::select_list));
        return action == WordAction::with || action == WordAction::starts ? starts_statement : same;
    }
    if ((context & label) != 0 && (action != WordAction::from || (context & forced) != 0)) return go_slow;
    if ((context & forced) != 0) return action == WordAction::select_list ? go_slow : same;
    switch (action) {
    case WordAction::from:
    case WordAction::with:
    case WordAction::kept: return row_of(context_after(Effect::kept));
    case WordAction::select_list: return row_of(context_after(Effect::select_list));
    case WordAction::plain: return row_of(context_after(Effect::plain));
    case WordAction::strict: return row_of(context_after(Effect::strict));
    default: return same;
    }
}

constexpr Steps make_steps() {
    Steps steps{};
    for (unsigned context = 0; context < context_count; ++context)
        for (std::size_t action = 0; action < static_cast<std::size_t>(WordAction::count); ++action)
            steps.of[row_of(context) + action] = step_of(static_cast<WordAction>(action), context);
    return steps;
}

constexpr Steps steps = make_steps();

enum class Stop : std::uint8_t { end, other_token, tokens_full, literals_full };

// The loop over the text, which takes what is common: short words, integers, commas, = and spaces, and stops
// at everything else. (The tests compare it with the Scanner.) It calls nothing, so that what it works with
// stays in registers. Of an integer at that place; 0 where something else begins with a digit, or it is too
// long for the window.
[[gnu::always_inline]] inline std::size_t integer_size(const TextWindow& window, std::size_t from) {
    std::size_t size = window.word_size(from);
    if (size <= 8) {
        // Digits become 0 to 9, and what stands behind them too.
        const std::uint64_t mask = low_bytes_mask(size);
        const std::uint64_t digits = (load_u64(window.piece + from) & mask) ^ (0x3030303030303030 & mask);
        if (((digits | (digits + 0x7676767676767676)) & 0x8080808080808080) != 0) return 0;
    } else {
        size = 1;
        while (size < TextWindow::beyond && is_digit(window.piece[from + size])) ++size;
        if (is_word_byte(window.piece[from + size])) return 0;
    }
    return byte_table.behind_word[static_cast<unsigned char>(window.piece[from + size])] > 1 ? 0 : size;
}

// With `whole` it also finishes the scan at the text's end; else a Scanner does, who knows what is open.
template <std::uint8_t reserved, bool whole>
[[gnu::always_inline]] inline Stop take_plain(std::string_view text, Scan& out, const Progress& start,
                                              Progress& stop_at) {
    TextWindow::Copy copy;
    TextWindow window;
    window.limit = 0;
    auto base = static_cast<std::size_t>(start.at - text.data());  // of the window in the text
    std::size_t from = 0;                                          // in the window
    Hashes hashes = start.hashes;
    Keyword last_keyword = start.last_keyword;
    TokenKind last_kind = start.last_kind;
    std::size_t row = row_of(start.context);
    const auto has = [&](unsigned bits) { return (row & row_of(bits)) != 0; };
    Span* token = out.tokens.where();
    const Span* const tokens_end = token + out.tokens.room();
    Stop stop = Stop::other_token;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(window.piece[at]); };
    const auto count = [&](std::uint64_t key, std::uint64_t digest, std::size_t size) {
        hashes.key(key);
        hashes.for_people(digest);
        *token++ = {static_cast<std::uint32_t>(base + from), static_cast<std::uint32_t>(size)};
    };
    for (;;) {
        if (from >= window.limit) [[unlikely]] {
            const std::size_t at = base + from;
            if (at == text.size()) {
                stop = Stop::end;
                if constexpr (!whole) break;
                out.tokens.finish(token);
                finish_scan(text, hashes, out);
                return stop;
            }
            if (tokens_end - token < static_cast<std::ptrdiff_t>(TextWindow::reach)) {
                stop = Stop::tokens_full;
                break;
            }
            window = text_window(text.data() + at, text.size() - at, copy);
            base = at;
            from = 0;
        }
        const FastClass kind = byte_table.fast[byte(from)];
        if (kind == FastClass::word || (kind == FastClass::prefix && byte(from + 1) != '\'')) [[likely]] {
            const std::size_t size = window.word_size(from);
            if (size > 8) break;
            // The space behind the word, which mostly follows, goes with it.
            const std::uint8_t follows = byte_table.behind_word[byte(from + size)];
            if (follows > 1) break;
            // As Scanner::word_value.
            std::uint64_t bytes = load_u64(window.piece + from) & low_bytes_mask(size);
            const WordInfo& info = short_words.find(bytes);
            std::size_t step = row;
            if (info.folded == 0) {
                // In a label the first word of an item has no gap that would count.
                if (has(label) &&
                    (has(forced) || (last_kind != TokenKind::comma && last_keyword != Keyword::select_)))
                    break;
                step &= row_of(15);
            } else {
                step = steps.of[row + static_cast<std::size_t>(info.action)];
                if (step >= starts_statement) [[unlikely]] {
                    if (step == go_slow) break;
                    out.first = info.keyword;
                    step &= starts_statement - 1;
                }
                // As reserved_value.
                if ((info.flags & reserved) != 0) bytes = info.folded << 8;
            }
            row = step;
            last_keyword = info.keyword;
            last_kind = TokenKind::word;
            count(bytes, bytes, size);
            from += size + follows;
        } else if (kind == FastClass::digit) {
            const std::size_t size = integer_size(window, from);
            if (size == 0) break;
            if (!has(plain_values) ||
                effects.of[static_cast<std::size_t>(last_keyword)] == Effect::keep_next ||
                last_kind == TokenKind::arrow || last_kind == TokenKind::double_arrow)
                break;
            if (out.literals.size() == out.literals.capacity()) [[unlikely]] {
                stop = Stop::literals_full;
                break;
            }
            out.literals.push_back({static_cast<std::uint32_t>(base + from), static_cast<std::uint32_t>(size),
                                    out.holes++, LiteralKind::integer, true});
            last_keyword = Keyword::none;
            last_kind = TokenKind::integer;
            count(tag(TokenKind::integer), literal_tag, size);
            from += size;
        } else if (kind == FastClass::comma || kind == FastClass::equal) {
            const TokenKind mark = kind == FastClass::comma ? TokenKind::comma : TokenKind::equal;
            if (mark == TokenKind::equal && byte_table.comparison[byte(from + 1)]) break;
            // Nor does one before a comma between items.
            if (has(label) && (mark != TokenKind::comma || has(forced))) break;
            row &= row_of(15);
            last_keyword = Keyword::none;
            last_kind = mark;
            count(tag(mark), tag(mark), 1);
            ++from;
        } else if (kind == FastClass::space) {
            ++from;
        } else {
            break;
        }
    }
    out.tokens.finish(token);
    stop_at = {hashes, text.data() + base + from, last_keyword, last_kind, context_of(row)};
    return stop;
}

template <bool whole>
[[gnu::always_inline]] inline Stop take_plain(std::string_view text, Dialect dialect, Scan& out,
                                              const Progress& start, Progress& stop_at) {
    if (dialect == Dialect::mysql)
        return take_plain<KeywordFlags::reserved_mysql, whole>(text, out, start, stop_at);
    return take_plain<KeywordFlags::reserved_mariadb, whole>(text, out, start, stop_at);
}

bool read_slowly(std::string_view text, const ParseOptions& options) {
    // Multi-byte charsets, and text that is too long.
    return options.charset != CharsetClass::ascii_safe || text.size() > options.text_bytes_max ||
           text.size() >= UINT32_MAX;
}

// The statement's rest, from something that the loop does not know.
[[gnu::noinline]] void scan_rest(std::string_view text, const ParseOptions& options, Scan& out,
                                 Progress progress) {
    out.contexts.clear();
    Scanner scanner{text, options, out};
    const bool slowly = read_slowly(text, options);
    progress.context &= static_cast<std::uint8_t>(~at_start);
    while (scanner.take(progress)) {
        if (slowly) continue;
        for (;;) {
            const Progress start = progress;
            const Stop stop = take_plain<false>(text, options.dialect, out, start, progress);
            if (stop == Stop::end || stop == Stop::other_token) break;
            if (stop == Stop::tokens_full) out.tokens.grow();
            if (stop == Stop::literals_full) out.literals.reserve(2 * out.literals.capacity() + 8);
        }
    }
}

}  // namespace

}  // namespace scanning

void scan(std::string_view text, const ParseOptions& options, Scan& out, std::uint64_t seed) {
    out.first = Keyword::none;
    out.holes = out.parameters = out.end = out.rows_end = 0;
    out.more = false;
    out.literals.clear();
    out.rows.clear();
    out.tokens.clear();
    using namespace scanning;
    const Hashes hashes{seed ^ key_high, seed + key_low, seed ^ key_bytes};
    Progress progress;
    if (read_slowly(text, options)) [[unlikely]] {
        progress = {hashes, text.data(), Keyword::none, TokenKind::end, forced};
    } else {
        const Progress start{hashes, text.data(), Keyword::none, TokenKind::end, forced | at_start};
        if (take_plain<true>(text, options.dialect, out, start, progress) == Stop::end) return;
    }
    scan_rest(text, options, out, progress);
}

void SpanList::grow() {
    constexpr std::size_t first_capacity = 128;
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
