// Settings: what a server is told once, when it starts.
//
// Every member is one row of the table of settings (setting.h), which says how it is written,
// what it means and within which bounds it lies. The values here are the defaults.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "config/address.h"
#include "config/secret.h"
#include "config/setting_values.h"
#include "config/size.h"
#include "config/store_url.h"
#include "core/caller_policy.h"
#include "core/header_profile.h"
#include "core/limit_words.h"
#include "sluice/time.h"

namespace sluice {

enum class TlsVersion : std::uint8_t { k12, k13 };
enum class ClientCertificates : std::uint8_t { kRequired, kOptional };
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : std::uint8_t { kAuto, kText, kJson };

inline constexpr std::array kTlsVersionWords = {
    Word<TlsVersion>{"TLSv1.2", TlsVersion::k12},
    Word<TlsVersion>{"TLSv1.3", TlsVersion::k13},
};
inline constexpr std::array kClientCertificateWords = {
    Word<ClientCertificates>{"required", ClientCertificates::kRequired},
    Word<ClientCertificates>{"optional", ClientCertificates::kOptional},
};
inline constexpr std::array kLogLevelWords = {
    Word<LogLevel>{"debug", LogLevel::kDebug},
    Word<LogLevel>{"info", LogLevel::kInfo},
    Word<LogLevel>{"warning", LogLevel::kWarning},
    Word<LogLevel>{"error", LogLevel::kError},
};
inline constexpr std::array kLogFormatWords = {
    Word<LogFormat>{"auto", LogFormat::kAuto},
    Word<LogFormat>{"text", LogFormat::kText},
    Word<LogFormat>{"json", LogFormat::kJson},
};

inline constexpr std::array kClientHeaderWords = {
    Word<ClientHeader>{"either", ClientHeader::kEither},
    Word<ClientHeader>{"x-forwarded-for", ClientHeader::kXForwardedFor},
    Word<ClientHeader>{"forwarded", ClientHeader::kForwarded},
};
inline constexpr std::array kUnknownDomainWords = {
    Word<UnknownDomain>{"pass", UnknownDomain::kPass},
    Word<UnknownDomain>{"refuse", UnknownDomain::kRefuse},
};

constexpr std::span<const Word<ClientHeader>> WordsFor(ClientHeader) { return kClientHeaderWords; }
constexpr std::span<const Word<UnknownDomain>> WordsFor(UnknownDomain) {
  return kUnknownDomainWords;
}
constexpr std::span<const Word<TlsVersion>> WordsFor(TlsVersion) { return kTlsVersionWords; }
constexpr std::span<const Word<ClientCertificates>> WordsFor(ClientCertificates) {
  return kClientCertificateWords;
}
constexpr std::span<const Word<LogLevel>> WordsFor(LogLevel) { return kLogLevelWords; }
constexpr std::span<const Word<LogFormat>> WordsFor(LogFormat) { return kLogFormatWords; }

// Health, metrics, the rules and settings in force, and the level of the log.
struct AdminSettings {
  Address listen = TcpAddress{"127.0.0.1", IpAddress::FromV4(0x7F00'0001), 9090};
  Secret token;
  FilePath token_file;
  std::vector<CertificateName> client_names;  // those of TlsSettings, where there are none
};

// Of every TCP listener, where there is a certificate.
struct TlsSettings {
  FilePath certificate;
  FilePath key;
  FilePath client_ca;
  FilePath client_crl;
  ClientCertificates clients = ClientCertificates::kRequired;
  std::vector<CertificateName> client_names;  // any, where there are none
  TlsVersion min_version = TlsVersion::k12;
};

// Who may lift limits on the service port: reset, refund, lease, override.
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
  std::int64_t nodes = 1;  // until they have counted each other
  FilePath nodes_file;
};

// What peers may take up at most; more is refused or waits in their sockets.
struct BoundSettings {
  std::int64_t connections = 10'000;
  std::int64_t connection_requests = 1000;  // in flight on one connection
  std::int64_t streams = 100;               // of HTTP/2 on one connection
  Bytes bytes = MiB(256);                   // kept for all connections
  Bytes connection_bytes = MiB(4);          // buffered for one connection
  Bytes request_bytes = MiB(1);             // body of one request
  Bytes header_bytes = KiB(16);             // of one request
  std::int64_t header_fields = 100;         // of one request
  std::int64_t checks = 1000;               // in one request
};

// After which a connection is closed.
struct DeadlineSettings {
  Nanos idle = std::chrono::minutes{5};
  Nanos header = std::chrono::seconds{5};
  Nanos body = std::chrono::seconds{10};
  Nanos write = std::chrono::seconds{10};
  Nanos age = std::chrono::hours{1};  // 0: none
};

struct DrainSettings {
  Nanos delay = Nanos{0};
  Nanos deadline = std::chrono::seconds{25};  // Kubernetes kills after 30
};

struct HeaderSettings {
  HeaderProfile profile = HeaderProfile::kIetf;
  Nanos retry_after_jitter = Nanos{0};
};

// Envoy's rate limit service.
struct RlsSettings {
  bool dynamic_metadata = false;
};

struct LogSettings {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kAuto;
};

// Plain values. Thread safety: a value.
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
