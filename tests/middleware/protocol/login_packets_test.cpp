#include "middleware/protocol/login_packets.hpp"

#include <string>
#include <vector>

#include "test_bytes.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;

namespace {

Scramble lettered_scramble() {
    Scramble scramble;
    for (std::size_t i = 0; i < scramble.size(); ++i) scramble[i] = static_cast<std::uint8_t>('a' + i);
    return scramble;
}

LoginRequest full_login() {
    static const Buffer attributes = encode_attributes({{"_os", "Linux"}, {"program_name", "mysql"}});
    static const auto proof = bytes({1, 2, 3, 4});
    LoginRequest login;
    login.capabilities = client_capabilities | Capability::connect_with_db;
    login.packet_bytes_max = 1 << 24;
    login.collation = 255;
    login.user = "bob";
    login.proof = proof;
    login.database = "shop";
    login.plugin = "caching_sha2_password";
    login.attributes = attributes.view();
    return login;
}

void check_same(const LoginRequest& a, const LoginRequest& b) {
    CHECK(a.capabilities == b.capabilities);
    CHECK(a.packet_bytes_max == b.packet_bytes_max);
    CHECK(a.collation == b.collation);
    CHECK(a.wants_tls == b.wants_tls);
    CHECK(a.user == b.user);
    CHECK(text_of(a.proof) == text_of(b.proof));
    CHECK(a.database == b.database);
    CHECK(a.plugin == b.plugin);
    CHECK(text_of(a.attributes) == text_of(b.attributes));
}

}  // namespace

TEST_CASE("a greeting is laid out as the manual says") {
    Greeting greeting;
    greeting.server_version = "9";
    greeting.connection_id = 0x01020304;
    greeting.scramble = lettered_scramble();
    greeting.capabilities = Capabilities{0x89abcdef};
    greeting.collation = 255;
    greeting.status = StatusFlag::autocommit;
    greeting.plugin = "p";
    const auto expected =
        bytes({10,   '9', 0,   4,   3,    2,    1,   'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 0, 0xef,
               0xcd, 255, 2,   0,   0xab, 0x89, 21,  0,   0,   0,   0,   0,   0,   0,   0,   0, 0,
               'i',  'j', 'k', 'l', 'm',  'n',  'o', 'p', 'q', 'r', 's', 't', 0,   'p', 0});
    const Buffer packet = payload_of([&](Writer& out) { encode_greeting(out, greeting); });
    CHECK(text_of(packet.view()) == text_of(expected));
    const auto again = decode_greeting(packet.view());
    REQUIRE(again);
    CHECK(again->server_version == "9");
    CHECK(again->connection_id == 0x01020304);
    CHECK(again->scramble == greeting.scramble);
    CHECK(again->capabilities == greeting.capabilities);
    CHECK(again->collation == 255);
    CHECK(again->status == StatusFlag::autocommit);
    CHECK(again->plugin == "p");
    CHECK(again->server_kind() == ServerKind::mysql);
}

TEST_CASE("a cut greeting is malformed, but for the plugin's last NUL") {
    Greeting greeting;
    greeting.server_version = "9.7.4";
    greeting.capabilities = server_capabilities;
    greeting.plugin = "caching_sha2_password";
    const Buffer packet = payload_of([&](Writer& out) { encode_greeting(out, greeting); });
    const std::size_t plugin_at = packet.size() - greeting.plugin.size() - 1;
    for_each_cut(packet.view(), [&](Bytes cut, std::size_t size) {
        const auto again = decode_greeting(cut);
        CHECK(again.has_value() == (size >= plugin_at));
        if (size == packet.size() - 1) CHECK(again->plugin == greeting.plugin);
    });
    Buffer nine = packet.copy();
    nine.writable()[0] = 9;
    CHECK_FALSE(decode_greeting(nine.view()));
}

