// The hash functions, over bytes. Their values place rows and never change; the tests hold them to published
// vectors.
#include <array>
#include <stdexcept>

#include <openssl/evp.h>
#include <zlib.h>

#include "rules/algorithm.hpp"

namespace shardway::rules {

namespace {

std::uint32_t rotated(std::uint32_t value, int bits) { return value << bits | value >> (32 - bits); }

std::uint32_t murmur3_scrambled(std::uint32_t block) { return rotated(block * 0xcc9e2d51, 15) * 0x1b873593; }

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    // zlib counts in 32 bits; keys are far below (a VARCHAR has at most 65,535 bytes).
    return static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::uint32_t fnv1a(std::string_view bytes) {
    std::uint32_t hash = 2166136261;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 16777619;
    return hash;
}

// x86, 32 bit, seed 0; blocks are little-endian on every machine.
std::uint32_t murmur3(std::string_view bytes) {
    const auto at = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
    };
    std::uint32_t hash = 0;
    std::size_t i = 0;
    for (; i + 4 <= bytes.size(); i += 4) {
        const std::uint32_t block = at(i) | at(i + 1) << 8 | at(i + 2) << 16 | at(i + 3) << 24;
        hash = rotated(hash ^ murmur3_scrambled(block), 13) * 5 + 0xe6546b64;
    }
    std::uint32_t tail = 0;
    for (std::size_t k = bytes.size(); k > i; --k) tail = tail << 8 | at(k - 1);
    hash ^= murmur3_scrambled(tail);
    hash ^= static_cast<std::uint32_t>(bytes.size());
    hash = (hash ^ hash >> 16) * 0x85ebca6b;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35;
    return hash ^ hash >> 16;
}

std::uint64_t md5_head(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    // Fails only where OpenSSL's policy forbids MD5; better no start than rows in wrong places.
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_md5(), nullptr) != 1)
        throw std::runtime_error("OpenSSL refuses MD5, which the rules use as a hash function");
    std::uint64_t head = 0;
    for (std::size_t i = 0; i < 8; ++i) head = head << 8 | digest[i];
    return head;
}

}  // namespace shardway::rules
