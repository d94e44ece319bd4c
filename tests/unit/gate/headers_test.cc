#include "gate/headers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/limit/rate.h"
#include "unit/gate/gate_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using HeadersTest = GateFixture;

std::string Written(const HeaderOptions& options, const Verdict& verdict) {
  HeaderList list;
  WriteHeaders(options, verdict, list);
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += std::string(list[i].name) + ": " + std::string(list[i].value) + "\n";
  }
  return text;
}

std::string Written(HeaderProfile profile, const Verdict& verdict) {
  return Written(HeaderOptions{.profile = profile}, verdict);
}

std::string Ietf(const Verdict& verdict) { return Written(HeaderProfile::kIetf, verdict); }

NamedLimit Named(const std::string& name, const std::string& rate) {
  return {name, LimitOf(rate), {}};
}

const LimitSpec kPacer = {.algorithm = Algorithm::kPacer, .rate = Rate{1, seconds{2}}};

TEST_F(HeadersTest, IetfListsEveryPolicyAndTheNearestLimit) {
  Use({Rule("plan", "50/s"), Rule("posts", {Named("m", "2/m"), Named("d", "1000/d")})});
  EXPECT_EQ(Ietf(Check()),
            "RateLimit-Policy: \"plan/m\";q=50;w=1, \"posts/m\";q=2;w=60, "
            "\"posts/d\";q=1000;w=86400\n"
            "RateLimit: \"posts/m\";r=1;t=30\n");
}

TEST_F(HeadersTest, IetfRefusalReportsWhenToRetry) {
  Use({Rule("plan", "50/s"), Rule("posts", "2/m")});
  Check(2);
  clock_.Advance(milliseconds{500});
  EXPECT_EQ(Ietf(Check()),
            "RateLimit-Policy: \"plan/m\";q=50;w=1, \"posts/m\";q=2;w=60\n"
            "RateLimit: \"posts/m\";r=0;t=30\n"
            "Retry-After: 30\n");
}

TEST_F(HeadersTest, XRateLimitCountsSecondsFromNow) {
  Use({Rule("posts", "2/m")});
  EXPECT_EQ(Written(HeaderProfile::kXRateLimit, Check()),
            "X-RateLimit-Limit: 2\n"
            "X-RateLimit-Remaining: 1\n"
            "X-RateLimit-Reset: 30\n");
  Check();
  EXPECT_EQ(Written(HeaderProfile::kXRateLimit, Check()),
            "X-RateLimit-Limit: 2\n"
            "X-RateLimit-Remaining: 0\n"
            "X-RateLimit-Reset: 30\n"
            "Retry-After: 30\n"
            "X-RateLimit-Retry-After: 30\n");
}

TEST_F(HeadersTest, EnvoyListsPoliciesWithTheLimit) {
  Use({Rule("posts", "10/s"), Rule("hour", "1000/h")}, {Descriptor("user", "20/s")});
  EXPECT_EQ(Written(HeaderProfile::kEnvoy, Check(10, {{"user", "42"}})),
            "X-RateLimit-Limit: 10, 10;w=1;name=\"posts/m\", 1000;w=3600;name=\"hour/m\", "
            "20;w=1;name=\"user\"\n"
            "X-RateLimit-Remaining: 0\n"
            "X-RateLimit-Reset: 1\n");
  EXPECT_EQ(Written(HeaderProfile::kEnvoy, Check()),
            "X-RateLimit-Limit: 10, 10;w=1;name=\"posts/m\", 1000;w=3600;name=\"hour/m\"\n"
            "X-RateLimit-Remaining: 0\n"
            "X-RateLimit-Reset: 1\n"
            "Retry-After: 1\n");
}

