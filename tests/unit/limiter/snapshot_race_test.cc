// Tests of snapshots that are saved while other threads change terms, decide, or save.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sluice/limiter.h"
#include "unit/limiter/snapshot_folder.h"

namespace sluice::testing {
namespace {

constexpr std::uint64_t kMemory = 1024 * kSnapshotMebibyte;
constexpr Nanos kHour = kSnapshotHour;

// A save in progress on another thread.
class Saving {
 public:
  Saving(Limiter& limiter, const std::string& path)
      : thread_([this, &limiter, path] {
          const auto saved = limiter.SaveSnapshot(path);
          if (!saved.ok()) error_ = saved.error().message;
          done_.store(true, std::memory_order_release);
        }) {}
  Saving(const Saving&) = delete;
  Saving& operator=(const Saving&) = delete;
  ~Saving() { thread_.join(); }

  [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire); }
  // Waits for the save and returns its error.
  const std::string& Error() {
    while (!done()) std::this_thread::yield();
    return error_;
  }

 private:
  std::string error_;
  std::atomic<bool> done_{false};
  std::thread thread_;  // last, because it uses the others
};

class SnapshotRaceTest : public SnapshotFolder {
 protected:
  // Adds enough keys to every shard that saving takes a while and the last shard is written long
  // after the first.
  void AddBulk(Limiter& limiter, int keys) {
    LimitSpec parts = SpecOf(1000, kHour, Algorithm::kSlidingBuckets);
    parts.buckets = 1000;  // 8 kB per key
    bulk_ = Add(limiter, "bulk", parts);
    for (int i = 0; i < keys; ++i) limiter.Check({bulk_, std::to_string(i)});
  }

  // Waits until the save has written something to the folder, or is done.
  void WaitForFirstBytes(const Saving& saving) const {
    while (!saving.done() && BytesInFolder() == 0) std::this_thread::yield();
  }

  // Returns keys of the last shard, all used up under terms that the limit got, and was used with,
  // while a save was in progress.
  std::vector<std::string> SaveDuringChange(Limiter& limiter) {
    AddBulk(limiter, 6000);
    const LimitHandle limit = Add(limiter, "posts", SpecOf(10, kHour));
    ShardKeys shard("posts", Algorithm::kTokenBucket, 255);
    std::vector<std::string> keys;
    for (int i = 0; i < 50; ++i) keys.push_back(shard.Next());
    for (const std::string& key : keys) limiter.Check({limit, key, Cost{10}});
    Saving saving(limiter, Path());
    WaitForFirstBytes(saving);
    in_time_ = !saving.done();
    const auto changed = limiter.Change(limit, SpecOf(20, kHour));
    EXPECT_TRUE(changed.ok()) << changed.error().message;
    for (const std::string& key : keys) EXPECT_TRUE(limiter.Check({limit, key, Cost{10}}).allowed);
    in_time_ = in_time_ && !saving.done();
    EXPECT_EQ(saving.Error(), "");
    return keys;
  }

  // Adds the limit again with terms under which a key that used at least 10 units has none left.
  void ExpectNoneAllowed(const std::vector<std::string>& keys, const LimitSpec& spec) {
    const auto restored = Make(kMemory, 2);
    const auto done = restored->RestoreSnapshot(Path());
    ASSERT_TRUE(done.ok()) << done.error().message;
    const LimitHandle again = Add(*restored, "posts", spec);
    int allowed = 0;
    for (const std::string& key : keys) allowed += restored->Check({again, key}).allowed ? 1 : 0;
    EXPECT_EQ(allowed, 0) << "of " << keys.size();
    RecordProperty("in_time", in_time_ ? 1 : 0);
  }

  LimitHandle bulk_;
  bool in_time_ = false;  // whether the terms changed while the save was in progress
};

TEST_F(SnapshotRaceTest, ReadsTermsChangedDuringASaveAsTheyWere) {
  const auto limiter = Make(kMemory);
  const std::vector<std::string> keys = SaveDuringChange(*limiter);
  LimitSpec others = SpecOf(1, kHour);
  others.burst = 10;
  ExpectNoneAllowed(keys, others);
}

TEST_F(SnapshotRaceTest, RestoresALimitWithItsTermsFromBeforeASave) {
  const auto limiter = Make(kMemory);
  const std::vector<std::string> keys = SaveDuringChange(*limiter);
  ExpectNoneAllowed(keys, SpecOf(10, kHour));
}

TEST_F(SnapshotRaceTest, ConcurrentSavesLeaveACompleteFile) {
  const auto limiter = Make(kMemory);
  AddBulk(*limiter, 4000);
  for (int round = 0; round < 3 && !HasFailure(); ++round) {
    {
      Saving first(*limiter, Path());
      WaitForFirstBytes(first);
      Saving second(*limiter, Path());
      // The two saves write different states.
      for (int i = 0; !first.done() || !second.done(); ++i) {
        limiter->Check({bulk_, std::to_string(i % 4000)});
      }
      EXPECT_EQ(first.Error(), "") << "the first of round " << round;
      EXPECT_EQ(second.Error(), "") << "the second of round " << round;
    }
    const auto restored = Make(kMemory, 2);
    const auto done = restored->RestoreSnapshot(Path());
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(restored->StatsApprox().keys, limiter->StatsApprox().keys);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      files += entry.path().empty() ? 0 : 1;
    }
    EXPECT_EQ(files, 1) << "nothing but the snapshot is left";
    std::filesystem::remove(Path());
  }
}

}  // namespace
}  // namespace sluice::testing
