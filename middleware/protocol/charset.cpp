#include "middleware/protocol/charset.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "middleware/protocol/collations.hpp"

namespace shardway::protocol {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

struct LessWithoutCase {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                            [](char x, char y) { return lower(x) < lower(y); });
    }
};

// One kind of server's lists, unpacked at the first question and kept until the process ends.
struct CollationIndex {
    std::deque<std::string> names;  // what the views below see
    std::vector<std::optional<Collation>> by_id;
    std::map<std::string_view, std::uint16_t, LessWithoutCase> by_name;
    std::map<std::string_view, Charset, LessWithoutCase> charsets;

    explicit CollationIndex(std::string_view text) {
        std::string_view charset;
        while (true) {
            const auto start = text.find_first_not_of(" \n");
            if (start == text.npos) break;
            text.remove_prefix(start);
            const std::string_view word = text.substr(0, text.find_first_of(" \n"));
            text.remove_prefix(word.size());
            if (const auto slash = word.find('/'); slash != word.npos) {
                charset = word.substr(0, slash);
                charsets[charset] = {charset, static_cast<std::uint8_t>(word[slash + 1] - '0'), 0};
            } else {
                add(charset, word);
            }
        }
    }

    void add(std::string_view charset, std::string_view word) {
        Collation collation{0, {}, charset, false, true};
        if (word.front() == '*') {
            collation.is_default = true;
            word.remove_prefix(1);
        }
        if (word.front() == '-') {
            collation.pads = false;
            word.remove_prefix(1);
        }
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), collation.id);
        static_cast<void>(error);  // the lists are ours
        word.remove_prefix(static_cast<std::size_t>(end - word.data()));
        collation.name =
            word.front() == '=' ? word.substr(1) : names.emplace_back(std::string{charset}.append(word));
        if (by_id.size() <= collation.id) by_id.resize(collation.id + std::size_t{1});
        by_id[collation.id] = collation;
        by_name[collation.name] = collation.id;
        if (collation.is_default) charsets[charset].default_collation = collation.id;
    }
};

const CollationIndex& collation_index(ServerKind kind) {
    static const CollationIndex mysql{mysql_collations};
    static const CollationIndex mariadb{mariadb_collations};
    return kind == ServerKind::mysql ? mysql : mariadb;
}

bool same_name(std::string_view a, std::string_view b) {
    return !LessWithoutCase{}(a, b) && !LessWithoutCase{}(b, a);
}

}  // namespace

std::optional<Collation> find_collation(ServerKind kind, std::uint16_t id) {
    const auto& by_id = collation_index(kind).by_id;
    return id < by_id.size() ? by_id[id] : std::nullopt;
}

std::optional<Collation> find_collation(ServerKind kind, std::string_view name) {
    const CollationIndex& index = collation_index(kind);
    // Older names of the three-byte set: utf8_general_ci is utf8mb3_general_ci.
    std::string modern;
    if (name.size() > 5 && same_name(name.substr(0, 5), "utf8_")) {
        modern = std::string{"utf8mb3_"}.append(name.substr(5));
        name = modern;
    }
    const auto found = index.by_name.find(name);
    return found == index.by_name.end() ? std::nullopt : index.by_id[found->second];
}

std::optional<Charset> find_charset(ServerKind kind, std::string_view name) {
    const CollationIndex& index = collation_index(kind);
    const auto found = index.charsets.find(same_name(name, "utf8") ? "utf8mb3" : name);
    return found == index.charsets.end() ? std::nullopt : std::optional{found->second};
}

std::optional<Collation> default_collation(ServerKind kind, std::string_view charset) {
    const auto found = find_charset(kind, charset);
    return found ? find_collation(kind, found->default_collation) : std::nullopt;
}

bool is_ascii_safe(std::string_view charset) {
    static constexpr std::string_view unsafe[] = {"big5", "gbk",   "gb18030", "sjis", "cp932",
                                                  "ucs2", "utf16", "utf16le", "utf32"};
    return std::none_of(std::begin(unsafe), std::end(unsafe),
                        [&](auto name) { return same_name(name, charset); });
}

}  // namespace shardway::protocol
