// One pass of the lexer over a statement: digest, plan key and literals, without building a tree.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sqlparse/ast_expr.hpp"
#include "sqlparse/lexer.hpp"
#include "sqlparse/options.hpp"

namespace shardway::sqlparse {

// Identifies a statement up to its plain values (DESIGN.md 6.1). Statements with equal keys (and equal
// ParseOptions) have trees that differ only in literals that are `plain`, in the length of IN lists that were
// collapsed, and in the number of equal VALUES rows: invariant 2.
struct PlanKey {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

struct ScanLiteral {
    std::uint32_t offset;  // of the value itself: behind an introducer, DATE, …
    std::uint32_t length;  // adjacent strings count as one literal
    // Ordinal of the parameter hole. Every literal has one, in the order of the text, but
    //  - the literals of a collapsed IN list all share one;
    //  - the rows of a run (rows of VALUES, one behind the other, that are equal but for plain values) share
    //  theirs: the
    //    second row's holes are the first's.
    std::uint32_t hole;
    LiteralKind kind;  // as in the token: DATE '…' is a string here
    bool plain;        // its value is not in the plan key

    Span span() const { return {offset, length}; }
};

// A row of VALUES in INSERT or REPLACE.
struct ScanRow {
    Span span;                    // with its parentheses
    std::uint32_t first_literal;  // in Scan::literals; its literals end where the next row's begin
    std::uint32_t run;            // rows of a run share it; runs count from 0
};

// A vector of spans that grows without initializing: the scanner writes one per token.
class SpanList {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const Span* begin() const { return data_.get(); }
    const Span* end() const { return data_.get() + size_; }
    Span operator[](std::size_t index) const { return data_[index]; }
    Span front() const { return data_[0]; }
    Span back() const { return data_[size_ - 1]; }

    void clear() { size_ = 0; }
    // To no more than it has.
    void shrink(std::size_t size) { size_ = size; }
    void push_back(Span span) {
        if (size_ == capacity_) [[unlikely]]
            grow();
        data_[size_++] = span;
    }

    // For writing to the end without looking at the list each time: there is room for so many at where();
    // finish() takes what was written, up to `end`.
    Span* where() { return data_.get() + size_; }
    std::size_t room() const { return capacity_ - size_; }
    void finish(const Span* end) { size_ = static_cast<std::size_t>(end - data_.get()); }
    void grow();

private:
    std::unique_ptr<Span[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

enum class ScanStatus : std::uint8_t {
    ok,
    blank,    // only spaces and comments
    invalid,  // cannot be lexed: let the parser say why
};

// Reused from statement to statement, so that ordinary ones allocate nothing.
struct Scan {
    ScanStatus status = ScanStatus::blank;
    PlanKey key;
    std::uint64_t digest = 0;
    Keyword first = Keyword::none;  // SELECT, INSERT, …; none when it begins with something else, like (
    std::uint32_t holes = 0;
    std::uint32_t parameters = 0;
    // Where the statement ends: behind its last token, without the `;`.
    std::uint32_t end = 0;
    // Something but comments and spaces stands behind a `;`.
    bool more = false;
    std::vector<ScanLiteral> literals;
    std::vector<ScanRow> rows;
    // Every token but those that collapsed: within an IN list that is of one kind, what follows the first
    // literal up to the closing parenthesis; within a run of rows, all but the first row (and the commas
    // between). So two texts with equal keys have equally many, one matching the other.
    SpanList tokens;
    std::vector<std::uint8_t>
        contexts;                // the scanner's own: what the parentheses around the current token allow
    std::uint32_t rows_end = 0;  // where the last VALUES row ends
};

// `seed` goes into key and digest; a process that takes statements from strangers draws one at random for its
// keys. Digests are for people: keep one seed for them where they are compared over time.
void scan(std::string_view text, const ParseOptions& options, Scan& out, std::uint64_t seed = 0);

// The digest as text: literals are `?`, lists `(...)`, reserved words in capitals, one space between tokens.
std::string digest_text(std::string_view text, const ParseOptions& options);

// A place between a statement's tokens that can be found again in any text with the same plan key. Every span
// of a tree begins and ends at such places, so an edit found once can be made in the other text.
struct Anchor {
    std::uint32_t token = 0;  // in Scan::tokens
    bool behind = false;      // its end, not its start
};

// `offset` is where a token starts or ends. Not found (it lies in a collapsed part): token is UINT32_MAX.
Anchor anchor_start(const Scan& scan, std::uint32_t offset);
Anchor anchor_end(const Scan& scan, std::uint32_t offset);
inline std::uint32_t offset_of(const Scan& scan, Anchor anchor) {
    const Span token = scan.tokens[anchor.token];
    return anchor.behind ? token.end() : token.offset;
}

}  // namespace shardway::sqlparse
