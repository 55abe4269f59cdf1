# Fuzz targets, by hand: cmake -DSHARDWAY_FUZZ=ON with clang, then build/tests/protocol_packets_fuzz CORPUS.
option(SHARDWAY_FUZZ "build libFuzzer targets; needs clang" OFF)
if(SHARDWAY_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Compiled in again, for libFuzzer steers by the branches of the code under test.
    file(GLOB protocol_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/middleware/protocol/*.cpp)
    foreach(name packets conversations)
        add_executable(protocol_${name}_fuzz middleware/protocol/fuzz/${name}_fuzz.cpp ${protocol_sources})
        target_link_libraries(protocol_${name}_fuzz PRIVATE shardway_protocol shardway_options)
        target_compile_options(protocol_${name}_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
        target_link_options(protocol_${name}_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
    endforeach()
endif()
