// Both handshakes against each other, in memory, and each against a peer that misbehaves.
#include <map>
#include <string>

#include "middleware/protocol/client_handshake.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/server_handshake.hpp"
#include "test_bytes.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;

namespace {

class TestUsers final : public Users {
public:
    std::optional<LoginRule> find_user(std::string_view user, std::string_view) const override {
        const auto found = rules.find(user);
        return found == rules.end() ? std::nullopt : std::optional{found->second};
    }
    std::map<std::string, LoginRule, std::less<>> rules;
};

const Scramble test_scramble = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};

ServerHandshakeOptions server_options() {
    ServerHandshakeOptions options;
    options.server_version = "9.7.4-shardway";
    options.connection_id = 77;
    options.host = "10.0.0.7";
    return options;
}

ClientLogin client_login(std::string user, std::string password) {
    ClientLogin login;
    login.user = std::move(user);
    login.password = std::move(password);
    return login;
}

struct Outcome {
    std::optional<ServerHandshake::Accept> accepted;
    std::optional<ClientHandshake::Done> done;
    std::optional<SqlError> server_error;
    std::optional<ClientHandshake::Failed> client_error;
    bool tls = false;
    int server_packets = 0;
    std::string wire_from_client;  // payloads, to look for secrets in clear
};

// Carries packets between the two until both are through.
Outcome converse(ServerHandshake server, ClientHandshake client) {
    Outcome outcome;
    Buffer to_client = server.greeting();
    for (int round = 0; round < 20; ++round) {
        ++outcome.server_packets;
        auto client_step = client.on_packet(to_client.view());
        if (auto* failed = std::get_if<ClientHandshake::Failed>(&client_step)) {
            outcome.client_error = *failed;
            return outcome;
        }
        if (auto* done = std::get_if<ClientHandshake::Done>(&client_step)) {
            outcome.done = *done;
            return outcome;
        }
        Buffer to_server;
        if (auto* tls = std::get_if<ClientHandshake::StartTls>(&client_step)) {
            const auto server_step = server.on_packet(tls->packet.view());
            if (auto* reject = std::get_if<ServerHandshake::Reject>(&server_step)) {
                outcome.server_error = reject->error;
                return outcome;
            }
            REQUIRE(std::holds_alternative<ServerHandshake::StartTls>(server_step));
            outcome.tls = true;
            client_step = client.on_tls_started();
        }
        if (std::holds_alternative<ClientHandshake::Wait>(client_step)) {
            // The server has accepted and its OK follows.
            REQUIRE(outcome.accepted);
        } else {
            to_server = std::move(std::get<ClientHandshake::Send>(client_step).packet);
            outcome.wire_from_client.append(text_of(to_server.view()));
            auto server_step = server.on_packet(to_server.view());
            if (auto* send = std::get_if<ServerHandshake::Send>(&server_step)) {
                to_client = std::move(send->packet);
                continue;
            }
            if (auto* reject = std::get_if<ServerHandshake::Reject>(&server_step)) {
                outcome.server_error = reject->error;
                to_client = payload_of([&](Writer& out) { encode_err(out, reject->error); });
                continue;
            }
            outcome.accepted = std::move(std::get<ServerHandshake::Accept>(server_step));
            if (!outcome.accepted->packet.empty()) {
                to_client = outcome.accepted->packet.copy();
                continue;
            }
        }
        OkPacket ok;
        ok.status = StatusFlag::autocommit;
        to_client = payload_of([&](Writer& out) { encode_ok(out, ok); });
    }
    FAIL("the conversation does not end");
    return outcome;
}

}  // namespace

