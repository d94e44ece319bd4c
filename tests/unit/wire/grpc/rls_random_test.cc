// Compares random requests and replies with Google's protobuf library.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "protobuf_message.h"
#include "support/random.h"
#include "wire/grpc/rls_messages.h"

namespace sluice {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;
using testing::ForEachSeed;
using testing::Message;
using testing::NewMessage;
using testing::Random;
using testing::RandomMessage;

const std::string kRequestType = "envoy.service.ratelimit.v3.RateLimitRequest";
const std::string kReplyType = "envoy.service.ratelimit.v3.RateLimitResponse";

// Reads the fields of a message by reflection.
class View {
 public:
  explicit View(const Message& message) : message_(message) {}

  [[nodiscard]] std::string Text(const char* name) const {
    return reflection().GetString(message_, Field(name));
  }
  [[nodiscard]] bool Has(const char* name) const {
    return reflection().HasField(message_, Field(name));
  }
  [[nodiscard]] bool Truth(const char* name) const {
    return reflection().GetBool(message_, Field(name));
  }
  [[nodiscard]] std::uint64_t Number(const char* name) const {
    const FieldDescriptor* field = Field(name);
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_ENUM:
        return static_cast<std::uint64_t>(reflection().GetEnumValue(message_, field));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection().GetUInt32(message_, field);
      default:
        return reflection().GetUInt64(message_, field);
    }
  }
  [[nodiscard]] View Part(const char* name) const {
    return View(reflection().GetMessage(message_, Field(name)));
  }
  [[nodiscard]] int Count(const char* name) const {
    return reflection().FieldSize(message_, Field(name));
  }
  [[nodiscard]] View Part(const char* name, int index) const {
    return View(reflection().GetRepeatedMessage(message_, Field(name), index));
  }

 private:
  [[nodiscard]] const Reflection& reflection() const { return *message_.GetReflection(); }
  [[nodiscard]] const FieldDescriptor* Field(const char* name) const {
    return message_.GetDescriptor()->FindFieldByName(name);
  }

  const Message& message_;
};

bool IsGoodOverride(const View& limit) {
  return limit.Number("unit") != 0 &&
         (!limit.Has("unit_multiplier") || limit.Part("unit_multiplier").Number("value") != 0);
}

bool IsGoodDescriptor(const View& descriptor) {
  for (int i = 0; i < descriptor.Count("entries"); ++i) {
    if (descriptor.Part("entries", i).Text("key").empty()) return false;
  }
  return !descriptor.Has("limit") || IsGoodOverride(descriptor.Part("limit"));
}

// Returns whether a request satisfies RlsRequest's invariants.
bool IsGood(const View& request) {
  for (int i = 0; i < request.Count("descriptors"); ++i) {
    if (!IsGoodDescriptor(request.Part("descriptors", i))) return false;
  }
  return !request.Text("domain").empty() && request.Count("descriptors") > 0;
}

void ExpectSame(const RlsOverride& limit, const View& expected) {
  EXPECT_EQ(limit.requests_per_unit, expected.Number("requests_per_unit"));
  EXPECT_EQ(static_cast<std::uint64_t>(limit.unit), expected.Number("unit"));
  EXPECT_EQ(limit.multiplier,
            expected.Has("unit_multiplier") ? expected.Part("unit_multiplier").Number("value") : 1);
}

void ExpectSame(const RlsRequest& request, const View& expected) {
  EXPECT_EQ(request.domain, expected.Text("domain"));
  EXPECT_EQ(request.addend, expected.Number("hits_addend"));
  ASSERT_EQ(request.descriptors.size(), static_cast<std::size_t>(expected.Count("descriptors")));
  for (std::size_t i = 0; i < request.descriptors.size(); ++i) {
    const RlsDescriptor& descriptor = request.descriptors[i];
    const View wanted = expected.Part("descriptors", static_cast<int>(i));
    const auto entries = request.EntriesOf(descriptor);
    ASSERT_EQ(entries.size(), static_cast<std::size_t>(wanted.Count("entries")));
    for (std::size_t at = 0; at < entries.size(); ++at) {
      const View entry = wanted.Part("entries", static_cast<int>(at));
      EXPECT_EQ(entries[at].name, entry.Text("key"));
      EXPECT_EQ(entries[at].value, entry.Text("value"));
    }
    EXPECT_EQ(descriptor.negative, wanted.Truth("is_negative_hits"));
    ASSERT_EQ(descriptor.addend.has_value(), wanted.Has("hits_addend"));
    if (descriptor.addend) {
      EXPECT_EQ(*descriptor.addend, wanted.Part("hits_addend").Number("value"));
    }
    ASSERT_EQ(descriptor.limit.has_value(), wanted.Has("limit"));
    if (descriptor.limit) ExpectSame(*descriptor.limit, wanted.Part("limit"));
  }
}

void ExpectReadsAs(const std::string& bytes, const View& expected, RlsRequest& request) {
  const auto fault = ReadRlsRequest(bytes, {}, request);
  ASSERT_EQ(!fault.has_value(), IsGood(expected)) << (fault ? fault->message : "read");
  if (!fault) ExpectSame(request, expected);
}

