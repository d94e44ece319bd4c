// Tests of manipulated snapshots: rejected, or restored without the invalid states.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/limit/limit.h"
#include "store/memory_store.h"
#include "store/snapshot.h"
#include "store/snapshot_file.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{std::chrono::seconds{1'700'000'000}};
constexpr HashSeed kSeed{1, 2};
constexpr Nanos kYear = std::chrono::hours{365 * 24};

LimitSpec SpecOf(Algorithm algorithm, std::int64_t count, Nanos period = 1min) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  if (algorithm == Algorithm::kConcurrency) {
    spec.max_in_flight = count;
  } else {
    spec.rate = Rate{count, period};
  }
  return spec;
}

Limit LimitOf(const LimitSpec& spec) { return std::get<Limit>(MakeLimit(spec, {})); }

class Subject {
 public:
  explicit Subject(HashSeed seed = kSeed)
      : store_(
            MemoryStore::Create({.memory_bytes = std::uint64_t{16} << 20U, .seed = seed}).value()) {
  }

  LimitHandle Add(std::string_view name, const LimitSpec& spec) {
    Result<LimitHandle> added = store_->Add(name, LimitOf(spec), now);
    EXPECT_TRUE(added.ok());
    return added.ok() ? added.value() : LimitHandle{};
  }
  Decision Run(Operation operation, LimitHandle limit, std::string_view key,
               std::int64_t cost = 1) {
    const Charge charge{limit, key, Cost{cost}};
    Decision decision;
    store_->DecideEach(operation, {&charge, 1}, {&decision, 1}, now);
    return decision;
  }
  Decision Acquire(LimitHandle limit, std::string_view key) {
    return store_->DecidePermit(Operation::kAcquire, {limit, key, Cost{1}},
                                store_->HashPermit("id"), now);
  }

  std::string Save() {
    std::string content;
    SnapshotWriter out = SnapshotWriter::IntoForTest(content);
    Snapshot::Save(*store_, out, now);
    EXPECT_TRUE(out.Commit().ok());
    return content;
  }
  // Returns the error, or an empty string.
  std::string Restore(const std::string& content) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(content.data());
    SnapshotReader in = SnapshotReader::OverForTest({bytes, content.size()});
    const Result<Done> done = Snapshot::Restore(*store_, in, {}, now);
    return done.ok() ? "" : done.error().message;
  }
  [[nodiscard]] std::uint64_t keys() const { return store_->StatsApprox().keys; }
  MemoryStore& store() { return *store_; }

  Time now = kNow;

 private:
  std::unique_ptr<MemoryStore> store_;
};

template <typename T>
std::string BytesOf(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// Returns the key word of a key, as stored in a slot.
std::uint64_t KeyWord(std::string_view limit, Algorithm algorithm, std::string_view key,
                      std::uint8_t id = 1) {
  const RegisteredLimit hash(std::string(limit), 0, kSeed, algorithm);
  return (hash.Hash(key) << 8U) | id;
}

// Returns the offset of a number that occurs exactly once in the content.
std::size_t PlaceOf(const std::string& content, std::uint64_t number) {
  const std::string bytes = BytesOf(number);
  const std::size_t at = content.find(bytes);
  EXPECT_NE(at, std::string::npos);
  EXPECT_EQ(content.find(bytes, at + 1), std::string::npos);
  return at;
}

template <typename T>
void Put(std::string& content, std::size_t at, T value) {
  content.replace(at, sizeof(value), BytesOf(value));
}

// One limit, called "limit", with one key, "k", that was charged.
struct OneKey {
  explicit OneKey(const LimitSpec& of, std::int64_t cost = 1) : spec(of) {
    Subject subject;
    const LimitHandle limit = subject.Add("limit", spec);
    if (spec.algorithm == Algorithm::kConcurrency) {
      subject.Acquire(limit, "k");
    } else {
      subject.Run(Operation::kCheck, limit, "k", cost);
    }
    content = subject.Save();
    slot = PlaceOf(content, KeyWord("limit", spec.algorithm, "k"));
  }

  // Returns the offset of a word of the slot; 0 is the first after the key.
  [[nodiscard]] std::size_t Word(std::size_t index) const { return slot + 8 + 8 * index; }

  // Peeks at the key after restoring the content.
  [[nodiscard]] Decision PeekRestored() const {
    Subject subject;
    EXPECT_EQ(subject.Restore(content), "");
    return subject.Run(Operation::kPeek, subject.Add("limit", spec), "k");
  }
  void ExpectUnused() const {
    const Decision decision = PeekRestored();
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.reset_after, Nanos{0});
    EXPECT_EQ(decision.remaining, decision.limit);
  }
  void ExpectUsed() const { EXPECT_GT(PeekRestored().reset_after, Nanos{0}); }

  LimitSpec spec;
  std::string content;
  std::size_t slot = 0;
};

