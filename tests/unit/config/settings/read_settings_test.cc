#include "config/settings/read_settings.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/config/settings/settings_text.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;

TEST(ReadSettingsTest, UsesDefaultsWithoutInput) {
  const ReadSettingsResult read = ReadTexts({});
  EXPECT_TRUE(read.problems.empty());
  ASSERT_EQ(read.effective.size(), AllSettings().size());
  for (const EffectiveSetting& effective : read.effective) {
    EXPECT_EQ(effective.from, "default") << effective.setting->path;
  }
  EXPECT_EQ(EffectiveOf(read, "listen").text, "127.0.0.1:8080");
  EXPECT_EQ(EffectiveOf(read, "admin.listen").text, "127.0.0.1:9090");
  EXPECT_EQ(EffectiveOf(read, "trusted_proxies").text, "127.0.0.0/8, ::1/128, unix");
  EXPECT_EQ(EffectiveOf(read, "store.url").text, "memory");
  EXPECT_EQ(EffectiveOf(read, "store.deadline").text, "5ms");
  EXPECT_EQ(EffectiveOf(read, "headers.profile").text, "ietf");
}

TEST(ReadSettingsTest, PrefersFlagsOverVariablesOverFile) {
  const std::string file = "store: { memory: 2GiB, deadline: 2ms, sync_interval: 200ms }\n";
  const ReadSettingsResult read =
      ReadTexts({.file = file,
                 .args = {"--memory", "4GiB"},
                 .environment = {"SLUICE_MEMORY=3GiB", "SLUICE_STORE_DEADLINE=3ms"}});
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.settings.store.memory, GiB(4));
  EXPECT_EQ(read.settings.store.deadline, milliseconds{3});
  EXPECT_EQ(read.settings.store.sync_interval, milliseconds{200});
  EXPECT_EQ(EffectiveOf(read, "store.memory").from, "--memory");
  EXPECT_EQ(EffectiveOf(read, "store.deadline").from, "SLUICE_STORE_DEADLINE");
  EXPECT_EQ(EffectiveOf(read, "store.sync_interval").from, "sluice.yaml:1:54");
}

TEST(ReadSettingsTest, ReplacesListsOfWeakerSources) {
  const GivenTexts given = {.file = "listen: [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n",
                            .args = {"--listen", "127.0.0.1:5", "--listen=unix:/s"},
                            .environment = {"SLUICE_LISTEN=127.0.0.1:3, 127.0.0.1:4"}};
  EXPECT_EQ(ProblemsOf(given), Problems());
  EXPECT_EQ(EffectiveOf(ReadTexts(given), "listen").text, "127.0.0.1:5, unix:/s");
  GivenTexts weaker = given;
  weaker.args.clear();
  EXPECT_EQ(EffectiveOf(ReadTexts(weaker), "listen").text, "127.0.0.1:3, 127.0.0.1:4");
  weaker.environment.clear();
  EXPECT_EQ(EffectiveOf(ReadTexts(weaker), "listen").text, "127.0.0.1:1, 127.0.0.1:2");
}

TEST(ReadSettingsTest, AcceptsEmptyListsAndSingleItems) {
  EXPECT_EQ(EffectiveOf(ReadTexts({.file = "trusted_proxies: []"}), "trusted_proxies").text, "");
  EXPECT_EQ(EffectiveOf(ReadTexts({.file = "trusted_proxies: unix"}), "trusted_proxies").text,
            "unix");
  EXPECT_EQ(EffectiveOf(ReadTexts({.args = {"--trusted-proxies="}}), "trusted_proxies").text, "");
  EXPECT_EQ(
      EffectiveOf(ReadTexts({.environment = {"SLUICE_TRUSTED_PROXIES="}}), "trusted_proxies").text,
      "");
}