TEST_CASE(
    "every combination of plugin, way of proof, TLS and password logs in, or is denied in MySQL's words") {
    for (const auto plugin : {AuthPlugin::caching_sha2_password, AuthPlugin::mysql_native_password})
        for (const bool full : {false, true})
            for (const bool tls : {false, true})
                for (const bool secret_channel : {false, true})
                    for (const std::string password :
                         {"", "secret", "p\xc3\xa4ssword that is longer than the scramble"})
                        for (const bool right : {true, false}) {
                            CAPTURE(name_of(plugin), full, tls, secret_channel, password, right);
                            TestUsers users;
                            users.rules["bob"] = {password, plugin, false, full};
                            auto options = server_options();
                            options.tls_offered = tls;
                            options.channel_is_secret = secret_channel;
                            auto login = client_login("bob", right ? password : password + "x");
                            login.channel_is_secret = secret_channel;
                            login.database = "shop";
                            login.attributes = {{"program_name", "test"}};
                            const auto outcome = converse(ServerHandshake{users, test_scramble, options},
                                                          ClientHandshake{std::move(login)});
                            CHECK(outcome.tls == tls);
                            if (!right) {
                                CHECK(outcome.server_error == access_denied("bob", "10.0.0.7", true));
                                REQUIRE(outcome.client_error);
                                CHECK(outcome.client_error->answered);
                                CHECK(outcome.client_error->error == *outcome.server_error);
                                continue;
                            }
                            REQUIRE(outcome.accepted);
                            REQUIRE(outcome.done);
                            CHECK(outcome.accepted->user == "bob");
                            CHECK(outcome.accepted->database == "shop");
                            CHECK(outcome.accepted->plugin == plugin);
                            CHECK(outcome.accepted->collation == utf8mb4_general_collation);
                            CHECK(outcome.accepted->capabilities == outcome.done->capabilities);
                            CHECK(outcome.accepted->capabilities.has(Capability::deprecate_eof));
                            CHECK(outcome.accepted->capabilities.has(Capability::ssl) == tls);
                            const auto attributes = decode_attributes(outcome.accepted->attributes.view());
                            CHECK(*attributes == std::vector<Attribute>{{"program_name", "test"}});
                            CHECK(outcome.done->server_version == "9.7.4-shardway");
                            CHECK(outcome.done->connection_id == 77);
                            CHECK(outcome.done->status == StatusFlag::autocommit);
                            if (!tls && !secret_channel && !password.empty())
                                CHECK(outcome.wire_from_client.find(password) == std::string::npos);
                        }
}

TEST_CASE("an unknown user goes through the same motions and is denied in the same words") {
    TestUsers users;
    users.rules["bob"] = {"secret"};
    const auto known = converse(ServerHandshake{users, test_scramble, server_options()},
                                ClientHandshake{client_login("bob", "wrong")});
    const auto unknown = converse(ServerHandshake{users, test_scramble, server_options()},
                                  ClientHandshake{client_login("eve", "wrong")});
    CHECK(known.server_packets == unknown.server_packets);
    CHECK(known.server_error == access_denied("bob", "10.0.0.7", true));
    CHECK(unknown.server_error == access_denied("eve", "10.0.0.7", true));
    const auto empty = converse(ServerHandshake{users, test_scramble, server_options()},
                                ClientHandshake{client_login("eve", "")});
    CHECK(empty.server_error == access_denied("eve", "10.0.0.7", false));
    const auto missing = converse(ServerHandshake{users, test_scramble, server_options()},
                                  ClientHandshake{client_login("bob", "")});
    CHECK(missing.server_error == access_denied("bob", "10.0.0.7", false));
}

TEST_CASE("TLS is refused, used or insisted on as both sides wish") {
    TestUsers users;
    users.rules["bob"] = {"secret"};
    for (const bool offered : {false, true})
        for (const bool required : {false, true})
            for (const auto use : {TlsUse::disabled, TlsUse::preferred, TlsUse::required}) {
                CAPTURE(offered, required, static_cast<int>(use));
                auto options = server_options();
                options.tls_offered = offered;
                options.tls_required = required;
                auto login = client_login("bob", "secret");
                login.tls = use;
                const auto outcome = converse(ServerHandshake{users, test_scramble, options},
                                              ClientHandshake{std::move(login)});
                const bool encrypted = offered && use != TlsUse::disabled;
                CHECK(outcome.tls == encrypted);
                if (use == TlsUse::required && !offered) {
                    CHECK(outcome.client_error->error == tls_unavailable());
                    CHECK_FALSE(outcome.client_error->answered);
                } else if (required && !encrypted) {
                    CHECK(outcome.server_error == secure_transport_required());
                } else {
                    CHECK(outcome.done);
                }
            }
}

