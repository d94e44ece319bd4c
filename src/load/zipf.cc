#include "load/zipf.h"

#include <cmath>

namespace sluice {
namespace {

constexpr double kExponent = 0.99;

double Unit(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11U) * 0x1p-53; }

double Weight(double x) { return std::pow(x, -kExponent); }

// The integral of the weight, from 1 to x, and its inverse.
double Integral(double x) { return (std::pow(x, 1 - kExponent) - 1) / (1 - kExponent); }

double Inverse(double at) { return std::pow(1 + at * (1 - kExponent), 1 / (1 - kExponent)); }

}  // namespace

Zipf::Zipf(std::uint64_t keys)
    : keys_(static_cast<double>(keys)),
      low_(Integral(1.5) - 1),
      high_(Integral(keys_ + 0.5)),
      always_(2 - Inverse(Integral(2.5) - Weight(2))) {}

std::uint64_t Zipf::Draw(std::mt19937_64& engine) const {
  for (;;) {
    const double at = high_ + Unit(engine) * (low_ - high_);
    const double x = Inverse(at);
    const double rank = std::fmin(std::fmax(std::floor(x + 0.5), 1), keys_);
    if (rank - x <= always_ || at >= Integral(rank + 0.5) - Weight(rank)) {
      return static_cast<std::uint64_t>(rank) - 1;
    }
  }
}

}  // namespace sluice
