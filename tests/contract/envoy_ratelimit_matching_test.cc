// Tests what envoyproxy/ratelimit promises: which limit a descriptor meets, and which counter it
// uses.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "contract/rule_fixture.h"

namespace sluice::testing {
namespace {

class EnvoyRatelimitMatchingTest : public RuleFixture {
 protected:
  // Returns the name of the limit that a descriptor meets; empty if it meets none.
  std::string Met(const Entries& entries) {
    const RuleDecision* nearest = Decide({Look(entries)}).nearest();
    return nearest == nullptr ? "" : std::string(nearest->limit->name);
  }
  // Returns whether a request of `one` reduces the units that `other` has left.
  bool Share(const Entries& one, const Entries& other) {
    const std::int64_t before = Left(other);
    EXPECT_TRUE(Passes(one));
    return Left(other) < before;
  }
};

TEST_F(EnvoyRatelimitMatchingTest, PrefersExactValueThenPatternsThenKeyAlone) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: path, rate_limit: { name: alone, unit: day, requests_per_unit: 9 } }
  - { key: path, value: "/a*c", rate_limit: { name: first, unit: day, requests_per_unit: 9 } }
  - { key: path, value: "/a*", rate_limit: { name: second, unit: day, requests_per_unit: 9 } }
  - { key: path, value: "/abc", rate_limit: { name: exact, unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_EQ(Met({{"path", "/abc"}}), "exact");
  EXPECT_EQ(Met({{"path", "/axc"}}), "first");
  EXPECT_EQ(Met({{"path", "/abcd"}}), "second");
  EXPECT_EQ(Met({{"path", "/b"}}), "alone");
  EXPECT_EQ(Met({{"path", ""}}), "alone");
  EXPECT_EQ(Met({{"method", "/abc"}}), "");
}

TEST_F(EnvoyRatelimitMatchingTest, AppliesPreferenceAtEachLevel) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: user
    value: "4*"
    descriptors:
      - { key: path, rate_limit: { name: pattern, unit: day, requests_per_unit: 9 } }
  - key: user
    descriptors:
      - { key: path, value: /, rate_limit: { name: alone, unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_EQ(Met({{"user", "42"}, {"path", "/"}}), "pattern");
  EXPECT_EQ(Met({{"user", "7"}, {"path", "/"}}), "alone");
  EXPECT_EQ(Met({{"user", "7"}, {"path", "/x"}}), "");
}

TEST_F(EnvoyRatelimitMatchingTest, DoesNotBacktrackToAnotherEntry) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: user
    value: "42"
    descriptors:
      - { key: path, rate_limit: { name: exact, unit: day, requests_per_unit: 9 } }
  - key: user
    descriptors:
      - { key: method, rate_limit: { name: alone, unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_EQ(Met({{"user", "42"}, {"method", "GET"}}), "");
  EXPECT_EQ(Met({{"user", "7"}, {"method", "GET"}}), "alone");
}

TEST_F(EnvoyRatelimitMatchingTest, StarMatchesAnyCharactersAtEnd) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: path, value: "/v1/*", rate_limit: { name: met, unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_EQ(Met({{"path", "/v1/"}}), "met");
  EXPECT_EQ(Met({{"path", "/v1/posts/7"}}), "met");
  EXPECT_EQ(Met({{"path", "/v1"}}), "");
  EXPECT_EQ(Met({{"path", "/v2/v1/"}}), "");
}

TEST_F(EnvoyRatelimitMatchingTest, StarMatchesAnyCharactersAtBeginning) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: host
    value: "*.example.org"
    rate_limit: { name: met, unit: day, requests_per_unit: 9 }
)"),
            "");
  EXPECT_EQ(Met({{"host", "www.example.org"}}), "met");
  EXPECT_EQ(Met({{"host", ".example.org"}}), "met");
  EXPECT_EQ(Met({{"host", "example.org"}}), "");
  EXPECT_EQ(Met({{"host", "www.example.org."}}), "");
}

TEST_F(EnvoyRatelimitMatchingTest, StarMatchesAnyCharactersInMiddle) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: path
    value: "/users/*/posts"
    rate_limit: { name: met, unit: day, requests_per_unit: 9 }
)"),
            "");
  EXPECT_EQ(Met({{"path", "/users/42/posts"}}), "met");
  EXPECT_EQ(Met({{"path", "/users//posts"}}), "met");
  EXPECT_EQ(Met({{"path", "/users/4/2/posts"}}), "met");
  EXPECT_EQ(Met({{"path", "/users/posts"}}), "");
  EXPECT_EQ(Met({{"path", "/users/42/posts/7"}}), "");
}

TEST_F(EnvoyRatelimitMatchingTest, SeveralStarsMatchIndependently) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: path, value: "*/a*b*/c", rate_limit: { name: met, unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_EQ(Met({{"path", "/ab/c"}}), "met");
  EXPECT_EQ(Met({{"path", "x/y/a1b2/c"}}), "met");
  EXPECT_EQ(Met({{"path", "/abab/c/c"}}), "met");
  EXPECT_EQ(Met({{"path", "/ba/c"}}), "");
  EXPECT_EQ(Met({{"path", "/ab/c/"}}), "");
  EXPECT_EQ(Met({{"path", "ab/c"}}), "");
}