TEST_CASE("MariaDB's greeting is told by the bit that it leaves out, and its own bits are read") {
    Greeting greeting;
    greeting.capabilities =
        server_capabilities.without(Capability::long_password) | Capability::mariadb_com_multi;
    greeting.plugin = "mysql_native_password";
    const Buffer packet = payload_of([&](Writer& out) { encode_greeting(out, greeting); });
    const auto again = decode_greeting(packet.view());
    REQUIRE(again);
    CHECK(again->server_kind() == ServerKind::mariadb);
    CHECK(again->capabilities == greeting.capabilities);
}

TEST_CASE("a login request comes back as it was written, in each form of its proof") {
    for (const Capabilities left_out :
         {Capabilities{}, Capabilities{Capability::plugin_auth_lenenc_client_data},
          Capability::plugin_auth_lenenc_client_data | Capability::secure_connection,
          Capabilities{Capability::plugin_auth}, Capabilities{Capability::connect_with_db},
          Capabilities{Capability::connect_attrs}}) {
        CAPTURE(left_out.bits());
        LoginRequest login = full_login();
        login.capabilities = login.capabilities.without(left_out);
        if (!login.capabilities.has(Capability::plugin_auth)) login.plugin = {};
        if (!login.capabilities.has(Capability::connect_with_db)) login.database = {};
        if (!login.capabilities.has(Capability::connect_attrs)) login.attributes = {};
        const Buffer packet = payload_of([&](Writer& out) { encode_login_request(out, login); });
        const auto again = decode_login_request(packet.view());
        REQUIRE(again);
        check_same(*again, login);
        for_each_cut(packet.view(), [](Bytes cut, std::size_t) { decode_login_request(cut); });
    }
}

TEST_CASE("a login request cut inside a field is malformed; whole fields may be missing at the end") {
    const LoginRequest login = full_login();
    const Buffer packet = payload_of([&](Writer& out) { encode_login_request(out, login); });
    // fixed part, "bob" NUL, length and 4 bytes of proof
    const std::size_t database_at = 32 + 4 + 5;
    const std::size_t attributes_at = database_at + 5 + 22;
    for_each_cut(packet.view(), [&](Bytes cut, std::size_t size) {
        CAPTURE(size);
        const bool optional_missing = size >= database_at && size <= attributes_at;
        CHECK(decode_login_request(cut).has_value() == optional_missing);
    });
}

TEST_CASE("an empty proof, and one with a long length, are read") {
    LoginRequest login = full_login();
    login.proof = {};
    const Buffer packet = payload_of([&](Writer& out) { encode_login_request(out, login); });
    check_same(*decode_login_request(packet.view()), login);
    const std::string long_proof(300, 'x');
    login.proof = bytes_of(long_proof);
    const Buffer longer = payload_of([&](Writer& out) { encode_login_request(out, login); });
    check_same(*decode_login_request(longer.view()), login);
}

TEST_CASE("an SSLRequest is a login request that stops before the user") {
    LoginRequest login = full_login();
    login.capabilities.set(Capability::ssl);
    login.wants_tls = true;
    const Buffer packet = payload_of([&](Writer& out) { encode_login_request(out, login); });
    CHECK(packet.size() == 32);
    const auto again = decode_login_request(packet.view());
    REQUIRE(again);
    CHECK(again->wants_tls);
    CHECK(again->user.empty());
    // Without the flag the same bytes are a login that ends too early.
    login.capabilities.set(Capability::ssl, false);
    const Buffer cut = payload_of([&](Writer& out) { encode_login_request(out, login); });
    CHECK_FALSE(decode_login_request(cut.view()));
}

TEST_CASE("a login from before 4.1 is told") {
    const auto packet = bytes({0x85, 0x04, 0, 0, 0, 'b', 'o', 'b', 0});
    CHECK(is_ancient_login(packet));
    CHECK_FALSE(decode_login_request(packet));
    CHECK_FALSE(is_ancient_login(Bytes{}));
    const Buffer modern = payload_of([](Writer& out) { encode_login_request(out, full_login()); });
    CHECK_FALSE(is_ancient_login(modern.view()));
}

