#include "frontend/grpc/rls_metadata.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/value.h"
#include "frontend/grpc/rls_front.h"
#include "unit/frontend/front_fixture.h"
#include "unit/wire/grpc/protobuf_message.h"

namespace sluice::testing {
namespace {

DescriptorSpec With(Value::Map metadata, DescriptorSpec spec) {
  spec.metadata = Value::MakeMap(std::move(metadata));
  return spec;
}

Value::Entry Entry(const std::string& key, Value value) { return {key, {}, std::move(value)}; }

// Formats a message of one of these types as JSON, with names in order.
std::string JsonOf(const Message& message);

std::string JsonOfMap(const Message& object) {
  const auto* const fields = object.GetDescriptor()->FindFieldByName("fields");
  std::map<std::string, std::string> members;
  for (int i = 0; i < object.GetReflection()->FieldSize(object, fields); ++i) {
    const Message& entry = object.GetReflection()->GetRepeatedMessage(object, fields, i);
    const auto field = [&](const char* name) {
      return entry.GetDescriptor()->FindFieldByName(name);
    };
    members[entry.GetReflection()->GetString(entry, field("key"))] =
        JsonOf(entry.GetReflection()->GetMessage(entry, field("value")));
  }
  std::string json;
  for (const auto& [name, value] : members) {
    json += Concat(json.empty() ? "" : ",", "\"", name, "\":", value);
  }
  return Concat("{", json, "}");
}

std::string JsonOfList(const Message& list) {
  const auto* const values = list.GetDescriptor()->FindFieldByName("values");
  std::string json;
  for (int i = 0; i < list.GetReflection()->FieldSize(list, values); ++i) {
    json += Concat(i == 0 ? "" : ",",
                   JsonOf(list.GetReflection()->GetRepeatedMessage(list, values, i)));
  }
  return Concat("[", json, "]");
}

std::string NumberText(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? std::to_string(whole) : std::to_string(number);
}

std::string JsonOf(const Message& message) {
  const std::string& type = message.GetDescriptor()->name();
  if (type == "Struct") return JsonOfMap(message);
  if (type == "ListValue") return JsonOfList(message);
  const auto& reflection = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> set;
  reflection.ListFields(message, &set);
  if (set.size() != 1) return "malformed";
  const std::string& kind = set[0]->name();
  if (kind == "null_value") return "null";
  if (kind == "bool_value") return reflection.GetBool(message, set[0]) ? "true" : "false";
  if (kind == "number_value") return NumberText(reflection.GetDouble(message, set[0]));
  if (kind == "string_value") {
    return Concat("\"", reflection.GetString(message, set[0]), "\"");
  }
  return JsonOf(reflection.GetMessage(message, set[0]));
}

class RlsMetadataTest : public GateFixture {
 protected:
  // Returns the dynamic metadata of the reply to a request in text format, as JSON; "none" without.
  std::string Told(const std::string& text, DynamicMetadata when = DynamicMetadata::kOfRules) {
    const HeaderOptions headers;
    FrontSession session(gate_);
    RlsFront front(session, headers, {{}, when});
    std::string out;
    const Peer peer{.address = "127.0.0.1", .port = 1, .uid = {}};
    HttpRequest request;
    request.peer = &peer;
    const Callers callers;
    Caller caller(callers, request, Protocol::kGrpc);
    const auto fault = front.ShouldRateLimit(
        BytesOf("envoy.service.ratelimit.v3.RateLimitRequest", text), caller, out);
    if (fault) return fault->message;
    const auto reply = NewMessage("envoy.service.ratelimit.v3.RateLimitResponse");
    EXPECT_TRUE(reply->ParseFromString(out));
    const auto* const field = reply->GetDescriptor()->FindFieldByName("dynamic_metadata");
    if (!reply->GetReflection()->HasField(*reply, field)) return "none";
    return JsonOf(reply->GetReflection()->GetMessage(*reply, field));
  }
};

constexpr const char* kUser =
    R"(domain: "api" descriptors { entries { key: "user" value: "42" } })";

TEST_F(RlsMetadataTest, OmitsMetadataIfNoRuleHasAny) {
  Use({}, {Descriptor("user", "2/m")});
  EXPECT_EQ(Told(kUser), "none");
}

TEST_F(RlsMetadataTest, DescribesEveryDescriptorIfAlwaysOn) {
  Use({Deny("nobody")}, {});
  EXPECT_EQ(Told(kUser, DynamicMetadata::kAlways),
            R"({"descriptors":[{"allowed":false,"entries":["user=42"],"rule":"nobody"}],)"
            R"("domain":"api"})");
  Use({}, {Descriptor("user", "2/m")});
  EXPECT_EQ(Told(R"(domain: "api" hits_addend: 2
                    descriptors { entries { key: "user" value: "42" } hits_addend { value: 1 } }
                    descriptors { entries { key: "a" value: "b=c" } entries { key: "d" } })",
                 DynamicMetadata::kAlways),
            R"({"descriptors":[{"allowed":true,"entries":["user=42"],"hitsAddend":1,"limit":2,)"
            R"("remaining":1,"rule":"user"},{"allowed":true,"entries":["a=b=c","d="]}],)"
            R"("domain":"api","hitsAddend":2})");
  EXPECT_EQ(
      Told(R"(domain: "none" descriptors { entries { key: "a" } })", DynamicMetadata::kAlways),
      R"({"descriptors":[{"entries":["a="]}],"domain":"none"})");
}

TEST_F(RlsMetadataTest, AddsMetadataOfRuleWhileDescriptorPasses) {
  Use({}, {With({Entry("team", Value::String("payments")), Entry("tier", Value::Number("1.5")),
                 Entry("on", Value::Boolean(true)), Entry("since", Value()),
                 Entry("list", Value::MakeList({Value::Number("1"), Value::MakeMap({})}))},
                Descriptor("user", "1/m"))});
  EXPECT_EQ(Told(kUser),
            R"({"descriptors":[{"allowed":true,"entries":["user=42"],"limit":1,"remaining":0,)"
            R"("rule":"user"}],"domain":"api","metadata":{"list":[1,{}],"on":true,"since":null,)"
            R"("team":"payments","tier":1.500000}})");
  EXPECT_EQ(Told(kUser), "none") << "it is refused";
}

// As in envoyproxy/ratelimit: the first scalar of a passing descriptor counts, mappings are merged.
TEST_F(RlsMetadataTest, MergesMetadataOfSeveralRules) {
  DescriptorSpec first = With({Entry("name", Value::String("one")),
                               Entry("to", Value::MakeMap({Entry("x", Value::Number("1"))}))},
                              Descriptor("a", "9/m"));
  DescriptorSpec second =
      With({Entry("name", Value::String("two")),
            Entry("to",
                  Value::MakeMap({Entry("x", Value::Number("2")), Entry("y", Value::Number("3"))})),
            Entry("more", Value::String("z"))},
           Descriptor("b", "9/m"));
  DescriptorSpec refused = With({Entry("name", Value::String("none"))}, Descriptor("c", "1/m"));
  refused.quota_mode = true;
  second.quota_mode = true;
  Use({}, {first, second, refused});
  const std::string three =
      R"(domain: "api" descriptors { entries { key: "c" } hits_addend { value: 2 } }
                               descriptors { entries { key: "a" } }
                               descriptors { entries { key: "b" } })";
  const std::string told = Told(three);
  const std::string expected = R"("metadata":{"more":"z","name":"one","to":{"x":1,"y":3}}})";
  EXPECT_TRUE(told.ends_with(expected)) << told;
}

TEST_F(RlsMetadataTest, OmitsMetadataOfReplacedRule) {
  DescriptorSpec plain = With({Entry("name", Value::String("plain"))}, Descriptor("a", "9/m"));
  plain.limit_name = "plain";
  DescriptorSpec special = Descriptor("b", "9/m");
  special.replaces.push_back({"plain", {}});
  Use({}, {plain, special});
  EXPECT_EQ(Told(R"(domain: "api" descriptors { entries { key: "a" } }
                    descriptors { entries { key: "b" } })"),
            "none");
}

}  // namespace
}  // namespace sluice::testing