TEST(ReadSettingsTest, ReadsYamlOrJsonFileNamedByFlagOrVariable) {
  const std::string json = "{\"store\": {\"memory\": \"2GiB\"}}";
  const ReadSettingsResult by_flag =
      ReadTexts({.file = json, .environment = {"SLUICE_SETTINGS=missing"}, .file_name = "s.json"});
  EXPECT_TRUE(by_flag.problems.empty());
  EXPECT_EQ(EffectiveOf(by_flag, "store.memory").from, "s.json:1:22");
  const ReadSettingsResult by_variable = ReadTexts(
      {.environment = {"SLUICE_SETTINGS=other"}, .files = {{"other", "log: {level: error}"}}});
  EXPECT_TRUE(by_variable.problems.empty());
  EXPECT_EQ(EffectiveOf(by_variable, "log.level").from, "other:1:14");
  EXPECT_EQ(ProblemsOf({.args = {"--settings", "missing"}}),
            Problems({"--settings: cannot read 'missing'"}));
  EXPECT_EQ(ProblemsOf({.environment = {"SLUICE_SETTINGS=missing"}}),
            Problems({"SLUICE_SETTINGS: cannot read 'missing'"}));
}

TEST(ReadSettingsTest, AcceptsFileOfOnlyComments) {
  EXPECT_EQ(ProblemsOf({.file = "# memory: 1GiB\n"}), Problems());
  EXPECT_EQ(ProblemsOf({.file = "---\n"}), Problems());
}

// Settings files, and the single problem that each has.
using BadFiles = std::vector<std::pair<std::string, std::string>>;

void ExpectProblems(const BadFiles& cases) {
  for (const auto& [file, expected] : cases) {
    EXPECT_EQ(ProblemsOf({.file = file}), Problems({"sluice.yaml:" + expected})) << file;
  }
}

TEST(ReadSettingsTest, RejectsFilesOfWrongShape) {
  ExpectProblems({
      {"lisen: a", "1:1: unknown key 'lisen'; did you mean 'listen'?"},
      {"port: 80",
       "1:1: unknown key; expected rules, listen, proxy_protocol, trusted_proxies, core_dumps, "
       "client_header, unknown_domain, admin, "
       "tls, callers, store, bounds, deadlines, drain, headers, rls or log"},
      {"tls:\n  certifcate: a", "2:3: unknown key 'certifcate'; did you mean 'certificate'?"},
      {"drain: { grace: 5s }", "1:10: unknown key; expected delay or deadline"},
      {"drain: { drain: 5s }", "1:10: unknown key 'drain'; expected delay or deadline"},
      {"tls.key: a", "1:1: unknown key 'tls.key'; write 'key' under 'tls'"},
      {"\"\": a",
       "1:1: unknown key; expected rules, listen, proxy_protocol, trusted_proxies, core_dumps, "
       "client_header, unknown_domain, admin, tls, "
       "callers, store, bounds, deadlines, drain, headers, rls or log"},
      {"- a", "1:1: a file of settings must be a mapping, found a list"},
      {"a", "1:1: a file of settings must be a mapping, found a string"},
      {"tls: true", "1:6: 'tls' must be a mapping, found a boolean"},
      {"tls: 1", "1:6: 'tls' must be a mapping, found a number"},
      {"admin:\n  token:abc", "2:3: 'admin' must be a mapping, found a string"},
      {"admin: { token:abc }",
       "1:10: unknown key; expected listen, token, token_file or client_names"},
      {"admin:\n  listen: a:1\n    token:abc",
       "2:11: a value without quotes must stand on one line; is the ': ' missing on the next?"},
      {"tls: a", "1:6: 'tls' must be a mapping, found a string"},
      {"tls:", "1:1: 'tls' must be a mapping, found null"},
      {"admin: 127.0.0.1:1", "1:8: 'admin' must be a mapping, found a string"},
      {"log: {}\n---\nlog: {}", "3:1: a file of settings has one document, found a second"},
      {"log: { level: info, level: info }", "1:21: duplicate key"},
  });
}

