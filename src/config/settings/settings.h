// Settings: the configuration of a server, read once at start.
//
// Every member is a row of the settings table (setting.h), which defines its name, meaning and
// range. The values here are the defaults.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "base/enum_name.h"
#include "base/log_level.h"
#include "base/tls_choices.h"
#include "config/settings/address.h"
#include "config/settings/secret.h"
#include "config/settings/setting_values.h"
#include "config/settings/size.h"
#include "config/settings/store_url.h"
#include "core/caller_policy.h"
#include "core/header_profile.h"
#include "sluice/time.h"

namespace sluice {

enum class LogFormat : std::uint8_t { kAuto, kText, kJson };

inline constexpr std::array kLogFormatWords = {
    EnumName<LogFormat>{"auto", LogFormat::kAuto},
    EnumName<LogFormat>{"text", LogFormat::kText},
    EnumName<LogFormat>{"json", LogFormat::kJson},
};

inline constexpr std::array kClientHeaderWords = {
    EnumName<ClientHeader>{"either", ClientHeader::kEither},
    EnumName<ClientHeader>{"x-forwarded-for", ClientHeader::kXForwardedFor},
    EnumName<ClientHeader>{"forwarded", ClientHeader::kForwarded},
};
inline constexpr std::array kUnknownDomainWords = {
    EnumName<UnknownDomain>{"pass", UnknownDomain::kPass},
    EnumName<UnknownDomain>{"refuse", UnknownDomain::kRefuse},
};

constexpr std::span<const EnumName<ClientHeader>> WordsFor(ClientHeader) {
  return kClientHeaderWords;
}
constexpr std::span<const EnumName<UnknownDomain>> WordsFor(UnknownDomain) {
  return kUnknownDomainWords;
}
constexpr std::span<const EnumName<LogFormat>> WordsFor(LogFormat) { return kLogFormatWords; }

// The admin address: health, metrics, rules and settings in force, and the log level.
struct AdminSettings {
  Address listen = TcpAddress{"127.0.0.1", IpAddress::FromV4(0x7F00'0001), 9090};
  Secret token;
  FilePath token_file;
  std::vector<CertificateName> client_names;  // if empty, TlsSettings::client_names apply
};

// TLS of every TCP listener; in use only if a certificate is set.
struct TlsSettings {
  FilePath certificate;
  FilePath key;
  FilePath client_ca;
  FilePath client_crl;
  ClientCertificates clients = ClientCertificates::kRequired;
  std::vector<CertificateName> client_names;  // if empty, any name is accepted
  TlsVersion min_version = TlsVersion::k12;
};

// Callers that may lift limits on the service port: reset, refund, lease, override.
struct CallerSettings {
  std::vector<CertificateName> names;
  Secret token;
  FilePath token_file;
  std::vector<UserId> uids;
  bool loopback = false;
};

struct StoreSettings {
  StoreUrl url;
  Secret password;
  FilePath password_file;
  Bytes memory = GiB(1);
  std::int64_t cache_percent = 25;  // of memory
  std::int64_t lease_keys = 100'000;
  std::int64_t eventual_keys = 100'000;
  std::int64_t deny_cache_keys = 100'000;
  FilePath snapshot;
  Nanos deadline = std::chrono::milliseconds{5};
  Nanos sync_interval = std::chrono::milliseconds{100};
  Secret key_secret;
  FilePath key_secret_file;
  KeyPrefix key_prefix = {"sluice:"};
  std::int64_t nodes = 1;  // until the nodes have counted each other
  FilePath nodes_file;
};

// Maximum resources that peers may use. Requests above a bound are refused or wait in the socket.
struct BoundSettings {
  std::int64_t connections = 10'000;
  std::int64_t connection_requests = 1000;  // in flight on one connection
  std::int64_t streams = 100;               // HTTP/2 streams on one connection
  Bytes bytes = MiB(256);                   // buffered for all connections
  Bytes connection_bytes = MiB(4);          // buffered for one connection
  Bytes request_bytes = MiB(1);             // body of one request
  Bytes header_bytes = KiB(16);             // headers of one request
  std::int64_t header_fields = 100;         // headers of one request
  std::int64_t checks = 1000;               // in one request
};

// Timeouts after which a connection is closed.
struct DeadlineSettings {
  Nanos idle = std::chrono::minutes{5};
  Nanos header = std::chrono::seconds{5};
  Nanos body = std::chrono::seconds{10};
  Nanos write = std::chrono::seconds{10};
  Nanos age = std::chrono::hours{1};  // 0: no limit
};

struct DrainSettings {
  Nanos delay = Nanos{0};
  Nanos deadline = std::chrono::seconds{25};  // below the 30 seconds after which Kubernetes kills
};

struct HeaderSettings {
  HeaderProfile profile = HeaderProfile::kIetf;
  Nanos retry_after_jitter = Nanos{0};
};

// Envoy's rate limit service (RLS).
struct RlsSettings {
  bool dynamic_metadata = false;
};

struct LogSettings {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kAuto;
};

// Plain data without synchronization.
struct Settings {
  std::vector<FilePath> rules;
  std::vector<Address> listen = {TcpAddress{"127.0.0.1", IpAddress::FromV4(0x7F00'0001), 8080}};
  bool proxy_protocol = false;
  TrustedProxies trusted_proxies = LocalProxies();
  ClientHeader client_header = ClientHeader::kEither;
  UnknownDomain unknown_domain = UnknownDomain::kPass;
  AdminSettings admin;
  TlsSettings tls;
  CallerSettings callers;
  StoreSettings store;
  BoundSettings bounds;
  DeadlineSettings deadlines;
  DrainSettings drain;
  HeaderSettings headers;
  RlsSettings rls;
  LogSettings log;
  bool core_dumps = false;
};

}  // namespace sluice