const std::vector<Algorithm>& AllAlgorithms() {
  static const std::vector<Algorithm> all{Algorithm::kTokenBucket,   Algorithm::kLeakyBucket,
                                          Algorithm::kFixedWindow,   Algorithm::kSlidingLog,
                                          Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets,
                                          Algorithm::kPacer,         Algorithm::kConcurrency};
  return all;
}

TEST(SnapshotContentTest, RestoresUnchangedKeyOfEveryAlgorithm) {
  for (const Algorithm algorithm : AllAlgorithms()) OneKey(SpecOf(algorithm, 5)).ExpectUsed();
}

TEST(SnapshotContentTest, DropsSlotOfUnknownTerms) {
  for (const Algorithm algorithm : AllAlgorithms()) {
    OneKey one(SpecOf(algorithm, 5));
    Put(one.content, one.slot, static_cast<std::uint8_t>(77));
    one.ExpectUnused();
  }
}

// Another limit has terms of that id, so the slot is restored, but its own limit rejects it.
TEST(SnapshotContentTest, IgnoresSlotOfTermsOfAnotherLimit) {
  for (const Algorithm algorithm : AllAlgorithms()) {
    Subject first;
    const LimitHandle limit = first.Add("limit", SpecOf(algorithm, 5));
    const LimitHandle other = first.Add("other", SpecOf(algorithm, 5));
    for (std::int64_t count = 6; count < 14; ++count) {
      ASSERT_TRUE(first.store().Change(other, LimitOf(SpecOf(algorithm, count)), kNow).ok());
    }
    if (algorithm == Algorithm::kConcurrency) {
      first.Acquire(limit, "k");
    } else {
      first.Run(Operation::kCheck, limit, "k");
    }
    std::string content = first.Save();
    Put(content, PlaceOf(content, KeyWord("limit", algorithm, "k")), static_cast<std::uint8_t>(9));
    // Identical terms, other terms, and terms whose states are kept in another table.
    for (const LimitSpec& spec :
         {SpecOf(algorithm, 5), SpecOf(algorithm, 4), SpecOf(algorithm, 4, 30 * kYear)}) {
      Subject second;
      ASSERT_EQ(second.Restore(content), "");
      EXPECT_EQ(second.keys(), 1U) << static_cast<int>(algorithm);
      const LimitHandle again = second.Add("limit", spec);
      EXPECT_EQ(second.Run(Operation::kPeek, again, "k").reset_after, Nanos{0})
          << static_cast<int>(algorithm);
      EXPECT_TRUE(second.Run(Operation::kCheck, again, "k").allowed);
    }
  }
}

// Exchanges the blocks of two limits' keys.
std::string Exchanged(std::string content, std::uint64_t first, std::uint64_t second) {
  const std::size_t at_first = PlaceOf(content, first);
  const std::size_t at_second = PlaceOf(content, second);
  Put(content, at_first, second);
  Put(content, at_second, first);
  return content;
}

TEST(SnapshotContentTest, IgnoresBlockOfAnotherKind) {
  const std::vector<std::pair<std::string, LimitSpec>> limits{
      {"log", SpecOf(Algorithm::kSlidingLog, 5)},
      {"parts", SpecOf(Algorithm::kSlidingBuckets, 5)},
      {"permits", SpecOf(Algorithm::kConcurrency, 5)}};
  for (const auto& [name, spec] : limits) {
    for (const auto& [other, other_spec] : limits) {
      if (name == other) continue;
      Subject first;
      for (const auto& [each, of] : limits) {
        const LimitHandle handle = first.Add(each, of);
        if (each == "permits") {
          first.Acquire(handle, "k");
        } else {
          first.Run(Operation::kCheck, handle, "k");
        }
      }
      // The key may be in another shard, too: then the exchanged block is not found, which is no
      // error.
      const std::string content = Exchanged(first.Save(), KeyWord(name, spec.algorithm, "k"),
                                            KeyWord(other, other_spec.algorithm, "k"));
      Subject second;
      ASSERT_EQ(second.Restore(content), "");
      const LimitHandle handle = second.Add(name, spec);
      EXPECT_EQ(second.Run(Operation::kPeek, handle, "k").reset_after, Nanos{0});
      EXPECT_TRUE(second.Run(Operation::kCheck, handle, "k").allowed);
      EXPECT_EQ(second.Run(Operation::kRefund, handle, "k").limit, 5);
    }
  }
}