TEST(ReadSettingsTest, ReportsPositionOfInvalidListenerValues) {
  ExpectProblems({
      {"listen: {}", "1:9: 'listen' must be a string, found a mapping"},
      {"listen: [8080]", "1:10: 'listen' must be a string, found the number 8080"},
      {"listen: ['']", "1:10: 'listen' must not be empty"},
      {"listen: [a:1, b]", "1:15: 'listen': 'b' needs a port; expected HOST:PORT or unix:PATH"},
      {"listen:", "1:1: 'listen' must be a string, found null"},
      {"rules: [[a]]", "1:9: 'rules' must be a string, found a list"},
      {"rules: ''", "1:8: 'rules' must not be empty"},
      {"proxy_protocol: yes",
       "1:17: 'proxy_protocol' must be true or false, found the string 'yes'"},
      {"proxy_protocol: 1", "1:17: 'proxy_protocol' must be true or false, found the number 1"},
      {"trusted_proxies: [10.0.0.1/8]",
       "1:19: 'trusted_proxies': '10.0.0.1/8' has bits below the prefix; did you mean 10.0.0.0/8 "
       "or 10.0.0.1/32?"},
      {"trusted_proxies: [Unix]",
       "1:19: 'trusted_proxies': 'Unix' is no IP address or prefix; expected one like 192.0.2.1, "
       "10.0.0.0/8 or 2001:db8::/32"},
      {"admin: { token: 1234567890123456 }", "1:17: 'admin.token' must be a string, in quotes"},
      {"admin: { token: hunter2 }",
       "1:17: 'admin.token': the secret must have 16 to 1024 bytes, found 7"},
      {"admin: { token: \"0123456789\\n0123456789\" }",
       "1:17: 'admin.token': the secret must have no control characters, such as a line break"},
      {"tls: { min_version: TLSv1.1 }",
       "1:21: unknown tls.min_version 'TLSv1.1'; did you mean 'TLSv1.2'?"},
      {"tls: { min_version: 1.2 }",
       "1:21: 'tls.min_version' must be TLSv1.2 or TLSv1.3, found the number 1.2"},
      {"tls: { clients: always }",
       "1:17: unknown tls.clients 'always'; expected required or optional"},
      {"tls: { client_names: ['a.*.example.org'] }",
       "1:23: 'tls.client_names' takes whole names, or '*.' in front of one, found "
       "'a.*.example.org'"},
      {"tls: { client_names: ['*.'] }",
       "1:23: 'tls.client_names' takes whole names, or '*.' in front of one, found '*.'"},
      {"callers: { names: ['*.*.example.org'] }",
       "1:20: 'callers.names' takes whole names, or '*.' in front of one, found "
       "'*.*.example.org'"},
      {"callers: { names: ['spiffe://example.org/*'] }",
       "1:20: 'callers.names' takes whole names, or '*.' in front of one, found "
       "'spiffe://example.org/*'"},
      {"callers: { names: [\"a\\tb\"] }",
       "1:20: a name must have no control characters, found U+0009"},
      {"callers: { uids: [root] }",
       "1:19: 'callers.uids' must be a whole number from 0 to 4294967294, found the string 'root'"},
      {"callers: { uids: [4294967295] }",
       "1:19: 'callers.uids' must be a whole number from 0 to 4294967294, found the number "
       "4294967295"},
  });
}

