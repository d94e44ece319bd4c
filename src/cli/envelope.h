// Envelope: a curve of any number of points, kept in a bounded number of them.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/time.h"

namespace sluice::cli {

// A point of a curve over time: units, or nanoseconds of wait.
struct CurvePoint {
  Time t{};
  std::int64_t value = 0;

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// Keeps the first, lowest, highest and last point of each of `columns` equal parts of
// [start, end]. Drawn one part to a pixel, that is the same picture as all points give.
//
// Thread safety: none. Memory: constant.
class Envelope {
 public:
  // REQUIRES: start < end, columns > 0.
  Envelope(Time start, Time end, std::int64_t columns);

  // REQUIRES: in order of time, within [start, end].
  void Add(const CurvePoint& point);

  // What was kept, in the order it was added.
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
