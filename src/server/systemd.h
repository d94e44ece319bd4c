// Systemd: notifications to systemd, and socket activation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/time.h"

namespace sluice::cli {

// Does nothing if the process was not started by systemd.
//
// Thread safety: none.
class Systemd {
 public:
  // Returns a variable of the environment, or null if it is not set.
  using Environment = std::function<const char*(const char* name)>;

  explicit Systemd(const Environment& environment);

  // Sends a state to systemd: "READY=1", "RELOADING=1", "STOPPING=1" or "WATCHDOG=1".
  void Notify(std::string_view state) const;

  // Returns the interval for sending "WATCHDOG=1", which is half of the watchdog timeout; none
  // without one.
  [[nodiscard]] std::optional<Nanos> watchdog() const { return watchdog_; }

  // Returns the number of sockets passed by systemd, as descriptors 3, 4 and so on.
  [[nodiscard]] int socket_count() const { return socket_count_; }

 private:
  std::string path_;  // path of the notification socket; begins with '\0' if abstract
  std::optional<Nanos> watchdog_;
  int socket_count_ = 0;
};

}  // namespace sluice::cli
