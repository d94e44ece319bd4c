#include "frontend/http/check_request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

class CheckRequestTest : public testing::Test {
 protected:
  // Returns the checks of a body as "api user=42 plan=pro cost 2; ...", or "FIELD: fault".
  std::string Read(std::string_view body) {
    if (!reader.Read(body, request)) {
      return Concat(reader.fault().field, ": ", reader.fault().message);
    }
    std::string text;
    for (const LimiterCheck& check : request.all.checks) {
      text += Concat(text.empty() ? "" : "; ", check.domain);
      for (const Attribute& each : request.all.AttributesOf(check)) {
        text += Concat(" ", each.name, "=", each.value);
      }
      text += Concat(" cost ", check.cost.units);
    }
    return text;
  }

  CheckRequestReader reader{{.max_checks = 3, .max_attributes = 4}};
  CheckRequest request;
};

TEST_F(CheckRequestTest, ReadsOneCheck) {
  EXPECT_EQ(Read(R"({"domain":"api","attributes":{"user":"42","plan":"pro"},"cost":2})"),
            "api user=42 plan=pro cost 2");
  EXPECT_EQ(request.form, CheckRequest::Form::kOne);
  EXPECT_EQ(Read(R"({"cost":0,"attributes":{},"domain":"api"})"), "api cost 0");
  EXPECT_EQ(Read(R"({"domain":"api"})"), "api cost 1");
}

TEST_F(CheckRequestTest, ReadsListOfChecks) {
  EXPECT_EQ(Read(R"({"checks":[{"domain":"a","attributes":{"x":"1","y":"2"}},
                               {"domain":"b","cost":7,"attributes":{"z":"3"}}]})"),
            "a x=1 y=2 cost 1; b z=3 cost 7");
  EXPECT_EQ(request.form, CheckRequest::Form::kList);
  EXPECT_EQ(Read(R"({"checks":[]})"), "");
  EXPECT_EQ(request.form, CheckRequest::Form::kList);
  EXPECT_EQ(Read(R"({"domain":"api"})"), "api cost 1");
  EXPECT_EQ(request.form, CheckRequest::Form::kOne);
}

TEST_F(CheckRequestTest, ReadsNumbersAndBooleansAsText) {
  EXPECT_EQ(
      Read(R"({"domain":"a","attributes":{"n":-5,"big":36893488147419103232,"t":true,"f":false}})"),
      "a n=-5 big=36893488147419103232 t=true f=false cost 1");
}

TEST_F(CheckRequestTest, TreatsNullAsAbsent) {
  EXPECT_EQ(Read(R"({"domain":"a","attributes":{"user":null,"ip":"::1"}})"), "a ip=::1 cost 1");
}

TEST_F(CheckRequestTest, RejectsValuesOfOtherTypes) {
  const std::string expected = "expected a string, a whole number, a boolean or null";
  EXPECT_EQ(Read(R"({"domain":"a","attributes":{"x":["1"]}})"), "attributes.x: " + expected);
  EXPECT_EQ(Read(R"({"domain":"a","attributes":{"x":{}}})"), "attributes.x: " + expected);
  EXPECT_EQ(Read(R"({"domain":"a","attributes":{"x":1.5}})"),
            "attributes.x: expected a whole number, found '1.5'");
  EXPECT_EQ(Read(R"({"domain":"a","attributes":{"":"1"}})"),
            "attributes.'': expected the name of an attribute, found ''");
}

TEST_F(CheckRequestTest, RejectsFieldsOfWrongType) {
  EXPECT_EQ(Read("[]"), ": expected a map, found a list");
  EXPECT_EQ(Read("\"api\""), ": expected a map, found a string");
  EXPECT_EQ(Read("null"), ": expected a map, found null");
  EXPECT_EQ(Read(R"({"domain":7})"), "domain: expected a string, found a number");
  EXPECT_EQ(Read(R"({"domain":""})"), "domain: expected the name of a domain, found ''");
  EXPECT_EQ(Read(R"({"attributes":[]})"), "attributes: expected a map, found a list");
  EXPECT_EQ(Read(R"({"checks":{}})"), "checks: expected a list, found a map");
  EXPECT_EQ(Read(R"({"checks":["x"]})"), "checks[0]: expected a map, found a string");
}

