#include "simulate/envelope.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sluice::cli {

Envelope::Envelope(Time start, Time end, std::int64_t columns)
    : start_(start),
      width_(std::max<Nanos>((end - start) / columns, Nanos(1))),
      columns_(static_cast<std::size_t>((end - start) / width_) + 1) {}

void Envelope::Add(const CurvePoint& point) {
  Column& column = columns_[static_cast<std::size_t>((point.t - start_) / width_)];
  const Numbered numbered{point, added_++};
  if (!column.used) column = {true, numbered, numbered, numbered, numbered};
  if (point.value < column.low.point.value) column.low = numbered;
  if (point.value > column.high.point.value) column.high = numbered;
  column.last = numbered;
}

std::vector<CurvePoint> Envelope::Points() const {
  std::vector<CurvePoint> points;
  for (const Column& column : columns_) {
    if (!column.used) continue;
    std::array kept = {column.first, column.low, column.high, column.last};
    std::sort(kept.begin(), kept.end(),
              [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (i == 0 || kept[i].number != kept[i - 1].number) points.push_back(kept[i].point);
    }
  }
  return points;
}

}  // namespace sluice::cli
