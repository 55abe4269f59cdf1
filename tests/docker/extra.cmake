# What the image and the demo install is held against what tests/run installs.
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/build_packages_test
    CONTENT "#!/bin/sh\nexec ${CMAKE_CURRENT_SOURCE_DIR}/docker/packages_test\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
add_test(NAME build_packages COMMAND ${CMAKE_CURRENT_BINARY_DIR}/build_packages_test)
