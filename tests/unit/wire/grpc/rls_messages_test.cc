#include "wire/grpc/rls_messages.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "protobuf_message.h"
#include "wire/grpc/struct_value.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::BytesOf;
using testing::TextOf;

const std::string kRequestType = "envoy.service.ratelimit.v3.RateLimitRequest";
const std::string kReplyType = "envoy.service.ratelimit.v3.RateLimitResponse";

std::string Request(const std::string& text) { return BytesOf(kRequestType, text); }

RlsRequest MustRead(std::string_view message) {
  RlsRequest request;
  const auto fault = ReadRlsRequest(message, {}, request);
  EXPECT_FALSE(fault.has_value()) << fault->message;
  return request;
}

std::string FaultOf(std::string_view message, const RlsBounds& bounds = {}) {
  RlsRequest request;
  const auto fault = ReadRlsRequest(message, bounds, request);
  if (!fault) return "none";
  EXPECT_EQ(fault->status, GrpcStatus::kInvalidArgument);
  return fault->message;
}

std::string FaultOfText(const std::string& text) { return FaultOf(Request(text)); }

// Returns a request for "d" that contains the bytes of this descriptor.
std::string WithDescriptor(std::string_view descriptor) {
  std::string message =
      "\x0A\x01"
      "d\x12";
  message += static_cast<char>(descriptor.size());
  return message.append(descriptor);
}

const std::string kEntry = "\x0A\x03\x0A\x01k";

std::string Encoded(const RlsReply& reply) {
  std::string out = "before";
  AppendRlsReply(reply, out);
  EXPECT_TRUE(out.starts_with("before"));
  return out.substr(6);
}

std::string TextOfReply(const RlsReply& reply) { return TextOf(kReplyType, Encoded(reply)); }

TEST(RlsRequestTest, ReadsEveryField) {
  const std::string message = Request(R"(
      domain: "api" hits_addend: 7
      descriptors {
        entries { key: "user" value: "42" } entries { key: "path" value: "/v1" }
        limit { requests_per_unit: 10 unit: MINUTE unit_multiplier { value: 5 } }
        hits_addend { value: 3 } is_negative_hits: true
      }
      descriptors { entries { key: "plan" } })");
  const RlsRequest request = MustRead(message);
  EXPECT_EQ(request.domain, "api");
  EXPECT_EQ(request.addend, 7U);
  ASSERT_EQ(request.descriptors.size(), 2U);
  const RlsDescriptor& first = request.descriptors[0];
  ASSERT_EQ(request.EntriesOf(first).size(), 2U);
  EXPECT_EQ(request.EntriesOf(first)[0].name, "user");
  EXPECT_EQ(request.EntriesOf(first)[0].value, "42");
  EXPECT_EQ(request.EntriesOf(first)[1].name, "path");
  EXPECT_EQ(request.EntriesOf(first)[1].value, "/v1");
  EXPECT_EQ(first.limit, (RlsOverride{10, RlsUnit::kMinute, 5}));
  EXPECT_EQ(first.addend, 3U);
  EXPECT_TRUE(first.negative);
  const RlsDescriptor& second = request.descriptors[1];
  ASSERT_EQ(request.EntriesOf(second).size(), 1U);
  EXPECT_EQ(request.EntriesOf(second)[0].name, "plan");
  EXPECT_EQ(request.EntriesOf(second)[0].value, "");
  EXPECT_EQ(second.limit, std::nullopt);
  EXPECT_EQ(second.addend, std::nullopt);
  EXPECT_FALSE(second.negative);
}

TEST(RlsRequestTest, TextsViewTheMessage) {
  const std::string message = Request(R"(domain: "a domain that is no short string"
                                         descriptors { entries { key: "k" value: "v" } })");
  const RlsRequest request = MustRead(message);
  for (const std::string_view text : {request.domain, request.entries[0].value}) {
    EXPECT_GE(text.data(), message.data());
    EXPECT_LE(text.data() + text.size(), message.data() + message.size());
  }
}

