#include "server/redis_connector.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/text.h"
#include "config/syntax/file_text.h"
#include "net/tls/tls_client_session.h"
#include "redis/redis_cluster.h"
#include "redis/redis_sentinel.h"
#include "server/endpoint_of.h"

namespace sluice::cli {
namespace {

using Kind = StoreUrl::Kind;

// Returns the contents of a PEM file, or an empty text if no file is named.
Result<std::string> ReadPem(const std::string& path) {
  if (path.empty()) return std::string();
  Result<std::string> text = ReadFileText(path);
  if (text.ok()) return text;
  return Error{Concat(Quoted(path), " of the store ", text.error().message)};
}

Result<RedisTls> ReadTls(const StoreUrl::Tls& tls) {
  TlsClientTexts texts;
  for (const auto& [path, text] :
       {std::pair(&tls.ca, &texts.ca), std::pair(&tls.certificate, &texts.certificate),
        std::pair(&tls.key, &texts.key)}) {
    Result<std::string> read = ReadPem(*path);
    if (!read.ok()) return read.error();
    *text = std::move(read).value();
  }
  Result<std::shared_ptr<const TlsClientContext>> context = TlsClientContext::Make(texts);
  if (!context.ok()) return Error{Concat("TLS of the store: ", context.error().message)};
  return RedisTls{std::move(context).value(), tls.server_name};
}

std::vector<TcpEndpoint> TcpOf(const std::vector<Endpoint>& endpoints) {
  std::vector<TcpEndpoint> all;
  for (const Endpoint& endpoint : endpoints) {
    if (const auto* const tcp = std::get_if<TcpEndpoint>(&endpoint)) all.push_back(*tcp);
  }
  return all;
}

}  // namespace

bool RedisConnector::IsFor(const StoreUrl& url) {
  return url.kind == Kind::kRedis || url.kind == Kind::kSentinel || url.kind == Kind::kCluster;
}

RedisConnector::RedisConnector(const StoreUrl& url, Nanos deadline)
    : kind_(url.kind), primary_(url.primary) {
  for (const TcpAddress& host : url.hosts) endpoints_.push_back(EndpointOf(host));
  if (!url.socket.empty()) endpoints_.emplace_back(UnixEndpoint{url.socket});
  RedisGreeting& greeting = node_.connection.greeting;
  greeting.user = url.user;
  if (url.password) greeting.password = url.password->Reveal();
  greeting.database = url.database;
  node_.timeout = deadline;
  // A longer deadline extends these timeouts, because a server that may still answer in time must
  // not be disconnected.
  RedisTimeouts& timeouts = node_.connection.timeouts;
  timeouts.max_connect = std::max(timeouts.max_connect, deadline);
  timeouts.max_silence = std::max(timeouts.max_silence, deadline);
}

Result<RedisConnector> RedisConnector::Make(const StoreUrl& url, Nanos deadline) {
  RedisConnector store(url, deadline);
  if (!url.tls) return store;
  Result<RedisTls> tls = ReadTls(*url.tls);
  if (!tls.ok()) return tls.error();
  store.node_.connection.tls = std::move(tls).value();
  return store;
}

RedisNodeSettings RedisConnector::sentinel() const {
  RedisNodeSettings settings = node_;
  settings.connection.greeting.user.clear();
  settings.connection.greeting.database = 0;
  // The deadline of requests does not apply, because no request waits for a Sentinel.
  settings.timeout = RedisNodeSettings().timeout;
  settings.connection.timeouts = RedisTimeouts();
  return settings;
}

std::unique_ptr<RedisClient> RedisConnector::Connect(const RedisParts& parts) const {
  switch (kind_) {
    case Kind::kSentinel:
      return std::make_unique<RedisSentinel>(parts,
                                             RedisSentinelSettings{.sentinels = TcpOf(endpoints_),
                                                                   .primary = primary_,
                                                                   .sentinel = sentinel(),
                                                                   .node = node_});
    case Kind::kCluster:
      return std::make_unique<RedisCluster>(
          parts, RedisClusterSettings{.seeds = TcpOf(endpoints_), .node = node_});
    default:
      return std::make_unique<RedisSingle>(parts, endpoints_.front(), node_);
  }
}

}  // namespace sluice::cli
