#include "frontend/audit_log.h"

#include <chrono>

#include "base/text.h"

namespace sluice {

bool AuditLog::MayWrite() {
  const std::int64_t second =
      std::chrono::floor<std::chrono::seconds>(clock_.Now()).time_since_epoch().count();
  // Threads that see a new second at once may write a few lines more.
  if (second_.exchange(second, std::memory_order_relaxed) != second) {
    written_.store(0, std::memory_order_relaxed);
  }
  if (written_.load(std::memory_order_relaxed) >= kMaxLinesPerSecond) {
    left_out_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  written_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void AuditLog::WriteLine(std::string text) {
  const std::uint64_t left_out = left_out_.exchange(0, std::memory_order_relaxed);
  if (left_out > 0) text += Concat("; ", left_out, " more calls were not logged");
  write_(text);
}

}  // namespace sluice
