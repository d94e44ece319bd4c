// RedisConnector: creates the Redis clients for a store URL.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/settings/store_url.h"
#include "net/loop/endpoint.h"
#include "redis/redis_client.h"
#include "redis/redis_node.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice::cli {

// Created once, which reads the TLS files. Each worker then connects a client of its own.
//
// Sentinels get the password of the URL for their default user, because the user of the URL belongs
// to the primary. A Sentinel without a password accepts any.
//
// Thread safety: immutable. Ownership: clients do not refer to it.
class RedisConnector {
 public:
  // Returns whether the URL is one of a Redis store.
  static bool IsFor(const StoreUrl& url);

  // Returns an error if a TLS file cannot be read or used; the error names the file and contains no
  // secret. `deadline` is the maximum time a server may take to answer a request. REQUIRES:
  // IsFor(url).
  static Result<RedisConnector> Make(const StoreUrl& url, Nanos deadline);

  // Creates a client and starts to connect. The parts must outlive the client.
  [[nodiscard]] std::unique_ptr<RedisClient> Connect(const RedisParts& parts) const;

  // Returns the server, the Sentinels, or the seed nodes of the cluster.
  [[nodiscard]] const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  // Return the settings of connections to servers and to Sentinels.
  [[nodiscard]] const RedisNodeSettings& node() const { return node_; }
  [[nodiscard]] RedisNodeSettings sentinel() const;

 private:
  RedisConnector(const StoreUrl& url, Nanos deadline);

  StoreUrl::Kind kind_;
  std::string primary_;  // its name in the Sentinel configuration
  std::vector<Endpoint> endpoints_;
  RedisNodeSettings node_;
};

}  // namespace sluice::cli
