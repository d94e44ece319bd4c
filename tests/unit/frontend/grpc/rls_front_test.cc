// RLS calls that a client of the proxy could make fail, because it chooses their values. Envoy
// takes an error for "pass".
#include "frontend/grpc/rls_front.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "unit/frontend/front_fixture.h"
#include "unit/wire/grpc/protobuf_message.h"

namespace sluice::testing {
namespace {

// Encodes a field of bytes. REQUIRES: fewer than 2^14 bytes.
std::string Field(int number, std::string_view bytes) {
  std::string field(1, static_cast<char>(number << 3 | 2));
  if (bytes.size() >= 128) field += static_cast<char>(bytes.size() % 128 | 128U);
  field += static_cast<char>(bytes.size() >= 128 ? bytes.size() / 128 : bytes.size());
  return field.append(bytes);
}

std::string Entry(std::string_view key, std::string_view value) {
  return Field(1, Field(1, key) + Field(2, value));
}

// Makes the cost of the rule the attribute `tokens`.
RuleSpec Costly(RuleSpec rule) {
  rule.cost = CostSpec{std::string("tokens")};
  return rule;
}

class RlsFrontTest : public FrontFixture {
 protected:
  RlsFrontTest() {
    options_ = Options();
    options_.callers.loopback = false;
    options_.warnings = &warnings_;
    options_.callers.warnings = &warnings_;
    options_.max_message_bytes = 8192;
  }

  // Returns the overall code and the codes of the statuses of a call with these descriptors, each
  // given as its entries: 1 is OK and 2 is OVER_LIMIT. Or returns "grpc-status N".
  std::string Codes(const std::vector<std::string>& descriptors) {
    std::string message = Field(1, "api");
    for (const std::string& each : descriptors) message += Field(2, each);
    return CodesOf(message);
  }
  std::string CodesOf(std::string_view message,
                      HttpRequest::Fault fault = HttpRequest::Fault::kNone) {
    std::string frame("\0\0\0", 3);
    frame += static_cast<char>(message.size() >> 8U);
    frame += static_cast<char>(message.size());
    frame += message;
    HttpFront front(gate_, RemoteAccess{}, clock_, meter_, options_);
    const HttpReply& reply =
        Ask(front, {.target = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
                    .body = frame,
                    .headers = {{"content-type", "application/grpc"}},
                    .peer = "192.0.2.1",
                    .fault = fault,
                    .version = HttpRequest::Version::kHttp2});
    if (reply.body.empty()) return Concat("grpc-status ", Told("grpc-status"));
    const auto read = NewMessage("envoy.service.ratelimit.v3.RateLimitResponse");
    EXPECT_TRUE(read->ParseFromString(reply.body.substr(5)));
    const auto& reflection = *read->GetReflection();
    const auto* const type = read->GetDescriptor();
    std::string codes =
        std::to_string(reflection.GetEnumValue(*read, type->FindFieldByName("overall_code")));
    const auto* const statuses = type->FindFieldByName("statuses");
    for (int i = 0; i < reflection.FieldSize(*read, statuses); ++i) {
      const auto& status = reflection.GetRepeatedMessage(*read, statuses, i);
      const auto* const code = status.GetDescriptor()->FindFieldByName("code");
      codes += Concat(" ", status.GetReflection()->GetEnumValue(status, code));
    }
    const auto* const body = type->FindFieldByName("raw_body");
    body_ = reflection.GetString(*read, body);
    return codes;
  }

