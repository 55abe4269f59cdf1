#include "middleware/session/column_memo.hpp"

#include <algorithm>
#include <cstring>

#include <xxhash.h>

namespace shardway::session {

bool ColumnMemo::Names::operator==(const plan::NameMapping& names) const {
    return physical_database == names.physical_database && physical_table == names.physical_table &&
           logical_database == names.logical_database && logical_table == names.logical_table;
}

std::size_t ColumnMemo::place_of(protocol::Bytes frames) {
    return XXH3_64bits(frames.data(), frames.size()) % entries_max;
}

protocol::Bytes ColumnMemo::find(protocol::Bytes frames, std::span<const plan::NameMapping> names,
                                 std::uint8_t sequence) const {
    if (frames.size() > frames_bytes_max) return {};
    const Entry& entry = entries_[place_of(frames)];
    const bool same = entry.sequence == sequence && entry.frames.size() == frames.size() &&
                      std::memcmp(entry.frames.data(), frames.data(), frames.size()) == 0 &&
                      std::equal(entry.names.begin(), entry.names.end(), names.begin(), names.end());
    return same ? protocol::Bytes{entry.shown} : protocol::Bytes{};
}

void ColumnMemo::keep(protocol::Bytes frames, std::span<const plan::NameMapping> names, std::uint8_t sequence,
                      protocol::Bytes shown) {
    if (frames.size() > frames_bytes_max) return;
    Entry& entry = entries_[place_of(frames)];
    entry.frames.assign(frames.begin(), frames.end());
    entry.shown.assign(shown.begin(), shown.end());
    entry.sequence = sequence;
    entry.names.clear();
    for (const plan::NameMapping& name : names)
        entry.names.push_back({std::string{name.physical_database}, std::string{name.physical_table},
                               std::string{name.logical_database}, std::string{name.logical_table}});
}

}  // namespace shardway::session