TEST(RlsRequestTest, ClearsAReusedRequestAndKeepsItsMemory) {
  RlsRequest request;
  const std::string large = Request(R"(domain: "a" hits_addend: 9
      descriptors { entries { key: "x" } entries { key: "y" } hits_addend { value: 2 } }
      descriptors { entries { key: "z" } })");
  const std::string small = Request(R"(domain: "b" descriptors { entries { key: "k" } })");
  ASSERT_FALSE(ReadRlsRequest(large, {}, request).has_value());
  const auto* entries = request.entries.data();
  const auto* descriptors = request.descriptors.data();
  ASSERT_FALSE(ReadRlsRequest(small, {}, request).has_value());
  EXPECT_EQ(request.domain, "b");
  EXPECT_EQ(request.addend, 0U);
  ASSERT_EQ(request.descriptors.size(), 1U);
  EXPECT_EQ(request.descriptors[0].addend, std::nullopt);
  ASSERT_EQ(request.entries.size(), 1U);
  EXPECT_EQ(request.entries[0].name, "k");
  ASSERT_FALSE(ReadRlsRequest(large, {}, request).has_value());
  EXPECT_EQ(request.entries.data(), entries);
  EXPECT_EQ(request.descriptors.data(), descriptors);
}

TEST(RlsRequestTest, DistinguishesAnAddendOfZeroFromNone) {
  EXPECT_EQ(MustRead(WithDescriptor(kEntry + "\x1A" + std::string(1, '\0'))).descriptors[0].addend,
            0U);
  EXPECT_EQ(MustRead(WithDescriptor(kEntry)).descriptors[0].addend, std::nullopt);
}

TEST(RlsRequestTest, ReadsTheLargestAddends) {
  const std::string message = Request(R"(domain: "d" hits_addend: 4294967295
      descriptors { entries { key: "k" } hits_addend { value: 18446744073709551615 } }
      descriptors { entries { key: "k" } hits_addend {} is_negative_hits: true })");
  const RlsRequest request = MustRead(message);
  EXPECT_EQ(request.addend, UINT32_MAX);
  EXPECT_EQ(request.descriptors[0].addend, UINT64_MAX);
  EXPECT_EQ(request.descriptors[1].addend, 0U);
  EXPECT_TRUE(request.descriptors[1].negative);
}

TEST(RlsRequestTest, RejectsNumbersThatDoNotFit) {
  EXPECT_EQ(FaultOf("\x18\x80\x80\x80\x80\x10"), "hits_addend: is over 32 bits");
  EXPECT_EQ(FaultOf(WithDescriptor(kEntry + "\x12\x06\x08\x80\x80\x80\x80\x10")),
            "descriptors[0].limit.requests_per_unit: is over 32 bits");
  EXPECT_EQ(FaultOf(WithDescriptor(kEntry + "\x12\x08\x1A\x06\x08\x80\x80\x80\x80\x10")),
            "descriptors[0].limit.unit_multiplier.value: is over 32 bits");
}

TEST(RlsRequestTest, AcceptsAnOverrideOfZeroRequests) {
  const std::string message =
      Request(R"(domain: "d" descriptors { entries { key: "k" } limit { unit: YEAR } })");
  EXPECT_EQ(MustRead(message).descriptors[0].limit, (RlsOverride{0, RlsUnit::kYear, 1}));
}

