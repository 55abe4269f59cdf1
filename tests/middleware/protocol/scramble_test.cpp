// Proofs of passwords, and RSA.
#include "middleware/protocol/scramble.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "middleware/protocol/rsa_key.hpp"
#include "test_bytes.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;

namespace {

std::string hex(Bytes bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

Scramble counting_scramble() {
    Scramble scramble;
    for (std::size_t i = 0; i < scramble.size(); ++i) scramble[i] = static_cast<std::uint8_t>(i + 1);
    return scramble;
}

// Bytes in the given order, then zeros.
class ScriptedRandom final : public shardway::base::Random {
public:
    explicit ScriptedRandom(std::vector<std::uint8_t> script) : script_{std::move(script)} {}
    void fill(std::span<std::uint8_t> out) override {
        for (std::uint8_t& byte : out) byte = next_ < script_.size() ? script_[next_++] : 'z';
    }

private:
    std::vector<std::uint8_t> script_;
    std::size_t next_ = 0;
};

}  // namespace

// The vectors are published ones, of other implementations' tests.
TEST_CASE("the native proof is SHA1(password) XOR SHA1(scramble, SHA1(SHA1(password)))") {
    Scramble scramble;
    std::ranges::copy(std::string_view{"@jx=d_3z42;sS$YrS)p|"}, scramble.begin());
    CHECK(hex(native_proof("kingshard", scramble)) == "fbc71db5ac3d7b51048d1a1d88c1677f34bcca11");
    std::ranges::copy(std::string_view{"12345678901234567890"}, scramble.begin());
    CHECK(hex(native_proof("hello", scramble)) == "7d50516e0e730b0b1b12fbaa1ba0876f3db2c4dd");
}

TEST_CASE("the sha2 proof is SHA256(password) XOR SHA256(SHA256(SHA256(password)), scramble)") {
    const Scramble scramble = {10,  47, 74, 111, 75, 73, 34, 48, 88, 76,
                               114, 74, 37, 13,  3,  80, 82, 2,  23, 21};
    CHECK(hex(sha2_proof("secret", scramble)) ==
          "f490e76f66d9d86665ce54d98c78d0acfe2fb0b08b423da807144873d30b312c");
    CHECK(hex(sha2_proof("secret2", scramble)) ==
          "abc3934a012cf342e876071c8ee202de51785b430258a7a0138bc79c4d800bc6");
}

TEST_CASE("a proof is right for its own password, plugin and scramble only") {
    const Scramble scramble = counting_scramble();
    Scramble other = scramble;
    other[19] ^= 1;
    for (const auto plugin : {AuthPlugin::caching_sha2_password, AuthPlugin::mysql_native_password}) {
        CAPTURE(name_of(plugin));
        CHECK(find_auth_plugin(name_of(plugin)) == plugin);
        Buffer proof = make_proof(plugin, "secret", scramble);
        CHECK(proof.size() == (plugin == AuthPlugin::mysql_native_password ? 20 : 32));
        CHECK(proof_is_right(plugin, proof.view(), "secret", scramble));
        CHECK_FALSE(proof_is_right(plugin, proof.view(), "secreT", scramble));
        CHECK_FALSE(proof_is_right(plugin, proof.view(), "", scramble));
        CHECK_FALSE(proof_is_right(plugin, proof.view(), "secret", other));
        CHECK_FALSE(proof_is_right(plugin, proof.view().first(19), "secret", scramble));
        CHECK_FALSE(proof_is_right(plugin, {}, "secret", scramble));
        proof.append(std::uint8_t{0});  // legal
        CHECK(proof_is_right(plugin, proof.view(), "secret", scramble));
        proof.append(std::uint8_t{0});
        CHECK_FALSE(proof_is_right(plugin, proof.view(), "secret", scramble));

        CHECK(make_proof(plugin, "", scramble).empty());
        CHECK(proof_is_right(plugin, {}, "", scramble));
        CHECK(proof_is_right(plugin, bytes({0}), "", scramble));
        CHECK_FALSE(proof_is_right(plugin, bytes({1}), "", scramble));
        CHECK_FALSE(proof_is_right(plugin, bytes({0}), "secret", scramble));
    }
    CHECK_FALSE(find_auth_plugin("mysql_clear_password"));
    CHECK_FALSE(find_auth_plugin(""));
}

TEST_CASE("a scramble holds no NUL, no '$' and nothing above ASCII") {
    ScriptedRandom scripted{{0, '$', 0x80, 0x80 | '$'}};
    const Scramble scramble = make_scramble(scripted);
    CHECK(std::ranges::none_of(scramble, [](std::uint8_t b) { return b == 0 || b == '$' || b > 0x7f; }));
    shardway::base::SeededRandom seeded{1};
    std::vector<Scramble> seen;
    for (int i = 0; i < 2000; ++i) {
        seen.push_back(make_scramble(seeded));
        REQUIRE(
            std::ranges::none_of(seen.back(), [](std::uint8_t b) { return b == 0 || b == '$' || b > 0x7f; }));
    }
    std::ranges::sort(seen);
    CHECK(std::ranges::adjacent_find(seen) == seen.end());
}

TEST_CASE("what was encrypted for a key only that key decrypts") {
    const RsaKey& key = RsaKey::shared();
    CHECK(&key == &RsaKey::shared());
    CHECK(key.public_pem().starts_with("-----BEGIN PUBLIC KEY-----"));
    const auto encrypted = rsa_encrypt(key.public_pem(), bytes_of("secret"));
    REQUIRE(encrypted);
    CHECK(encrypted->size() == 256);
    CHECK(key.decrypt(encrypted->view()) == "secret");
    CHECK_FALSE(RsaKey::generate().decrypt(encrypted->view()));
    CHECK_FALSE(key.decrypt(encrypted->view().first(255)));
    CHECK_FALSE(key.decrypt({}));
    CHECK_FALSE(key.decrypt(bytes_of("secret")));

    CHECK_FALSE(rsa_encrypt("", bytes_of("x")));
    CHECK_FALSE(rsa_encrypt("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", bytes_of("x")));
    CHECK_FALSE(rsa_encrypt(key.public_pem(), bytes_of(std::string(300, 'x'))));
    CHECK_FALSE(rsa_encrypt(std::string(17'000, 'x'), bytes_of("x")));
}

TEST_CASE("masking twice gives the secret back") {
    std::string secret = "a password that is longer than its scramble";
    const std::string original = secret;
    const std::span<std::uint8_t> view{reinterpret_cast<std::uint8_t*>(secret.data()), secret.size()};
    mask_with_scramble(view, counting_scramble());
    CHECK(secret != original);
    CHECK(secret[0] == ('a' ^ 1));
    CHECK(secret[20] == (original[20] ^ 1));
    mask_with_scramble(view, counting_scramble());
    CHECK(secret == original);
}