TEST_F(HeadersTest, GithubReportsResetTimeAndUsedUnits) {
  Use({Rule("posts", "2/m")});
  Check();
  clock_.Advance(seconds{10});
  EXPECT_EQ(Written(HeaderProfile::kGithub, Check()),
            "X-RateLimit-Limit: 2\n"
            "X-RateLimit-Remaining: 0\n"
            "X-RateLimit-Reset: 1700000061\n"  // 60 s after 0.5, rounded up
            "X-RateLimit-Used: 2\n"
            "X-RateLimit-Resource: posts\n");
  EXPECT_EQ(Written(HeaderProfile::kGithub, Check()),
            "X-RateLimit-Limit: 2\n"
            "X-RateLimit-Remaining: 0\n"
            "X-RateLimit-Reset: 1700000031\n"
            "X-RateLimit-Used: 2\n"
            "X-RateLimit-Resource: posts\n"
            "Retry-After: 20\n");
}

TEST_F(HeadersTest, OpenAiSeparatesRequestsFromTokens) {
  Use({Rule("requests", "500/m"), Rule("daily", "100/d"),
       Rule("gpt", {Named("Input-Tokens", "300/h"), Named("slow", "1000/d")})});
  EXPECT_EQ(Written(HeaderProfile::kOpenAi, Check(10)),
            "x-ratelimit-limit-requests: 100\n"
            "x-ratelimit-remaining-requests: 90\n"
            "x-ratelimit-reset-requests: 2h24m0s\n"
            "x-ratelimit-limit-tokens: 300\n"
            "x-ratelimit-remaining-tokens: 290\n"
            "x-ratelimit-reset-tokens: 2m0s\n");
}

TEST_F(HeadersTest, OpenAiRoundsDurationsUpToMilliseconds) {
  Use({Rule("all", "7/s")});
  const auto reset = [this](Nanos idle) {
    clock_.Advance(idle);
    const std::string text = Written(HeaderProfile::kOpenAi, Check(0));
    return text.substr(text.rfind(' ') + 1);
  };
  EXPECT_EQ(reset({}), "0s\n");
  Check();
  EXPECT_EQ(reset({}), "143ms\n");  // a seventh of a second
  Check(6);
  EXPECT_EQ(reset({}), "1s\n");
  Use({Rule("slow", "10/90s")});
  Check();
  EXPECT_EQ(reset({}), "9s\n");
  Check(9);
  EXPECT_EQ(reset({}), "1m30s\n");
  EXPECT_EQ(reset(milliseconds{500}), "1m29.5s\n");
  EXPECT_EQ(reset(milliseconds{495}), "1m29.005s\n");
}

TEST_F(HeadersTest, NoneWritesNoHeaders) {
  Use({Rule("posts", "1/m")});
  EXPECT_EQ(Written(HeaderProfile::kNone, Check()), "");
  EXPECT_EQ(Written(HeaderProfile::kNone, Check()), "");
}

TEST_F(HeadersTest, WritesNoHeadersWithoutALimit) {
  Use({Deny("nobody")});
  EXPECT_EQ(Ietf(Check()), "");
  EXPECT_EQ(Ietf(CheckIn("other", 1, {})), "");
}

// Invariant (1).
TEST_F(HeadersTest, DoesNotShowShadowLimits) {
  Use({Shadow(Rule("tight", "1/h")), Rule("all", "10/h")});
  Check();
  EXPECT_EQ(Ietf(Check()),
            "RateLimit-Policy: \"all/m\";q=10;w=3600\n"
            "RateLimit: \"all/m\";r=8;t=360\n");
  Use({Shadow(Rule("tight", "1/h"))});
  for (const auto& word : kHeaderProfileWords) EXPECT_EQ(Written(word.meaning, Check()), "");
}

TEST_F(HeadersTest, WritesNoRetryAfterIfWaitingNeverHelps) {
  Use({Rule("posts", "2/m")});
  EXPECT_EQ(Ietf(Check(3)),
            "RateLimit-Policy: \"posts/m\";q=2;w=60\n"
            "RateLimit: \"posts/m\";r=2\n");
  EXPECT_EQ(Written(HeaderProfile::kXRateLimit, Check(3)),
            "X-RateLimit-Limit: 2\nX-RateLimit-Remaining: 2\nX-RateLimit-Reset: 0\n");
}

