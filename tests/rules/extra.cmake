# Keys, algorithms and the router against real servers: tests/rules/against_servers runs them.
add_executable(rules_oracle EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/oracle.cpp)
target_link_libraries(rules_oracle PRIVATE shardway_rules PkgConfig::mysqlclient shardway_options)
add_executable(router_oracle EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/router_oracle.cpp)
target_link_libraries(router_oracle PRIVATE shardway_plan PkgConfig::mysqlclient shardway_options)
# Faults planted in rules and schemas: does `shardway check` find each? The live ones are a command of their own.
configure_file(${CMAKE_CURRENT_LIST_DIR}/planted/planted.sh.in ${CMAKE_CURRENT_BINARY_DIR}/planted_test @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
add_test(NAME planted COMMAND ${CMAKE_CURRENT_BINARY_DIR}/planted_test)
# Ids from two processes, by the ten million: a command of its own.
add_executable(ids_storm EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/ids_storm.cpp)
target_link_libraries(ids_storm PRIVATE shardway_rules shardway_options)