TEST(RlsRequestTest, RejectsOverridesWithoutAValidPeriod) {
  const auto with_limit = [](const std::string& limit) {
    return FaultOfText(R"(domain: "d" descriptors { entries { key: "k" } limit { )" + limit +
                       " } }");
  };
  EXPECT_EQ(with_limit("requests_per_unit: 5"), "descriptors[0].limit.unit: must be given");
  EXPECT_EQ(with_limit("requests_per_unit: 5 unit: UNKNOWN"),
            "descriptors[0].limit.unit: must be given");
  EXPECT_EQ(with_limit("unit: DAY unit_multiplier {}"),
            "descriptors[0].limit.unit_multiplier: must not be 0");
  // The numbers of a week and of the unit after it, and -1.
  EXPECT_EQ(FaultOf(WithDescriptor(kEntry + "\x12\x02\x10\x07")), "none");
  EXPECT_EQ(FaultOf(WithDescriptor(kEntry + "\x12\x02\x10\x08")),
            "descriptors[0].limit.unit: is no unit of time");
  EXPECT_EQ(
      FaultOf(WithDescriptor(kEntry + "\x12\x0B\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")),
      "descriptors[0].limit.unit: is no unit of time");
}

TEST(RlsRequestTest, RejectsEmptyRequiredFields) {
  EXPECT_EQ(FaultOf(""), "domain: must not be empty");
  EXPECT_EQ(FaultOfText(R"(descriptors { entries { key: "k" } })"), "domain: must not be empty");
  EXPECT_EQ(FaultOfText(R"(domain: "d")"), "descriptors: must not be empty");
  EXPECT_EQ(FaultOfText(R"(domain: "d" descriptors { entries { key: "k" } }
                           descriptors { entries { key: "k" } entries { value: "v" } })"),
            "descriptors[1].entries[1].key: must not be empty");
}

// Envoy sends such a descriptor if it skipped every action, because its client left out a header.
TEST(RlsRequestTest, ReadsADescriptorWithoutEntries) {
  const std::string message = Request(R"(domain: "d" descriptors {} descriptors {
      entries { key: "k" } } descriptors {})");
  const RlsRequest request = MustRead(message);
  ASSERT_EQ(request.descriptors.size(), 3U);
  EXPECT_TRUE(request.EntriesOf(request.descriptors[0]).empty());
  EXPECT_EQ(request.EntriesOf(request.descriptors[1]).size(), 1U);
  EXPECT_TRUE(request.EntriesOf(request.descriptors[2]).empty());
}

// Values come from clients of the proxy.
TEST(RlsRequestTest, ReadsValuesThatAreNotUtf8) {
  const std::string message = WithDescriptor(kEntry + "\x0A\x07\x0A\x01k\x12\x02\xC3(");
  EXPECT_EQ(MustRead(message).entries[1].value, "\xC3(");
}

TEST(RlsRequestTest, AcceptsRepeatedEntries) {
  const std::string message = Request(R"(domain: "d" descriptors { entries { key: "k" value: "1" }
                                           entries { key: "k" value: "1" } })");
  EXPECT_EQ(MustRead(message).entries.size(), 2U);
}

TEST(RlsRequestTest, RefusesADomainOrKeyThatIsNotUtf8) {
  EXPECT_EQ(FaultOf("\x0A\x01\xFF"), "domain: is not UTF-8");
  EXPECT_EQ(FaultOf(WithDescriptor("\x0A\x03\x0A\x01\xFF")),
            "descriptors[0].entries[0].key: is not UTF-8");
}

TEST(RlsRequestTest, SkipsUnknownFieldsAtEveryLevel) {
  const auto message = testing::MessageOf(kRequestType, R"(domain: "d" descriptors {
      entries { key: "k" value: "v" } limit { unit: DAY unit_multiplier { value: 2 } }
      hits_addend { value: 3 } })");
  testing::AddUnknownFields(*message);
  const std::string bytes = message->SerializeAsString();
  const RlsRequest request = MustRead(bytes);
  EXPECT_EQ(request.domain, "d");
  ASSERT_EQ(request.descriptors.size(), 1U);
  EXPECT_EQ(request.descriptors[0].addend, 3U);
  EXPECT_EQ(request.descriptors[0].limit, (RlsOverride{0, RlsUnit::kDay, 2}));
  EXPECT_EQ(request.entries[0].value, "v");
}

