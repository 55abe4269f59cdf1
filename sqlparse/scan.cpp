#include "sqlparse/scan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sqlparse/byte_table.hpp"
#include "sqlparse/keyword_table.hpp"
#include "sqlparse/scanner.hpp"
#include "sqlparse/word_bytes.hpp"

namespace shardway::sqlparse {

namespace scanning {

namespace {

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

}  // namespace scanning

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
    scanning::Scanner{text, options, out, seed}.run();
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
