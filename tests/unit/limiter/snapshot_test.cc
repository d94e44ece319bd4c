// Tests that a limiter restores what another one saved, and rejects damaged snapshots.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/limiter.h"
#include "store/registered_limit.h"
#include "support/fake_clock.h"
#include "support/random.h"
#include "support/random_limit.h"

namespace sluice::testing {
namespace {

constexpr Nanos kHour{std::int64_t{3600} * 1'000'000'000};
constexpr Nanos kYear{365 * 24 * kHour};
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() {
    std::string name = std::filesystem::temp_directory_path() / "sluice_snapshot_XXXXXX";
    folder_ = mkdtemp(name.data()) == nullptr ? "" : name;
  }
  ~SnapshotTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string Path(const std::string& name = "states") const {
    return folder_ + "/" + name;
  }

  std::unique_ptr<Limiter> Make(std::uint64_t seed = 1, std::uint64_t memory = 64 * kMebibyte) {
    Limiter::Options options;
    options.memory_bytes = memory;
    options.clock = &clock_;
    options.seed = seed;
    auto made = Limiter::Create(options);
    return made.ok() ? std::move(made).value() : nullptr;
  }

  static LimitHandle Add(Limiter& limiter, const std::string& name, const LimitSpec& spec) {
    const auto added = limiter.Add(name, spec);
    if (added.ok()) return added.value();
    ADD_FAILURE() << added.error().message;
    return {};
  }

  void Save(Limiter& limiter) {
    const auto saved = limiter.SaveSnapshot(Path());
    ASSERT_TRUE(saved.ok()) << saved.error().message;
  }

  // Returns a limiter with another seed, restored from the saved snapshot.
  std::unique_ptr<Limiter> Restored() {
    auto limiter = Make(99);
    const auto restored = limiter->RestoreSnapshot(Path());
    EXPECT_TRUE(restored.ok()) << restored.error().message;
    return limiter;
  }

  std::string ErrorOfRestore(const std::string& path) {
    const auto restored = Make()->RestoreSnapshot(path);
    return restored.ok() ? "" : restored.error().message;
  }

  [[nodiscard]] std::string Read() const {
    std::ifstream in(Path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Write(const std::string& bytes) const {
    std::ofstream(Path(), std::ios::binary | std::ios::trunc) << bytes;
  }

  FakeClock clock_{Time{Nanos{1'700'000'000'000'000'000}}};
  std::string folder_;
};

LimitSpec SpecOf(std::int64_t count, Nanos period, Algorithm algorithm = Algorithm::kTokenBucket) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{count, period};
  return spec;
}

LimitSpec Permits() {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 3;
  spec.ttl = kHour;
  return spec;
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

// Limits the size of files that this process writes, during its lifetime.
class FileSizeBound {
 public:
  explicit FileSizeBound(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit bound{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &bound);
  }
  ~FileSizeBound() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeBound(const FileSizeBound&) = delete;
  FileSizeBound& operator=(const FileSizeBound&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

// Limits of every kind, with keys in various states, to compare a limiter with its restored copy.
class Worlds {
 public:
  Worlds(Limiter& limiter, FakeClock& clock, Random& random) : clock_(clock) {
    for (const Kind kind : RateKinds()) {
      names_.push_back(NameOf(kind));
      specs_.push_back(RandomLimit(kind, random));
      handles_.push_back(limiter.Add(names_.back(), specs_.back()).value());
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      for (int key = 0; key < 8; ++key) {
        const Cost cost{random.Spread(0, 20)};
        const std::string name = "key " + std::to_string(key);
        const Charge charge{handles_[i], name, cost};
        if (random.OneIn(3)) {
          limiter.TakeDebt(charge);
        } else {
          limiter.Check(charge);
        }
        clock.Advance(Nanos{random.Spread(0, kHour.count())});
      }
      // Some keys stay under the earlier terms, some are used under the new ones.
      if (random.OneIn(2)) continue;
      specs_[i] = RandomLimit(kindOf(i), random);
      if (!limiter.Change(handles_[i], specs_[i]).ok()) continue;
      limiter.Check({handles_[i], "key 1", Cost{1}});
    }
  }

  // Expects the same decisions from the restored limiter.
  void ExpectSame(Limiter& first, Limiter& second) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto added = second.Add(names_[i], specs_[i]);
      ASSERT_TRUE(added.ok()) << added.error().message;
      for (int key = 0; key < 9; ++key) {  // the last was never used
        const std::string name = "key " + std::to_string(key);
        for (const std::int64_t cost : {0, 1, 7, 1}) {
          const Decision want = first.Check({handles_[i], name, Cost{cost}});
          const Decision got = second.Check({added.value(), name, Cost{cost}});
          ASSERT_EQ(ToText(got), ToText(want)) << names_[i] << " " << name << ToText(specs_[i]);
        }
      }
      clock_.Advance(Nanos{1});
    }
  }

 private:
  static Kind kindOf(std::size_t index) { return RateKinds()[index]; }

  FakeClock& clock_;
  std::vector<std::string> names_;
  std::vector<LimitSpec> specs_;
  std::vector<LimitHandle> handles_;
};

TEST_F(SnapshotTest, RestoresEveryAlgorithmUnchanged) {
  ForEachSeed(20, [this](Random& random) {
    clock_.Set(Time{Nanos{random.Between(0, 1'900'000'000'000'000'000)}});
    auto first = Make(random.Bits());
    Worlds worlds(*first, clock_, random);
    ASSERT_NO_FATAL_FAILURE(Save(*first));
    auto second = Restored();
    EXPECT_LE(second->StatsApprox().keys, first->StatsApprox().keys);
    worlds.ExpectSame(*first, *second);
  });
}

// The terms under which a key is in debt keep their id over a restart, however often they change.
TEST_F(SnapshotTest, ReadsDebtUnderItsTermsAfterManyChanges) {
  auto first = Make();
  const LimitHandle before = Add(*first, "limit", SpecOf(1, kHour));
  first->TakeDebt({before, "k", Cost{500}});
  ASSERT_NO_FATAL_FAILURE(Save(*first));
  auto second = Restored();
  const LimitHandle limit = Add(*second, "limit", SpecOf(1, kHour));
  for (std::int64_t count = 2; count <= 300; ++count) {
    clock_.Advance(kHour + Nanos{1});
    ASSERT_TRUE(second->Change(limit, SpecOf(count, kHour)).ok());
  }
  // Since then, 299 units have been paid back, except for some nanoseconds.
  EXPECT_EQ(second->Peek({limit, "k", Cost{0}}).remaining, 300 - 201);
}

TEST_F(SnapshotTest, CountsTimeThatPassedMeanwhile) {
  ForEachSeed(20, [this](Random& random) {
    auto first = Make(random.Bits());
    Worlds worlds(*first, clock_, random);
    ASSERT_NO_FATAL_FAILURE(Save(*first));
    clock_.Advance(Nanos{random.Spread(0, 3 * kYear.count())});
    auto second = Restored();
    worlds.ExpectSame(*first, *second);
  });
}

TEST_F(SnapshotTest, RestoresPermitsById) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "permits", Permits());
  first->Acquire({limit, "backend"}, "a");
  first->Acquire({limit, "backend"}, "b");
  Save(*first);
  clock_.Advance(kHour / 2);
  auto second = Restored();
  const LimitHandle again = Add(*second, "permits", Permits());
  EXPECT_EQ(second->Peek({again, "backend", Cost{0}}).remaining, 1);
  EXPECT_TRUE(second->Renew({again, "backend"}, "a").allowed) << "the seed names permits too";
  EXPECT_EQ(second->Release({again, "backend"}, "b").remaining, 2);
}

TEST_F(SnapshotTest, RestoresTheSeed) {
  LimitSpec staggered = SpecOf(1, kHour, Algorithm::kFixedWindow);
  staggered.window = WindowKind::kStaggered;
  auto first = Make(1);
  const LimitHandle limit = Add(*first, "w", staggered);
  Save(*first);
  auto second = Restored();  // made with another seed
  const LimitHandle again = Add(*second, "w", staggered);
  for (int i = 0; i < 50; ++i) {
    const std::string key = std::to_string(i);
    EXPECT_EQ(first->Check({limit, key}), second->Check({again, key}));
  }
}

TEST_F(SnapshotTest, AcceptsOtherTermsForARestoredLimit) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(2, kHour));
  first->Check({limit, "k", Cost{2}});
  Save(*first);
  auto second = Restored();
  const LimitHandle again = Add(*second, "posts", SpecOf(4, kHour));
  EXPECT_EQ(second->Peek({again, "k", Cost{0}}).remaining, 2);
}