TEST(RlsRequestTest, MergesRepeatedMessageFields) {
  const RlsDescriptor limit =
      MustRead(WithDescriptor(kEntry + "\x12\x02\x08\x05" + "\x12\x02\x10\x04")).descriptors[0];
  EXPECT_EQ(limit.limit, (RlsOverride{5, RlsUnit::kDay, 1}));
  const RlsDescriptor addend =
      MustRead(WithDescriptor(kEntry + "\x1A\x02\x08\x05\x1A" + std::string(1, '\0')))
          .descriptors[0];
  EXPECT_EQ(addend.addend, 5U);
}

TEST(RlsRequestTest, NamesAKnownFieldOfAnotherType) {
  EXPECT_EQ(FaultOf("\x08\x01"), "domain: is of another type");
  EXPECT_EQ(FaultOf("\x10\x01"), "descriptors: is of another type");
  EXPECT_EQ(FaultOf("\x1A\x01"
                    "a"),
            "hits_addend: is of another type");
  EXPECT_EQ(FaultOf(WithDescriptor("\x08\x01")), "descriptors[0].entries: is of another type");
  EXPECT_EQ(FaultOf(WithDescriptor("\x18\x01")), "descriptors[0].hits_addend: is of another type");
  EXPECT_EQ(FaultOf(WithDescriptor("\x1A\x05\x0D"
                                   "1234")),
            "descriptors[0].hits_addend.value: is of another type");
  EXPECT_EQ(FaultOf(WithDescriptor("\x0A\x02\x08\x01")),
            "descriptors[0].entries[0].key: is of another type");
}

TEST(RlsRequestTest, RejectsGroupsAtEveryLevel) {
  EXPECT_EQ(FaultOf("\x7B\x7C"), "the message has a group");
  EXPECT_EQ(FaultOf(WithDescriptor("\x7B\x7C")), "descriptors[0]: has a group");
  EXPECT_EQ(FaultOf(WithDescriptor("\x0A\x02\x7B\x7C")), "descriptors[0].entries[0]: has a group");
}

TEST(RlsRequestTest, RejectsTruncatedMessages) {
  const std::string whole = Request(R"(domain: "api" hits_addend: 300
      descriptors { entries { key: "user" value: "42" } hits_addend { value: 300 }
                    limit { requests_per_unit: 1000 unit: DAY } })");
  EXPECT_EQ(FaultOf(whole), "none");
  EXPECT_EQ(FaultOf(std::string_view(whole).substr(0, 12)), "the message is cut off");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string fault = FaultOf(std::string_view(whole).substr(0, size));
    // A prefix that ends at the end of a field is a complete, smaller message.
    EXPECT_TRUE(fault == "the message is cut off" || fault == "domain: must not be empty" ||
                fault == "descriptors: must not be empty" || size == whole.size() - 3)
        << size << ": " << fault;
  }
}

TEST(RlsRequestTest, EnforcesBoundsOnDescriptorsAndEntries) {
  const std::string message = Request(R"(domain: "d"
      descriptors { entries { key: "a" } entries { key: "b" } }
      descriptors { entries { key: "c" } })");
  EXPECT_EQ(FaultOf(message, {.max_descriptors = 2, .max_entries = 3}), "none");
  EXPECT_EQ(FaultOf(message, {.max_descriptors = 1, .max_entries = 3}),
            "descriptors[1]: is one too many");
  EXPECT_EQ(FaultOf(message, {.max_descriptors = 2, .max_entries = 2}),
            "descriptors[1].entries[0]: is one too many");
}