TEST_F(CheckRequestTest, RequiresWholeCost) {
  EXPECT_EQ(Read(R"({"domain":"a","cost":1000000000000000000})"), "a cost 1000000000000000000");
  for (const std::string_view cost :
       {"1.5", "1.0", "1e2", "1e400", "-1", "1000000000000000001", "18446744073709551616"}) {
    EXPECT_EQ(
        Read(Concat(R"({"domain":"a","cost":)", cost, "}")),
        Concat("cost: expected a whole number from 0 to 1000000000000000000, found '", cost, "'"));
  }
  EXPECT_EQ(Read(R"({"domain":"a","cost":"1"})"), "cost: expected a number, found a string");
  EXPECT_EQ(Read(R"({"domain":"a","cost":null})"), "cost: expected a number, found null");
  EXPECT_EQ(Read(R"({"domain":"a","cost":NaN})"), "cost: expected a value, found 'N'");
}

TEST_F(CheckRequestTest, SuggestsNearestField) {
  EXPECT_EQ(Read(R"({"domian":"api"})"), "domian: unknown field 'domian'; did you mean 'domain'?");
  EXPECT_EQ(Read(R"({"domain":"api","hits":3})"),
            "hits: unknown field 'hits'; expected domain, attributes, cost or checks");
  EXPECT_EQ(Read(R"({"checks":[{"domain":"a","atributes":{}}]})"),
            "checks[0].atributes: unknown field 'atributes'; did you mean 'attributes'?");
  EXPECT_EQ(Read(R"({"checks":[{"checks":[]}]})"),
            "checks[0].checks: unknown field 'checks'; expected domain, attributes or cost");
}

TEST_F(CheckRequestTest, RequiresDomain) {
  EXPECT_EQ(Read("{}"), "domain: expected the key 'domain'");
  EXPECT_EQ(Read(R"({"cost":1})"), "domain: expected the key 'domain'");
  EXPECT_EQ(Read(R"({"checks":[{"domain":"a"},{"cost":1}]})"),
            "checks[1].domain: expected the key 'domain'");
}

TEST_F(CheckRequestTest, RejectsOtherFieldsBesideChecks) {
  const std::string expected = "'checks' stands alone; what a check has goes into the list";
  EXPECT_EQ(Read(R"({"domain":"a","checks":[]})"), "checks: " + expected);
  EXPECT_EQ(Read(R"({"checks":[],"domain":"a"})"), "domain: " + expected);
}

TEST_F(CheckRequestTest, NamesFieldAtFault) {
  EXPECT_EQ(Read(R"({"checks":[{"domain":"a"},{"domain":"b"},{"attributes":{"user":[]}}]})"),
            "checks[2].attributes.user: expected a string, a whole number, a boolean or null");
  EXPECT_EQ(Read(R"({"domain":"a","attributes":{"user":"1","user":"2"}})"),
            "attributes.user: duplicate key 'user'");
  EXPECT_EQ(Read(R"({"domain":"a","domain":"b"})"), "domain: duplicate key 'domain'");
}

TEST_F(CheckRequestTest, EnforcesBounds) {
  const std::string check = R"({"domain":"a"})";
  EXPECT_EQ(Read(Concat(R"({"checks":[)", check, ",", check, ",", check, "]}")),
            "a cost 1; a cost 1; a cost 1");
  EXPECT_EQ(Read(Concat(R"({"checks":[)", check, ",", check, ",", check, ",", check, "]}")),
            "checks[3]: more than 3 checks");
  EXPECT_EQ(Read(R"({"domain":"a","attributes":{"a":1,"b":1,"c":1,"d":1}})"),
            "a a=1 b=1 c=1 d=1 cost 1");
  EXPECT_EQ(Read(R"({"domain":"a","attributes":{"a":1,"b":null,"c":1,"d":1,"e":1}})"),
            "attributes.e: more than 4 attributes");
}

TEST_F(CheckRequestTest, RejectsDeepNesting) {
  std::string body = R"({"domain":"a","attributes":{"x":)";
  body += std::string(100'000, '[');
  EXPECT_EQ(Read(body), "attributes.x: expected a string, a whole number, a boolean or null");
}

TEST_F(CheckRequestTest, RejectsTruncatedBodies) {
  const std::string body =
      R"({"checks":[{"domain":"a","attributes":{"us\u0065r":"4\n2"},"cost":12}]})";
  for (std::size_t size = 0; size < body.size(); ++size) {
    const std::vector<char> cut(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(reader.Read({cut.data(), cut.size()}, request)) << size;
  }
  EXPECT_EQ(Read(body), "a user=4\n2 cost 12");
}

}  // namespace
}  // namespace sluice
