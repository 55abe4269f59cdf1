#define CATCH_CONFIG_MAIN
#include "tests/catch.hpp"

#if SHARDWAY_CATCH_MAJOR >= 3
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#endif