TEST(RlsRandomTest, ReadsRandomRequestsAsProtobufDoes) {
  RlsRequest request;
  ForEachSeed(2000, [&](Random& random) {
    const auto message = RandomMessage(kRequestType, 4, random);
    if (random.OneIn(3)) testing::AddUnknownFields(*message);
    const std::string bytes = message->SerializeAsString();
    ExpectReadsAs(bytes, View(*message), request);
    // Two concatenated messages are one message with merged fields.
    const std::string twice = bytes + RandomMessage(kRequestType, 4, random)->SerializeAsString();
    const auto merged = NewMessage(kRequestType);
    ASSERT_TRUE(merged->ParseFromString(twice));
    ExpectReadsAs(twice, View(*merged), request);
  });
}

// Protobuf reads the same from all bytes that are accepted, and rejects none of them, except for
// values that are not UTF-8.
TEST(RlsRandomTest, AcceptsOnlyDamagedRequestsThatProtobufAccepts) {
  RlsRequest request;
  ForEachSeed(3000, [&](Random& random) {
    std::string bytes = RandomMessage(kRequestType, 4, random)->SerializeAsString();
    for (std::int64_t change = random.Between(1, 3); change > 0 && !bytes.empty(); --change) {
      const auto at =
          static_cast<std::size_t>(random.Between(0, static_cast<std::int64_t>(bytes.size()) - 1));
      if (random.OneIn(4)) {
        bytes.resize(at);
      } else {
        bytes[at] = static_cast<char>(random.Bits());
      }
    }
    if (ReadRlsRequest(bytes, {}, request)) return;
    const auto is_text = [](const Attribute& entry) { return IsUtf8(entry.value); };
    if (!std::ranges::all_of(request.entries, is_text)) return;
    const auto message = NewMessage(kRequestType);
    ASSERT_TRUE(message->ParseFromString(bytes));
    ExpectSame(request, View(*message));
  });
}

// A random reply, with the texts it views.
class RandomReply {
 public:
  explicit RandomReply(Random& random) : random_(random) {
    for (std::int64_t i = random.Between(0, 5); i > 0; --i) {
      statuses_.push_back({.code = random.Pick({RlsCode::kOk, RlsCode::kOverLimit}),
                           .limit = Maybe([&] { return Limit(); }),
                           .remaining = Small(),
                           .until_reset = Maybe([&] { return Nanos{random.Spread(0, INT64_MAX)}; }),
                           .quota = Maybe([&] { return Quota(); })});
    }
    for (std::int64_t i = random.Between(0, 3); i > 0; --i) headers_.push_back({Text(), Text()});
    reply_ = {.overall = random.Pick({RlsCode::kOk, RlsCode::kOverLimit}),
              .statuses = statuses_,
              .response_headers = headers_,
              .request_headers = std::span(headers_).first(headers_.size() / 2),
              .raw_body = Text(),
              .dynamic_metadata = {},
              .quota = Maybe([&] { return Quota(); })};
  }

  [[nodiscard]] const RlsReply& reply() const { return reply_; }

 private:
  template <typename Make>
  auto Maybe(Make make) -> std::optional<decltype(make())> {
    if (random_.OneIn(2)) return std::nullopt;
    return make();
  }
  std::uint32_t Small() { return static_cast<std::uint32_t>(random_.Spread(0, UINT32_MAX)); }
  std::string_view Text() {
    static const std::string kText(400, 't');
    return std::string_view(kText).substr(0, static_cast<std::size_t>(random_.Spread(0, 400)));
  }
  RlsLimit Limit() {
    return {Small(), static_cast<RlsUnit>(random_.Between(0, 7)), Text(),
            random_.OneIn(2) ? 1 : Small() | 1U};
  }
  RlsQuota Quota() {
    return {Small(), Maybe([&] { return Time{Nanos{random_.Spread(0, INT64_MAX)}}; }), Text()};
  }

  Random& random_;
  std::vector<RlsStatus> statuses_;
  std::vector<Attribute> headers_;
  RlsReply reply_;
};

// Protobuf writes fields in the same order, so its encoding of the reply has the same bytes.
TEST(RlsRandomTest, WritesRandomRepliesAsProtobufDoes) {
  ForEachSeed(2000, [](Random& random) {
    const RandomReply made(random);
    std::string bytes;
    AppendRlsReply(made.reply(), bytes);
    const auto message = NewMessage(kReplyType);
    ASSERT_TRUE(message->ParseFromString(bytes));
    EXPECT_EQ(message->SerializeAsString(), bytes);
    const View view(*message);
    ASSERT_EQ(static_cast<std::size_t>(view.Count("statuses")), made.reply().statuses.size());
    for (std::size_t i = 0; i < made.reply().statuses.size(); ++i) {
      const RlsStatus& status = made.reply().statuses[i];
      const View seen = view.Part("statuses", static_cast<int>(i));
      EXPECT_EQ(seen.Number("limit_remaining"), status.remaining);
      ASSERT_EQ(seen.Has("current_limit"), status.limit.has_value());
      if (status.limit) {
        EXPECT_EQ(seen.Part("current_limit").Text("name"), status.limit->name);
      }
    }
  });
}

}  // namespace
}  // namespace sluice
