// The RSA key with which clients hide their password where the connection itself is in clear.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "middleware/protocol/bytes.hpp"

struct evp_pkey_st;  // OpenSSL's EVP_PKEY

namespace shardway::protocol {

// A key pair of 2048 bits. Making one takes some 50 ms of CPU, decrypting 1 ms. Any thread may use it once
// made.
class RsaKey {
public:
    // Throws std::runtime_error when OpenSSL cannot.
    static RsaKey generate();
    // The process's own: made at the first call, in which other threads wait, and kept until the process
    // ends.
    static const RsaKey& shared();

    const std::string& public_pem() const { return public_pem_; }
    // Padding OAEP with SHA-1, as MySQL has it. nullopt for what was not encrypted for this key.
    std::optional<std::string> decrypt(Bytes encrypted) const;

private:
    struct Free {
        void operator()(evp_pkey_st* key) const;
    };
    std::unique_ptr<evp_pkey_st, Free> key_;
    std::string public_pem_;

    friend std::optional<Buffer> rsa_encrypt(std::string_view public_pem, Bytes secret);
};

// For the owner of the key, whose public half a server sent. nullopt when that is no RSA key, or too small
// for the secret.
std::optional<Buffer> rsa_encrypt(std::string_view public_pem, Bytes secret);

}  // namespace shardway::protocol
