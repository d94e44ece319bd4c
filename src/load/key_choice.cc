#include "load/key_choice.h"

namespace sluice {
namespace {

constexpr std::uint64_t kColdOneIn = 10;

}  // namespace

KeyChoice::KeyChoice(KeyDistribution distribution, std::uint64_t keys, std::uint64_t seed,
                     TaskSlice slice)
    : distribution_(distribution),
      keys_(keys),
      engine_(seed + slice.index),
      zipf_(keys),
      next_(slice.index % keys),
      step_(slice.count % keys) {}

std::uint64_t KeyChoice::Next() {
  switch (distribution_) {
    case KeyDistribution::kUniform:
      return engine_() % keys_;
    case KeyDistribution::kZipf:
      return zipf_.Draw(engine_);
    case KeyDistribution::kHot:
      if (keys_ == 1 || engine_() % kColdOneIn != 0) return 0;
      return 1 + engine_() % (keys_ - 1);
    case KeyDistribution::kSequential: {
      const std::uint64_t key = next_;
      next_ = (next_ + step_) % keys_;
      return key;
    }
  }
  return 0;
}

}  // namespace sluice