TEST(RlsRequestTest, RejectsTenThousandDescriptorsButAcceptsAMegabyteOfText) {
  std::string many =
      "\x0A\x01"
      "d";
  for (int i = 0; i < 10'000; ++i) many += "\x12\x05" + kEntry;
  EXPECT_EQ(FaultOf(many), "descriptors[1000]: is one too many");
  const std::string value(1'000'000, 'v');
  const std::string message =
      Request(R"(domain: "d" descriptors { entries { key: "k" value: ")" + value + R"(" } })");
  EXPECT_EQ(MustRead(message).entries[0].value, value);
}

TEST(RlsReplyTest, WritesEveryField) {
  const std::vector<RlsStatus> statuses = {
      {.code = RlsCode::kOk,
       .limit = RlsLimit{10, RlsUnit::kMinute, "per user", 5},
       .remaining = 9,
       .until_reset = 61s + 5ns,
       .quota = RlsQuota{3, Time{1700000000s + 7ns}, "q"}},
      {.code = RlsCode::kOverLimit, .limit = {}, .until_reset = {}, .quota = {}}};
  const std::vector<Attribute> response_headers = {{"retry-after", "1"}, {"x-empty", ""}};
  const std::vector<Attribute> request_headers = {{"x-checked", "yes"}};
  std::string metadata;
  AppendStruct({{"plan", StructValue(std::string_view("free"))}}, metadata);
  EXPECT_EQ(TextOfReply({.overall = RlsCode::kOverLimit,
                         .statuses = statuses,
                         .response_headers = response_headers,
                         .request_headers = request_headers,
                         .raw_body = "\xFFslow down",
                         .dynamic_metadata = metadata,
                         .quota = RlsQuota{1, std::nullopt, ""}}),
            "overall_code: OVER_LIMIT "
            "statuses { code: OK current_limit { requests_per_unit: 10 unit: MINUTE "
            "name: \"per user\" unit_multiplier { value: 5 } } limit_remaining: 9 "
            "duration_until_reset { seconds: 61 nanos: 5 } "
            "quota { requests: 3 valid_until { seconds: 1700000000 nanos: 7 } id: \"q\" } } "
            "statuses { code: OVER_LIMIT } "
            "response_headers_to_add { key: \"retry-after\" value: \"1\" } "
            "response_headers_to_add { key: \"x-empty\" } "
            "request_headers_to_add { key: \"x-checked\" value: \"yes\" } "
            "raw_body: \"\\377slow down\" "
            "dynamic_metadata { fields { key: \"plan\" value { string_value: \"free\" } } } "
            "quota { requests: 1 }");
}

TEST(RlsReplyTest, WritesPresentFieldsThatAreZero) {
  const std::vector<RlsStatus> statuses = {{.code = RlsCode::kOk,
                                            .limit = RlsLimit{},
                                            .until_reset = Nanos{0},
                                            .quota = RlsQuota{0, Time{}, ""}}};
  EXPECT_EQ(TextOfReply({.statuses = statuses,
                         .response_headers = {},
                         .request_headers = {},
                         .raw_body = {},
                         .dynamic_metadata = {},
                         .quota = {}}),
            "overall_code: OK statuses { code: OK current_limit { } duration_until_reset { } "
            "quota { valid_until { } } }");
}

TEST(RlsReplyTest, WritesTheSmallestReplyInTwoBytes) { EXPECT_EQ(Encoded({}), "\x08\x01"); }

TEST(RlsReplyTest, WritesEveryUnit) {
  for (const auto& [unit, name] :
       std::vector<std::pair<RlsUnit, std::string>>{{RlsUnit::kSecond, "SECOND"},
                                                    {RlsUnit::kMinute, "MINUTE"},
                                                    {RlsUnit::kHour, "HOUR"},
                                                    {RlsUnit::kDay, "DAY"},
                                                    {RlsUnit::kWeek, "WEEK"},
                                                    {RlsUnit::kMonth, "MONTH"},
                                                    {RlsUnit::kYear, "YEAR"}}) {
    const std::vector<RlsStatus> statuses = {
        {.limit = RlsLimit{1, unit, "", 1}, .until_reset = {}, .quota = {}}};
    RlsReply reply;
    reply.statuses = statuses;
    EXPECT_EQ(TextOfReply(reply),
              "overall_code: OK statuses { code: OK current_limit { "
              "requests_per_unit: 1 unit: " +
                  name + " } }");
  }
}

}  // namespace
}  // namespace sluice