TEST(ReadSettingsTest, ReportsPositionOfOtherInvalidValues) {
  ExpectProblems({
      {"store: { url: 1 }", "1:15: 'store.url' must be a string, found a number"},
      {"store: { url: redis://a/x }",
       "1:15: 'store.url': the database of a store, after its host, must be a "
       "number from 0 to 65535"},
      {"store: { memory: 1073741824 }",
       "1:18: 'store.memory': '1073741824' needs a unit: B, KiB, MiB, GiB or TiB"},
      {"store: { memory: 1MiB }", "1:18: 'store.memory' must be from 16MiB to 16TiB, found 1MiB"},
      {"store: { memory: true }", "1:18: 'store.memory' must be a size such as 16KiB, found true"},
      {"store: { deadline: 5 }",
       "1:20: 'store.deadline': '5' needs a unit: ns, us, ms, s, m, h, d, w, month or year"},
      {"store: { deadline: 1us }", "1:20: 'store.deadline' must be from 100us to 10s, found 1us"},
      {"store: { deadline: [5ms] }",
       "1:20: 'store.deadline' must be a duration such as 5s, found a list"},
      {"store: { sync_interval: 0s }",
       "1:25: 'store.sync_interval' must be from 1ms to 1h, found 0s"},
      {"bounds: { streams: 0 }",
       "1:20: 'bounds.streams' must be a whole number from 1 to 100000, found the number 0"},
      {"bounds: { streams: 1.5 }",
       "1:20: 'bounds.streams' must be a whole number from 1 to 100000, found the number 1.5"},
      {"bounds: { streams: '5' }",
       "1:20: 'bounds.streams' must be a whole number from 1 to 100000, found the string '5'"},
      {"bounds: { header_bytes: 2MiB }",
       "1:25: 'bounds.header_bytes' must be from 1KiB to 1MiB, found 2MiB"},
      {"deadlines: { idle: 25h }", "1:20: 'deadlines.idle' must be from 100ms to 1d, found 25h"},
      {"headers: { profile: IETF }",
       "1:21: unknown headers.profile 'IETF'; expected ietf, x-ratelimit, envoy, github, openai or "
       "none"},
      {"log: { level: warn }",
       "1:15: unknown log.level 'warn'; expected debug, info, warning or error"},
      {"log: { format: jsn }", "1:16: unknown log.format 'jsn'; did you mean 'json'?"},
      {"log: { level: off }",
       "1:15: unknown log.level 'off'; expected debug, info, warning or error"},
      {"log: [", "1:6: this '[' has no closing ']'"},
  });
}

TEST(ReadSettingsTest, ReportsProblemsOfAllSourcesAtOnce) {
  const GivenTexts given = {.file = "store: { memory: 1 }\nlog: { level: loud }\n",
                            .args = {"--memory", "2", "--lisen", "x", "--admin", "9090"},
                            .environment = {"SLUICE_MEMORY=3", "SLUICE_BOUNDS_STREAMS=many"}};
  EXPECT_EQ(
      ProblemsOf(given),
      Problems({
          "sluice.yaml:1:18: 'store.memory': '1' needs a unit: B, KiB, MiB, GiB or TiB",
          "sluice.yaml:2:15: unknown log.level 'loud'; expected debug, info, warning or error",
          "SLUICE_MEMORY: 'store.memory': '3' needs a unit: B, KiB, MiB, GiB or TiB",
          "SLUICE_BOUNDS_STREAMS: 'bounds.streams' must be a whole number from 1 to 100000, "
          "found the string 'many'",
          "unknown flag '--lisen'; did you mean '--listen'?",
          "--memory: 'store.memory': '2' needs a unit: B, KiB, MiB, GiB or TiB",
          "--admin: 'admin.listen': '9090' needs a host; expected HOST:PORT or unix:PATH, for "
          "example 127.0.0.1:9090",
      }));
}

TEST(ReadSettingsTest, ReadsSecretsFromFiles) {
  const GivenTexts given = {
      .args = {"--admin-token-file", "/t", "--store-key-secret-file=/k"},
      .files = {{"/t", "0123456789abcdef\n"}, {"/k", "0123456789ABCDEF\r\n"}}};
  const ReadSettingsResult read = ReadTexts(given);
  EXPECT_EQ(ProblemsOf(given), Problems());
  EXPECT_EQ(read.settings.admin.token.Reveal(), "0123456789abcdef");
  EXPECT_EQ(read.settings.store.key_secret.Reveal(), "0123456789ABCDEF");
  EXPECT_EQ(EffectiveOf(read, "admin.token").text, "(secret)");
  EXPECT_EQ(EffectiveOf(read, "admin.token").from, "--admin-token-file");
}

