// Measurements: the results of requests and their latencies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "load/histogram.h"
#include "sluice/time.h"

namespace sluice {

// The result of a request.
enum class Answer : std::uint8_t {
  kAllowed,
  kRefused,
  kError,     // an unexpected answer, or none
  kNotTaken,  // the server reported that it did not process the request; it is sent again
};

// Thread safety: none. Only errors allocate memory.
class Measurements {
 public:
  // The maximum number of distinct causes of errors; further causes are counted together.
  static constexpr std::size_t kMaxCauses = 16;
  static constexpr std::string_view kOtherCauses = "other errors";

  void AddAllowed(Nanos latency) {
    ++allowed_;
    latencies_.Add(static_cast<std::uint64_t>(latency.count()));
  }
  void AddRefused(Nanos latency) {
    ++refused_;
    latencies_.Add(static_cast<std::uint64_t>(latency.count()));
  }
  // The time an error took is not recorded, because it says nothing about answers.
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

// The results of a run, or of a part of it.
struct LoadReport {
  Measurements measured;
  // The time from the end of the warm-up to the last answer. An answer that never came counts at
  // the end of the load, if the load has an end time.
  Nanos elapsed{0};
  // The processor time that sending and reading took in all threads, as a multiple of the elapsed
  // time: 2 means two processors.
  double processors = 0;

  // Returns the answers per second.
  [[nodiscard]] double rate() const;
};

}  // namespace sluice
