// SnapshotFolder: a temporary folder for the snapshots of a test, and limiters that save and
// restore there.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sluice/limiter.h"
#include "store/registered_limit.h"
#include "support/fake_clock.h"

namespace sluice::testing {

inline constexpr Nanos kSnapshotHour{std::int64_t{3600} * 1'000'000'000};
inline constexpr std::uint64_t kSnapshotMebibyte = std::uint64_t{1} << 20U;

class SnapshotFolder : public ::testing::Test {
 protected:
  SnapshotFolder() {
    std::string name = std::filesystem::temp_directory_path() / "sluice_snapshot_XXXXXX";
    folder_ = mkdtemp(name.data()) == nullptr ? "" : name;
  }
  ~SnapshotFolder() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string Path() const { return folder_ + "/states"; }

  std::unique_ptr<Limiter> Make(std::uint64_t memory_bytes, std::uint64_t seed = 1) {
    Limiter::Options options;
    options.memory_bytes = memory_bytes;
    options.clock = &clock_;
    options.seed = seed;
    auto made = Limiter::Create(options);
    if (!made.ok()) ADD_FAILURE() << made.error().message;
    return made.ok() ? std::move(made).value() : nullptr;
  }

  static LimitHandle Add(Limiter& limiter, const std::string& name, const LimitSpec& spec) {
    const auto added = limiter.Add(name, spec);
    if (added.ok()) return added.value();
    ADD_FAILURE() << added.error().message;
    return {};
  }

  static LimitSpec SpecOf(std::int64_t count, Nanos period,
                          Algorithm algorithm = Algorithm::kTokenBucket) {
    LimitSpec spec;
    spec.algorithm = algorithm;
    spec.rate = Rate{count, period};
    return spec;
  }

  // Keys of a limit that all belong to one shard of a limiter made with this seed.
  class ShardKeys {
   public:
    ShardKeys(std::string name, Algorithm algorithm, std::uint64_t shard, std::uint64_t seed = 1)
        : hash_(std::move(name), 0, HashSeed{seed, ~seed}, algorithm), shard_(shard) {}

    std::string Next() {
      while (true) {
        std::string key = "key " + std::to_string(next_++);
        if (hash_.Hash(key) >> 56U == shard_) return key;
      }
    }

   private:
    RegisteredLimit hash_;
    std::uint64_t shard_;
    int next_ = 0;
  };

  // Returns the bytes of all files in the folder, including a snapshot that is still being written.
  [[nodiscard]] std::uint64_t BytesInFolder() const {
    std::uint64_t bytes = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
      const std::uint64_t size = entry.file_size(error);
      if (!error) bytes += size;
    }
    return bytes;
  }

  FakeClock clock_{Time{Nanos{1'700'000'000'000'000'000}}};
  std::string folder_;
};

}  // namespace sluice::testing
