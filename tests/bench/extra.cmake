# The blind relay of tests/bench/run.
find_package(Threads REQUIRED)
add_executable(bench_relay EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/relay.cpp)
target_link_libraries(bench_relay PRIVATE Threads::Threads)
