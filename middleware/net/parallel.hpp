// Several waits at once.
#pragma once

#include <vector>

#include "middleware/net/io_thread.hpp"
#include "middleware/net/task.hpp"

namespace shardway::net {

// Runs all tasks on `thread`, the caller's, side by side; done when the last is done. Of the exceptions that
// leave them the first is thrown, after all have ended.
Task<void> in_parallel(IoThread& thread, std::vector<Task<void>> tasks);

}  // namespace shardway::net
