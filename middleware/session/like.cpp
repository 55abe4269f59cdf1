#include "middleware/session/like.hpp"

#include <cstddef>

namespace shardway::session {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t character_bytes(std::string_view text) {
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) ++size;
    return size;
}

}  // namespace

// Goes back to the last % only: what an earlier one took need not be taken back, so it stays linear in
// practice.
bool is_like(std::string_view text, std::string_view pattern) {
    std::string_view after_percent, text_at_percent;
    bool had_percent = false;
    for (;;) {
        if (!pattern.empty() && pattern.front() == '%') {
            pattern.remove_prefix(1);
            after_percent = pattern;
            text_at_percent = text;
            had_percent = true;
            continue;
        }
        if (text.empty() && pattern.empty()) return true;
        if (!text.empty() && !pattern.empty()) {
            if (pattern.front() == '_') {
                pattern.remove_prefix(1);
                text.remove_prefix(character_bytes(text));
                continue;
            }
            const bool escaped = pattern.front() == '\\' && pattern.size() > 1;
            if (lower(pattern[escaped ? 1 : 0]) == lower(text.front())) {
                pattern.remove_prefix(escaped ? 2 : 1);
                text.remove_prefix(1);
                continue;
            }
        }
        if (!had_percent || text_at_percent.empty()) return false;
        text_at_percent.remove_prefix(character_bytes(text_at_percent));
        text = text_at_percent;
        pattern = after_percent;
    }
}

}  // namespace shardway::session
