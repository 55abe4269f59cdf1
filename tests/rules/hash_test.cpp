// The hash functions against vectors that their authors and the RFCs published.
#include "rules/algorithm.hpp"
#include "tests/catch.hpp"

using namespace shardway::rules;

TEST_CASE("crc32 is that of ISO 3309") {
    CHECK(crc32("") == 0);
    CHECK(crc32("123456789") == 0xcbf43926);
    CHECK(crc32("The quick brown fox jumps over the lazy dog") == 0x414fa339);
}

TEST_CASE("fnv1a is the 32 bit FNV-1a") {
    CHECK(fnv1a("") == 0x811c9dc5);
    CHECK(fnv1a("a") == 0xe40c292c);
    CHECK(fnv1a("b") == 0xe70c2de5);
    CHECK(fnv1a("foobar") == 0xbf9cf968);
}

TEST_CASE("murmur3 is x86_32 with seed 0") {
    CHECK(murmur3("") == 0);
    CHECK(murmur3("test") == 0xba6bd213);
    CHECK(murmur3("Hello, world!") == 0xc0363e43);
    CHECK(murmur3("The quick brown fox jumps over the lazy dog") == 0x2e4ff723);
    // Every length of the tail.
    CHECK(murmur3("a") == 0x3c2569b2);
    CHECK(murmur3("abc") == 0xb3dd93fa);
    CHECK(murmur3(std::string_view{"\xff\xff\xff\xff", 4}) == 0x76293b50);
    CHECK(murmur3(std::string_view{"\0\0\0\0", 4}) == 0x2362f9de);
}

TEST_CASE("md5_head is the first eight bytes of RFC 1321, big-endian") {
    CHECK(md5_head("") == 0xd41d8cd98f00b204);
    CHECK(md5_head("abc") == 0x900150983cd24fb0);
    CHECK(md5_head("message digest") == 0xf96b697d7cb7938d);
}