TEST_F(SnapshotTest, LimitOfAnotherAlgorithmStartsAfresh) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(2, kHour));
  first->Check({limit, "k", Cost{2}});
  Save(*first);
  auto second = Restored();
  const LimitHandle again = Add(*second, "posts", SpecOf(2, kHour, Algorithm::kSlidingLog));
  EXPECT_EQ(second->Peek({again, "k", Cost{0}}).remaining, 2);
}

// The second of three runs does not have the limit; the third has it again.
TEST_F(SnapshotTest, KeepsStatesOfALimitThatSkipsARun) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(2, kHour));
  const LimitHandle log = Add(*first, "log", SpecOf(2, kHour, Algorithm::kSlidingLog));
  ASSERT_TRUE(first->Change(limit, SpecOf(3, kHour)).ok());
  first->Check({limit, "k", Cost{3}});
  first->Check({log, "k", Cost{2}});
  Save(*first);
  auto second = Restored();
  Add(*second, "other", SpecOf(9, kHour));
  Save(*second);
  auto third = Restored();
  const LimitHandle back = Add(*third, "posts", SpecOf(2, kHour));
  const LimitHandle log_back = Add(*third, "log", SpecOf(2, kHour, Algorithm::kSlidingLog));
  EXPECT_FALSE(third->Check({back, "k"}).allowed);
  EXPECT_FALSE(third->Check({log_back, "k"}).allowed);
}

