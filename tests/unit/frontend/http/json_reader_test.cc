#include "frontend/http/json_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

// Reads any value and writes it again, without blanks and escapes.
std::string Echo(JsonReader& json) {
  const std::optional<JsonKind> kind = json.Peek();
  if (!kind) return "";
  std::string out;
  switch (*kind) {
    case JsonKind::kNull:
      return json.ReadNull() ? "null" : "";
    case JsonKind::kBoolean:
      return json.ReadBoolean().value_or(false) ? "true" : "false";
    case JsonKind::kNumber:
      return std::string(json.ReadInteger().value_or(""));
    case JsonKind::kString:
      return Concat("\"", json.ReadString().value_or(""), "\"");
    case JsonKind::kList:
      if (json.OpenList()) {
        while (json.NextItem()) out += Concat(out.empty() ? "" : ",", Echo(json));
      }
      return Concat("[", out, "]");
    case JsonKind::kMap:
      if (json.OpenMap()) {
        while (const auto key = json.NextKey()) {
          out += Concat(out.empty() ? "" : ",", "\"", *key, "\":");
          out += Echo(json);
        }
      }
      return Concat("{", out, "}");
  }
  return "";
}

// Returns the contents of a text, or "byte N, FIELD: fault".
std::string Read(std::string_view text) {
  // Copies the text exactly, so that sanitizers find reads beyond it.
  const std::vector<char> exact(text.begin(), text.end());
  JsonReader json;
  json.Begin({exact.data(), exact.size()});
  const std::string echo = Echo(json);
  if (json.ReadEnd()) return echo;
  const JsonFault& fault = json.fault();
  return Concat("byte ", fault.offset, ", ", fault.field, ": ", fault.message);
}

TEST(JsonReaderTest, ReadsWhatTheGrammarAllows) {
  EXPECT_EQ(Read("{}"), "{}");
  EXPECT_EQ(Read(" \t\r\n[ ] "), "[]");
  EXPECT_EQ(Read(R"( { "a" : [ 1 , -2,0 , true,false,null ] , "b":{"c":"d"} } )"),
            R"({"a":[1,-2,0,true,false,null],"b":{"c":"d"}})");
  EXPECT_EQ(Read(R"("")"), R"("")");
  EXPECT_EQ(Read(R"(["12345678","1234567","123456789"])"), R"(["12345678","1234567","123456789"])");
}

TEST(JsonReaderTest, DecodesEscapes) {
  EXPECT_EQ(Read(R"("\"\\\/\b\f\n\r\t")"), "\"\"\\/\b\f\n\r\t\"");
  EXPECT_EQ(Read(R"("\u0041\u00e9\u20AC\uD83D\uDE00")"),
            "\"A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  EXPECT_EQ(Read(R"("\nabc")"), "\"\nabc\"");
  EXPECT_EQ(Read(R"("\u0000")"), std::string("\"\0\"", 3));
  EXPECT_EQ(Read(R"(["plain","a\tb","plain","c\td and more of it"])"),
            "[\"plain\",\"a\tb\",\"plain\",\"c\td and more of it\"]");
}

TEST(JsonReaderTest, KeepsUnescapedStringsValid) {
  std::string text = "[";
  for (int i = 0; i < 100; ++i) text += R"("\u0061\u0062\u0063",)";
  text.back() = ']';
  JsonReader json;
  json.Begin(text);
  std::vector<std::string_view> strings;
  ASSERT_TRUE(json.OpenList());
  while (json.NextItem()) strings.push_back(json.ReadString().value_or(""));
  ASSERT_TRUE(json.ReadEnd());
  ASSERT_EQ(strings.size(), 100U);
  for (const std::string_view each : strings) EXPECT_EQ(each, "abc");
}

TEST(JsonReaderTest, RequiresUtf8) {
  EXPECT_EQ(Read("\"caf\xC3\xA9 \xF0\x9F\x98\x80\""), "\"caf\xC3\xA9 \xF0\x9F\x98\x80\"");
  EXPECT_EQ(Read("\"ab\xFF\""), "byte 3, : this byte is not UTF-8");
  EXPECT_EQ(Read("\"\xC0\xAF\""), "byte 1, : this byte is not UTF-8");
  EXPECT_EQ(Read("\"\xED\xA0\x80\""), "byte 1, : this byte is not UTF-8");
  EXPECT_EQ(Read("\"\xC3"), "byte 1, : this byte is not UTF-8");
  EXPECT_EQ(Read("\xFF"), "byte 0, : expected a value, found a byte that is not UTF-8");
}

