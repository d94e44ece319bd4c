#include "bench/draws.h"

#include <cmath>
#include <cstring>
#include <random>

namespace sluice::bench {
namespace {

constexpr std::uint64_t kSeed = 20'240'229;
constexpr double kExponent = 0.99;

// Zipf by rejection-inversion (Hoermann and Derflinger, 1996): no table, so that a hundred million
// keys cost no more than ten.
class Zipf {
 public:
  explicit Zipf(std::uint64_t keys)
      : keys_(static_cast<double>(keys)),
        low_(Integral(1.5) - 1),
        high_(Integral(keys_ + 0.5)),
        always_(2 - Inverse(Integral(2.5) - Weight(2))) {}

  // From 0 on, the most popular first.
  std::uint64_t Draw(std::mt19937_64& engine) {
    for (;;) {
      const double at = high_ + Unit(engine) * (low_ - high_);
      const double x = Inverse(at);
      const double rank = std::fmin(std::fmax(std::floor(x + 0.5), 1), keys_);
      if (rank - x <= always_ || at >= Integral(rank + 0.5) - Weight(rank)) {
        return static_cast<std::uint64_t>(rank) - 1;
      }
    }
  }

 private:
  static double Unit(std::mt19937_64& engine) {
    return static_cast<double>(engine() >> 11U) * 0x1p-53;
  }
  static double Weight(double x) { return std::pow(x, -kExponent); }
  // Of the weight, from 1 on.
  static double Integral(double x) { return (std::pow(x, 1 - kExponent) - 1) / (1 - kExponent); }
  static double Inverse(double at) {
    return std::pow(1 + at * (1 - kExponent), 1 / (1 - kExponent));
  }

  double keys_;
  double low_;
  double high_;
  double always_;
};

}  // namespace

void KeyText::Write(std::uint64_t index, char* to) {
  std::memcpy(to, "user:", 5);
  for (std::size_t i = kBytes; i-- > 5; index /= 10) to[i] = static_cast<char>('0' + index % 10);
}

Draws::Draws(std::uint64_t keys, Choice choice) : bytes_(kCount * KeyText::kBytes) {
  std::mt19937_64 engine(kSeed);
  Zipf zipf(keys);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint64_t index = choice == Choice::kZipf ? zipf.Draw(engine) : engine() % keys;
    KeyText::Write(index, bytes_.data() + i * KeyText::kBytes);
  }
}

}  // namespace sluice::bench