TEST_F(HeadersTest, LeavesOutMissingUnits) {
  Use({Rule("slow", LimitOf(kPacer))});
  Check(2);  // half a unit was stored, one and a half are owed
  EXPECT_EQ(Ietf(Check()), "RateLimit-Policy: \"slow/m\";q=1;w=2\nRetry-After: 3\n");
  EXPECT_EQ(Written(HeaderProfile::kXRateLimit, verdict_),
            "X-RateLimit-Reset: 3\nRetry-After: 3\nX-RateLimit-Retry-After: 3\n");
  EXPECT_EQ(Written(HeaderProfile::kEnvoy, verdict_), "X-RateLimit-Reset: 3\nRetry-After: 3\n");
  EXPECT_EQ(Written(HeaderProfile::kGithub, verdict_),
            "X-RateLimit-Reset: 1700000004\nX-RateLimit-Resource: slow\nRetry-After: 3\n");
  EXPECT_EQ(Written(HeaderProfile::kOpenAi, verdict_),
            "x-ratelimit-reset-requests: 3s\nRetry-After: 3\n");
}

TEST_F(HeadersTest, RoundsPeriodsUpToWholeSeconds) {
  const LimitSpec month = {.algorithm = Algorithm::kFixedWindow,
                           .rate = ParseRate("7/month").value(),
                           .window = WindowKind::kCalendar};
  Use({Rule("short", "5/250ms"), Rule("odd", "5/1500ms"), Rule("month", LimitOf(month))});
  const std::string text = Ietf(Check());
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "RateLimit-Policy: \"short/m\";q=5;w=1, \"odd/m\";q=5;w=2, \"month/m\";q=7;w=2592000");
}

TEST_F(HeadersTest, RoundsAShortWaitUpToASecond) {
  Use({Rule("fast", "100/s")});
  Check(100);
  EXPECT_EQ(Ietf(Check()),
            "RateLimit-Policy: \"fast/m\";q=100;w=1\n"
            "RateLimit: \"fast/m\";r=0;t=1\n"
            "Retry-After: 1\n");
}

TEST_F(HeadersTest, ClampsNumbersToStructuredFieldIntegers) {
  Use({Rule("many", LimitOf({.algorithm = Algorithm::kFixedWindow,
                             .rate = Rate{1'000'000'000'000'000'000, hours{1}}}))});
  EXPECT_EQ(Ietf(Check()),
            "RateLimit-Policy: \"many/m\";q=999999999999999;w=3600\n"
            "RateLimit: \"many/m\";r=999999999999999;t=2800\n");
}

TEST_F(HeadersTest, EscapesNamesAsStructuredFieldStrings) {
  Use({Rule("say \"hi\" \\ 100%", {{"a/b", LimitOf("5/h"), {}}})});
  EXPECT_NE(Ietf(Check()).find(R"(RateLimit: "say \"hi\" \\ 100%25/a%2fb";r=4)"),
            std::string::npos);
  Use(
      {Rule("gr\xC3\xB6\xC3\x9F"
            "e\r\nSet-Cookie: x\x7F\xFF",
            "5/h")});
  EXPECT_NE(Ietf(Check()).find(R"(RateLimit: "gr%c3%b6%c3%9fe%0d%0aSet-Cookie: x%7f%ff/m";r=4)"),
            std::string::npos);
  EXPECT_NE(Written(HeaderProfile::kGithub, verdict_)
                .find("X-RateLimit-Resource: gr%c3%b6%c3%9fe%0d%0aSet-Cookie: x%7f%ff\n"),
            std::string::npos);
}