// Offsets of a block in a file: slot, kind, entries, newest part, and then the entries.
constexpr std::size_t kEntriesOfBlock = 24 + 1;
constexpr std::size_t kNewestOfBlock = kEntriesOfBlock + 4;
constexpr std::size_t kFirstEntry = kNewestOfBlock + 8;

TEST(SnapshotContentTest, IgnoresPartsOfAnotherNumberOfBuckets) {
  LimitSpec six = SpecOf(Algorithm::kSlidingBuckets, 5);
  six.buckets = 6;
  OneKey one(six);
  one.ExpectUsed();
  // Five parts fewer.
  const std::size_t at = one.slot + kEntriesOfBlock;
  Put(one.content, at, std::uint32_t{2});
  std::string cut = one.content;
  std::int64_t units = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    std::int64_t part = 0;
    std::memcpy(&part, cut.data() + one.slot + kFirstEntry + 8 * i, sizeof(part));
    units += part;
  }
  ASSERT_EQ(units, 1);
  cut.erase(one.slot + kFirstEntry, 5 * 8);
  Put(cut, one.slot + kFirstEntry, std::int64_t{1});
  one.content = cut;
  one.ExpectUnused();
}

TEST(SnapshotContentTest, IgnoresPartsOfTheFutureOrThePast) {
  for (const std::int64_t newest :
       {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min(), kNow.time_since_epoch() / 1s + 1}) {
    OneKey one(SpecOf(Algorithm::kSlidingBuckets, 5));
    Put(one.content, one.slot + kNewestOfBlock, newest);
    one.ExpectUnused();
  }
}

TEST(SnapshotContentTest, IgnoresUnitsAboveTheLimit) {
  for (const std::int64_t units :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{6},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    OneKey log(SpecOf(Algorithm::kSlidingLog, 5));
    Put(log.content, log.slot + kFirstEntry + 8, units);
    log.ExpectUnused();
    OneKey window(SpecOf(Algorithm::kFixedWindow, 5));
    Put(window.content, window.Word(1), units);
    window.ExpectUnused();
    if (units == 6) continue;
    OneKey permits(SpecOf(Algorithm::kConcurrency, 5));
    Put(permits.content, permits.slot + kFirstEntry + 16, units);
    if (units != std::numeric_limits<std::int64_t>::max()) permits.ExpectUnused();
    EXPECT_GE(permits.PeekRestored().remaining, 0);
  }
}

TEST(SnapshotContentTest, IgnoresEntriesOutOfOrder) {
  OneKey log(SpecOf(Algorithm::kSlidingLog, 5));
  // A second entry with a time before the first.
  Put(log.content, log.slot + kEntriesOfBlock, std::uint32_t{2});
  log.content.insert(log.slot + kFirstEntry + 16,
                     BytesOf((kNow - 1s).time_since_epoch().count()) + BytesOf(std::int64_t{1}));
  log.ExpectUnused();
}

