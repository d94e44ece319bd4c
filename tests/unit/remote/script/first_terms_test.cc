#include "remote/script/first_terms.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "support/random_limit.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

RemoteLimit PerHour(std::int64_t count) {
  LimitSpec spec;
  spec.rate = Rate{count, hours{1}};
  return RemoteLimit::Make(testing::MustMake(spec)).value();
}

class FirstTermsTest : public ::testing::Test {
 protected:
  // Remembers more lenient terms of a limit, and returns whether they are found.
  bool Note(const RemoteLimit& own, Time until) {
    terms_.Note(own, {lenient_, until}, now_);
    return terms_.Find(own, now_).limit == lenient_;
  }

  Time now_{hours{1000}};
  std::shared_ptr<const RemoteLimit> lenient_ =
      std::make_shared<const RemoteLimit>(PerHour(1'000'000));
  FirstTerms terms_;
};

TEST_F(FirstTermsTest, RemembersEveryLimitOfALargeRuleSet) {
  std::vector<RemoteLimit> limits;
  for (int i = 1; i <= 1000; ++i) limits.push_back(PerHour(i));
  for (const RemoteLimit& limit : limits) EXPECT_TRUE(Note(limit, now_ + hours{1}));
  for (const RemoteLimit& limit : limits) EXPECT_EQ(terms_.Find(limit, now_).limit, lenient_);
}

// Invariants (1) and (2).
TEST_F(FirstTermsTest, RemembersMoreLimitsOnceOthersHaveExpired) {
  std::vector<RemoteLimit> limits;
  for (std::size_t i = 1; i <= FirstTerms::kMaxLimits; ++i) {
    limits.push_back(PerHour(static_cast<std::int64_t>(i)));
    const bool is_short = i == 7;
    ASSERT_TRUE(Note(limits.back(), now_ + (is_short ? minutes{1} : minutes{9})));
  }
  const RemoteLimit more = PerHour(999'999);
  EXPECT_FALSE(Note(more, now_ + hours{1}));
  now_ += minutes{1} - seconds{1};
  EXPECT_FALSE(Note(more, now_ + hours{1}));
  now_ += seconds{1};
  EXPECT_EQ(terms_.Find(limits[6], now_).limit, nullptr);
  EXPECT_TRUE(Note(more, now_ + hours{1}));
  EXPECT_EQ(terms_.Find(limits[5], now_).limit, lenient_);
}

// Invariant (3).
TEST_F(FirstTermsTest, KeepsTheMostLenientTermsUntilTheyExpire) {
  const RemoteLimit own = PerHour(1);
  EXPECT_TRUE(Note(own, now_ + minutes{5}));
  const auto less = std::make_shared<const RemoteLimit>(PerHour(10));
  terms_.Note(own, {less, now_ + hours{1}}, now_);
  EXPECT_EQ(terms_.Find(own, now_).limit, lenient_);
  now_ += minutes{5};
  EXPECT_EQ(terms_.Find(own, now_).limit, nullptr);
  terms_.Note(own, {less, now_ + hours{1}}, now_);
  EXPECT_EQ(terms_.Find(own, now_).limit, less);
}

}  // namespace
}  // namespace sluice