TEST_F(SnapshotTest, ClockSlightlyBehindTheSnapshotWaitsForIt) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(1, kHour));
  first->Check({limit, "k"});
  Save(*first);
  clock_.Advance(-kHour / 60);
  auto second = Restored();
  const LimitHandle again = Add(*second, "posts", SpecOf(1, kHour));
  EXPECT_EQ(second->Check({again, "k"}).retry_after, kHour);
}

// Neither a clock that was corrected nor arbitrary file content may stop the time of all keys.
TEST_F(SnapshotTest, TimeOfASnapshotDoesNotMoveTheClockFarAhead) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(1, kHour));
  const LimitHandle window = Add(*first, "window", SpecOf(1, kHour, Algorithm::kFixedWindow));
  first->Check({limit, "k"});
  first->Check({window, "k"});
  Save(*first);
  clock_.Advance(-24 * kHour);
  auto second = Restored();
  const LimitHandle again = Add(*second, "posts", SpecOf(1, kHour));
  const LimitHandle window_again =
      Add(*second, "window", SpecOf(1, kHour, Algorithm::kFixedWindow));
  EXPECT_EQ(second->Check({again, "k"}).retry_after, 25 * kHour - kHour / 60)
      << "what it held is held until the same time, and the reply says so";
  EXPECT_TRUE(second->Check({window_again, "k"}).allowed) << "no window lasts for 25 hours";
  ASSERT_TRUE(second->Check({again, "new"}).allowed);
  clock_.Advance(kHour + kHour / 60);
  EXPECT_TRUE(second->Check({again, "new"}).allowed) << "time goes on";
}

