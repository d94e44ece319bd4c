#include "wire/grpc/limiter_messages.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protobuf_message.h"
#include "support/random.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::BytesOf;
using testing::Random;
using testing::TextOf;

const std::string kCheckType = "sluice.v1.CheckRequest";
const std::string kBatchType = "sluice.v1.CheckBatchRequest";

// Formats the checks as text, attributes in their order.
std::string Words(const LimiterChecks& checks) {
  std::string words;
  for (const LimiterCheck& check : checks.checks) {
    words += std::string(check.domain) + " " + std::to_string(check.cost.units) + ":";
    for (const Attribute& each : checks.AttributesOf(check)) {
      words += " " + std::string(each.name) + "=" + std::string(each.value);
    }
    words += "; ";
  }
  return words;
}

// Returns the checks as text, or the error.
std::string Read(std::string_view message, const LimiterBounds& bounds = {}) {
  LimiterChecks checks;
  const auto fault = ReadLimiterCheck(message, bounds, checks);
  if (!fault) return Words(checks);
  EXPECT_EQ(fault->status, GrpcStatus::kInvalidArgument);
  return fault->message;
}

std::string ReadBatch(std::string_view message, const LimiterBounds& bounds = {}) {
  LimiterChecks checks;
  const auto fault = ReadLimiterBatch(message, bounds, checks);
  return fault ? fault->message : Words(checks);
}

std::string ReadText(const std::string& text) { return Read(BytesOf(kCheckType, text)); }

TEST(LimiterRequestTest, ReadsEveryField) {
  EXPECT_EQ(ReadText(R"(domain: "api" attributes { key: "user" value: "42" } cost: 7)"),
            "api 7: user=42; ");
  EXPECT_EQ(ReadText(R"(domain: "api" attributes { key: "a" value: "" })"), "api 1: a=; ");
  EXPECT_EQ(ReadText(R"(domain: "api" cost: 0)"), "api 0:; ");
  EXPECT_EQ(ReadText(R"(domain: "api" cost: 9223372036854775807)"), "api 9223372036854775807:; ");
}

TEST(LimiterRequestTest, ReadsEveryRequestTypeAlike) {
  for (const char* type : {"sluice.v1.PeekRequest", "sluice.v1.RefundRequest"}) {
    EXPECT_EQ(Read(BytesOf(type, R"(domain: "d" attributes { key: "k" value: "v" } cost: 3)")),
              "d 3: k=v; ");
  }
  EXPECT_EQ(
      Read(BytesOf("sluice.v1.ResetRequest", R"(domain: "d" attributes { key: "k" value: "v" })")),
      "d 1: k=v; ");
}

