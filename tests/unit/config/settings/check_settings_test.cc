#include "config/settings/check_settings.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "unit/config/settings/settings_text.h"

namespace sluice {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kToken = "0123456789abcdef";

// Flags, and the single problem that each combination has.
using BadFlags = std::vector<std::pair<Texts, std::string>>;

void ExpectProblems(const BadFlags& cases) {
  for (const auto& [args, expected] : cases) {
    EXPECT_EQ(ProblemsOf({.args = args}), Problems({expected}));
  }
}

TEST(CheckSettingsTest, RequiresProtectionForReachableAdminAddress) {
  const std::string admin_needs =
      " can be reached from other machines and needs 'admin.token', 'admin.token_file', or "
      "'tls.client_ca' with 'tls.clients' required";
  ExpectProblems({
      {{"--admin", "0.0.0.0:9090"},
       "--admin: 'admin.listen' (0.0.0.0:9090, from --admin)" + admin_needs},
      {{"--admin", "sluice.example.org:9090"},
       "--admin: 'admin.listen' (sluice.example.org:9090, from --admin)" + admin_needs},
      {{"--admin=[::]:9090", "--tls-certificate=c", "--tls-key=k"},
       "--admin: 'admin.listen' ([::]:9090, from --admin)" + admin_needs},
      {{"--admin=[::]:9090", "--tls-certificate=c", "--tls-key=k", "--tls-client-ca=a",
        "--tls-clients=optional"},
       "--admin: 'admin.listen' ([::]:9090, from --admin)" + admin_needs},
      {{"--admin", "0.0.0.0:9090", "--admin-token", kToken},
       "--admin: warning: the token for 'admin.listen' (0.0.0.0:9090, from --admin) crosses the "
       "network in the clear; 'tls.certificate' would hide it"},
  });
}

TEST(CheckSettingsTest, RejectsTlsOptionsWithoutTheirCertificates) {
  ExpectProblems({
      {{"--tls-certificate", "c"},
       "--tls-certificate: 'tls.certificate' (c, from --tls-certificate) needs 'tls.key', which is "
       "not set"},
      {{"--tls-key", "k"},
       "--tls-key: 'tls.key' (k, from --tls-key) needs 'tls.certificate', which is not set"},
      {{"--tls-client-ca", "a"},
       "--tls-client-ca: 'tls.client_ca' (a, from --tls-client-ca) needs 'tls.certificate', which "
       "is not set"},
      {{"--tls-min-version", "TLSv1.3"},
       "--tls-min-version: 'tls.min_version' (TLSv1.3, from --tls-min-version) needs "
       "'tls.certificate', which is not set"},
      {{"--tls-clients", "required"},
       "--tls-clients: 'tls.clients' (required, from --tls-clients) needs 'tls.client_ca', which "
       "is not set"},
      {{"--tls-client-names", "a,b"},
       "--tls-client-names: 'tls.client_names' (a, b, from --tls-client-names) needs "
       "'tls.client_ca', which is not set"},
      {{"--callers-names", "a"},
       "--callers-names: 'callers.names' (a, from --callers-names) needs 'tls.client_ca', which is "
       "not set"},
  });
}

TEST(CheckSettingsTest, RejectsConflictingAddressesAndProxies) {
  ExpectProblems({
      {{"--callers-uids", "0"},
       "--callers-uids: warning: 'callers.uids' (0, from --callers-uids) has no effect; 'listen' "
       "(127.0.0.1:8080, by default) has no Unix socket"},
      {{"--listen="}, "--listen: 'listen' (from --listen) must have at least one address"},
      {{"--listen", "127.0.0.1:1,unix:/a,127.0.0.1:1"},
       "--listen: 'listen' (127.0.0.1:1, unix:/a, 127.0.0.1:1, from --listen) cannot have both "
       "127.0.0.1:1 and 127.0.0.1:1"},
      {{"--listen", "unix:/a,127.0.0.1:1,127.0.0.1:1"},
       "--listen: 'listen' (unix:/a, 127.0.0.1:1, 127.0.0.1:1, from --listen) cannot have both "
       "127.0.0.1:1 and 127.0.0.1:1"},
      {{"--listen", "0.0.0.0:1,127.0.0.1:1"},
       "--listen: 'listen' (0.0.0.0:1, 127.0.0.1:1, from --listen) cannot have both 0.0.0.0:1 and "
       "127.0.0.1:1"},
      {{"--listen", "127.0.0.1:9090"},
       "--listen: 'admin.listen' (127.0.0.1:9090, by default) cannot be used with 127.0.0.1:9090 "
       "of 'listen' (127.0.0.1:9090, from --listen)"},
      {{"--listen", "unix:/a", "--admin", "unix:/a"},
       "--admin: 'admin.listen' (unix:/a, from --admin) cannot be used with unix:/a of 'listen' "
       "(unix:/a, from --listen)"},
      {{"--proxy-protocol", "--trusted-proxies", "unix"},
       "--proxy-protocol: 'proxy_protocol' (true, from --proxy-protocol) needs an address in "
       "'trusted_proxies' (unix, from --trusted-proxies)"},
      {{"--trusted-proxies", "::/0"},
       "--trusted-proxies: warning: 'trusted_proxies' (::/0, from --trusted-proxies) trusts "
       "everyone, so any client can claim to be any other"},
  });
}

TEST(CheckSettingsTest, RejectsConflictingStoreBoundsAndDrain) {
  ExpectProblems({
      {{"--store", "redis://:pw@a", "--store-password", "pw"},
       "--store: 'store.url' (redis://:(secret)@a:6379/0, from --store) has a password, and so has "
       "'store.password' (from --store-password)"},
      {{"--store", "redis://app@a"},
       "--store: 'store.url' has a user but no password; expected USER:PASSWORD@, :PASSWORD@, or a "
       "'store.password'"},
      {{"--bounds-streams", "1001"},
       "--bounds-streams: 'bounds.streams' (1001, from --bounds-streams) must be at most "
       "'bounds.connection_requests' (1000, by default)"},
      {{"--bounds-connection-requests", "99"},
       "--bounds-connection-requests: 'bounds.streams' (100, by default) must be at most "
       "'bounds.connection_requests' (99, from --bounds-connection-requests)"},
      {{"--bounds-bytes", "2MiB"},
       "--bounds-bytes: 'bounds.connection_bytes' (4MiB, by default) must be at most "
       "'bounds.bytes' (2MiB, from --bounds-bytes)"},
      {{"--bounds-request-bytes", "4MiB"},
       "--bounds-request-bytes: 'bounds.request_bytes' (4MiB, from --bounds-request-bytes) and "
       "'bounds.header_bytes' (16KiB, by default) together must be at most "
       "'bounds.connection_bytes' (4MiB, by default)"},
      {{"--drain-delay", "25s"},
       "--drain-delay: 'drain.delay' (25s, from --drain-delay) must be below 'drain.deadline' "
       "(25s, by default)"},
      {{"--drain-delay", "16s"},
       "--drain-delay: warning: 'drain.deadline' (25s, by default) less 'drain.delay' (16s, from "
       "--drain-delay) is below 'deadlines.write' (10s, by default); slow replies will be cut off"},
  });
}

TEST(CheckSettingsTest, ComparesValuesFromDifferentSources) {
  EXPECT_EQ(
      ProblemsOf({.file = "drain: { deadline: 20s }", .environment = {"SLUICE_DRAIN_DELAY=30s"}}),
      Problems({"SLUICE_DRAIN_DELAY: 'drain.delay' (30s, from SLUICE_DRAIN_DELAY) must be "
                "below 'drain.deadline' (20s, from sluice.yaml:1:20)"}));
}

TEST(CheckSettingsTest, AcceptsConsistentSettings) {
  const std::vector<Texts> cases = {
      {"--admin", "unix:/admin"},
      {"--admin", "localhost:9090"},
      {"--admin=0.0.0.0:9090", "--admin-token", kToken, "--tls-certificate=c", "--tls-key=k"},
      {"--admin=0.0.0.0:9090", "--tls-certificate=c", "--tls-key=k", "--tls-client-ca=a"},
      {"--admin=0.0.0.0:9090", "--tls-certificate=c", "--tls-key=k", "--tls-client-ca=a",
       "--tls-clients=optional", "--admin-token", kToken},
      {"--listen", "127.0.0.1:0,127.0.0.1:0"},
      {"--listen", "127.0.0.1:80,[::1]:80,unix:/a,unix:/b", "--callers-uids=1000"},
      {"--proxy-protocol", "--trusted-proxies", "10.0.0.0/8"},
      {"--trusted-proxies="},
      {"--store", "redis://app@a", "--store-password", "pw"},
      {"--store", "redis://app:@a"},
      {"--store-password", "pw"},
      {"--drain-delay", "15s"},
      {"--bounds-request-bytes=4080KiB"},
      {"--bounds-streams=1000"},
  };
  for (const Texts& args : cases) EXPECT_EQ(ProblemsOf({.args = args}), Problems()) << args[0];
}

TEST(CheckSettingsTest, SkipsConflictsOfInvalidSettings) {
  EXPECT_EQ(ProblemsOf({.args = {"--admin", "0.0.0.0:1", "--admin-token", "short"}}),
            Problems({"--admin-token: 'admin.token': the secret must have 16 to 1024 bytes, found "
                      "5"}));
  EXPECT_EQ(ProblemsOf({.args = {"--tls-certificate", "c", "--tls-key="}}),
            Problems({"--tls-key: 'tls.key' must not be empty"}));
  EXPECT_EQ(ProblemsOf({.args = {"--admin=0.0.0.0:1", "--admin-token-file=/missing"}}),
            Problems({"--admin: warning: the token for 'admin.listen' (0.0.0.0:1, from --admin) "
                      "crosses the network in the clear; 'tls.certificate' would hide it",
                      "--admin-token-file: 'admin.token_file': cannot read '/missing'"}));
}

}  // namespace
}  // namespace sluice
