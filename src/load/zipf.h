// Zipf: ranks of which few are drawn often and most seldom, as keys are in real traffic.
#pragma once

#include <cstdint>
#include <random>

namespace sluice {

// The n-th most popular with weight n^-0.99. By rejection-inversion (Hoermann and Derflinger,
// 1996): no table, so that a hundred million keys cost no more than ten.
//
// Thread safety: immutable.
class Zipf {
 public:
  // REQUIRES: keys > 0.
  explicit Zipf(std::uint64_t keys);

  // From 0 on, the most popular first; below `keys`.
  std::uint64_t Draw(std::mt19937_64& engine) const;

 private:
  double keys_;
  double low_;
  double high_;
  double always_;
};

}  // namespace sluice