TEST_CASE("connection attributes are bounded and well-formed") {
    const Buffer encoded = encode_attributes({{"a", "1"}, {"a", ""}, {"", "x"}});
    const auto attributes = decode_attributes(encoded.view());
    REQUIRE(attributes);
    CHECK(*attributes == std::vector<Attribute>{{"a", "1"}, {"a", ""}, {"", "x"}});
    CHECK(decode_attributes(Bytes{})->empty());
    CHECK_FALSE(decode_attributes(encoded.view().first(encoded.size() - 1)));

    for (const bool above : {false, true}) {
        const std::string value(attribute_bytes_max - 5 + above,
                                'x');  // "a" takes two bytes, the length three
        LoginRequest login = full_login();
        const Buffer large = encode_attributes({{"a", value}});
        CHECK(large.size() == attribute_bytes_max + above);
        login.attributes = large.view();
        const Buffer packet = payload_of([&](Writer& out) { encode_login_request(out, login); });
        CHECK(decode_login_request(packet.view()).has_value() == !above);
    }
    LoginRequest login = full_login();
    const auto broken = bytes({1, 'a', 5, 'x'});
    login.attributes = broken;
    const Buffer packet = payload_of([&](Writer& out) { encode_login_request(out, login); });
    CHECK_FALSE(decode_login_request(packet.view()));
}

TEST_CASE("an AuthSwitchRequest comes back as it was written") {
    const Scramble scramble = lettered_scramble();
    const Buffer packet = payload_of(
        [&](Writer& out) { encode_auth_switch(out, AuthPlugin::mysql_native_password, scramble); });
    const auto request = decode_auth_switch(packet.view());
    REQUIRE(request);
    CHECK(request->plugin == "mysql_native_password");
    CHECK(scramble_of(request->challenge) == scramble);
    CHECK(scramble_of(request->challenge.first(20)) == scramble);
    CHECK_FALSE(scramble_of(request->challenge.first(19)));
    CHECK_FALSE(scramble_of({}));
    CHECK_FALSE(decode_auth_switch(bytes({0xfe})));  // asks for the hash of before 4.1
    for (std::size_t size = 0; size <= 21; ++size) CHECK_FALSE(decode_auth_switch(packet.view().first(size)));
}

TEST_CASE("AuthMoreData is a byte and the rest") {
    const Buffer packet = payload_of([](Writer& out) { encode_auth_more(out, bytes_of("key")); });
    CHECK(text_of(*decode_auth_more(packet.view())) == "key");
    CHECK_FALSE(decode_auth_more(Bytes{}));
    CHECK_FALSE(decode_auth_more(bytes({0x00})));
}

TEST_CASE("COM_CHANGE_USER is read with whatever of its end is missing") {
    const Capabilities caps = client_capabilities;
    const auto body =
        bytes({'b', 'o', 'b', 0, 2, 7, 8, 's', 'h', 'o', 'p', 0, 45, 0, 'p', 'l', 0, 4, 1, 'a', 1, 'b'});
    const auto change = decode_change_user(body, caps);
    REQUIRE(change);
    CHECK(change->user == "bob");
    CHECK(text_of(change->proof) == "\x07\x08");
    CHECK(change->database == "shop");
    CHECK(change->collation == 45);
    CHECK(change->plugin == "pl");
    CHECK(change->attributes.size() == 4);
    const auto shorter = decode_change_user(Bytes{body}.first(12), caps);
    REQUIRE(shorter);
    CHECK(shorter->database == "shop");
    CHECK(shorter->collation == 0);
    CHECK(shorter->plugin.empty());
    for (std::size_t size = 0; size < 7; ++size)
        CHECK_FALSE(decode_change_user(Bytes{body}.first(size), caps));
    CHECK_FALSE(decode_change_user(Bytes{body}.first(13), caps));
    for (std::size_t size = 18; size < body.size(); ++size)
        CHECK_FALSE(decode_change_user(Bytes{body}.first(size), caps));
}
