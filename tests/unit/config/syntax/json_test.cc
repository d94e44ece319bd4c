#include "config/syntax/json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

Value Read(std::string_view text) {
  auto value = ReadJson(text);
  const auto* error = std::get_if<PositionedError>(&value);
  EXPECT_EQ(error, nullptr) << text << ": " << error->message;
  return error != nullptr ? Value() : std::get<Value>(std::move(value));
}

std::string ReadText(std::string_view text) {
  const Value value = Read(text);
  return value.AsString() == nullptr ? "no string" : *value.AsString();
}

std::string ErrorOf(std::string_view text) {
  const auto value = ReadJson(text);
  const auto* error = std::get_if<PositionedError>(&value);
  return error == nullptr ? "accepted" : Describe("", *error);
}

TEST(JsonTest, ReadsEveryKindOfValue) {
  EXPECT_TRUE(Read("null").IsNull());
  EXPECT_TRUE(*Read(" true ").AsBoolean());
  EXPECT_FALSE(*Read("\r\n\tfalse\n").AsBoolean());
  EXPECT_EQ(ReadText("\"\""), "");
  EXPECT_EQ(Read("[]").AsList()->size(), 0U);
  EXPECT_EQ(Read("{ }").AsMap()->size(), 0U);
  EXPECT_EQ(Read("[1, [2], {\"a\": 3}]").AsList()->size(), 3U);
}

TEST(JsonTest, NumbersKeepTheirText) {
  for (const char* text : {"0", "-0", "10", "-1.50", "1e3", "1E+3", "1.0e-300", "0.1",
                           "123456789012345678901234567890"}) {
    EXPECT_EQ(*Read(text).AsNumber(), text);
  }
}

