#include "config/settings/other_flags.h"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

struct OtherFlag {
  std::string_view written;
  std::string_view meant;
};

// If several rows have the same name, the first one whose flag the command has is used.
constexpr std::array kOtherFlags = {
    OtherFlag{"port", "--server"},
    OtherFlag{"port", "--listen"},
    OtherFlag{"port", "--store"},
    OtherFlag{"p", "--server"},
    OtherFlag{"p", "--listen"},
    OtherFlag{"p", "--store"},
    OtherFlag{"host", "--server"},
    OtherFlag{"host", "--listen"},
    OtherFlag{"host", "--store"},
    OtherFlag{"address", "--server"},
    OtherFlag{"address", "--listen"},
    OtherFlag{"address", "--store"},
    OtherFlag{"addr", "--server"},
    OtherFlag{"addr", "--listen"},
    OtherFlag{"addr", "--store"},
    OtherFlag{"url", "--server"},
    OtherFlag{"url", "--store"},
    OtherFlag{"server", "--store"},
    OtherFlag{"target", "--server"},
    OtherFlag{"bind", "--listen"},
    OtherFlag{"admin-port", "--admin"},
    OtherFlag{"metrics", "--admin"},
    OtherFlag{"config", "--settings"},
    OtherFlag{"config", "--rules"},
    OtherFlag{"conf", "--settings"},
    OtherFlag{"c", "--settings"},
    OtherFlag{"rule", "--rules"},
    OtherFlag{"rules-file", "--rules"},
    OtherFlag{"limits", "--rules"},
    OtherFlag{"file", "--rules"},
    OtherFlag{"file", "--trace"},
    OtherFlag{"input", "--trace"},
    OtherFlag{"steps", "--trace"},
    OtherFlag{"redis", "--store"},
    OtherFlag{"redis-url", "--store"},
    OtherFlag{"backend", "--store"},
    OtherFlag{"cert", "--tls-certificate"},
    OtherFlag{"tls-cert", "--tls-certificate"},
    OtherFlag{"key", "--tls-key"},
    OtherFlag{"ca", "--tls-client-ca"},
    OtherFlag{"max-memory", "--memory"},
    OtherFlag{"maxmemory", "--memory"},
    OtherFlag{"verbose", "--log-level"},
    OtherFlag{"debug", "--log-level"},
    OtherFlag{"v", "--log-level"},
    OtherFlag{"json", "-o"},
    OtherFlag{"output", "-o"},
    OtherFlag{"format", "-o"},
    OtherFlag{"token", "--token-file"},
    OtherFlag{"concurrency", "--connections"},
    OtherFlag{"clients", "--connections"},
    OtherFlag{"number", "--requests"},
    OtherFlag{"hits", "--cost"},
    OtherFlag{"units", "--cost"},
    OtherFlag{"weight", "--cost"},
    OtherFlag{"svg", "--plot"},
    OtherFlag{"headers", "--profile"},
    OtherFlag{"rate", "--limit"},
};

}  // namespace

std::string_view FlagMeantBy(std::string_view written,
                             const std::function<bool(std::string_view)>& has_flag) {
  written.remove_prefix(std::min(written.find_first_not_of('-'), written.size()));
  for (const OtherFlag& other : kOtherFlags) {
    if (other.written == written && has_flag(other.meant)) return other.meant;
  }
  return {};
}

}  // namespace sluice
