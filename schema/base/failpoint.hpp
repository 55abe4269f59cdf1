// FAILPOINT("name") marks a place where a test may interfere: fail, wait, or end the process. Compiled only
// with SHARDWAY_TESTING; elsewhere it is nothing. It yields true when the code behind it shall act as if the
// step had failed.
//
//   if (FAILPOINT("pool.connect")) return lost_connection();
//
// A process arms points by the environment, SHARDWAY_FAILPOINTS="name=action[*times];…", a test by arm().
// Actions:
//   fail        FAILPOINT is true
//   crash       the process ends at once, as by kill -9
//   sleep(ms)   the thread waits; then FAILPOINT is false
// `*times` limits how often; without it the point stays armed.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardway::base::failpoint {

// `spec` is an action as above. Throws std::invalid_argument when it is none. Any thread.
void arm(std::string_view name, std::string_view spec);
void disarm_all();
// How often the point was passed since it was armed.
std::uint64_t hits(std::string_view name);
bool passed(const char* name);

}  // namespace shardway::base::failpoint

#ifdef SHARDWAY_FAILPOINTS
#define FAILPOINT(name) (::shardway::base::failpoint::passed(name))
#else
#define FAILPOINT(name) (false)
#endif