TEST_F(SnapshotTest, SavingAgainReplacesTheFile) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(9, kHour));
  Save(*first);
  const std::string before = Read();
  for (int i = 0; i < 1000; ++i) first->Check({limit, std::to_string(i)});
  Save(*first);
  EXPECT_GE(Read().size(), before.size() + 16'000);
  EXPECT_EQ(FilesIn(folder_), std::vector<std::string>{"states"})
      << "the temporary file was renamed";
}

// Half a megabyte more than the writer's buffer, into a folder that does not exist.
TEST_F(SnapshotTest, ReportsErrorIfTheFolderIsMissing) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(9, kHour));
  for (int i = 0; i < 100'000; ++i) first->Check({limit, std::to_string(i)});
  const auto saved = first->SaveSnapshot(folder_ + "/missing/states");
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().message,
            "cannot write '" + folder_ + "/missing/states': No such file or directory");
  EXPECT_TRUE(first->Check({limit, "k"}).allowed) << "and the limiter goes on";
}

TEST_F(SnapshotTest, FailedSaveKeepsTheOldFile) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(9, kHour));
  Save(*first);
  const std::string before = Read();
  for (int i = 0; i < 1000; ++i) first->Check({limit, std::to_string(i)});
  {
    const FileSizeBound bound(4096);
    const auto saved = first->SaveSnapshot(Path());
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.error().message, "cannot write '" + Path() + "': File too large");
  }
  EXPECT_EQ(Read(), before);
  EXPECT_EQ(FilesIn(folder_), std::vector<std::string>{"states"}) << "nothing half written is left";
}

TEST_F(SnapshotTest, RejectsFilesThatAreNoSnapshots) {
  EXPECT_EQ(ErrorOfRestore(Path("missing")),
            "cannot open '" + Path("missing") + "': No such file or directory");
  Write("");
  EXPECT_EQ(ErrorOfRestore(Path()), "'" + Path() + "' is no snapshot");
  Write("a text of some length that somebody wrote");
  EXPECT_EQ(ErrorOfRestore(Path()), "'" + Path() + "' is no snapshot");
  EXPECT_NE(ErrorOfRestore(folder_), "") << "a folder";
}

class DamageTest : public SnapshotTest {
 protected:
  void SaveSome() {
    Random random{3};
    auto first = Make(5);
    Worlds worlds(*first, clock_, random);
    const LimitHandle permits = Add(*first, "permits", Permits());
    first->Acquire({permits, "k"}, "id");
    Save(*first);
    whole_ = Read();
    ASSERT_GT(whole_.size(), 2'000U);
  }
  void ExpectRefused(const std::string& bytes, const std::string& what) {
    Write(bytes);
    const std::string error = ErrorOfRestore(Path());
    const bool clear = error.find("is no snapshot") != std::string::npos ||
                       error.find(
                           "is not a whole snapshot; expected one that was not cut or "
                           "changed") != std::string::npos;
    ASSERT_TRUE(clear) << what << ": '" << error << "'";
  }

  std::string whole_;
};

TEST_F(DamageTest, RejectsTruncatedFile) {
  ASSERT_NO_FATAL_FAILURE(SaveSome());
  for (std::size_t size = 0; size < whole_.size(); size += 1 + size / 40) {
    ASSERT_NO_FATAL_FAILURE(
        ExpectRefused(whole_.substr(0, size), "cut to " + std::to_string(size)));
  }
  for (std::size_t cut = 1; cut <= 20; ++cut) {
    const std::size_t size = whole_.size() - cut;
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(whole_.substr(0, size), "cut by a few"));
  }
  ExpectRefused(whole_ + "x", "longer");
}