TEST(SnapshotContentTest, IgnoresTimesInTheFarFuture) {
  const auto ns = [](Time time) { return time.time_since_epoch().count(); };
  for (const std::int64_t time :
       {ns(kNow + 2min), ns(kNow + kLongestSpan), std::int64_t{-1},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    OneKey window(SpecOf(Algorithm::kFixedWindow, 5));
    Put(window.content, window.Word(0), time);
    window.ExpectUnused();
    OneKey log(SpecOf(Algorithm::kSlidingLog, 5));
    Put(log.content, log.slot + kFirstEntry, time);
    log.ExpectUnused();
    OneKey permits(SpecOf(Algorithm::kConcurrency, 5));
    Put(permits.content, permits.slot + kFirstEntry + 8, time);
    permits.ExpectUnused();
  }
}

// A narrow word can hold at most 2.2 years; a debt reaches a year.
TEST(SnapshotContentTest, IgnoresBucketFurtherAheadThanADebt) {
  OneKey bucket(SpecOf(Algorithm::kTokenBucket, 5));
  Put(bucket.content, bucket.Word(0), ~std::uint64_t{0});
  bucket.ExpectUnused();
  OneKey debt(SpecOf(Algorithm::kTokenBucket, 5));
  std::int64_t epoch = 0;
  std::memcpy(&epoch, debt.content.data() + debt.slot - 24, sizeof(epoch));
  const std::int64_t ahead = kNow.time_since_epoch().count() - epoch;
  Put(debt.content, debt.Word(0), static_cast<std::uint64_t>(ahead + (kYear - 1s).count()) << 8U);
  EXPECT_EQ(debt.PeekRestored().reset_after, kYear - 1s);
  Put(debt.content, debt.Word(0), static_cast<std::uint64_t>(ahead + (kYear + 1s).count()) << 8U);
  debt.ExpectUnused();
}

// The shard decides these on its fast path, without the core's general code.
TEST(SnapshotContentTest, IgnoresWindowCountersAboveTheLimit) {
  for (const std::int64_t count : {std::int64_t{5}, std::int64_t{100'000}}) {
    OneKey window(SpecOf(Algorithm::kSlidingWindow, count, 1h));
    const std::size_t at = window.Word(count == 5 ? 0 : 1);
    std::uint64_t word = 0;
    std::memcpy(&word, window.content.data() + at, sizeof(word));
    // Both counters, of 14 or of 32 bits.
    Put(window.content, at, word | (count == 5 ? 0xfffffffU : ~std::uint64_t{0}));
    window.ExpectUnused();
    Subject subject;
    ASSERT_EQ(subject.Restore(window.content), "");
    const LimitHandle again = subject.Add("limit", window.spec);
    EXPECT_TRUE(subject.Run(Operation::kCheck, again, "k", count).allowed);
    EXPECT_FALSE(subject.Run(Operation::kCheck, again, "k").allowed);
  }
}

TEST(SnapshotContentTest, IgnoresWarmUpPacerThatIsNotANumber) {
  LimitSpec spec = SpecOf(Algorithm::kPacer, 5);
  spec.warm_up = 10s;
  for (const double stored :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
    OneKey pacer(spec);
    pacer.ExpectUsed();
    Put(pacer.content, pacer.Word(2), stored);
    pacer.ExpectUnused();
  }
  OneKey pacer(spec);
  Put(pacer.content, pacer.Word(1), std::numeric_limits<std::int64_t>::min());
  pacer.ExpectUnused();
}

TEST(SnapshotContentTest, RestoresDuplicateKeyOnce) {
  for (const Algorithm algorithm : AllAlgorithms()) {
    OneKey one(SpecOf(algorithm, 5));
    // Up to the end of the table (a key word of 0). After blocks the shards end.
    const bool is_block = algorithm == Algorithm::kSlidingLog ||
                          algorithm == Algorithm::kSlidingBuckets ||
                          algorithm == Algorithm::kConcurrency;
    const std::size_t words =
        algorithm == Algorithm::kFixedWindow || algorithm == Algorithm::kPacer ? 2 : 1;
    const std::size_t after_uses = one.content.size() - 8 - 2 - 8;
    const std::size_t end = is_block ? after_uses : one.Word(words);
    one.content.insert(end, one.content.substr(one.slot, end - one.slot));
    Subject subject;
    ASSERT_EQ(subject.Restore(one.content), "") << static_cast<int>(algorithm);
    EXPECT_EQ(subject.keys(), 1U) << static_cast<int>(algorithm);
  }
}

TEST(SnapshotContentTest, TimeInTheFileDoesNotMoveTheClock) {
  for (const Time time : {Time::max(), Time::min(), kLatestTime, kNow + kYear}) {
    OneKey one(SpecOf(Algorithm::kTokenBucket, 5));
    Put(one.content, 4 + sizeof(HashSeed), time);
    Subject subject;
    ASSERT_EQ(subject.Restore(one.content), "");
    const LimitHandle limit = subject.Add("other", SpecOf(Algorithm::kTokenBucket, 1));
    ASSERT_TRUE(subject.Run(Operation::kCheck, limit, "k").allowed);
    subject.now += 2min;
    EXPECT_TRUE(subject.Run(Operation::kCheck, limit, "k").allowed);
  }
}

// The last uses are at the end of the file; they determine when ids are reused.
TEST(SnapshotContentTest, ClampsLastUses) {
  for (const std::int64_t used :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    OneKey one(SpecOf(Algorithm::kTokenBucket, 5));
    Put(one.content, one.content.size() - 8, used);
    Subject subject;
    ASSERT_EQ(subject.Restore(one.content), "");
    const LimitHandle limit = subject.Add("limit", one.spec);
    for (std::int64_t count = 6; count < 300; ++count) {
      subject.now += 2min;
      const Limit changed = LimitOf(SpecOf(Algorithm::kTokenBucket, count));
      ASSERT_TRUE(subject.store().Change(limit, changed, subject.now).ok()) << count;
    }
  }
}

std::string ErrorOf(const std::string& content) { return Subject().Restore(content); }

TEST(SnapshotContentTest, RejectsInvalidLimits) {
  const OneKey one(SpecOf(Algorithm::kTokenBucket, 5));
  const std::size_t name = one.content.find("limit");
  ASSERT_NE(name, std::string::npos);
  const std::size_t algorithm = name + 5;
  const std::size_t terms_from = algorithm + 1;
  const std::size_t count = terms_from + 1;
  const std::size_t id = count + 8;
  const std::size_t spec = id + 1;
  const auto changed = [&](std::size_t at, auto value) {
    std::string content = one.content;
    Put(content, at, value);
    return ErrorOf(content);
  };
  EXPECT_EQ(ErrorOf(one.content), "");
  EXPECT_NE(changed(algorithm, std::uint8_t{200}), "");
  EXPECT_NE(changed(algorithm, static_cast<std::uint8_t>(Algorithm::kSlidingLog)), "");
  EXPECT_NE(changed(terms_from, std::uint8_t{2}), "");
  EXPECT_NE(changed(id, std::uint8_t{0}), "");
  EXPECT_NE(changed(spec, static_cast<std::uint8_t>(Algorithm::kSlidingLog)), "");
  EXPECT_NE(changed(spec + 1, std::uint8_t{2}), "") << "neither written nor not";
  EXPECT_NE(changed(spec + 2, std::int64_t{-1}), "") << "a rate below 0";
  EXPECT_NE(changed(count, ~std::uint64_t{0}), "");
  EXPECT_NE(changed(name - 8, ~std::uint64_t{0}), "") << "the length of a name";
  EXPECT_NE(changed(name - 16, ~std::uint64_t{0}), "") << "the number of limits";
  std::string twice = one.content;
  Put(twice, name - 16, std::uint64_t{2});
  const std::size_t end = one.slot - 16 - 8 - 2;
  twice.insert(end, twice.substr(name - 8, end - (name - 8)));
  EXPECT_EQ(ErrorOf(twice),
            "the snapshot has two limits 'limit'; expected one that was not changed");
}

TEST(SnapshotContentTest, RejectsInvalidBoolOrEnum) {
  LimitSpec spec = SpecOf(Algorithm::kFixedWindow, 5);
  spec.count_refused = true;
  spec.window = WindowKind::kStaggered;
  const OneKey one(spec);
  // Members of the spec: present and kStaggered, no zone, present and true.
  const std::string members{'\x01', '\x03', '\x00', '\x01', '\x01'};
  const std::size_t at = one.content.find(members);
  ASSERT_NE(at, std::string::npos);
  for (const std::size_t offset : {std::size_t{1}, std::size_t{4}}) {
    std::string content = one.content;
    Put(content, at + offset, std::uint8_t{4});
    EXPECT_NE(ErrorOf(content), "");
  }
}

TEST(SnapshotContentTest, RejectsInvalidShards) {
  const OneKey one(SpecOf(Algorithm::kTokenBucket, 5));
  const std::size_t number = one.slot - 16 - 8 - 2;
  std::string content = one.content;
  Put(content, number, std::uint16_t{257});
  EXPECT_NE(ErrorOf(content), "");
  for (const Time epoch : {Time::min(), Time::max(), Time{Nanos{-1}}}) {
    content = one.content;
    Put(content, number + 2, epoch);
    EXPECT_NE(ErrorOf(content), "");
  }
  const OneKey log(SpecOf(Algorithm::kSlidingLog, 5));
  content = log.content;
  Put(content, log.slot + 24, std::uint8_t{3});
  EXPECT_EQ(ErrorOf(content), "the snapshot has a block of no known kind or size");
  content = log.content;
  Put(content, log.slot + kEntriesOfBlock, ~std::uint32_t{0});
  EXPECT_EQ(ErrorOf(content), "the snapshot has a block of no known kind or size");
  Put(content, log.slot + kEntriesOfBlock, std::uint32_t{1} << 20U);
  EXPECT_EQ(ErrorOf(content), "the snapshot's states do not fit; expected a larger memory limit");
}

TEST(SnapshotContentTest, RejectsTruncatedContent) {
  Subject first;
  for (const Algorithm algorithm : AllAlgorithms()) {
    const LimitHandle limit =
        first.Add("limit " + std::to_string(static_cast<int>(algorithm)), SpecOf(algorithm, 5));
    if (algorithm == Algorithm::kConcurrency) {
      first.Acquire(limit, "k");
    } else {
      first.Run(Operation::kCheck, limit, "k");
    }
  }
  const std::string content = first.Save();
  EXPECT_EQ(ErrorOf(content), "");
  for (std::size_t size = 0; size < content.size(); ++size) {
    ASSERT_NE(ErrorOf(content.substr(0, size)), "") << size;
  }
}

}  // namespace
}  // namespace sluice::testing
