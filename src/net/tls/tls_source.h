// TlsSource: the current TlsContext, which may be replaced while the server runs (reload).
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "net/tls/tls_context.h"

namespace sluice {

// Thread safety: any thread. New connections use the current context; existing ones keep theirs.
class TlsSource {
 public:
  explicit TlsSource(std::shared_ptr<const TlsContext> first) : in_force_(std::move(first)) {}
  TlsSource(const TlsSource&) = delete;
  TlsSource& operator=(const TlsSource&) = delete;
  ~TlsSource() = default;

  void Use(std::shared_ptr<const TlsContext> next) {
    const std::lock_guard guard(mutex_);
    in_force_.swap(next);
  }

  [[nodiscard]] std::shared_ptr<const TlsContext> in_force() const {
    const std::lock_guard guard(mutex_);
    return in_force_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsContext> in_force_;
};

}  // namespace sluice