TEST(LimiterRequestTest, ReadsABatchInOrder) {
  EXPECT_EQ(ReadBatch(BytesOf(kBatchType, R"(
                checks { domain: "a" attributes { key: "x" value: "1" } cost: 2 }
                checks { domain: "b" }
                checks { domain: "c" attributes { key: "x" value: "3" } })")),
            "a 2: x=1; b 1:; c 1: x=3; ");
  EXPECT_EQ(ReadBatch(""), "");
}

TEST(LimiterRequestTest, NamesTheFieldInErrors) {
  EXPECT_EQ(Read(""), "domain: must not be empty");
  EXPECT_EQ(ReadText(R"(domain: "d" cost: 9223372036854775808)"), "cost: is over 2^63 - 1");
  EXPECT_EQ(ReadText(R"(domain: "d" attributes { key: "" value: "v" })"),
            "attributes[0].key: must not be empty");
  EXPECT_EQ(Read("\x0A\x01\xFF"), "domain: is not UTF-8");
  EXPECT_EQ(Read("\x0A\x01"
                 "d\x12\x03\x0A\x01\xFF"),
            "attributes[0].key: is not UTF-8");
  EXPECT_EQ(Read("\x0A\x01"
                 "d\x12\x06\x0A\x01k\x12\x01\xFF"),
            "attributes[0].value: is not UTF-8");
  EXPECT_EQ(Read("\x08\x01"), "domain: is of another type");
  EXPECT_EQ(Read("\x1A\x01"
                 "1"),
            "cost: is of another type");
  EXPECT_EQ(Read("\x0A\x01"
                 "d\x12\x02\x10\x01"),
            "attributes[0].value: is of another type");
  EXPECT_EQ(Read("\x0A\x05"
                 "d"),
            "the message is cut off");
  EXPECT_EQ(Read("\x7B\x7C"), "the message has a group");
  EXPECT_EQ(ReadBatch("\x0A\x03\x0A\x01"
                      "d\x0A\x02\x0A\x05"),
            "checks[1]: is cut off");
  EXPECT_EQ(ReadBatch("\x0A\x03\x0A\x01"
                      "d\x0A\x05\x0A\x05"),
            "the message is cut off");
  EXPECT_EQ(ReadBatch("\x08\x01"), "checks: is of another type");
}

TEST(LimiterRequestTest, RejectsDuplicateAttributes) {
  const std::string attribute = "\x12\x06\x0A\x01k\x12\x01v";
  EXPECT_EQ(Read("\x0A\x01"
                 "d" +
                 attribute),
            "d 1: k=v; ");
  EXPECT_EQ(Read("\x0A\x01"
                 "d" +
                 attribute + "\x12\x03\x0A\x01j" + attribute),
            "attributes[2].key: is there twice");
  // Two checks may have the same attribute.
  EXPECT_EQ(ReadBatch(BytesOf(kBatchType,
                              R"(checks { domain: "a" attributes { key: "k" value: "v" } }
                                 checks { domain: "a" attributes { key: "k" value: "v" } })")),
            "a 1: k=v; a 1: k=v; ");
}

TEST(LimiterRequestTest, EnforcesBounds) {
  const std::string check = BytesOf(kCheckType, R"(domain: "d"
      attributes { key: "a" value: "" } attributes { key: "b" value: "" })");
  EXPECT_TRUE(Read(check, {.max_checks = 1, .max_attributes = 2}).starts_with("d 1:"));
  EXPECT_EQ(Read(check, {.max_checks = 1, .max_attributes = 1}), "attributes[1]: is one too many");
  const std::string batch = BytesOf(kBatchType, R"(checks { domain: "a" } checks { domain: "b" })");
  EXPECT_EQ(ReadBatch(batch, {.max_checks = 2}), "a 1:; b 1:; ");
  EXPECT_EQ(ReadBatch(batch, {.max_checks = 1}), "checks[1]: is one too many");
}

TEST(LimiterRequestTest, ClearsReusedChecks) {
  LimiterChecks checks;
  const std::string batch = BytesOf(kBatchType, R"(
      checks { domain: "a" attributes { key: "k" value: "v" } } checks { domain: "b" cost: 3 })");
  const std::string one = BytesOf(kCheckType, R"(domain: "c")");
  ASSERT_FALSE(ReadLimiterBatch(batch, {}, checks).has_value());
  ASSERT_FALSE(ReadLimiterCheck(one, {}, checks).has_value());
  EXPECT_EQ(Words(checks), "c 1:; ");
}

TEST(LimiterRequestTest, ReadsRandomRequestsAsProtobufDoes) {
  LimiterChecks checks;
  testing::ForEachSeed(2000, [&](Random& random) {
    const auto message = testing::RandomMessage(kBatchType, 3, random);
    testing::AddUnknownFields(*message);
    const std::string bytes = message->SerializeAsString();
    if (ReadLimiterBatch(bytes, {}, checks)) return;
    // Let protobuf encode what was read.
    std::string text;
    const auto again = testing::NewMessage(kBatchType);
    const auto& reflection = *again->GetReflection();
    for (const LimiterCheck& check : checks.checks) {
      auto* made = reflection.AddMessage(again.get(), again->GetDescriptor()->field(0));
      const auto* type = made->GetDescriptor();
      made->GetReflection()->SetString(made, type->FindFieldByName("domain"),
                                       std::string(check.domain));
      made->GetReflection()->SetUInt64(made, type->FindFieldByName("cost"),
                                       static_cast<std::uint64_t>(check.cost.units));
      for (const Attribute& each : checks.AttributesOf(check)) {
        auto* entry = made->GetReflection()->AddMessage(made, type->FindFieldByName("attributes"));
        entry->GetReflection()->SetString(entry, entry->GetDescriptor()->field(0),
                                          std::string(each.name));
        entry->GetReflection()->SetString(entry, entry->GetDescriptor()->field(1),
                                          std::string(each.value));
      }
    }
    message->DiscardUnknownFields();
    for (int i = 0; i < reflection.FieldSize(*message, message->GetDescriptor()->field(0)); ++i) {
      auto* check = message->GetReflection()->MutableRepeatedMessage(
          message.get(), message->GetDescriptor()->field(0), i);
      const auto* cost = check->GetDescriptor()->FindFieldByName("cost");
      if (!check->GetReflection()->HasField(*check, cost)) {
        check->GetReflection()->SetUInt64(check, cost, 1);
      }
    }
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(*message, *again))
        << message->DebugString() << again->DebugString();
  });
}

std::string Verdict(const LimiterVerdict& verdict) {
  std::string out;
  AppendLimiterVerdict(verdict, out);
  return TextOf("sluice.v1.Verdict", out);
}

TEST(LimiterReplyTest, WritesAnAllowedVerdictWithItsDecisions) {
  const std::vector<LimiterDecision> decisions = {
      {.rule = "posts",
       .name = "m",
       .decision = {.limit = 2, .remaining = 1, .reset_after = 30s + 1ns, .wait = 5ms}},
      {.rule = "all",
       .name = "",
       .enforcement = Enforcement::kShadow,
       .decision = {.source = Source::kOverflow, .limit = kNoUnits, .remaining = kNoUnits}}};
  LimiterVerdict verdict;
  verdict.wait = 5ms;
  verdict.decisions = decisions;
  EXPECT_EQ(Verdict(verdict),
            "allowed: true wait { nanos: 5000000 } "
            "decisions { rule: \"posts\" name: \"m\" allowed: true limit: 2 remaining: 1 "
            "reset_after { seconds: 30 nanos: 1 } mode: MODE_ENFORCE source: SOURCE_MEMORY "
            "wait { nanos: 5000000 } } "
            "decisions { rule: \"all\" allowed: true reset_after { } mode: MODE_SHADOW "
            "source: SOURCE_OVERFLOW }");
}

TEST(LimiterReplyTest, WritesEverySource) {
  const std::vector<std::pair<Source, std::string>> sources = {
      {Source::kMemory, "MEMORY"},     {Source::kOverflow, "OVERFLOW"},
      {Source::kRemote, "REDIS"},      {Source::kLease, "LEASE"},
      {Source::kEventual, "EVENTUAL"}, {Source::kEmptyKey, "EMPTY_KEY"},
      {Source::kFallback, "FALLBACK"}};
  for (const auto& [source, name] : sources) {
    const std::vector<LimiterDecision> decisions = {
        {.rule = "r", .name = "", .decision = {.source = source}}};
    LimiterVerdict verdict;
    verdict.decisions = decisions;
    EXPECT_NE(Verdict(verdict).find("source: SOURCE_" + name + " "), std::string::npos) << name;
  }
}

TEST(LimiterReplyTest, WritesRetryAfterOfARefusal) {
  const std::vector<LimiterDecision> decisions = {
      {.rule = "r",
       .name = "",
       .enforcement = Enforcement::kQuota,
       .decision = {.allowed = false, .limit = 0, .remaining = 0, .retry_after = 1500ms}},
      {.rule = "r",
       .name = "",
       .enforcement = Enforcement::kDebt,
       .decision = {.allowed = false, .limit = 5, .remaining = 5, .retry_after = kNever}}};
  EXPECT_EQ(Verdict({.allowed = false,
                     .retry_after = 1500ms,
                     .rule = "deny",
                     .status = 429,
                     .message = "slow down",
                     .decisions = decisions}),
            "retry_after { seconds: 1 nanos: 500000000 } rule: \"deny\" status: 429 "
            "message: \"slow down\" "
            "decisions { rule: \"r\" limit: 0 remaining: 0 "
            "retry_after { seconds: 1 nanos: 500000000 } reset_after { } mode: MODE_QUOTA "
            "source: SOURCE_MEMORY } "
            "decisions { rule: \"r\" limit: 5 remaining: 5 never: true reset_after { } "
            "mode: MODE_DEBT source: SOURCE_MEMORY }");
  EXPECT_EQ(
      Verdict(
          {.allowed = false, .retry_after = kNever, .rule = {}, .message = {}, .decisions = {}}),
      "never: true");
}

TEST(LimiterReplyTest, OmitsTimesThatDoNotApply) {
  LimiterVerdict allowed;
  allowed.retry_after = kNever;
  EXPECT_EQ(Verdict(allowed), "allowed: true");
  allowed.retry_after = 1s;
  EXPECT_EQ(Verdict(allowed), "allowed: true");
  LimiterVerdict refused;
  refused.allowed = false;
  refused.retry_after = 1s;
  refused.wait = 1s;
  EXPECT_EQ(Verdict(refused), "retry_after { seconds: 1 }");
}

TEST(LimiterReplyTest, WritesABatchAsConsecutiveAnswers) {
  std::string out;
  AppendLimiterAnswer(LimiterVerdict{}, out);
  AppendLimiterAnswer(GrpcFault{GrpcStatus::kNotFound, "no rules"}, out);
  LimiterVerdict refused;
  refused.allowed = false;
  AppendLimiterAnswer(refused, out);
  EXPECT_EQ(TextOf("sluice.v1.CheckBatchResponse", out),
            "answers { verdict { allowed: true } } "
            "answers { problem { code: 5 message: \"no rules\" } } "
            "answers { verdict { retry_after { } } }");
}

TEST(LimiterReplyTest, WritesRandomVerdictsAsProtobufDoes) {
  testing::ForEachSeed(2000, [](Random& random) {
    const std::string text(300, 't');
    const auto some = [&] {
      return std::string_view(text).substr(0, static_cast<std::size_t>(random.Spread(0, 300)));
    };
    const auto time = [&] { return Nanos{random.Spread(0, INT64_MAX)}; };
    std::vector<LimiterDecision> decisions(static_cast<std::size_t>(random.Between(0, 4)));
    for (LimiterDecision& each : decisions) {
      each = {some(), some(),
              random.Pick({Enforcement::kEnforce, Enforcement::kShadow, Enforcement::kQuota,
                           Enforcement::kDebt}),
              Decision{random.OneIn(2), static_cast<Source>(random.Between(0, 6)),
                       random.Spread(0, INT64_MAX), random.Spread(0, INT64_MAX), time(), time(),
                       time()}};
    }
    const LimiterVerdict verdict{random.OneIn(2), time(), time(), some(), 429, some(), decisions};
    std::string bytes;
    AppendLimiterVerdict(verdict, bytes);
    const auto message = testing::NewMessage("sluice.v1.Verdict");
    ASSERT_TRUE(message->ParseFromString(bytes));
    EXPECT_TRUE(message->GetReflection()->GetUnknownFields(*message).empty());
    EXPECT_EQ(message->SerializeAsString(), bytes);
  });
}

}  // namespace
}  // namespace sluice