// Invariant (3).
TEST_F(HeadersTest, RetryAfterIsNeverBeforeTheReset) {
  Use({Rule("minute", "10/m"), Rule("hour", "20/h")});
  Check(10);
  EXPECT_EQ(Ietf(Check(10)),
            "RateLimit-Policy: \"minute/m\";q=10;w=60, \"hour/m\";q=20;w=3600\n"
            "RateLimit: \"minute/m\";r=0;t=60\n"
            "Retry-After: 60\n");
  clock_.Advance(minutes{1});
  Check(10);
  EXPECT_EQ(Ietf(Check(10)),
            "RateLimit-Policy: \"minute/m\";q=10;w=60, \"hour/m\";q=20;w=3600\n"
            "RateLimit: \"hour/m\";r=0;t=1740\n"
            "Retry-After: 1740\n");
}

// Invariant (3).
TEST_F(HeadersTest, AddsJitterToBothTimes) {
  Use({Rule("posts", "1/100s")});
  Check();
  Check();
  const auto retry_after = [this](seconds jitter, std::uint64_t drawn) {
    const HeaderOptions options{.jitter = jitter, .draw = [=] { return drawn; }};
    const std::string text = Written(options, verdict_);
    return text.substr(text.find("t="));
  };
  EXPECT_EQ(retry_after(seconds{0}, UINT64_MAX), "t=100\nRetry-After: 100\n");
  EXPECT_EQ(retry_after(seconds{10}, 0), "t=100\nRetry-After: 100\n");
  EXPECT_EQ(retry_after(seconds{10}, UINT64_MAX / 2), "t=105\nRetry-After: 105\n");
  EXPECT_EQ(retry_after(seconds{10}, UINT64_MAX), "t=110\nRetry-After: 110\n");
  EXPECT_EQ(retry_after(seconds{100}, UINT64_MAX), "t=200\nRetry-After: 200\n");
}

// Invariant (4): `t` is the time until `r` grows, for every algorithm.
class EffectiveWindowTest : public HeadersTest {
 protected:
  using HeadersTest::HeadersTest;

  struct Told {
    std::int64_t remaining = -1;
    std::int64_t until_more = -1;  // -1: not written
  };

  void SetUp() override { gate_.ReportGrowth(true); }

  std::string Ask(std::int64_t cost, const std::vector<Attribute>& attributes = {}) {
    const AttributeSet set{attributes, Cost{cost}};
    telling_.emplace(gate_).Decide({"api", {&set, 1}}, verdict_);
    return Ietf(verdict_);
  }
  Told TakeUnits(std::int64_t cost, const std::vector<Attribute>& attributes = {}) {
    const std::string text = Ask(cost, attributes);
    const auto number = [&](std::string_view parameter) -> std::int64_t {
      const std::size_t at = text.find(parameter, text.find("\nRateLimit: "));
      return at == std::string::npos ? -1 : std::stoll(text.substr(at + parameter.size()));
    };
    return {number(";r="), number(";t=")};
  }
  std::int64_t Left(const std::vector<Attribute>& attributes = {}) {
    Ask(0, attributes);
    return verdict_.nearest()->decision.remaining;
  }

  std::optional<GateSession> telling_;
};

TEST_F(EffectiveWindowTest, EndsWhenRemainingGrows) {
  using enum Algorithm;
  const Rate rate{6, minutes{1}};
  const std::vector<LimitSpec> specs = {
      {.algorithm = kTokenBucket, .rate = rate},
      {.algorithm = kTokenBucket, .rate = Rate{7, minutes{1}}},
      {.algorithm = kTokenBucket, .rate = rate, .burst = Fraction(20)},
      {.algorithm = kTokenBucket, .rate = rate, .burst = Fraction(3), .max_wait = minutes{1}},
      {.algorithm = kTokenBucket, .rate = rate, .burst = Fraction(8), .refill = Refill::kInterval},
      {.algorithm = kLeakyBucket, .rate = rate, .burst = Fraction(4)},
      {.algorithm = kLeakyBucket, .rate = rate, .burst = Fraction(4), .max_wait = seconds{15}},
      {.algorithm = kFixedWindow, .rate = rate},
      {.algorithm = kFixedWindow, .rate = rate, .window = WindowKind::kFirstRequest},
      {.algorithm = kSlidingLog, .rate = rate},
      {.algorithm = kSlidingLog, .rate = rate, .min_gap = seconds{5}},
      {.algorithm = kSlidingWindow, .rate = rate},
      {.algorithm = kSlidingBuckets, .rate = rate, .buckets = 6},
      {.algorithm = kSlidingBuckets, .rate = rate, .buckets = 6, .oldest = OldestPart::kWeighted},
  };
  for (std::size_t i = 0; i < specs.size(); ++i) {
    Use({Rule("rule" + std::to_string(i), LimitOf(specs[i]))});
    for (const seconds pause : {seconds{7}, seconds{0}, seconds{11}, seconds{3}, seconds{40}}) {
      SCOPED_TRACE(std::to_string(i) + " after " + std::to_string(pause.count()) + " s");
      clock_.Advance(pause);
      const Told told = TakeUnits(1);
      if (!verdict_.allowed()) continue;
      ASSERT_GT(told.until_more, 0);
      clock_.Advance(seconds{told.until_more - 1});
      EXPECT_EQ(Left(), told.remaining);
      clock_.Advance(seconds{1});
      EXPECT_GT(Left(), told.remaining);
    }
  }
}

