// Changes of a statement's text at spans of its tree; every other byte stays as the user wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sqlparse/token.hpp"

namespace shardway::sqlparse {

class Edits {
public:
    // Spans of replaced text must not overlap; an empty span inserts. The new text is copied.
    void replace(Span span, std::string_view with) { add(span, with); }
    // Insertions at one offset come out in the order they were added, before what replaces the text there.
    void insert(std::uint32_t offset, std::string_view what) { add({offset, 0}, what); }
    void remove(Span span) { add(span, {}); }

    bool empty() const { return edits_.empty(); }
    void clear();

    // `text` with all changes made. Without any, `text` byte for byte.
    std::string apply(std::string_view text) const;
    void apply_to(std::string_view text, std::string& out) const;  // appends
    // Only the part of the text in `within`, which must cut no edit in two.
    std::string apply(std::string_view text, Span within) const;

private:
    struct Edit {
        Span span;
        std::uint32_t from;  // in texts_
        std::uint32_t length;
    };
    void add(Span span, std::string_view with);

    std::vector<Edit> edits_;  // sorted by place
    std::string texts_;
};

}  // namespace shardway::sqlparse
