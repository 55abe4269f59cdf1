# Keys and algorithms against a real server: tests/rules/against_servers runs it.
add_executable(rules_oracle EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/oracle.cpp)
target_link_libraries(rules_oracle PRIVATE shardway_rules PkgConfig::mysqlclient shardway_options)
