#include "frontend/front_warnings.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/fake_clock.h"
#include "unit/frontend/front_fixture.h"
#include "wire/grpc/rls_messages.h"

namespace sluice {
namespace {

using testing::Call;
using testing::FrontFixture;
using testing::Rule;

using std::chrono::minutes;
using std::chrono::seconds;

class FrontWarningsTest : public ::testing::Test {
 protected:
  void Report(const std::string& subject, const std::string& text = "text") {
    warnings_.Report(WarningCause::kLiftRefused, subject, [&] { return text; });
  }

  testing::FakeClock clock_{Time{seconds{1'700'000'000}}};
  std::vector<std::string> logged_;
  FrontWarnings warnings_{clock_, [this](WarningCause cause, const std::string& text) {
                            logged_.push_back(std::string(WordOf(cause)) + ": " + text);
                          }};
};

TEST_F(FrontWarningsTest, LogsEachSubjectAtOnceAndThenOncePerMinuteWithACount) {
  for (const char* text : {"first", "second", "third"}) Report("192.0.2.1", text);
  Report("192.0.2.2", "another");
  EXPECT_EQ(logged_, (std::vector<std::string>{"lift_refused: first", "lift_refused: another"}));
  clock_.Advance(seconds{60} - Nanos{1});
  Report("192.0.2.1", "fourth");
  EXPECT_EQ(logged_.size(), 2U);
  clock_.Advance(Nanos{1});
  Report("192.0.2.1", "fifth");
  EXPECT_EQ(logged_.back(), "lift_refused: fifth; 3 more were not logged");
  clock_.Advance(minutes{1});
  Report("192.0.2.1", "sixth");
  EXPECT_EQ(logged_.back(), "lift_refused: sixth");
  EXPECT_EQ(warnings_.counts(), (FrontWarnings::Counts{0, 0, 0, 0, 7, 0}));
  EXPECT_EQ(warnings_.CountOf(WarningCause::kLiftRefused), 7U);
}

TEST_F(FrontWarningsTest, DescribesOnlyWhatIsLogged) {
  int described = 0;
  const auto describe = [&] {
    ++described;
    return std::string("text");
  };
  for (int i = 0; i < 3; ++i) warnings_.Report(WarningCause::kLiftIgnored, "a", describe);
  EXPECT_EQ(described, 1);
}

TEST_F(FrontWarningsTest, BoundsLogAndMemoryForInventedSubjects) {
  for (int i = 0; i < 1000; ++i) Report(std::string(10'000, 'x') + std::to_string(i));
  EXPECT_EQ(warnings_.Recent().size(), 1U) << "they begin alike";
  for (int i = 0; i < 1000; ++i) Report(std::to_string(i));
  EXPECT_EQ(logged_.size(), FrontWarnings::kMaxSubjects + 1);
  ASSERT_EQ(warnings_.Recent().size(), FrontWarnings::kMaxSubjects + 1);
  EXPECT_EQ(warnings_.Recent().back().subject, "") << "those without an entry of their own";
  EXPECT_EQ(warnings_.Recent().back().calls, 1000 - (FrontWarnings::kMaxSubjects - 1));
  EXPECT_EQ(warnings_.CountOf(WarningCause::kLiftRefused), 2000U);
  ReportUnknownDomain("apii", warnings_);  // has an entry of its own
  EXPECT_EQ(logged_.back(),
            "unknown_domain: the domain 'apii' has no rules, so `unknown_domain` decides its "
            "requests");
}

// A peer that fills all entries must not keep others out of the log.
TEST_F(FrontWarningsTest, LogsSubjectsWithoutAnEntryOncePerMinuteTogether) {
  for (std::size_t i = 0; i < FrontWarnings::kMaxSubjects; ++i) Report(std::to_string(i));
  Report("192.0.2.1", "one");
  Report("192.0.2.2", "two");
  EXPECT_EQ(logged_.back(), "lift_refused: one");
  clock_.Advance(minutes{1});
  Report("192.0.2.3", "three");
  EXPECT_EQ(logged_.back(), "lift_refused: three; 1 more was not logged");
}

TEST_F(FrontWarningsTest, ForgetsSubjectsAfterTenMinutes) {
  Report("old");
  clock_.Advance(minutes{10});
  EXPECT_EQ(warnings_.Recent().size(), 1U);
  clock_.Advance(seconds{1});
  EXPECT_TRUE(warnings_.Recent().empty());
  for (std::size_t i = 0; i < FrontWarnings::kMaxSubjects; ++i) Report(std::to_string(i));
  EXPECT_EQ(warnings_.Recent().size(), FrontWarnings::kMaxSubjects);
  EXPECT_EQ(warnings_.Recent().front().calls, 1U);
}

// Warnings that front ends report.
class WarnedFrontTest : public FrontFixture {
 protected:
  HttpFrontOptions WarnedOptions(UnknownDomain unknown_domain) {
    HttpFrontOptions options = Options();
    options.warnings = &warnings_;
    options.unknown_domain = unknown_domain;
    return options;
  }

  int StatusOf(HttpFront& front, const Call& call) {
    const Peer peer{.address = call.peer, .port = 1, .uid = {}};
    exchange_.request = {.method = call.method,
                         .target = call.target,
                         .authority = "shop.test",
                         .headers = call.headers,
                         .body = call.body,
                         .peer = &peer};
    exchange_.reply.Clear();
    Exchange* const batch = &exchange_;
    front.Serve({&batch, 1});
    return exchange_.reply.status;
  }

  static Call Get(std::string target, std::vector<Header> headers = {},
                  std::string peer = "127.0.0.1") {
    return {.method = "GET",
            .target = std::move(target),
            .headers = std::move(headers),
            .peer = std::move(peer)};
  }
  // Makes a call of Envoy's service, as JSON.
  static Call Rls(std::string_view domain) {
    return {.target = "/json",
            .body = R"({"domain":")" + std::string(domain) +
                    R"(","descriptors":[{"entries":[{"key":"a","value":"b"}]}]})",
            .headers = {{"Content-Type", "application/json"}}};
  }

  // Returns causes and subjects, in order.
  std::vector<std::string> Seen() {
    std::vector<std::string> seen;
    for (const FrontWarnings::Seen& each : warnings_.Recent()) {
      seen.push_back(std::string(WordOf(each.cause)) + " " + each.subject);
    }
    return seen;
  }

  std::vector<std::string> lines_;
  FrontWarnings warnings_{
      clock_, [this](WarningCause, const std::string& line) { lines_.push_back(line); }};
  HttpFront passing_{gate_, RemoteAccess{}, clock_, meter_, WarnedOptions(UnknownDomain::kPass)};
  HttpFront refusing_{gate_, RemoteAccess{}, clock_, meter_, WarnedOptions(UnknownDomain::kRefuse)};
};

TEST_F(WarnedFrontTest, PassesAndReportsUnknownDomain) {
  Use({Rule("all", "1000/m")});
  EXPECT_EQ(StatusOf(passing_, Get("/auth/api/a")), 200);
  EXPECT_EQ(StatusOf(passing_, Rls("api")), 200);
  EXPECT_TRUE(Seen().empty());
  EXPECT_EQ(StatusOf(passing_, Get("/auth/apii/a")), 200);
  EXPECT_EQ(StatusOf(passing_, Rls("apj")), 200);
  EXPECT_EQ(Seen(), (std::vector<std::string>{"unknown_domain apii", "unknown_domain apj"}));
}

TEST_F(WarnedFrontTest, RefusesUnknownDomainIfConfigured) {
  Use({Rule("all", "1000/m")});
  EXPECT_EQ(StatusOf(refusing_, Get("/auth/apii/a")), 403);
  EXPECT_TRUE(Says("no rules for the domain 'apii'"));
  EXPECT_EQ(StatusOf(refusing_, Rls("apii")), 429);
  EXPECT_TRUE(Says("OVER_LIMIT"));
  EXPECT_EQ(Seen(), std::vector<std::string>{"unknown_domain apii"});
  EXPECT_EQ(StatusOf(refusing_, Get("/auth/api/a")), 200);
  EXPECT_EQ(StatusOf(refusing_, Rls("api")), 200);
}

TEST_F(WarnedFrontTest, ReportsUntrustedProxy) {
  Use({Rule("all", "1000/m")});
  EXPECT_EQ(StatusOf(passing_, Get("/auth/api/a", {{"Accept", "b"}}, "192.0.2.1")), 200);
  EXPECT_EQ(StatusOf(passing_, Get("/auth/api/a", {{"X-Forwarded-For", "1.2.3.4"}})), 200);
  EXPECT_TRUE(Seen().empty());
  int last = 1;
  for (const char* name : {"X-Forwarded-For", "forwarded", "X-Forwarded-Host", "X-Forwarded-Uri",
                           "X-Original-URI", "X-Original-Method", "X-Real-IP"}) {
    const std::string peer = "192.0.2." + std::to_string(++last);
    EXPECT_EQ(StatusOf(passing_, Get("/auth/api/a", {{name, "/a"}}, peer)), 200) << name;
    EXPECT_EQ(Seen().back(), "untrusted_proxy " + peer) << name;
  }
  EXPECT_EQ(StatusOf(passing_, Get("/auth/api", {{"X-Original-URI", "/a"}}, "192.0.2.2")), 400);
  EXPECT_EQ(warnings_.counts(), (FrontWarnings::Counts{0, 8, 0, 0, 0, 0}));
}

TEST_F(WarnedFrontTest, LogsOutcomeOfCallsByUntrustedProxy) {
  Use({Rule("all", "1000/m")});
  EXPECT_EQ(StatusOf(passing_, Get("/auth/api/a", {{"X-Real-IP", "1.2.3.4"}}, "192.0.2.1")), 200);
  EXPECT_EQ(StatusOf(passing_, Get("/auth/api", {{"X-Original-URI", "/a"}}, "192.0.2.2")), 400);
  const std::string encoded = "/auth/api/%00";
  EXPECT_EQ(StatusOf(passing_, Get(encoded, {{"X-Real-IP", "1.2.3.4"}}, "192.0.2.3")), 400);
  ASSERT_EQ(lines_.size(), 3U);
  const std::string ignored =
      " sends headers of a proxy and is not in `trusted_proxies`, so they are ignored";
  EXPECT_EQ(lines_[0],
            "'192.0.2.1'" + ignored + " and all of its clients share the address of the proxy");
  EXPECT_TRUE(lines_[1].starts_with("'192.0.2.2'" + ignored +
                                    " and the call is refused with 400: its path is in none of"))
      << lines_[1];
  EXPECT_TRUE(
      lines_[2].starts_with("'192.0.2.3'" + ignored + " and the call is refused with 400: "))
      << lines_[2];
}

TEST_F(WarnedFrontTest, ReportsCallWithoutOriginalRequest) {
  Use({Rule("all", "1000/m")});
  EXPECT_EQ(StatusOf(passing_, Get("/auth/api")), 400);
  EXPECT_EQ(StatusOf(passing_, Get("/auth/api", {}, "")), 400);
  EXPECT_EQ(Seen(), (std::vector<std::string>{"no_original_request 127.0.0.1",
                                              "no_original_request a Unix socket"}));
}

}  // namespace
}  // namespace sluice
