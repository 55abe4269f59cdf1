#include "sqlparse/edits.hpp"

#include <algorithm>
#include <cassert>

namespace shardway::sqlparse {

void Edits::add(Span span, std::string_view with) {
    const Edit edit{span, static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(with.size())};
    texts_ += with;
    // Insertions come before what is replaced at the same place, and otherwise in the order they were added.
    const auto before = [](const Edit& left, const Edit& right) {
        if (left.span.offset != right.span.offset) return left.span.offset < right.span.offset;
        return left.span.empty() && !right.span.empty();
    };
    edits_.insert(std::upper_bound(edits_.begin(), edits_.end(), edit, before), edit);
}

void Edits::clear() {
    edits_.clear();
    texts_.clear();
}

std::string Edits::apply(std::string_view text, Span within) const {
    std::string out;
    out.reserve(within.length + texts_.size());
    std::uint32_t done = within.offset;
    for (const Edit& edit : edits_) {
        if (edit.span.offset < within.offset || edit.span.end() > within.end()) continue;
        assert(edit.span.offset >= done && edit.span.end() <= text.size());
        out += text.substr(done, edit.span.offset - done);
        out += std::string_view{texts_}.substr(edit.from, edit.length);
        done = edit.span.end();
    }
    out += text.substr(done, within.end() - done);
    return out;
}

std::string Edits::apply(std::string_view text) const {
    return apply(text, {0, static_cast<std::uint32_t>(text.size())});
}

void Edits::apply_to(std::string_view text, std::string& out) const { out += apply(text); }

}  // namespace shardway::sqlparse
