// How a password is proven without sending it, for the two plugins that Shardway speaks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "middleware/protocol/bytes.hpp"
#include "schema/base/random.hpp"

namespace shardway::protocol {

// Longer passwords are refused before anything is computed.
constexpr std::size_t password_bytes_max = 256;

// The server's challenge. On the wire a NUL follows it.
using Scramble = std::array<std::uint8_t, 20>;

// Neither NUL, which ends it early for some clients, nor '$', which separates fields of a stored hash.
Scramble make_scramble(base::Random& random);

enum class AuthPlugin : std::uint8_t { caching_sha2_password, mysql_native_password };

std::string_view name_of(AuthPlugin plugin);
std::optional<AuthPlugin> find_auth_plugin(std::string_view name);

using NativeProof = std::array<std::uint8_t, 20>;
using Sha2Proof = std::array<std::uint8_t, 32>;

NativeProof native_proof(std::string_view password, const Scramble& scramble);
Sha2Proof sha2_proof(std::string_view password, const Scramble& scramble);

// What the client answers the challenge with: empty for an empty password, whatever the plugin.
Buffer make_proof(AuthPlugin plugin, std::string_view password, const Scramble& scramble);
// Takes as long for a wrong proof as for a right one of the same size. A NUL behind the proof is legal.
bool proof_is_right(AuthPlugin plugin, Bytes proof, std::string_view password, const Scramble& scramble);

// True for equal contents; the time depends on the sizes alone.
bool same_secret(Bytes a, Bytes b);

// Full authentication over a connection in clear hides the password (with its NUL) under the scramble before
// it goes through RSA. Its own inverse.
void mask_with_scramble(std::span<std::uint8_t> secret, const Scramble& scramble);

}  // namespace shardway::protocol