TEST(JsonReaderTest, RejectsHalfASurrogatePair) {
  for (const std::string_view half :
       {R"("\uD83D")", R"("\uDE00")", R"("\uD83Dx")", R"("\uD83D\n")", R"("\uD83D\uD83D")",
        R"("\uD83D\u0041")", R"("\uDE00\uD83D")", R"("\uD83D\u")"}) {
    EXPECT_EQ(Read(half), "byte 1, : half of a surrogate pair") << half;
  }
}

TEST(JsonReaderTest, RejectsControlCharacters) {
  EXPECT_EQ(Read("\"a\nb\""), "byte 2, : a control character must be escaped");
  for (std::size_t at = 0; at < 20; ++at) {
    std::string text = "\"" + std::string(20, 'x') + "\"";
    text[at + 1] = '\x01';
    EXPECT_EQ(Read(text), Concat("byte ", at + 1, ", : a control character must be escaped"));
  }
  EXPECT_EQ(Read("\"12345678\x1F\""), "byte 9, : a control character must be escaped");
  EXPECT_EQ(Read(std::string_view("\"\0\"", 3)), "byte 1, : a control character must be escaped");
  EXPECT_EQ(Read("\"\x7F\""), "\"\x7F\"");
}

TEST(JsonReaderTest, RejectsByteOrderMark) {
  EXPECT_EQ(Read("\xEF\xBB\xBF{}"), "byte 0, : expected a value, found a byte order mark");
}

TEST(JsonReaderTest, RejectsTrailingCommas) {
  EXPECT_EQ(Read(R"({"a":1,})"), "byte 7, a: expected a key in double quotes, found '}'");
  EXPECT_EQ(Read("[1,]"), "byte 3, [1]: expected a value, found ']'");
  EXPECT_EQ(Read("[,1]"), "byte 1, [0]: expected a value, found ','");
  EXPECT_EQ(Read("{,}"), "byte 1, : expected a key in double quotes, found ','");
}

TEST(JsonReaderTest, RejectsRepeatedKeys) {
  EXPECT_EQ(Read(R"({"a":1,"b":2,"a":3})"), "byte 13, a: duplicate key 'a'");
  EXPECT_EQ(Read(R"({"a":1,"\u0061":3})"), "byte 7, a: duplicate key 'a'");
  EXPECT_EQ(Read(R"({"x":{"a":1},"a":{"x":1}})"), R"({"x":{"a":1},"a":{"x":1}})");
  EXPECT_EQ(Read(R"([{"k":[{"a":1},{"a":1,"a":2}]}])"), "byte 22, [0].k[1].a: duplicate key 'a'");
}

TEST(JsonReaderTest, FindsRepeatedKeyAmongMany) {
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += Concat("\"k", i, "\":0,");
  std::string twice = many;
  many.back() = '}';
  EXPECT_EQ(Read(many), many);
  const std::size_t at = twice.size();
  twice += "\"k500\":0}";
  EXPECT_EQ(Read(twice), Concat("byte ", at, ", k500: duplicate key 'k500'"));
}

TEST(JsonReaderTest, RejectsNumbersThatAreNotWhole) {
  EXPECT_EQ(Read("123456789012345678901234567890"), "123456789012345678901234567890");
  for (const std::string_view number : {"1.5", "1.0", "1e2", "1E+2", "1e400", "-1e-400", "0.0"}) {
    EXPECT_EQ(Read(number), Concat("byte 0, : expected a whole number, found '", number, "'"));
  }
  EXPECT_EQ(Read("01"), "byte 0, : a number must not begin with 0");
  EXPECT_EQ(Read("-01"), "byte 0, : a number must not begin with 0");
  EXPECT_EQ(Read("1."), "byte 2, : expected a digit, found the end of the text");
  EXPECT_EQ(Read("1e"), "byte 2, : expected a digit, found the end of the text");
  EXPECT_EQ(Read("-"), "byte 1, : expected a digit, found the end of the text");
  EXPECT_EQ(Read("+1"), "byte 0, : expected a value, found '+'");
  EXPECT_EQ(Read(".5"), "byte 0, : expected a value, found '.'");
  EXPECT_EQ(Read("NaN"), "byte 0, : expected a value, found 'N'");
  EXPECT_EQ(Read("Infinity"), "byte 0, : expected a value, found 'I'");
  EXPECT_EQ(Read("0x10"), "byte 1, : expected the end of the text, found 'x'");
}

