// The members of the tree's structs, in order: what comparing, walking and dumping trees share, so that a
// member added to a node is seen by all of them.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace shardway::sqlparse::reflect {

// Stands for any member in an aggregate's initializer.
struct AnyMember {
    template <class T>
    operator T() const;
};

inline constexpr std::size_t members_max = 32;

template <class T, std::size_t... Index>
constexpr bool takes(std::index_sequence<Index...>) {
    return requires { T{((void)Index, AnyMember{})...}; };
}

template <class T, std::size_t Count = members_max>
constexpr std::size_t member_count() {
    if constexpr (Count == 0)
        return 0;
    else if constexpr (takes<T>(std::make_index_sequence<Count>{}))
        return Count;
    else
        return member_count<T, Count - 1>();
}

// Calls `visit` with each member of `object`, an aggregate.
template <class T, class Visit>
constexpr void for_each_member(const T& object, Visit&& visit) {
    constexpr std::size_t count = member_count<T>();
    static_assert(count > 0, "an aggregate with at most members_max members");
    // clang-format off
    if constexpr (count == 1) { const auto& [m1] = object; visit(m1); }
    else if constexpr (count == 2) { const auto& [m1, m2] = object; visit(m1); visit(m2); }
    else if constexpr (count == 3) { const auto& [m1, m2, m3] = object; visit(m1); visit(m2); visit(m3); }
    else if constexpr (count == 4) { const auto& [m1, m2, m3, m4] = object; visit(m1); visit(m2); visit(m3); visit(m4); }
    else if constexpr (count == 5) { const auto& [m1, m2, m3, m4, m5] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); }
    else if constexpr (count == 6) { const auto& [m1, m2, m3, m4, m5, m6] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); }
    else if constexpr (count == 7) { const auto& [m1, m2, m3, m4, m5, m6, m7] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); }
    else if constexpr (count == 8) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); }
    else if constexpr (count == 9) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); }
    else if constexpr (count == 10) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); }
    else if constexpr (count == 11) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); }
    else if constexpr (count == 12) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); }
    else if constexpr (count == 13) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); }
    else if constexpr (count == 14) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); }
    else if constexpr (count == 15) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); }
    else if constexpr (count == 16) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); }
    else if constexpr (count == 17) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); }
    else if constexpr (count == 18) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); }
    else if constexpr (count == 19) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); }
    else if constexpr (count == 20) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); }
    else if constexpr (count == 21) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); }
    else if constexpr (count == 22) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); }
    else if constexpr (count == 23) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); }
    else if constexpr (count == 24) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); }
    else if constexpr (count == 25) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); visit(m25); }
    else if constexpr (count == 26) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); visit(m25); visit(m26); }
    else if constexpr (count == 27) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); visit(m25); visit(m26); visit(m27); }
    else if constexpr (count == 28) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); visit(m25); visit(m26); visit(m27); visit(m28); }
    else if constexpr (count == 29) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); visit(m25); visit(m26); visit(m27); visit(m28); visit(m29); }
    else if constexpr (count == 30) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); visit(m25); visit(m26); visit(m27); visit(m28); visit(m29); visit(m30); }
    else if constexpr (count == 31) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); visit(m25); visit(m26); visit(m27); visit(m28); visit(m29); visit(m30); visit(m31); }
    else if constexpr (count == 32) { const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32] = object; visit(m1); visit(m2); visit(m3); visit(m4); visit(m5); visit(m6); visit(m7); visit(m8); visit(m9); visit(m10); visit(m11); visit(m12); visit(m13); visit(m14); visit(m15); visit(m16); visit(m17); visit(m18); visit(m19); visit(m20); visit(m21); visit(m22); visit(m23); visit(m24); visit(m25); visit(m26); visit(m27); visit(m28); visit(m29); visit(m30); visit(m31); visit(m32); }
    // clang-format on
}

}  // namespace shardway::sqlparse::reflect
