#include "middleware/protocol/scramble.hpp"

#include <cstring>
#include <initializer_list>
#include <new>

#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace shardway::protocol {

namespace {

template <std::size_t Size>
using Digest = std::array<std::uint8_t, Size>;

// The hash of the parts in a row. Fails only without memory.
template <std::size_t Size>
Digest<Size> digest_of(const EVP_MD* method, std::initializer_list<Bytes> parts) {
    Digest<Size> digest;
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    bool ok = context && EVP_DigestInit_ex(context, method, nullptr) == 1;
    for (const Bytes part : parts) ok = ok && EVP_DigestUpdate(context, part.data(), part.size()) == 1;
    unsigned size = 0;
    ok = ok && EVP_DigestFinal_ex(context, digest.data(), &size) == 1 && size == Size;
    EVP_MD_CTX_free(context);
    if (!ok) throw std::bad_alloc{};
    return digest;
}

template <std::size_t Size>
void xor_into(Digest<Size>& target, const Digest<Size>& other) {
    for (std::size_t i = 0; i < Size; ++i) target[i] ^= other[i];
}

}  // namespace

Scramble make_scramble(base::Random& random) {
    Scramble scramble;
    random.fill(scramble);
    for (std::uint8_t& byte : scramble) {
        byte &= 0x7f;  // clients may treat it as text
        while (byte == 0 || byte == '$') {
            random.fill({&byte, 1});
            byte &= 0x7f;
        }
    }
    return scramble;
}

std::string_view name_of(AuthPlugin plugin) {
    return plugin == AuthPlugin::caching_sha2_password ? "caching_sha2_password" : "mysql_native_password";
}

std::optional<AuthPlugin> find_auth_plugin(std::string_view name) {
    for (const auto plugin : {AuthPlugin::caching_sha2_password, AuthPlugin::mysql_native_password})
        if (name == name_of(plugin)) return plugin;
    return std::nullopt;
}

// SHA1(password) XOR SHA1(scramble, SHA1(SHA1(password)))
NativeProof native_proof(std::string_view password, const Scramble& scramble) {
    auto proof = digest_of<20>(EVP_sha1(), {bytes_of(password)});
    const auto stored = digest_of<20>(EVP_sha1(), {proof});
    xor_into(proof, digest_of<20>(EVP_sha1(), {scramble, stored}));
    return proof;
}

// SHA256(password) XOR SHA256(SHA256(SHA256(password)), scramble)
Sha2Proof sha2_proof(std::string_view password, const Scramble& scramble) {
    auto proof = digest_of<32>(EVP_sha256(), {bytes_of(password)});
    const auto stored = digest_of<32>(EVP_sha256(), {proof});
    xor_into(proof, digest_of<32>(EVP_sha256(), {stored, scramble}));
    return proof;
}

Buffer make_proof(AuthPlugin plugin, std::string_view password, const Scramble& scramble) {
    if (password.empty()) return {};
    if (plugin == AuthPlugin::mysql_native_password) return Buffer{native_proof(password, scramble)};
    return Buffer{sha2_proof(password, scramble)};
}

bool proof_is_right(AuthPlugin plugin, Bytes proof, std::string_view password, const Scramble& scramble) {
    const std::size_t proof_bytes = plugin == AuthPlugin::mysql_native_password ? 20 : 32;
    if (proof.size() == proof_bytes + 1 && proof.back() == 0) proof = proof.first(proof_bytes);
    // An empty password is proven by nothing, also by a lone NUL (the plugins' word for it).
    if (proof.size() == 1 && proof[0] == 0) proof = {};
    if (password.empty() || proof.empty()) return password.empty() && proof.empty();
    return same_secret(proof, make_proof(plugin, password, scramble).view());
}

bool same_secret(Bytes a, Bytes b) {
    return a.size() == b.size() && (a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

void mask_with_scramble(std::span<std::uint8_t> secret, const Scramble& scramble) {
    for (std::size_t i = 0; i < secret.size(); ++i) secret[i] ^= scramble[i % scramble.size()];
}

}  // namespace shardway::protocol
