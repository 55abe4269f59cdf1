#include "middleware/protocol/rsa_key.hpp"

#include <stdexcept>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace shardway::protocol {

namespace {

struct FreeKeyContext {
    void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
};
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, FreeKeyContext>;

struct FreeBio {
    void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

constexpr std::size_t public_pem_bytes_max = 16 * 1024;

}  // namespace

void RsaKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

RsaKey RsaKey::generate() {
    RsaKey made;
    made.key_.reset(EVP_RSA_gen(2048));
    const Bio bio{BIO_new(BIO_s_mem())};
    if (!made.key_ || !bio || PEM_write_bio_PUBKEY(bio.get(), made.key_.get()) != 1)
        throw std::runtime_error{"OpenSSL cannot make an RSA key"};
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    made.public_pem_.assign(text, static_cast<std::size_t>(size));
    return made;
}

const RsaKey& RsaKey::shared() {
    static const RsaKey key = generate();
    return key;
}

std::optional<std::string> RsaKey::decrypt(Bytes encrypted) const {
    const KeyContext context{EVP_PKEY_CTX_new(key_.get(), nullptr)};
    if (!context || EVP_PKEY_decrypt_init(context.get()) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_OAEP_PADDING) != 1)
        return std::nullopt;
    std::string secret(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())), '\0');
    std::size_t size = secret.size();
    if (EVP_PKEY_decrypt(context.get(), reinterpret_cast<unsigned char*>(secret.data()), &size,
                         encrypted.data(), encrypted.size()) != 1) {
        ERR_clear_error();  // else the next reader of this thread's queue blames a TLS connection for it
        return std::nullopt;
    }
    secret.resize(size);
    return secret;
}

std::optional<Buffer> rsa_encrypt(std::string_view public_pem, Bytes secret) {
    if (public_pem.size() > public_pem_bytes_max) return std::nullopt;
    const Bio bio{BIO_new_mem_buf(public_pem.data(), static_cast<int>(public_pem.size()))};
    const std::unique_ptr<EVP_PKEY, RsaKey::Free> key{
        bio ? PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr) : nullptr};
    const KeyContext context{key && EVP_PKEY_is_a(key.get(), "RSA") ? EVP_PKEY_CTX_new(key.get(), nullptr)
                                                                    : nullptr};
    if (!context || EVP_PKEY_encrypt_init(context.get()) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_OAEP_PADDING) != 1) {
        ERR_clear_error();
        return std::nullopt;
    }
    Buffer encrypted;
    auto room = encrypted.prepare(static_cast<std::size_t>(EVP_PKEY_get_size(key.get())));
    std::size_t size = room.size();
    if (EVP_PKEY_encrypt(context.get(), room.data(), &size, secret.data(), secret.size()) != 1) {
        ERR_clear_error();
        return std::nullopt;
    }
    encrypted.commit(size);
    return encrypted;
}

}  // namespace shardway::protocol