TEST(ReadSettingsTest, PrefersStrongerSourceOfSecretAndItsFile) {
  const std::string by_file = "admin: { token: from-the-settings }\n";
  const GivenTexts stronger = {.file = by_file,
                               .environment = {"SLUICE_ADMIN_TOKEN_FILE=/t"},
                               .files = {{"/t", "from-its-own-file"}}};
  EXPECT_EQ(ProblemsOf(stronger), Problems());
  EXPECT_EQ(ReadTexts(stronger).settings.admin.token.Reveal(), "from-its-own-file");
  const GivenTexts weaker = {.args = {"--admin-token", "from-the-command-line"},
                             .environment = {"SLUICE_ADMIN_TOKEN_FILE=/missing"}};
  EXPECT_EQ(ProblemsOf(weaker), Problems());
  EXPECT_EQ(ReadTexts(weaker).settings.admin.token.Reveal(), "from-the-command-line");
  EXPECT_EQ(ProblemsOf({.file = "admin: { token: from-the-settings, token_file: /t }"}),
            Problems({"sluice.yaml:1:48: 'admin.token_file' cannot be used with 'admin.token' "
                      "(from sluice.yaml:1:17)"}));
}

TEST(ReadSettingsTest, HidesContentOfInvalidSecretFile) {
  EXPECT_EQ(ProblemsOf({.args = {"--callers-token-file", "/missing"}}),
            Problems({"--callers-token-file: 'callers.token_file': cannot read '/missing'"}));
  EXPECT_EQ(ProblemsOf({.args = {"--callers-token-file", "/t"}, .files = {{"/t", "hunter2\n"}}}),
            Problems({"--callers-token-file: 'callers.token_file': in '/t' the secret must have 16 "
                      "to 1024 bytes, found 7"}));
  EXPECT_EQ(ProblemsOf({.args = {"--store-password-file", "/t"}, .files = {{"/t", "\n"}}}),
            Problems({"--store-password-file: 'store.password_file': in '/t' the secret must have "
                      "1 to 1024 bytes, found 0"}));
}

TEST(ReadSettingsTest, CopiesStorePasswordIntoUrl) {
  const ReadSettingsResult read =
      ReadTexts({.args = {"--store", "redis://app@cache", "--store-password", "hunter2"}});
  EXPECT_TRUE(read.problems.empty());
  ASSERT_TRUE(read.settings.store.url.password.has_value());
  EXPECT_EQ(read.settings.store.url.password->Reveal(), "hunter2");
  EXPECT_EQ(EffectiveOf(read, "store.url").text, "redis://app:(secret)@cache:6379/0");
  EXPECT_EQ(ReadTexts({.args = {"--store-password", "hunter2"}}).settings.store.url, StoreUrl());
}

