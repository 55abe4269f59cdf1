# Tools around the parser: comparing with a server (acceptance.sh), counting instructions (bench.sh), fuzzing (fuzz.sh).
add_executable(sqlparse_acceptance EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/acceptance.cpp)
target_link_libraries(sqlparse_acceptance PRIVATE shardway_sqlparse PkgConfig::mysqlclient shardway_options)

add_executable(sqlparse_bench EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/bench.cpp)
target_link_libraries(sqlparse_bench PRIVATE shardway_sqlparse shardway_options)
# Prints the table of instructions, and fails above a limit.
add_custom_target(bench_sqlparse COMMAND ${CMAKE_CURRENT_LIST_DIR}/bench.sh $<TARGET_FILE:sqlparse_bench>
                  DEPENDS sqlparse_bench VERBATIM USES_TERMINAL)

add_executable(sqlparse_plan_keys ${CMAKE_CURRENT_LIST_DIR}/plan_keys.cpp)
target_link_libraries(sqlparse_plan_keys PRIVATE shardway_sqlparse shardway_options)
# Invariant 2, briefly; a million pairs on demand.
add_test(NAME sqlparse_plan_keys COMMAND sqlparse_plan_keys 20000)
