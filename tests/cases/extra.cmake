# Copies of what lies beside the repository: says when they drift from it, where it exists.
configure_file(${CMAKE_CURRENT_LIST_DIR}/drift.sh.in ${CMAKE_CURRENT_BINARY_DIR}/drift_test @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
add_test(NAME drift COMMAND ${CMAKE_CURRENT_BINARY_DIR}/drift_test)
