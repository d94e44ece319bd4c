// StoreUrl: where state is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/address.h"
#include "config/secret.h"
#include "sluice/result.h"

namespace sluice {

struct StoreUrl {
  enum class Kind : std::uint8_t { kMemory, kRedis, kSentinel, kCluster };

  // How the other side is known and how this one shows itself; paths of files, empty where not
  // given: the system's authorities, no certificate, the name of the host.
  struct Tls {
    std::string ca;
    std::string certificate;
    std::string key;
    std::string server_name;

    friend bool operator==(const Tls&, const Tls&) = default;
  };

  Kind kind = Kind::kMemory;
  std::vector<TcpAddress> hosts;  // the server; the sentinels; nodes of the cluster to begin with
  std::string socket;             // of a kRedis without hosts: the path of its Unix socket
  std::string user;
  std::optional<Secret> password;
  std::string primary;  // as the sentinels know it
  int database = 0;
  std::optional<Tls> tls;

  friend bool operator==(const StoreUrl&, const StoreUrl&) = default;
};

// Reads
//   memory
//   redis://[[USER]:PASSWORD@]HOST[:6379][/DATABASE]                      rediss:// is over TLS
//   redis+unix://[[USER]:PASSWORD@]/PATH[?database=DATABASE]
//   redis+sentinel://[[USER]:PASSWORD@]HOST[:26379],.../PRIMARY[/DATABASE]
//   redis+cluster://[[USER]:PASSWORD@]HOST[:6379],...
// each but memory and redis+unix:// with ?tls=true and, over TLS, &ca=PATH&certificate=PATH
// &key=PATH&server_name=NAME. User, password, path, primary and parameters are percent-decoded.
//
// No error quotes what may be a user or a password, also where one of their characters should have
// been encoded and the text falls apart in the wrong place.
Result<StoreUrl> ParseStoreUrl(std::string_view text);

// The URL with every port written out and the password as "(secret)"; read again, it is the same
// but for that.
std::string FormatStoreUrl(const StoreUrl& url);

}  // namespace sluice
