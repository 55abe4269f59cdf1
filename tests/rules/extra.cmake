# Keys, algorithms and the router against real servers: tests/rules/against_servers runs them.
add_executable(rules_oracle EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/oracle.cpp)
target_link_libraries(rules_oracle PRIVATE shardway_rules PkgConfig::mysqlclient shardway_options)
add_executable(router_oracle EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/router_oracle.cpp)
target_link_libraries(router_oracle PRIVATE shardway_plan PkgConfig::mysqlclient shardway_options)
