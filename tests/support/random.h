// Random: a small generator whose sequence depends only on its seed, and the loop over seeds that
// every property test runs.
//
//   SLUICE_SEED=17   runs exactly that case of each test
//   SLUICE_RUNS=10   runs ten times as many cases
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>

namespace sluice::testing {

// The distributions of the standard library differ between implementations; these do not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t Bits() { return engine_(); }

  // Returns a number from low to high, both included. REQUIRES: low <= high.
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t shift = span == UINT64_MAX ? Bits() : Bits() % (span + 1);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + shift);
  }

  // As Between, but every order of magnitude is equally likely. REQUIRES: 0 <= low <= high.
  std::int64_t Spread(std::int64_t low, std::int64_t high) {
    int bits = 0;
    while (bits < 63 && (high >> bits) > 0) ++bits;
    const std::int64_t top = static_cast<std::int64_t>(
        (std::uint64_t{1} << static_cast<unsigned>(Between(0, bits))) - 1);
    const std::int64_t number = Between(0, top);
    return number < low ? low : (number > high ? high : number);
  }

  bool OneIn(std::int64_t cases) { return Between(1, cases) == 1; }

  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    const auto last = static_cast<std::int64_t>(choices.size()) - 1;
    return *(choices.begin() + Between(0, last));
  }

 private:
  std::mt19937_64 engine_;
};

// The seeds that a test runs.
class Seeds {
 public:
  // Prints the seeds.
  explicit Seeds(int cases);

  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t last() const { return last_; }

  // Returns false once the test has failed, because one counterexample is enough, and prints how to
  // reproduce it.
  static bool GoOn(std::uint64_t seed);

 private:
  std::uint64_t first_ = 1;
  std::uint64_t last_ = 1;
};

// Calls body(random) for `cases` seeds, or as the environment variables say, until one fails.
template <typename Body>
void ForEachSeed(int cases, Body body) {
  const Seeds seeds(cases);
  for (std::uint64_t seed = seeds.first(); seed <= seeds.last(); ++seed) {
    Random random{seed};
    body(random);
    if (!Seeds::GoOn(seed)) return;
  }
}

}  // namespace sluice::testing