TEST_CASE("a user who must use TLS is denied without it") {
    TestUsers users;
    users.rules["bob"] = {"secret", AuthPlugin::caching_sha2_password, true, false};
    auto options = server_options();
    options.tls_offered = true;
    auto login = client_login("bob", "secret");
    login.tls = TlsUse::disabled;
    const auto denied = converse(ServerHandshake{users, test_scramble, options}, ClientHandshake{login});
    CHECK(denied.server_error == access_denied("bob", "10.0.0.7", true));
    login.tls = TlsUse::preferred;
    CHECK(converse(ServerHandshake{users, test_scramble, options}, ClientHandshake{login}).done);
}

namespace {

LoginRequest raw_login(Capabilities capabilities, std::string_view plugin, Bytes proof) {
    LoginRequest login;
    login.capabilities = capabilities;
    login.user = "bob";
    login.proof = proof;
    login.plugin = plugin;
    return login;
}

ServerHandshake::Step first_step(ServerHandshake& server, const LoginRequest& login) {
    const Buffer packet = payload_of([&](Writer& out) { encode_login_request(out, login); });
    return server.on_packet(packet.view());
}

}  // namespace

TEST_CASE("a client that offers only the native plugin is verified with it, with or without a name for it") {
    TestUsers users;
    users.rules["bob"] = {"secret"};  // whose rule says caching_sha2_password
    const NativeProof proof = native_proof("secret", test_scramble);
    {
        ServerHandshake server{users, test_scramble, server_options()};
        const auto step = first_step(server, raw_login(client_capabilities, "mysql_native_password", proof));
        CHECK(std::get<ServerHandshake::Accept>(step).plugin == AuthPlugin::mysql_native_password);
    }
    const Capabilities old = client_capabilities.without(Capability::plugin_auth | Capability::connect_attrs |
                                                         Capability::plugin_auth_lenenc_client_data);
    {
        ServerHandshake server{users, test_scramble, server_options()};
        CHECK(std::holds_alternative<ServerHandshake::Accept>(first_step(server, raw_login(old, "", proof))));
    }
    {
        ServerHandshake server{users, test_scramble, server_options()};
        const NativeProof wrong = native_proof("Secret", test_scramble);
        const auto step = first_step(server, raw_login(old, "", wrong));
        CHECK(std::get<ServerHandshake::Reject>(step).error == access_denied("bob", "10.0.0.7", true));
    }
}

TEST_CASE("a client with another plugin of its own sends nothing at first and is switched") {
    TestUsers users;
    users.rules["bob"] = {"secret"};
    for (const auto& [named, wanted] : {std::pair{"mysql_native_password", AuthPlugin::mysql_native_password},
                                        std::pair{"mysql_clear_password", AuthPlugin::caching_sha2_password},
                                        std::pair{"sha256_password", AuthPlugin::caching_sha2_password}}) {
        CAPTURE(named);
        ServerHandshake server{users, test_scramble, server_options()};
        const auto step = first_step(server, raw_login(client_capabilities, named, {}));
        const auto& send = std::get<ServerHandshake::Send>(step);
        const auto request = decode_auth_switch(send.packet.view());
        REQUIRE(request);
        CHECK(request->plugin == name_of(wanted));
        const auto scramble = scramble_of(request->challenge);
        REQUIRE(scramble);
        Buffer proof = make_proof(wanted, "secret", *scramble);
        proof.append(std::uint8_t{0});
        CHECK(std::holds_alternative<ServerHandshake::Accept>(server.on_packet(proof.view())));
        // It is over.
        CHECK(std::holds_alternative<ServerHandshake::Reject>(server.on_packet(proof.view())));
    }
}

TEST_CASE("after a switch an empty answer is an empty password") {
    TestUsers users;
    users.rules["bob"] = {""};
    users.rules["eve"] = {"secret"};
    for (const auto& answer : {bytes({}), bytes({0})})
        for (const std::string_view user : {"bob", "eve"}) {
            ServerHandshake server{users, test_scramble, server_options()};
            LoginRequest login = raw_login(client_capabilities, "dialog", {});
            login.user = user;
            CHECK(std::holds_alternative<ServerHandshake::Send>(first_step(server, login)));
            const auto step = server.on_packet(answer);
            if (user == "bob")
                CHECK(std::get<ServerHandshake::Accept>(step).packet.empty());
            else
                CHECK(std::get<ServerHandshake::Reject>(step).error ==
                      access_denied("eve", "10.0.0.7", false));
        }
}