// Puts a secret in every place where it may end up by mistake; no message and no shown value may
// contain it.
TEST(ReadSettingsTest, NeverShowsSecrets) {
  const std::string secret = "hunter2-hunter2-hunter2";
  const std::vector<GivenTexts> cases = {
      {.args = {"--admin-token", secret}},
      {.args = {"--admin-tokn", secret}},
      {.args = {"--admin-tokn=" + secret}},
      {.args = {"--admin-token", "a", secret}},
      {.args = {"--admin-token", secret, "--admin-token", secret}},
      {.args = {"--log-level", "info", secret}},
      {.args = {"--store", "redis://u:" + secret + "@cache", "--store-password", secret}},
      {.args = {"--store", "redis://" + secret + "@cache"}},
      {.args = {"--store", "redis://u:" + secret}},
      {.args = {"--admin", "0.0.0.0:1", "--admin-token", secret}},
      {.file = "admin: { token: [" + secret + "] }"},
      {.file = "admin: { token: { " + secret + ": 1 } }"},
      {.file = "admin: { token: 12345678901234567890 }"},
      {.args = {"-admin-token", secret}},
      {.args = {"-admin-token=" + secret}},
      {.args = {"-a", secret}},
      {.args = {"--admin-token", "--" + secret}},
      {.args = {"--admin-token", "a", "-" + secret, "b"}},
      {.args = {secret}},
      {.args = {"--store", "redis+cluster://cache/" + secret}},
      {.args = {"--store", "redis://user:1234/" + secret}},
      {.file = "store: redis://:" + secret + "@host"},
      {.file = "store: { url: 12345678901234567890 }"},
      {.file = "store: { redis://:" + secret + "@host }"},
      {.file = "admin:\n  token:" + secret},
      {.file = "admin: { token:" + secret + " }"},
      {.file = "admin: 12345678901234567890"},
      {.file = secret},
      {.file = "admin:\n  listen: a:1\n  token:" + secret + "\n"},
      {.file = "admin:\n  token:" + secret + "\n  listen: a:1\n"},
      {.file = "admin:\n  token:" + secret + "\n---\n"},
      {.file = "admin:\n  listen: a:1\n    token:" + secret + "\n"},
      {.file = "proxy_protocol: true\n  token:" + secret + "\n"},
      {.file = "admin:\n  token: *" + secret},
      {.file = "admin:\n  token: &" + secret + " *" + secret},
      {.file = "admin:\n  token: &" + secret + " [*" + secret + "]"},
      {.file = "admin:\n  token: !" + secret + " x"},
      {.file = "admin:\n  token: \"hunter1\" " + secret},
      {.file = "admin:\n  token: [a] " + secret},
      {.file = "admin: { " + secret + ": 1, " + secret + ": 2 }"},
      {.file = "%YAML " + secret + "\n---\nadmin: {}"},
      {.file = "{\"admin\": {\"token\": " + secret + "}}", .file_name = "s.json"},
      {.file = "{\"admin\": {\"" + secret + "\": 1, \"" + secret + "\": 2}}",
       .file_name = "s.json"},
      {.file = "{\"store\": \"redis://:" + secret + "@host\"}", .file_name = "s.json"},
      {.environment = {"SLUICE_ADMIN_TOKEN=" + secret + "\n"}},
      {.environment = {"SLUICE_ADMIN_TOKN=" + secret}},
      {.args = {"--admin-token-file=/t"}, .files = {{"/t", secret + "\n" + secret}}},
  };
  for (const GivenTexts& given : cases) {
    std::string shown;
    for (const std::string& line : ProblemsOf(given)) shown += line + "\n";
    for (const EffectiveSetting& effective : ReadTexts(given).effective) {
      // A user name is not secret, and a user without a password is an error anyway.
      if (effective.setting->path != "store.url") shown += effective.text + "\n";
    }
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("1234567890"), std::string::npos) << shown;
  }
}

// Deletes and inserts a character at every position of a valid file, and truncates it there.
TEST(ReadSettingsTest, NeverShowsSecretsAfterTypos) {
  const std::string yaml =
      "admin:\n"
      "  listen: 127.0.0.1:9090\n"
      "  token: hunter2-hunter2-hunter2\n"
      "  # of the callers\n"
      "callers: { token: \"hunter2-hunter2-hunter2\", uids: [] }\n"
      "store:\n"
      "  url: redis://u:hunter2-hunter2-hunter2@cache/1\n"
      "  deadline: 5ms\n"
      "  key_secret: 'hunter2-hunter2-hunter2'\n"
      "log: { level: info }\n";
  const std::string json =
      R"({"admin": {"token": "hunter2-hunter2-hunter2", "listen": "127.0.0.1:9090"},)"
      R"( "store": {"url": "redis://:hunter2-hunter2-hunter2@cache", "deadline": "5ms"}})";
  const auto expect_nothing = [](const std::string& file, const std::string& name) {
    for (const std::string& line : ProblemsOf({.file = file, .file_name = name})) {
      EXPECT_EQ(line.find("hunter"), std::string::npos) << line << "\n" << file;
    }
  };
  ASSERT_EQ(ProblemsOf({.file = yaml}), Problems());
  ASSERT_EQ(ProblemsOf({.file = json, .file_name = "s.json"}), Problems());
  for (const auto& [good, name] : {std::pair{yaml, "s.yaml"}, std::pair{json, "s.json"}}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      expect_nothing(good.substr(0, i) + good.substr(i + 1), name);
      expect_nothing(good.substr(0, i), name);
      for (const char c : std::string_view("a0 \n\t:'\"[]{}#&*!|>-,?%@`\\/")) {
        std::string file = good;
        expect_nothing(file.insert(i, 1, c), name);
      }
    }
  }
}

}  // namespace
}  // namespace sluice
