// Checks that every row of the settings table is stored in the member that its path names.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <variant>

#include "config/settings/setting.h"
#include "unit/config/settings/settings_text.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Sets every setting, with a value of its own where the type allows it.
constexpr const char* kAll = R"(
rules: [r1, r2]
listen: [127.0.0.1:1, unix:/listen]
proxy_protocol: true
trusted_proxies: [10.0.0.0/8]
client_header: forwarded
unknown_domain: refuse
admin: { listen: 127.0.0.1:2, token_file: /admin_token, client_names: [probe] }
tls:
  certificate: certificate
  key: key
  client_ca: client_ca
  client_crl: client_crl
  clients: optional
  client_names: [Client.Example.org, "spiffe://Example.org/A", "*.Example.org", "2001:DB8::0"]
  min_version: TLSv1.3
callers: { loopback: true, names: [caller], token_file: /caller_token, uids: [5, 6] }
store:
  url: redis://cache
  password_file: /password
  memory: 17MiB
  cache_percent: 31
  lease_keys: 32
  eventual_keys: 33
  deny_cache_keys: 34
  snapshot: snapshot
  deadline: 11ms
  sync_interval: 12ms
  key_secret_file: /key_secret
  key_prefix: "shop:"
  nodes: 7
  nodes_file: nodes
bounds:
  connections: 101
  connection_requests: 1009
  streams: 104
  bytes: 105MiB
  connection_bytes: 16MiB
  request_bytes: 107KiB
  header_bytes: 108KiB
  header_fields: 109
  checks: 110
deadlines: { idle: 21s, header: 22s, body: 23s, write: 24s, age: 28s }
drain: { delay: 25s, deadline: 60s }
headers: { profile: github, retry_after_jitter: 27s }
rls: { dynamic_metadata: true }
log: { level: error, format: text }
core_dumps: true
)";

GivenTexts AllGiven() {
  GivenTexts given{.file = kAll};
  given.files = {{"/admin_token", "the-admin-token-"},
                 {"/caller_token", "the-caller-token"},
                 {"/password", "the-password"},
                 {"/key_secret", "the-key-secret--"}};
  return given;
}

Settings ReadAll() {
  EXPECT_EQ(ProblemsOf(AllGiven()), Problems());
  return ReadTexts(AllGiven()).settings;
}

TEST(SettingsMembersTest, ReplacesEveryDefault) {
  for (const EffectiveSetting& effective : ReadTexts(AllGiven()).effective) {
    EXPECT_NE(effective.from, "default") << effective.setting->path;
  }
}

TEST(SettingsMembersTest, StoresSettingsInDistinctMembers) {
  Settings settings;
  std::set<const void*> members;
  for (const Setting& setting : AllSettings()) {
    const void* member =
        std::visit([&](auto slot) -> const void* { return &slot(settings); }, setting.slot);
    EXPECT_TRUE(members.insert(member).second) << setting.path;
  }
}

TEST(SettingsMembersTest, StoresListenerSettings) {
  const Settings read = ReadAll();
  EXPECT_EQ(read.rules, (std::vector<FilePath>{{"r1"}, {"r2"}}));
  ASSERT_EQ(read.listen.size(), 2U);
  EXPECT_EQ(FormatAddress(read.listen[0]), "127.0.0.1:1");
  EXPECT_EQ(FormatAddress(read.listen[1]), "unix:/listen");
  EXPECT_TRUE(read.proxy_protocol);
  EXPECT_EQ(read.trusted_proxies, (TrustedProxies{{ParseIpPrefix("10.0.0.0/8").value()}, false}));
  EXPECT_EQ(FormatAddress(read.admin.listen), "127.0.0.1:2");
  EXPECT_EQ(read.admin.token.Reveal(), "the-admin-token-");
  EXPECT_EQ(read.admin.token_file.text, "/admin_token");
  EXPECT_EQ(read.tls.certificate.text, "certificate");
  EXPECT_EQ(read.tls.key.text, "key");
  EXPECT_EQ(read.tls.client_ca.text, "client_ca");
  EXPECT_EQ(read.tls.client_crl.text, "client_crl");
  EXPECT_EQ(read.admin.client_names, (std::vector<CertificateName>{{"probe"}}));
  EXPECT_EQ(read.tls.clients, ClientCertificates::kOptional);
  EXPECT_EQ(
      read.tls.client_names,
      (std::vector<CertificateName>{
          {"client.example.org"}, {"spiffe://Example.org/A"}, {"*.example.org"}, {"2001:db8::"}}));
  EXPECT_EQ(read.tls.min_version, TlsVersion::k13);
  EXPECT_TRUE(read.callers.loopback);
  EXPECT_EQ(read.callers.names, (std::vector<CertificateName>{{"caller"}}));
  EXPECT_EQ(read.callers.token.Reveal(), "the-caller-token");
  EXPECT_EQ(read.callers.token_file.text, "/caller_token");
  EXPECT_EQ(read.callers.uids, (std::vector<UserId>{{5}, {6}}));
}

