// Systemd: what systemd is told, and what it hands over.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/time.h"

namespace sluice::cli {

// Where there is no systemd everything here does nothing.
//
// Thread safety: none.
class Systemd {
 public:
  // Reads a variable of the environment; null where there is none.
  using Environment = std::function<const char*(const char* name)>;

  explicit Systemd(const Environment& environment);

  // Sends a state: "READY=1", "RELOADING=1", "STOPPING=1", "WATCHDOG=1".
  void Notify(std::string_view state) const;

  // How often "WATCHDOG=1" is to be sent, half of what systemd waits for.
  [[nodiscard]] std::optional<Nanos> watchdog() const { return watchdog_; }

  // How many sockets were handed over: the descriptors 3, 4 and so on.
  [[nodiscard]] int socket_count() const { return socket_count_; }

 private:
  std::string path_;  // of its socket; '\0' in front where it is an abstract one
  std::optional<Nanos> watchdog_;
  int socket_count_ = 0;
};

}  // namespace sluice::cli
