// Measurements: what became of requests, and how long they took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "load/histogram.h"
#include "sluice/time.h"

namespace sluice {

// What became of a request.
enum class Answer : std::uint8_t {
  kAllowed,
  kRefused,
  kError,     // something else was answered, or nothing
  kNotTaken,  // the server has not begun with it and says so: it is sent again
};

// Thread safety: none. Errors apart, nothing is allocated.
class Measurements {
 public:
  // Different causes of errors that are told apart; the others are counted together.
  static constexpr std::size_t kCausesMost = 16;
  static constexpr std::string_view kOtherCauses = "other errors";

  void AddAllowed(Nanos latency) {
    ++allowed_;
    latencies_.Add(static_cast<std::uint64_t>(latency.count()));
  }
  void AddRefused(Nanos latency) {
    ++refused_;
    latencies_.Add(static_cast<std::uint64_t>(latency.count()));
  }
  // How long an error took says nothing about answers, and is not kept.
  void AddErrors(std::uint64_t count, std::string_view cause);
  void Add(const Measurements& other);

  [[nodiscard]] std::uint64_t allowed() const { return allowed_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  [[nodiscard]] std::uint64_t answered() const { return allowed_ + refused_; }
  [[nodiscard]] std::uint64_t requests() const { return answered() + errors_; }
  // In nanoseconds.
  [[nodiscard]] const Histogram& latencies() const { return latencies_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t, std::less<>>& causes() const {
    return causes_;
  }

 private:
  std::uint64_t allowed_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t errors_ = 0;
  Histogram latencies_;
  std::map<std::string, std::uint64_t, std::less<>> causes_;
};

// A run, or a part of it.
struct LoadReport {
  Measurements measured;
  // From the end of the warm-up to the last answer. One that never came counts as one at the end of
  // the load, where that is a time.
  Nanos elapsed{0};
  // What sending and reading took of processors, all threads together, as a share of the whole
  // time: 2 is two of them.
  double processors = 0;

  // Answers a second.
  [[nodiscard]] double rate() const;
};

}  // namespace sluice
