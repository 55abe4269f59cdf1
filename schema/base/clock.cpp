#include "schema/base/clock.hpp"

namespace shardway::base {

const Clock& Clock::system() {
    static const Clock clock;
    return clock;
}

}  // namespace shardway::base