TEST_CASE("full authentication takes a ciphertext that comes unasked, and denies one that is none") {
    TestUsers users;
    users.rules["bob"] = {"secret", AuthPlugin::caching_sha2_password, false, true};
    const Sha2Proof proof = sha2_proof("secret", test_scramble);
    for (const bool sound : {true, false}) {
        ServerHandshake server{users, test_scramble, server_options()};
        const auto step = first_step(server, raw_login(client_capabilities, "caching_sha2_password", proof));
        CHECK(text_of(std::get<ServerHandshake::Send>(step).packet.view()) == "\x01\x04");
        Buffer masked;
        masked.append(std::string_view{"secret\0", 7});
        mask_with_scramble(masked.writable(), test_scramble);
        auto encrypted = rsa_encrypt(RsaKey::shared().public_pem(), masked.view());
        if (!sound) encrypted->writable()[9] ^= 1;
        CHECK(std::holds_alternative<ServerHandshake::Accept>(server.on_packet(encrypted->view())) == sound);
    }
    // In clear the password itself is not taken.
    ServerHandshake server{users, test_scramble, server_options()};
    first_step(server, raw_login(client_capabilities, "caching_sha2_password", proof));
    CHECK(std::holds_alternative<ServerHandshake::Reject>(
        server.on_packet(bytes_of(std::string_view{"secret\0", 7}))));
}

TEST_CASE("logins that are no logins are refused") {
    TestUsers users;
    users.rules["bob"] = {"secret"};
    const auto reject = [&](Bytes packet, bool tls_offered = false) {
        auto options = server_options();
        options.tls_offered = tls_offered;
        ServerHandshake server{users, test_scramble, options};
        const auto step = server.on_packet(packet);
        return std::get<ServerHandshake::Reject>(step).error;
    };
    CHECK(reject({}) == bad_handshake());
    CHECK(reject(bytes({0x85, 0x04, 0, 0, 0, 'b', 0})) == bad_handshake());
    LoginRequest ssl = raw_login(client_capabilities | Capability::ssl, "", {});
    ssl.wants_tls = true;
    const Buffer ssl_request = payload_of([&](Writer& out) { encode_login_request(out, ssl); });
    CHECK(reject(ssl_request.view()) == bad_handshake());  // not offered
    const Buffer insecure = payload_of(
        [&](Writer& out) { encode_login_request(out, raw_login(Capability::protocol_41, "", {})); });
    CHECK(reject(insecure.view()) == auth_mode_unsupported());
    {
        auto options = server_options();
        options.tls_offered = true;
        ServerHandshake server{users, test_scramble, options};
        CHECK(std::holds_alternative<ServerHandshake::StartTls>(server.on_packet(ssl_request.view())));
        const auto again = server.on_packet(ssl_request.view());
        CHECK(std::get<ServerHandshake::Reject>(again).error == bad_handshake());
    }
    // Whatever is cut off a login, it is refused or asks for more, and nobody gets in.
    const Sha2Proof proof = sha2_proof("secret", test_scramble);
    const Buffer whole = payload_of([&](Writer& out) {
        encode_login_request(out, raw_login(client_capabilities, "caching_sha2_password", proof));
    });
    for_each_cut(whole.view(), [&](Bytes cut, std::size_t size) {
        ServerHandshake server{users, test_scramble, server_options()};
        const bool accepted = std::holds_alternative<ServerHandshake::Accept>(server.on_packet(cut));
        CHECK(accepted ==
              (size >= whole.size() - 2));  // without the attributes' length, without the plugin's NUL
    });
}

