// Envelope: reduces a curve of any number of points to a bounded number.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/time.h"

namespace sluice::cli {

// A point of a curve over time. The value is units, or a wait in nanoseconds.
struct CurvePoint {
  Time t{};
  std::int64_t value = 0;

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// Divides [start, end] into `columns` equal parts and keeps the first, lowest, highest and last
// point of each. Drawn with one pixel per part, this looks the same as the full curve.
//
// Thread safety: none. Memory: constant.
class Envelope {
 public:
  // REQUIRES: start < end, columns > 0.
  Envelope(Time start, Time end, std::int64_t columns);

  // REQUIRES: points come in order of time, within [start, end].
  void Add(const CurvePoint& point);

  // Returns the points kept, in the order in which they were added.
  [[nodiscard]] std::vector<CurvePoint> Points() const;

 private:
  struct Numbered {
    CurvePoint point;
    std::uint64_t number = 0;
  };
  struct Column {
    bool used = false;
    Numbered first, low, high, last;
  };

  Time start_;
  Nanos width_;
  std::uint64_t added_ = 0;
  std::vector<Column> columns_;
};

}  // namespace sluice::cli