TEST(JsonTest, ReadsEscapes) {
  EXPECT_EQ(ReadText(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(ReadText(R"("\u0041\u00e4\u20AC")"), "A\xC3\xA4\xE2\x82\xAC");
  EXPECT_EQ(ReadText(R"("\ud83d\ude00")"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(ReadText(R"("a\u0000b")"), std::string("a\0b", 3));
  EXPECT_EQ(ReadText("\"\xC3\xA4 \xF0\x9F\x98\x80\x7F\""), "\xC3\xA4 \xF0\x9F\x98\x80\x7F");
}

TEST(JsonTest, RecordsPositionsOfValuesAndKeys) {
  const Value value = Read("{\n  \"a\": [1,\n    true],\n  \"\xC3\xA4\": \"x\", \"b\": {}}");
  EXPECT_EQ(value.At(), (Position{1, 1}));
  const Value::Map& map = *value.AsMap();
  EXPECT_EQ(map[0].key_at, (Position{2, 3}));
  EXPECT_EQ(map[0].value.At(), (Position{2, 8}));
  EXPECT_EQ((*map[0].value.AsList())[1].At(), (Position{3, 5}));
  // Columns count characters: the key is one character of two bytes.
  EXPECT_EQ(map[1].value.At(), (Position{4, 8}));
  EXPECT_EQ(map[2].key_at, (Position{4, 13}));
}

TEST(JsonTest, RejectsBadTextWithPlaceAndExpectation) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "1:1: expected a value, found the end of the text"},
      {"  \n ", "2:2: expected a value, found the end of the text"},
      {"x", "1:1: expected a value, found 'x'"},
      {"'a'", "1:1: expected a value, found '''"},
      {"tru", "1:1: expected a value, such as true"},
      {"nul", "1:1: expected a value, such as null"},
      {"True", "1:1: expected a value, found 'T'"},
      {"NaN", "1:1: expected a value, found 'N'"},
      {"truex", "1:5: expected the end of the text, found 'x'"},
      {"1 2", "1:3: expected the end of the text, found '2'"},
      {"{} ,", "1:4: expected the end of the text, found ','"},
      {"01", "1:1: a number must not begin with 0"},
      {"-", "1:2: expected a digit, found the end of the text"},
      {"-a", "1:2: expected a digit, found 'a'"},
      {"+1", "1:1: expected a value, found '+'"},
      {".5", "1:1: expected a value, found '.'"},
      {"1.", "1:3: expected a digit, found the end of the text"},
      {"1.e3", "1:3: expected a digit, found 'e'"},
      {"1e", "1:3: expected a digit, found the end of the text"},
      {"1e+-3", "1:4: expected a digit, found '-'"},
      {"0x10", "1:2: expected the end of the text, found 'x'"},
      {"[1", "1:3: expected ',' or ']', found the end of the text"},
      {"[1 2]", "1:4: expected ',' or ']', found '2'"},
      {"[1,]", "1:4: expected a value, found ']'"},
      {"[,1]", "1:2: expected a value, found ','"},
      {"[1}", "1:3: expected ',' or ']', found '}'"},
      {"{\"a\" 1}", "1:6: expected ':', found '1'"},
      {"{\"a\":}", "1:6: expected a value, found '}'"},
      {"{\"a\":1,}", "1:8: expected a key in double quotes, found '}'"},
      {"{a:1}", "1:2: expected a key in double quotes, found 'a'"},
      {"{1:1}", "1:2: expected a key in double quotes, found '1'"},
      {"{\"a\":1 \"b\":2}", "1:8: expected ',' or '}', found '\"'"},
      {"{\"a\":1,\n \"b\":2,\n \"a\":3}", "3:2: duplicate key 'a'"},
      {"{\"a\":1,\"\\u0061\":3}", "1:8: duplicate key 'a'"},
      {"\"abc", "1:1: this string has no closing quote"},
      {"\"abc\\", "1:5: unknown escape; expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX"},
      {"\"\\x41\"", "1:2: unknown escape; expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX"},
      {"\"\\u12\"", "1:2: expected four hexadecimal digits after \\u"},
      {"\"\\u12g4\"", "1:2: expected four hexadecimal digits after \\u"},
      {"\"\\ud83d\"", "1:2: half of a surrogate pair"},
      {"\"\\ud83dx\"", "1:2: half of a surrogate pair"},
      {"\"\\ud83d\\u0041\"", "1:2: half of a surrogate pair"},
      {"\"\\ude00\\ud83d\"", "1:2: half of a surrogate pair"},
      {"\"a\nb\"", "1:3: a control character must be escaped"},
      {std::string("\"a\0b\"", 5), "1:3: a control character must be escaped"},
      {"\"a\xFFz\"", "1:3: this byte is not UTF-8"},
      {"\"\xC0\x80\"", "1:2: this byte is not UTF-8"},
      {"\"\xED\xA0\x80\"", "1:2: this byte is not UTF-8"},
      {"\"\xF0\x9F\x98", "1:2: this byte is not UTF-8"},
      {"\xFF", "1:1: expected a value, found a byte that is not UTF-8"},
      {"\xEF\xBB\xBF{}", "1:1: expected a value, found a byte order mark"},
      {std::string("\0", 1), "1:1: expected a value, found '\\x00'"},
      {"1 // one", "1:3: expected the end of the text, found '/'"},
      {"\xC2\xA0"
       "1",
       "1:1: expected a value, found '\xC2\xA0'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(ErrorOf(text), message) << text;
}

TEST(JsonTest, RejectsDeepNesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(ErrorOf(nested(64)), "accepted");
  EXPECT_EQ(ErrorOf(nested(65)), "1:65: nested deeper than 64 levels");
  EXPECT_EQ(ErrorOf(std::string(1'000'000, '[')), "1:65: nested deeper than 64 levels");
  // Lists beside one another do not add to the depth.
  std::string wide = "[[]";
  for (int i = 0; i < 1000; ++i) wide += ",[{}]";
  EXPECT_EQ(ErrorOf(wide + "]"), "accepted");
}

TEST(JsonTest, RejectsTextOverMaximumSize) {
  EXPECT_TRUE(std::holds_alternative<Value>(ReadJson("[1]", 3)));
  const auto value = ReadJson("[1]", 2);
  EXPECT_EQ(std::get<PositionedError>(value),
            (PositionedError{{}, "the text is 3 bytes long, at most 2 are read"}));
}

// The fuzz target checks the time, which it bounds by the size of a text.
TEST(JsonTest, ReadsManyKeysAndRejectsDuplicates) {
  constexpr int kKeys = 20'000;
  std::string text = "{";
  for (int i = 0; i < kKeys; ++i)
    text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  const Value value = Read(text + "\"z\":1}");
  const Value::Map& map = *value.AsMap();
  ASSERT_EQ(map.size(), kKeys + 1U);
  for (std::size_t i = 0; i < kKeys; ++i) ASSERT_EQ(map[i].key, "k" + std::to_string(i));
  for (const std::string key : {"k0", "k7", "k10000", "k19999", "z"}) {
    EXPECT_NE(ErrorOf(text + "\"z\":1,\"" + key + "\":1}").find("duplicate key '" + key + "'"),
              std::string::npos);
  }
}

TEST(JsonTest, RejectsTruncatedText) {
  const std::string text = R"({"a":[1.5e3,"\ud83d\ude00",true,null],"b":{"c":-2}})";
  EXPECT_EQ(ErrorOf(text), "accepted");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_NE(ErrorOf(text.substr(0, size)), "accepted") << size;
  }
}

TEST(JsonTest, SurvivesDamagedText) {
  const std::string good = R"({"a":[1.5e3,"\ud83d\ude00 ä",true,null],"b":{"c":-2,"d":"x"}})";
  std::uint64_t random = 1;
  for (int round = 0; round < 5000; ++round) {
    std::string text = good;
    for (int change = 0; change < 3; ++change) {
      random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      text[static_cast<std::size_t>(random >> 33U) % text.size()] =
          round % 2 == 0 ? static_cast<char>(random >> 20U)
                         : good[static_cast<std::size_t>(random >> 10U) % good.size()];
    }
    static_cast<void>(ReadJson(text));
  }
}

}  // namespace
}  // namespace sluice
