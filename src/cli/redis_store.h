// RedisStore: how the redis of a store's URL is reached.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/store_url.h"
#include "net/endpoint.h"
#include "remote/redis_client.h"
#include "remote/redis_node.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice::cli {

// Made once: the files of TLS are read then. Each worker has a client of its own.
//
// Sentinels are shown the password as their default user: one that asks for none takes any, and the
// user of the URL is the primary's.
//
// Thread safety: immutable. Ownership: clients do not refer to it.
class RedisStore {
 public:
  // Whether the URL names a redis.
  static bool IsFor(const StoreUrl& url);

  // An error where a file of TLS cannot be read or used; it says which, and nothing secret. A
  // server that takes longer than the deadline is too slow. REQUIRES: IsFor(url).
  static Result<RedisStore> Make(const StoreUrl& url, Nanos deadline);

  // Begins to connect. The parts outlive the client.
  [[nodiscard]] std::unique_ptr<RedisClient> Connect(const RedisParts& parts) const;

  // The server; the sentinels; nodes of the cluster to begin with.
  [[nodiscard]] const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  // How servers are reached, and sentinels.
  [[nodiscard]] const RedisNodeSettings& node() const { return node_; }
  [[nodiscard]] RedisNodeSettings sentinel() const;

 private:
  RedisStore(const StoreUrl& url, Nanos deadline);

  StoreUrl::Kind kind_;
  std::string primary_;  // as sentinels know it
  std::vector<Endpoint> endpoints_;
  RedisNodeSettings node_;
};

}  // namespace sluice::cli