class SharedStateWindowTest : public EffectiveWindowTest {
 protected:
  SharedStateWindowTest()
      : EffectiveWindowTest(
            MemoryStoreOptions{.memory_bytes = std::uint64_t{16} << 20U, .seed = {1, 2}}) {}
};

TEST_F(SharedStateWindowTest, EndsWhenRemainingGrows) {
  RuleSpec rule = Rule("posts", "6/m");
  rule.per = {{{"user"}, {}}};
  Use({rule});
  FillMemory(*store_, clock_.Now());
  const std::vector<Attribute> user{{"user", "42"}};
  const Told told = TakeUnits(2, user);
  ASSERT_EQ(verdict_.nearest()->decision.source, Source::kOverflow) << "the memory is full";
  ASSERT_GT(told.until_more, 0);
  clock_.Advance(seconds{told.until_more - 1});
  EXPECT_EQ(Left(user), told.remaining);
  clock_.Advance(seconds{1});
  EXPECT_EQ(Left(user), told.remaining + 1);
}

// kLongestSpan is 3,153,600,000 seconds, which does not fit 32 bits; in the ticks of 11 units it
// does not fit 64 bits.
TEST_F(EffectiveWindowTest, DoesNotOverflowForTheLongestLimits) {
  using enum Algorithm;
  const Nanos half = kLongestSpan / 2;
  struct Long {
    LimitSpec spec;
    int requests;  // number of requests that pass
    std::int64_t until_more;
  };
  const std::vector<Long> limits = {
      {{.algorithm = kTokenBucket, .rate = Rate{1, kLongestSpan}}, 1, 3'153'600'000},
      {{.algorithm = kTokenBucket, .rate = Rate{11, kLongestSpan}}, 11, 286'690'910},
      {{.algorithm = kTokenBucket, .rate = Rate{1, half}, .max_wait = half}, 2, 3'153'600'000},
      {{.algorithm = kTokenBucket,
        .rate = Rate{2, half},
        .burst = Fraction(2),
        .refill = Refill::kInterval,
        .max_wait = half},
       4,
       3'153'600'000},
      {{.algorithm = kLeakyBucket, .rate = Rate{1, half}, .burst = Fraction(1)}, 2, 1'576'800'000},
      {{.algorithm = kFixedWindow,
        .rate = Rate{1, kLongestSpan},
        .window = WindowKind::kFirstRequest},
       1,
       3'153'600'000},
      {{.algorithm = kSlidingLog, .rate = Rate{1, kLongestSpan}}, 1, 3'153'600'000},
  };
  for (std::size_t i = 0; i < limits.size(); ++i) {
    Use({Rule("rule" + std::to_string(i), LimitOf(limits[i].spec))});
    for (int left = limits[i].requests; left > 1; --left) TakeUnits(1);
    EXPECT_EQ(TakeUnits(1).until_more, limits[i].until_more) << i;
    EXPECT_TRUE(verdict_.allowed()) << i;
    const std::int64_t until_passing = TakeUnits(1).until_more;
    EXPECT_FALSE(verdict_.allowed()) << i;
    EXPECT_GE(until_passing, limits[i].until_more / 2) << i;
    EXPECT_LE(until_passing, 3'153'600'000) << i;
  }
}

TEST_F(EffectiveWindowTest, IsLeftOutIfAllUnitsAreAvailable) {
  Use({Rule("posts", "2/m"),
       Rule("log", LimitOf({.algorithm = Algorithm::kSlidingLog, .rate = Rate{2, minutes{1}}}))});
  EXPECT_EQ(TakeUnits(0).until_more, -1);
  EXPECT_EQ(TakeUnits(1).until_more, 30);
}

TEST_F(EffectiveWindowTest, EqualsRetryAfterIfRefused) {
  Use({Rule("posts", "2/m")});
  EXPECT_EQ(TakeUnits(1).until_more, 30);
  EXPECT_EQ(TakeUnits(1).until_more, 30);
  EXPECT_EQ(TakeUnits(2).until_more, 60);
  EXPECT_NE(Ietf(verdict_).find("Retry-After: 60\n"), std::string::npos);
}

// Invariant (5).
TEST_F(HeadersTest, BoundsHeadersHoweverManyLimitsApply) {
  std::vector<RuleSpec> rules;
  for (int i = 0; i < 60; ++i) {
    rules.push_back(Rule(std::string(500, '\xFF') + std::to_string(i), "1000/h"));
  }
  rules[40] = Rule("tight", "2/h");
  Use(std::move(rules));
  for (const HeaderProfile profile : {HeaderProfile::kIetf, HeaderProfile::kEnvoy}) {
    HeaderList list;
    WriteHeaders({.profile = profile}, Check(), list);
    const std::string policies(list[0].value);
    EXPECT_LT(policies.size(), 3000U);
    EXPECT_NE(policies.find("\"tight/m\""), std::string::npos);
    EXPECT_EQ(std::ranges::count(policies, ','), profile == HeaderProfile::kIetf ? 15 : 16);
  }
}

// Invariant (5).
TEST_F(HeadersTest, CountsEscapesTowardsNameLengthAndNeverCutsThem) {
  std::vector<RuleSpec> rules;
  for (int i = 0; i < 20; ++i) {
    const std::string quotes(99, '"');
    rules.push_back(Rule("x" + quotes, {{std::to_string(i) + "\\" + quotes, LimitOf("9/h"), {}}}));
  }
  Use(std::move(rules));
  HeaderList list;
  WriteHeaders({}, Check(), list);
  const std::string policies(list[0].value);
  EXPECT_LT(policies.size(), 3000U);
  std::string first = "\"x";
  for (int i = 0; i < 31; ++i) first += "\\\"";
  first += "/0\\\\";
  for (int i = 0; i < 14; ++i) first += "\\\"";
  EXPECT_TRUE(policies.starts_with(first + "\";q=9;w=3600, ")) << policies;
}

TEST_F(HeadersTest, ReusesAClearedList) {
  Use({Rule("posts", "2/m")});
  HeaderList list;
  list.Add("Server", "sluice");
  WriteHeaders({.profile = HeaderProfile::kXRateLimit}, Check(), list);
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0], (Header{"Server", "sluice"}));
  EXPECT_EQ(list[3], (Header{"X-RateLimit-Reset", "30"}));
  list.Clear();
  WriteHeaders({}, Check(), list);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1], (Header{"RateLimit", "\"posts/m\";r=0;t=30"}));
}

TEST(HeaderProfileTest, ReadsEveryWord) {
  for (const auto& word : kHeaderProfileWords) {
    EXPECT_EQ(ReadHeaderProfile(word.text).value(), word.meaning);
  }
  EXPECT_EQ(ReadHeaderProfile("githup").error().message,
            "unknown header profile 'githup'; did you mean 'github'?");
}

}  // namespace
}  // namespace sluice::testing
