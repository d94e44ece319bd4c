// StoreUrl: the location of the store that keeps the states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings/address.h"
#include "config/settings/secret.h"
#include "sluice/result.h"

namespace sluice {

struct StoreUrl {
  enum class Kind : std::uint8_t { kMemory, kRedis, kSentinel, kCluster };

  // TLS options. The paths of files are empty if not given: then the system's CA certificates are
  // trusted, no client certificate is sent, and the server must prove to be the host of the URL.
  struct Tls {
    std::string ca;
    std::string certificate;
    std::string key;
    std::string server_name;

    friend bool operator==(const Tls&, const Tls&) = default;
  };

  Kind kind = Kind::kMemory;
  std::vector<TcpAddress> hosts;  // the server, the sentinels, or seed nodes of the cluster
  std::string socket;             // path of the Unix socket, if kRedis has no hosts
  std::string user;
  std::optional<Secret> password;
  std::string primary;  // its name in the Sentinel configuration
  int database = 0;
  std::optional<Tls> tls;

  friend bool operator==(const StoreUrl&, const StoreUrl&) = default;
};

// Parses one of
//   memory
//   redis://[[USER]:PASSWORD@]HOST[:6379][/DATABASE]                      rediss:// uses TLS
//   redis+unix://[[USER]:PASSWORD@]/PATH[?database=DATABASE]
//   redis+sentinel://[[USER]:PASSWORD@]HOST[:26379],.../PRIMARY[/DATABASE]
//   redis+cluster://[[USER]:PASSWORD@]HOST[:6379],...
// All but memory and redis+unix:// take ?tls=true and, with TLS, &ca=PATH&certificate=PATH
// &key=PATH&server_name=NAME. User, password, path, primary and parameters are percent-decoded.
//
// No error quotes text that may be a user or a password, not even if a character of the password
// should have been percent-encoded and the URL is therefore split in the wrong place.
Result<StoreUrl> ParseStoreUrl(std::string_view text);

// Formats the URL with every port explicit and the password as "(secret)". Except for the password,
// ParseStoreUrl returns the same StoreUrl.
std::string FormatStoreUrl(const StoreUrl& url);

}  // namespace sluice
