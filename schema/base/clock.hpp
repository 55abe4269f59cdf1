// Time, injectable: code that waits, expires or stamps takes a Clock, so that tests can move it.
#pragma once

#include <chrono>

namespace shardway::base {

using SteadyTime = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::system_clock::time_point;

// Shared by all threads; outlives whatever is handed it.
class Clock {
public:
    virtual ~Clock() = default;
    virtual SteadyTime steady() const { return std::chrono::steady_clock::now(); }
    virtual WallTime wall() const { return std::chrono::system_clock::now(); }

    static const Clock& system();
};

}  // namespace shardway::base
