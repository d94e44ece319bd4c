// Zipf: random ranks of which a few are drawn often and most rarely, like keys in real traffic.
#pragma once

#include <cstdint>
#include <random>

namespace sluice {

// Draws the n-th most popular rank with weight n^-0.99. It uses rejection-inversion (Hoermann and
// Derflinger, 1996), which needs no table, so a hundred million keys cost no more than ten.
//
// Thread safety: immutable.
class Zipf {
 public:
  // REQUIRES: keys > 0.
  explicit Zipf(std::uint64_t keys);

  // Returns a rank from 0 (the most popular) to keys - 1.
  std::uint64_t Draw(std::mt19937_64& engine) const;

 private:
  double keys_;
  double low_;
  double high_;
  double always_;
};

}  // namespace sluice
