#include "core/limit/interval.h"

#include <numeric>

namespace sluice {
namespace {

constexpr std::uint64_t kExactDenominatorMax = 256;
constexpr std::uint64_t kTicksPerUnitAbove = 100'000;
constexpr unsigned kFirstShift = 8;
constexpr unsigned kLastShift = 62;

// Returns the smallest k from 8 on with period * 2^k / count > 100,000, or kLastShift + 1 if that
// is larger.
unsigned Shift(const Rate& rate) {
  unsigned shift = kFirstShift;
  const auto period = static_cast<Uint128>(rate.period.count());
  const Uint128 above = static_cast<Uint128>(rate.count) * kTicksPerUnitAbove;
  while (shift <= kLastShift && (period << shift) <= above) ++shift;
  return shift;
}

}  // namespace

bool RateIsRepresentable(Rate rate) { return Shift(rate) <= kLastShift; }

Interval MakeInterval(Rate rate) {
  const auto period = static_cast<std::uint64_t>(rate.period.count());
  const auto count = static_cast<std::uint64_t>(rate.count);
  const std::uint64_t divisor = std::gcd(period, count);
  if (count / divisor <= kExactDenominatorMax) return {period / divisor, count / divisor};
  const unsigned shift = Shift(rate);
  const Uint128 ticks = DivCeil(static_cast<Uint128>(period) << shift, count);
  return {static_cast<std::uint64_t>(ticks), std::uint64_t{1} << shift};
}

}  // namespace sluice