TEST(SettingsMembersTest, StoresStoreSettings) {
  const StoreSettings store = ReadAll().store;
  EXPECT_EQ(FormatStoreUrl(store.url), "redis://:(secret)@cache:6379/0");
  EXPECT_EQ(store.password.Reveal(), "the-password");
  EXPECT_EQ(store.password_file.text, "/password");
  EXPECT_EQ(store.memory, MiB(17));
  EXPECT_EQ(store.cache_percent, 31);
  EXPECT_EQ(store.lease_keys, 32);
  EXPECT_EQ(store.eventual_keys, 33);
  EXPECT_EQ(store.deny_cache_keys, 34);
  EXPECT_EQ(store.snapshot.text, "snapshot");
  EXPECT_EQ(store.deadline, milliseconds{11});
  EXPECT_EQ(store.sync_interval, milliseconds{12});
  EXPECT_EQ(store.key_secret.Reveal(), "the-key-secret--");
  EXPECT_EQ(store.key_secret_file.text, "/key_secret");
  EXPECT_EQ(store.key_prefix.text, "shop:");
  EXPECT_EQ(store.nodes, 7);
  EXPECT_EQ(store.nodes_file.text, "nodes");
}

TEST(SettingsMembersTest, StoresBoundsAndRemainingSettings) {
  const Settings read = ReadAll();
  EXPECT_EQ(read.bounds.connections, 101);
  EXPECT_EQ(read.bounds.connection_requests, 1009);
  EXPECT_EQ(read.bounds.streams, 104);
  EXPECT_EQ(read.bounds.bytes, MiB(105));
  EXPECT_EQ(read.bounds.connection_bytes, MiB(16));
  EXPECT_EQ(read.bounds.request_bytes, KiB(107));
  EXPECT_EQ(read.bounds.header_bytes, KiB(108));
  EXPECT_EQ(read.bounds.header_fields, 109);
  EXPECT_EQ(read.bounds.checks, 110);
  EXPECT_EQ(read.deadlines.idle, seconds{21});
  EXPECT_EQ(read.deadlines.header, seconds{22});
  EXPECT_EQ(read.deadlines.body, seconds{23});
  EXPECT_EQ(read.deadlines.write, seconds{24});
  EXPECT_EQ(read.deadlines.age, seconds{28});
  EXPECT_TRUE(read.core_dumps);
  EXPECT_EQ(read.drain.delay, seconds{25});
  EXPECT_EQ(read.drain.deadline, seconds{60});
  EXPECT_EQ(read.headers.profile, HeaderProfile::kGithub);
  EXPECT_EQ(read.headers.retry_after_jitter, seconds{27});
  EXPECT_TRUE(read.rls.dynamic_metadata);
  EXPECT_EQ(read.client_header, ClientHeader::kForwarded);
  EXPECT_EQ(read.unknown_domain, UnknownDomain::kRefuse);
  EXPECT_EQ(read.log.level, LogLevel::kError);
  EXPECT_EQ(read.log.format, LogFormat::kText);
}

}  // namespace
}  // namespace sluice