TEST_CASE("COM_CHANGE_USER takes a right proof or switches") {
    TestUsers users;
    users.rules["bob"] = {"secret"};
    const auto body = [](Bytes proof, std::string_view plugin) {
        return payload_of([&](Writer& out) {
            out.nul_string("bob");
            out.u8(static_cast<std::uint8_t>(proof.size()));
            out.bytes(proof);
            out.nul_string("shop");
            out.u16(255);
            out.nul_string(plugin);
        });
    };
    const Sha2Proof proof = sha2_proof("secret", test_scramble);
    {
        ServerHandshake server{users, test_scramble, server_options()};
        const Buffer right = body(proof, "caching_sha2_password");
        const auto step = server.on_change_user(right.view(), client_capabilities, false);
        const auto& accept = std::get<ServerHandshake::Accept>(step);
        CHECK(accept.user == "bob");
        CHECK(accept.database == "shop");
        CHECK(accept.collation == 255);
        CHECK(accept.capabilities == client_capabilities);
    }
    {
        ServerHandshake server{users, test_scramble, server_options()};
        const Buffer empty = body({}, "caching_sha2_password");
        const auto step = server.on_change_user(empty.view(), client_capabilities, false);
        CHECK(decode_auth_switch(std::get<ServerHandshake::Send>(step).packet.view()));
        CHECK(std::holds_alternative<ServerHandshake::Accept>(server.on_packet(proof)));
    }
    {
        ServerHandshake server{users, test_scramble, server_options()};
        const auto step = server.on_change_user(bytes({'b'}), client_capabilities, false);
        CHECK(std::get<ServerHandshake::Reject>(step).error == malformed_packet());
    }
}

TEST_CASE("a server that turns us away is quoted, before the handshake and in it") {
    ClientHandshake early{client_login("bob", "secret")};
    const auto step = early.on_packet(bytes({0xff, 0x10, 0x04, 'T', 'o', 'o'}));
    const auto& failed = std::get<ClientHandshake::Failed>(step);
    CHECK(failed.answered);
    CHECK(failed.error == SqlError{1040, "HY000", "Too"});

    ClientHandshake cut{client_login("bob", "secret")};
    CHECK_FALSE(std::get<ClientHandshake::Failed>(cut.on_packet(bytes({0xff, 0x10}))).answered);
}

TEST_CASE("a server that breaks the protocol, or wants what we do not give, is left") {
    TestUsers users;
    const Buffer greeting = ServerHandshake{users, test_scramble, server_options()}.greeting();
    const auto answer = [&](Bytes packet) {
        ClientHandshake client{client_login("bob", "secret")};
        CHECK(std::holds_alternative<ClientHandshake::Send>(client.on_packet(greeting.view())));
        return client.on_packet(packet);
    };
    const auto error = [](const ClientHandshake::Step& step) {
        return std::get<ClientHandshake::Failed>(step).error;
    };
    CHECK(error(answer({})) == malformed_packet());
    CHECK(error(answer(bytes({0x33}))) == malformed_packet());
    CHECK(error(answer(bytes({0xfe}))) == auth_mode_unsupported());
    const Buffer clear = payload_of([](Writer& out) {
        out.u8(0xfe);
        out.nul_string("mysql_clear_password");
    });
    CHECK(error(answer(clear.view())) == auth_plugin_unknown("mysql_clear_password"));
    CHECK(error(answer(bytes({0x00, 0x00}))) == malformed_packet());
    CHECK(error(answer(bytes({0x01, 0x07}))) == malformed_packet());
    CHECK(std::holds_alternative<ClientHandshake::Wait>(answer(bytes({0x01, 0x03}))));

    // A key that is none, and a server that switches for ever.
    ClientHandshake client{client_login("bob", "secret")};
    client.on_packet(greeting.view());
    CHECK(text_of(std::get<ClientHandshake::Send>(client.on_packet(bytes({0x01, 0x04}))).packet.view()) ==
          "\x02");
    CHECK(error(client.on_packet(bytes({0x01, 'x'}))) == malformed_packet());
    ClientHandshake other{client_login("bob", "secret")};
    other.on_packet(greeting.view());
    const Buffer native = payload_of(
        [](Writer& out) { encode_auth_switch(out, AuthPlugin::mysql_native_password, test_scramble); });
    CHECK(std::holds_alternative<ClientHandshake::Send>(other.on_packet(native.view())));
    CHECK(error(other.on_packet(native.view())) == packets_out_of_order());

    for_each_cut(greeting.view(), [](Bytes cut, std::size_t) {
        ClientHandshake from_cut{client_login("bob", "secret")};
        from_cut.on_packet(cut);
    });
}