TEST_F(EnvoyRatelimitMatchingTest, DescriptorMustHaveDepthOfItsRule) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: a
    rate_limit: { name: one, unit: day, requests_per_unit: 9 }
    descriptors:
      - key: b
        descriptors:
          - { key: c, rate_limit: { name: three, unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_EQ(Met({{"a", "1"}}), "one");
  EXPECT_EQ(Met({{"a", "1"}, {"b", "2"}}), "");
  EXPECT_EQ(Met({{"a", "1"}, {"b", "2"}, {"c", "3"}}), "three");
  EXPECT_EQ(Met({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}), "");
  EXPECT_EQ(Met({{"a", "1"}, {"x", "2"}}), "");
  EXPECT_EQ(Met({{"b", "2"}, {"a", "1"}}), "");
}

TEST_F(EnvoyRatelimitMatchingTest, KeyAloneCountsEachValueSeparately) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_FALSE(Share({{"user", "1"}}, {{"user", "2"}}));
  EXPECT_TRUE(Share({{"user", "1"}}, {{"user", "1"}}));
}

TEST_F(EnvoyRatelimitMatchingTest, PatternCountsEachValueSeparately) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - { key: user, value: "4*", rate_limit: { unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_FALSE(Share({{"user", "41"}}, {{"user", "42"}}));
  EXPECT_TRUE(Share({{"user", "42"}}, {{"user", "42"}}));
}

TEST_F(EnvoyRatelimitMatchingTest, ValuesOfUpperLevelsSeparateCounters) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: tenant
    descriptors:
      - { key: path, value: /posts, rate_limit: { unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_FALSE(Share({{"tenant", "a"}, {"path", "/posts"}}, {{"tenant", "b"}, {"path", "/posts"}}));
  EXPECT_TRUE(Share({{"tenant", "a"}, {"path", "/posts"}}, {{"tenant", "a"}, {"path", "/posts"}}));
}

TEST_F(EnvoyRatelimitMatchingTest, ShareThresholdSharesOneCounterPerPattern) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: file
    value: "a*"
    share_threshold: true
    rate_limit: { unit: day, requests_per_unit: 9 }
  - { key: file, value: "b*", rate_limit: { unit: day, requests_per_unit: 9 } }
  - { key: file, value: abc, rate_limit: { unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_TRUE(Share({{"file", "a1"}}, {{"file", "a2"}}));
  EXPECT_FALSE(Share({{"file", "a1"}}, {{"file", "b1"}}));
  EXPECT_FALSE(Share({{"file", "b1"}}, {{"file", "b2"}}));
  EXPECT_FALSE(Share({{"file", "abc"}}, {{"file", "a2"}}));
}

TEST_F(EnvoyRatelimitMatchingTest, ShareThresholdAppliesToNestedDescriptors) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: file
    value: "a*"
    share_threshold: true
    descriptors:
      - { key: user, rate_limit: { unit: day, requests_per_unit: 9 } }
)"),
            "");
  EXPECT_TRUE(Share({{"file", "a1"}, {"user", "1"}}, {{"file", "a2"}, {"user", "1"}}));
  EXPECT_FALSE(Share({{"file", "a1"}, {"user", "1"}}, {{"file", "a1"}, {"user", "2"}}));
}

TEST_F(EnvoyRatelimitMatchingTest, DescriptorWithoutLimitPasses) {
  ASSERT_EQ(Load(R"(
domain: api
descriptors:
  - key: user
    descriptors:
      - { key: path, rate_limit: { unit: day, requests_per_unit: 0 } }
)"),
            "");
  EXPECT_TRUE(Passes({{"user", "42"}}));
  EXPECT_TRUE(verdict_.decisions().empty());
  EXPECT_NE(verdict_.sets()[0].node, nullptr);
  EXPECT_TRUE(Passes({{"nobody", "42"}}));
  EXPECT_EQ(verdict_.sets()[0].node, nullptr);
  EXPECT_FALSE(Passes({{"user", "42"}, {"path", "/"}}));
}

TEST_F(EnvoyRatelimitMatchingTest, KeepsDomainsSeparate) {
  ASSERT_EQ(Load({{"a.yaml", R"(
domain: api
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 1 } }
)"},
                  {"b.yaml", R"(
domain: web
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 1 } }
)"}}),
            "");
  EXPECT_TRUE(Passes({{"user", "42"}}));
  EXPECT_FALSE(Passes({{"user", "42"}}));
  domain_ = "web";
  EXPECT_TRUE(Passes({{"user", "42"}}));
  domain_ = "other";
  EXPECT_EQ(Decide({Take({{"user", "42"}})}).kind(), VerdictKind::kUnknownDomain);
}

TEST_F(EnvoyRatelimitMatchingTest, MergesFilesOfOneDomain) {
  ASSERT_EQ(Load({{"a.yaml", R"(
domain: api
descriptors:
  - { key: user, rate_limit: { name: users, unit: day, requests_per_unit: 1 } }
)"},
                  {"b.yaml", R"(
domain: api
descriptors:
  - { key: path, rate_limit: { name: paths, unit: day, requests_per_unit: 1 } }
)"}}),
            "");
  EXPECT_EQ(Met({{"user", "42"}}), "users");
  EXPECT_EQ(Met({{"path", "/"}}), "paths");
}

}  // namespace
}  // namespace sluice::testing
