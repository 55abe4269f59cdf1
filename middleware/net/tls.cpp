#include "middleware/net/tls.hpp"

#include <climits>
#include <stdexcept>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace shardway::net {

namespace {

std::string tls_failure(const std::string& what) {
    char text[256] = "unknown error";
    if (const unsigned long code = ERR_get_error()) ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    return what + ": " + text;
}

using Pkey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

constexpr long certificate_days = 3650;

}  // namespace

TlsContext::TlsContext(bool is_server)
    : context_{SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method()), SSL_CTX_free},
      is_server_{is_server} {
    if (!context_) throw std::runtime_error{tls_failure("TLS cannot be set up")};
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    // A connection that waits holds no record buffers: 30 KiB less for each idle client.
    SSL_CTX_set_mode(context_.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                         SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

TlsContext TlsContext::server(const Files& files) {
    TlsContext made{true};
    SSL_CTX* const context = made.context_.get();
    if (SSL_CTX_use_certificate_chain_file(context, files.cert.c_str()) != 1)
        throw std::runtime_error{tls_failure("the certificate " + files.cert + " cannot be used")};
    if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
        throw std::runtime_error{tls_failure("the key " + files.key + " cannot be used")};
    if (SSL_CTX_check_private_key(context) != 1)
        throw std::runtime_error{tls_failure("the key " + files.key + " does not belong to " + files.cert)};
    if (!files.ca.empty() && SSL_CTX_load_verify_locations(context, files.ca.c_str(), nullptr) != 1)
        throw std::runtime_error{tls_failure("the CA file " + files.ca + " cannot be used")};
    return made;
}

TlsContext TlsContext::self_signed_server() {
    TlsContext made{true};
    const Pkey key{EVP_RSA_gen(2048), EVP_PKEY_free};
    const Certificate certificate{X509_new(), X509_free};
    if (!key || !certificate) throw std::runtime_error{tls_failure("no self-signed certificate can be made")};
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 60L * 60 * 24 * certificate_days);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* const name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("shardway"),
                               -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    if (!X509_sign(certificate.get(), key.get(), EVP_sha256()) ||
        SSL_CTX_use_certificate(made.context_.get(), certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(made.context_.get(), key.get()) != 1)
        throw std::runtime_error{tls_failure("the self-signed certificate cannot be used")};
    return made;
}

TlsContext TlsContext::client(const std::string& ca) {
    TlsContext made{false};
    if (ca.empty()) {
        SSL_CTX_set_verify(made.context_.get(), SSL_VERIFY_NONE, nullptr);
        return made;
    }
    if (SSL_CTX_load_verify_locations(made.context_.get(), ca.c_str(), nullptr) != 1)
        throw std::runtime_error{tls_failure("the CA file " + ca + " cannot be used")};
    SSL_CTX_set_verify(made.context_.get(), SSL_VERIFY_PEER, nullptr);
    return made;
}

TlsStream::TlsStream(const TlsContext& context) : ssl_{SSL_new(context.native()), SSL_free} {
    if (!ssl_) throw TlsError{tls_failure("TLS")};
    BIO* const from_peer = BIO_new(BIO_s_mem());
    BIO* const to_peer = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), from_peer, to_peer);  // they belong to ssl_ now
    if (context.is_server_) {
        SSL_set_accept_state(ssl_.get());
    } else {
        SSL_set_connect_state(ssl_.get());
    }
}

void TlsStream::receive(protocol::Bytes ciphertext) {
    while (!ciphertext.empty()) {
        const int part = ciphertext.size() > INT_MAX ? INT_MAX : static_cast<int>(ciphertext.size());
        const int taken = BIO_write(SSL_get_rbio(ssl_.get()), ciphertext.data(), part);
        if (taken <= 0) throw TlsError{tls_failure("TLS")};
        ciphertext = ciphertext.subspan(static_cast<std::size_t>(taken));
    }
}

bool TlsStream::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return true;
    if (SSL_get_error(ssl_.get(), result) != SSL_ERROR_WANT_READ)
        throw TlsError{tls_failure("TLS handshake")};
    return false;
}

bool TlsStream::read(protocol::Buffer& clear) {
    constexpr std::size_t record_bytes_max = 16 * 1024;
    bool any = false;
    ERR_clear_error();
    for (;;) {
        const auto room = clear.prepare(record_bytes_max);
        std::size_t got = 0;
        const int result = SSL_read_ex(ssl_.get(), room.data(), room.size(), &got);
        if (result == 1) {
            clear.commit(got);
            any = true;
            continue;
        }
        switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ: return any;
        case SSL_ERROR_ZERO_RETURN: peer_closed_ = true; return any;
        default: throw TlsError{tls_failure("TLS")};
        }
    }
}

void TlsStream::write(protocol::Bytes clear) {
    ERR_clear_error();
    while (!clear.empty()) {
        std::size_t taken = 0;
        // The output is memory, so the only way not to succeed is a broken session.
        if (SSL_write_ex(ssl_.get(), clear.data(), clear.size(), &taken) != 1)
            throw TlsError{tls_failure("TLS")};
        clear = clear.subspan(taken);
    }
}

void TlsStream::take_output(protocol::Buffer& output) {
    BIO* const to_peer = SSL_get_wbio(ssl_.get());
    while (const std::size_t pending = BIO_ctrl_pending(to_peer)) {
        const auto room = output.prepare(pending);
        const int got =
            BIO_read(to_peer, room.data(), static_cast<int>(std::min<std::size_t>(pending, INT_MAX)));
        if (got <= 0) return;
        output.commit(static_cast<std::size_t>(got));
    }
}

}  // namespace shardway::net
