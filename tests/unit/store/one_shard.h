// ShardLimit: a limit with keys that all belong to the first shard, which fills up quickly.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "store/memory_store.h"
#include "support/random.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {

// The default seed of a Fixture.
inline constexpr HashSeed kFixtureSeed{1, 2};

inline constexpr std::uint64_t kMinMemory = 16 * kMebibyte;

// Returns the memory that one shard may use, shared states included.
constexpr std::uint64_t ShardBytes(std::uint64_t memory_bytes) { return memory_bytes / 256; }

class ShardLimit {
 public:
  ShardLimit(Fixture& scene, std::string name, const LimitSpec& spec)
      : handle(scene.Add(spec, name)), hash_(std::move(name), 0, kFixtureSeed, spec.algorithm) {}

  std::string NewKey() {
    while (true) {
      std::string key = "key " + std::to_string(next_++);
      if (hash_.Hash(key) >> 56U == 0) return key;
    }
  }
  std::vector<std::string> NewKeys(int count) {
    std::vector<std::string> keys;
    for (int i = 0; i < count; ++i) keys.push_back(NewKey());
    return keys;
  }

  LimitHandle handle;

 private:
  RegisteredLimit hash_;
  int next_ = 0;
};

// Charges new keys until at least 98 of 100 find no state of their own. Returns the keys that did.
inline std::vector<std::string> FillShard(Fixture& scene, ShardLimit& limit, std::int64_t cost) {
  std::vector<std::string> own;
  int shared = 0;
  for (int rounds = 0; shared < 98 && rounds < 500; ++rounds) {
    shared = 0;
    for (std::string& key : limit.NewKeys(100)) {
      const Decision decision = scene.Check(limit.handle, key, cost);
      shared += decision.source == Source::kOverflow ? 1 : 0;
      if (decision.allowed && decision.source == Source::kMemory) own.push_back(std::move(key));
    }
  }
  EXPECT_GE(shared, 98) << "the memory is never used up";
  return own;
}

inline void Shuffle(std::vector<std::string>& keys, Random& random) {
  for (std::size_t i = keys.size(); i > 1; --i) {
    const auto other = random.Between(0, static_cast<std::int64_t>(i) - 1);
    std::swap(keys[i - 1], keys[static_cast<std::size_t>(other)]);
  }
}

// Charges each key one unit and returns how many were allowed.
inline int CountAllowed(Fixture& scene, LimitHandle limit, const std::vector<std::string>& keys) {
  int allowed = 0;
  for (const std::string& key : keys) allowed += scene.Check(limit, key).allowed ? 1 : 0;
  return allowed;
}

}  // namespace sluice::testing
