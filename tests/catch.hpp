// Catch2, whichever major version the system has.
#pragma once

#if SHARDWAY_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_ENABLE_ALL_STRINGMAKERS
#include <catch2/catch.hpp>
#endif
