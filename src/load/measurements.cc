#include "load/measurements.h"

namespace sluice {

void Measurements::AddErrors(std::uint64_t count, std::string_view cause) {
  if (count == 0) return;
  errors_ += count;
  auto found = causes_.find(cause);
  if (found == causes_.end()) {
    const std::string_view name = causes_.size() < kMaxCauses ? cause : kOtherCauses;
    found = causes_.emplace(name, 0).first;
  }
  found->second += count;
}

void Measurements::Add(const Measurements& other) {
  allowed_ += other.allowed_;
  refused_ += other.refused_;
  latencies_.Add(other.latencies_);
  for (const auto& [cause, count] : other.causes_) AddErrors(count, cause);
}

double LoadReport::rate() const {
  if (elapsed <= Nanos{0}) return 0;
  return static_cast<double>(measured.answered()) * 1e9 / static_cast<double>(elapsed.count());
}

}  // namespace sluice
