#include "remote/script/remote_limit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

#include "remote/script/terms_tag.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "unit/remote/script/redis_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::seconds;

std::string Refused(const LimitSpec& spec) {
  const auto checked = CheckRemoteLimit(MustMake(spec));
  return checked.ok() ? "" : checked.error().message;
}

LimitSpec Of(Algorithm algorithm, Rate rate) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = rate;
  return spec;
}

TEST(RemoteLimit, AcceptsEveryAlgorithm) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kFixedWindow,
        Algorithm::kSlidingLog, Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets,
        Algorithm::kPacer}) {
    EXPECT_EQ(Refused(Of(algorithm, {100, seconds{60}})), "");
  }
  LimitSpec permits;
  permits.algorithm = Algorithm::kConcurrency;
  permits.max_in_flight = 20;
  EXPECT_EQ(Refused(permits), "");
}

TEST(RemoteLimit, ReportsWhatRedisCannotKeepExactly) {
  EXPECT_EQ(Refused(Of(Algorithm::kTokenBucket, {1'000'003'000'000, seconds{1}})),
            "the rate is too fast to be kept in Redis exactly; expected at most 40 units a "
            "nanosecond");
  EXPECT_EQ(Refused(Of(Algorithm::kSlidingLog, {5, Nanos{1500}})),
            "the period 1.5us cannot be kept in Redis, which counts whole microseconds");
  EXPECT_EQ(Refused(Of(Algorithm::kFixedWindow, {5'000'000'000'000'000, seconds{1}})),
            "the count 5000000000000000 is more than Redis keeps exactly; expected at most "
            "4503599627370495");
  LimitSpec parts = Of(Algorithm::kSlidingBuckets, {5, std::chrono::milliseconds{1}});
  parts.buckets = 64;
  EXPECT_EQ(Refused(parts),
            "a bucket of 15.625us cannot be kept in Redis, which counts whole microseconds");
  parts.rate->period = seconds{2000};
  parts.buckets = 2000;
  EXPECT_EQ(Refused(parts),
            "buckets: 2000 are too many to be kept in Redis; expected at most 1024");
  LimitSpec warm = Of(Algorithm::kPacer, {5, seconds{1}});
  warm.warm_up = seconds{3};
  EXPECT_EQ(Refused(warm), "a pacer with warm_up cannot be kept in Redis");
  LimitSpec interval = Of(Algorithm::kTokenBucket, {1'000'000'000, std::chrono::microseconds{1}});
  interval.refill = Refill::kInterval;
  EXPECT_NE(Refused(interval), "");
}

TEST(RemoteLimit, AcceptsRatesUpToTheBound) {
  EXPECT_EQ(Refused(Of(Algorithm::kTokenBucket, {40'000'000'003, seconds{1}})), "");
}

// The tag contains everything that a conversion reads.
TEST(TermsTag, ReadsBackWhatItWrote) {
  ForEachSeed(2000, [](Random& random) {
    const auto kind = static_cast<Kind>(random.Between(0, static_cast<int>(Kind::kPacer)));
    const Terms terms = MustMake(RandomRemoteLimit(kind, random)).terms;
    const std::string tag = TagOf(terms);
    if (kind == Kind::kSlidingLog) {
      EXPECT_EQ(tag, "");
      return;
    }
    EXPECT_EQ(tag.find(' '), std::string::npos);
    const auto read = TermsOfTag(tag);
    ASSERT_TRUE(read.has_value()) << tag;
    EXPECT_EQ(read->index(), terms.index());
    // The tag contains a hash of the calendar's zone.
    if (kind == Kind::kCalendarWindow) return;
    EXPECT_EQ(TagOf(*read), tag);
  });
}

TEST(TermsTag, RejectsInvalidTags) {
  for (const char* text :
       {"", "b", "b1", "b1,1,1", "b0,1,1,0", "b1,0,1,0", "b1,1,0,0", "b1,1,1,0,", "b1,1,1,0 ",
        "b-1,1,1,0", "x1,2,3", "s5,10,3,0", "s5,1000,2,0", "b1,1,1,-1", "s5,10,0,0", "w5,0",
        "i0,5,1,0,0", "b1,1,1,99999999999999999999"}) {
    EXPECT_FALSE(TermsOfTag(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace sluice::testing