TEST_F(DamageTest, RejectsFileWithOneChangedByte) {
  ASSERT_NO_FATAL_FAILURE(SaveSome());
  for (std::size_t at = 0; at < whole_.size(); at += 1 + at / 40) {
    for (const char flip : {'\x01', '\x80'}) {
      std::string bytes = whole_;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      ASSERT_NO_FATAL_FAILURE(ExpectRefused(bytes, "changed at " + std::to_string(at)));
    }
  }
}

TEST_F(DamageTest, RestoresUndamagedFile) {
  ASSERT_NO_FATAL_FAILURE(SaveSome());
  Write(whole_);
  EXPECT_EQ(ErrorOfRestore(Path()), "");
}

TEST_F(SnapshotTest, RestoresOnceAndOnlyBeforeLimitsAreAdded) {
  auto first = Make();
  const LimitHandle limit = Add(*first, "posts", SpecOf(2, kHour));
  first->Check({limit, "k"});
  Save(*first);
  auto late = Make();
  Add(*late, "posts", SpecOf(2, kHour));
  const auto refused = late->RestoreSnapshot(Path());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "a snapshot is restored once, before limits are added");
  auto second = Restored();
  EXPECT_FALSE(second->RestoreSnapshot(Path()).ok()) << "every key would be there twice";
  EXPECT_EQ(second->StatsApprox().keys, 1U);
}

// Charges one unit to each of `keys` keys of one shard of a limiter made with seed 1.
void ChargeOneShard(Limiter& limiter, LimitHandle limit, Algorithm algorithm, int keys) {
  const RegisteredLimit hash("posts", 0, HashSeed{1, ~std::uint64_t{1}}, algorithm);
  for (int i = 0; keys > 0; ++i) {
    const std::string key = std::to_string(i);
    if (hash.Hash(key) >> 56U != 0) continue;
    limiter.Check({limit, key, Cost{1}});
    --keys;
  }
}

int ManyOf(Algorithm algorithm) { return algorithm == Algorithm::kSlidingLog ? 700 : 4500; }

// Tables as full as they can get must fit the same memory after a restart.
TEST_F(SnapshotTest, FullStoreFitsTheSameMemory) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kSlidingWindow, Algorithm::kSlidingLog}) {
    auto first = Make(1, 16 * kMebibyte);
    const LimitHandle limit = Add(*first, "posts", SpecOf(9, kYear, algorithm));
    ChargeOneShard(*first, limit, algorithm, ManyOf(algorithm));
    EXPECT_GT(first->StatsApprox().overflow_decisions, 100U) << "the shard is not full";
    Save(*first);
    auto second = Make(1, 16 * kMebibyte);
    const auto restored = second->RestoreSnapshot(Path());
    EXPECT_TRUE(restored.ok()) << restored.error().message << " " << static_cast<int>(algorithm);
    EXPECT_EQ(second->StatsApprox().keys, first->StatsApprox().keys);
    EXPECT_LE(second->StatsApprox().bytes, first->StatsApprox().bytes);
  }
}

TEST_F(SnapshotTest, RejectsStatesThatDoNotFitTheMemory) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kSlidingWindow, Algorithm::kSlidingLog}) {
    auto first = Make(1, 256 * kMebibyte);
    const LimitHandle limit = Add(*first, "posts", SpecOf(9, kYear, algorithm));
    ChargeOneShard(*first, limit, algorithm, ManyOf(algorithm));
    Save(*first);
    const auto refused = Make(1, 16 * kMebibyte)->RestoreSnapshot(Path());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message,
              "the snapshot's states do not fit; expected a larger memory limit");
    auto second = Make(1, 256 * kMebibyte);
    const auto restored = second->RestoreSnapshot(Path());
    ASSERT_TRUE(restored.ok()) << restored.error().message << " " << static_cast<int>(algorithm);
    EXPECT_EQ(second->StatsApprox().keys, first->StatsApprox().keys);
    EXPECT_EQ(second->StatsApprox().overflow_decisions, 0U);
  }
}

}  // namespace
}  // namespace sluice::testing