TEST(JsonReaderTest, ChecksRangeOfWholeNumbers) {
  const auto read = [](std::string_view text, std::int64_t max) {
    JsonReader json;
    json.Begin(text);
    return json.ReadWhole(max);
  };
  EXPECT_EQ(read("0", 9), 0);
  EXPECT_EQ(read("9", 9), 9);
  EXPECT_EQ(read("10", 9), std::nullopt);
  EXPECT_EQ(read("-1", 9), std::nullopt);
  EXPECT_EQ(read("1.0", 9), std::nullopt);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(read("9223372036854775807", kMax), kMax);
  EXPECT_EQ(read("9223372036854775808", kMax), std::nullopt);
  EXPECT_EQ(read("18446744073709551617", kMax), std::nullopt);
}

TEST(JsonReaderTest, RejectsWhatTheGrammarForbids) {
  EXPECT_EQ(Read(""), "byte 0, : expected a value, found the end of the text");
  EXPECT_EQ(Read("{} {}"), "byte 3, : expected the end of the text, found '{'");
  EXPECT_EQ(Read("tru"), "byte 0, : expected true");
  EXPECT_EQ(Read("nul"), "byte 0, : expected null");
  EXPECT_EQ(Read("'a'"), "byte 0, : expected a value, found '''");
  EXPECT_EQ(Read("{a:1}"), "byte 1, : expected a key in double quotes, found 'a'");
  EXPECT_EQ(Read(R"({"a" 1})"), "byte 5, a: expected ':', found '1'");
  EXPECT_EQ(Read(R"({"a":1 "b":2})"), "byte 7, a: expected ',' or '}', found '\"'");
  EXPECT_EQ(Read("[1 2]"), "byte 3, [0]: expected ',' or ']', found '2'");
  EXPECT_EQ(Read("[1}"), "byte 2, [0]: expected ',' or ']', found '}'");
  EXPECT_EQ(Read("// x\n1"), "byte 0, : expected a value, found '/'");
  EXPECT_EQ(Read(R"("abc)"), "byte 0, : this string has no closing quote");
  EXPECT_EQ(Read(R"("abc\)"),
            "byte 4, : unknown escape; expected "
            R"(\" \\ \/ \b \f \n \r \t or \uXXXX)");
  EXPECT_EQ(Read(R"("\x41")"),
            "byte 1, : unknown escape; expected "
            R"(\" \\ \/ \b \f \n \r \t or \uXXXX)");
  EXPECT_EQ(Read(R"("\u12g4")"), "byte 1, : expected four hexadecimal digits after \\u");
  EXPECT_EQ(Read("\"\\u12"), "byte 1, : expected four hexadecimal digits after \\u");
  EXPECT_EQ(Read("\xC2\xA0{}"), "byte 0, : expected a value, found '\xC2\xA0'");
}

TEST(JsonReaderTest, BoundsNesting) {
  const std::size_t max = JsonReader::kMaxDepth;
  const std::string deep = std::string(max, '[') + std::string(max, ']');
  EXPECT_EQ(Read(deep), deep);
  std::string path;
  for (std::size_t i = 0; i < max; ++i) path += "[0]";
  EXPECT_EQ(Read(std::string(100'000, '[')), "byte 16, " + path + ": nested deeper than 16 levels");
}

TEST(JsonReaderTest, KeepsFirstFault) {
  JsonReader json;
  json.Begin(R"({"a":x,"b":1})");
  ASSERT_TRUE(json.OpenMap());
  ASSERT_EQ(json.NextKey(), "a");
  EXPECT_EQ(json.ReadString(), std::nullopt);
  EXPECT_EQ(json.NextKey(), std::nullopt);
  EXPECT_EQ(json.ReadWhole(5), std::nullopt);
  EXPECT_FALSE(json.NextItem());
  EXPECT_FALSE(json.OpenList());
  EXPECT_FALSE(json.ReadEnd());
  EXPECT_FALSE(json.FailMissing("c"));
  EXPECT_EQ(json.fault().message, "expected a value, found 'x'");
  EXPECT_EQ(json.fault().field, "a");
  json.Begin("1");
  EXPECT_EQ(json.ReadInteger(), "1");
  EXPECT_TRUE(json.ReadEnd());
}

TEST(JsonReaderTest, QuotesAndBoundsFieldNamesInFaults) {
  EXPECT_EQ(Read(R"({"a.b":{"\u001b[2J":x}})"),
            "byte 20, 'a.b'.'\\x1b[2J': expected a value, found 'x'");
  EXPECT_EQ(Read(R"({"":x})"), "byte 4, '': expected a value, found 'x'");
  const std::string fault = Read(Concat("{\"", std::string(1000, 'k'), "\":x}"));
  EXPECT_LT(fault.size(), 200U);
}

}  // namespace
}  // namespace sluice