  std::vector<std::string> lines_;
  FrontWarnings warnings_{clock_, [this](WarningCause cause, const std::string& text) {
                            lines_.push_back(Concat(WordOf(cause), ": ", text));
                          }};
  HttpFrontOptions options_;
  std::string body_;
};

TEST_F(RlsFrontTest, AcceptsValuesThatAreNotUtf8) {
  Use({Per("agent", Rule("agents", "1/h"))});
  EXPECT_EQ(Codes({Entry("agent", "x\xFF")}), "1 1");
  EXPECT_EQ(Codes({Entry("agent", "x\xFF")}), "2 2") << "it is a key like any other";
  EXPECT_EQ(Codes({Entry("agent", "x\xFE")}), "1 1");
}

TEST_F(RlsFrontTest, EscapesValuesThatAreNotUtf8InMetadata) {
  options_.rls.metadata = DynamicMetadata::kAlways;
  Use({Per("agent", Rule("agents", "1/h"))});
  EXPECT_EQ(Codes({Entry("agent", "x\xFF")}), "1 1");
  EXPECT_TRUE(Says("agent=x\\xff")) << "protobuf refuses a string that is not UTF-8";
  EXPECT_FALSE(Says("x\xFF"));
}

// Envoy sends an empty descriptor if all of its actions were skipped because the client left out a
// header.
TEST_F(RlsFrontTest, DecidesOtherDescriptorsBesideEmptyOne) {
  Use({When("path", "/private", Deny("private"))}, {Descriptor("user", "1/h")});
  EXPECT_EQ(Codes({"", Entry("path", "/private")}), "2 1 2");
  EXPECT_EQ(Codes({"", Entry("user", "42")}), "1 1 1");
  EXPECT_EQ(Codes({Entry("user", "42"), ""}), "2 2 1");
}

TEST_F(RlsFrontTest, RefusesDescriptorWithBadCostAndChargesNothing) {
  Use({Costly(Per("tokens", Rule("tokens", "1000/h")))}, {Descriptor("user", "1/h")});
  for (const char* const cost : {"abc", "-1", "", "1e3", "9999999999999999999", "\xFF"}) {
    EXPECT_EQ(Codes({Entry("user", "42"), Entry("tokens", cost)}), "2 1 2") << cost;
  }
  EXPECT_EQ(Codes({Entry("user", "42")}), "1 1") << "nothing was charged";
  EXPECT_EQ(warnings_.CountOf(WarningCause::kBadCost), 6U);
  EXPECT_EQ(lines_,
            (std::vector<std::string>{
                "bad_cost: the attribute 'tokens', which holds the cost of the rule 'tokens', is "
                "no whole number from 0 to 10^18; the rule refuses such RLS calls unless it is in "
                "shadow"}));
}

TEST_F(RlsFrontTest, NamesBadCost) {
  RuleSpec rule = Costly(Rule("tokens", "1000/h"));
  rule.message = "slow down";
  Use({rule});
  Codes({Entry("tokens", "abc")});
  EXPECT_NE(body_.find(R"("detail":"Rule 'tokens', attribute 'tokens': the attribute that holds)"),
            std::string::npos)
      << body_;
  EXPECT_NE(body_.find(R"("status":400)"), std::string::npos) << body_;
}

TEST_F(RlsFrontTest, ReportsBadCostOfShadowRuleWithoutRefusing) {
  Use({Shadow(Costly(Rule("tokens", "1000/h"))), Per("user", Rule("users", "1/h"))});
  EXPECT_EQ(Codes({Entry("tokens", "abc") + Entry("user", "42")}), "1 1");
  EXPECT_EQ(Codes({Entry("tokens", "abc") + Entry("user", "42")}), "2 2");
  EXPECT_EQ(warnings_.CountOf(WarningCause::kBadCost), 2U);
}

TEST_F(RlsFrontTest, DenyComesBeforeBadCost) {
  Use({When("path", "/private", Deny("private")), Costly(Rule("tokens", "9/h"))});
  for (const auto& both : {std::pair{Entry("path", "/private"), Entry("tokens", "abc")},
                           std::pair{Entry("tokens", "abc"), Entry("path", "/private")}}) {
    EXPECT_EQ(Codes({both.first, both.second}), "2 2 2");
    EXPECT_NE(body_.find("Rule 'private' denies this request"), std::string::npos) << body_;
  }
}

TEST_F(RlsFrontTest, RefusesCallWithMoreLimitsThanCanBeCharged) {
  Use({Rule("all", "1000/h")});
  const std::vector<std::string> many(65, Entry("user", "42"));
  std::string expected = "2";
  for (int i = 0; i < 65; ++i) expected += " 2";
  EXPECT_EQ(Codes(many), expected);
  EXPECT_EQ(lines_, (std::vector<std::string>{
                        "rls_call_refused: an RLS call by 192.0.2.1:1 could not be decided and was "
                        "refused: more than 64 limits apply"}));
}

TEST_F(RlsFrontTest, RefusesCallThatIsTooLargeToBeRead) {
  Use({});
  EXPECT_EQ(CodesOf(Field(1, "api") + Field(2, Entry("path", std::string(9000, 'a')))), "2");
  EXPECT_EQ(CodesOf("", HttpRequest::Fault::kBodyTooLarge), "2");
  EXPECT_EQ(CodesOf("", HttpRequest::Fault::kHeadTooLarge), "2");
  EXPECT_EQ(warnings_.CountOf(WarningCause::kRlsRefused), 3U);
}

TEST_F(RlsFrontTest, ReportsCallsThatFailByProxyConfiguration) {
  Use({});
  EXPECT_EQ(Codes({}), "grpc-status 3");
  EXPECT_EQ(Codes({Entry("", "x")}), "grpc-status 3");
  EXPECT_EQ(Codes({Entry("\xFF", "x")}), "grpc-status 3");
  EXPECT_EQ(warnings_.CountOf(WarningCause::kRlsError), 3U);
  EXPECT_EQ(lines_, (std::vector<std::string>{
                        "rls_call_failed: an RLS call by 192.0.2.1:1 was answered with an error, "
                        "after which Envoy lets the request pass unless failure_mode_deny is set: "
                        "descriptors: must not be empty"}));
}

}  // namespace
}  // namespace sluice::testing
