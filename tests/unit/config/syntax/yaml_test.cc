#include "config/syntax/yaml.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace sluice {
namespace {

std::vector<Value> ReadAll(std::string_view text) {
  auto read = ReadYaml(text);
  const auto* error = std::get_if<PositionedError>(&read);
  EXPECT_EQ(error, nullptr) << text << ": " << Describe("", *error);
  return error != nullptr ? std::vector<Value>{} : std::get<std::vector<Value>>(std::move(read));
}

Value Read(std::string_view text) {
  std::vector<Value> documents = ReadAll(text);
  EXPECT_EQ(documents.size(), 1U) << text;
  return documents.empty() ? Value() : documents[0];
}

std::string ErrorOf(std::string_view text) {
  const auto read = ReadYaml(text);
  const auto* error = std::get_if<PositionedError>(&read);
  return error == nullptr ? "accepted" : Describe("", *error);
}

std::string Repeat(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

std::string Place(Position at) { return std::to_string(at.line) + ":" + std::to_string(at.column); }

// Formats a tree on one line with all positions: "[@1:1 5@1:2 {@1:5 a@1:6=x@1:9}]".
std::string Shown(const Value& value) {
  const std::string place = "@" + Place(value.At());
  if (const Value::List* list = value.AsList()) {
    std::string text = "[" + place;
    for (const Value& item : *list) text += " " + Shown(item);
    return text + "]";
  }
  if (const Value::Map* map = value.AsMap()) {
    std::string text = "{" + place;
    for (const Value::Entry& entry : *map) {
      text += " " + entry.key + "@" + Place(entry.key_at) + "=" + Shown(entry.value);
    }
    return text + "}";
  }
  // Strings are shown in full; Description would shorten them.
  if (value.AsString() != nullptr) return "'" + *value.AsString() + "'" + place;
  if (value.AsNumber() != nullptr) return *value.AsNumber() + place;
  return value.Description() + place;
}

TEST(YamlTest, ReadsEveryKindOfValue) {
  EXPECT_EQ(Shown(Read("a: 1\nb:\n  - x\n  - {c: true, d: [~, \"y\"]}\n")),
            "{@1:1 a@1:1=1@1:4 b@2:1=[@3:3 'x'@3:5 "
            "{@4:5 c@4:6=true@4:9 d@4:15=[@4:18 null@4:19 'y'@4:22]}]}");
  EXPECT_EQ(Shown(Read("[]")), "[@1:1]");
  EXPECT_EQ(Shown(Read(" {}")), "{@1:2}");
  EXPECT_EQ(Shown(Read("text of several words")), "'text of several words'@1:1");
  EXPECT_EQ(Shown(Read("- - a\n  - b\n- c")), "[@1:1 [@1:3 'a'@1:5 'b'@2:5] 'c'@3:3]");
  EXPECT_EQ(Shown(Read("a:\n- b\nc: 1")), "{@1:1 a@1:1=[@2:1 'b'@2:3] c@3:1=1@3:4}");
  EXPECT_EQ(Shown(Read("[a: b, c]")), "[@1:1 {@1:2 a@1:2='b'@1:5} 'c'@1:8]");
}

TEST(YamlTest, ResolvesPlainScalars) {
  for (const char* text : {"null", "Null", "NULL", "~"}) EXPECT_TRUE(Read(text).IsNull()) << text;
  for (const char* text : {"true", "True", "TRUE"}) EXPECT_EQ(Read(text).Description(), "true");
  for (const char* text : {"false", "False", "FALSE"}) EXPECT_EQ(Read(text).Description(), "false");
  for (const char* text : {"0", "-0", "20", "-3", "1.50", "1e3", "1E+3", "1.0e-300", "0.1",
                           "123456789012345678901234567890"}) {
    ASSERT_NE(Read(text).AsNumber(), nullptr) << text;
    EXPECT_EQ(*Read(text).AsNumber(), text);
  }
  for (const char* text :
       {"yes",  "no",  "on",   "off",   "y",        "NO",         "Yes",  "0x10",
        "0o7",  "012", "-012", "1_000", ".5",       "5.",         "+5",   "--5",
        "1e",   "1e+", "1.e3", "1:30",  "12:30:45", ".inf",       ".nan", "nul",
        "TrUe", "1 2", "1,5",  "10/s",  "1.2.3",    "2024-01-01", "nulL", "-a"}) {
    ASSERT_NE(Read(text).AsString(), nullptr) << text;
    EXPECT_EQ(*Read(text).AsString(), text);
  }
}

TEST(YamlTest, ReadsQuotedAndBlockScalarsAsStrings) {
  EXPECT_EQ(Shown(Read("['null', \"true\", '20', \"\", '']")),
            "[@1:1 'null'@1:2 'true'@1:10 '20'@1:18 ''@1:24 ''@1:28]");
  EXPECT_EQ(
      Shown(Read("- |\n  20\n- >-\n  true\n- |-\n  null\n- |+\n  x\n\n- >\n  a\n  b\n\n  c\n")),
      "[@1:1 '20\n'@1:3 'true'@3:3 'null'@5:3 'x\n\n'@7:3 'a b\nc\n'@10:3]");
  EXPECT_EQ(*Read("'it''s'").AsString(), "it's");
  EXPECT_EQ(*Read("\"a\n  b\n\n  c\"").AsString(), "a b\nc");
}

TEST(YamlTest, ReadsEscapesAsUtf8) {
  EXPECT_EQ(*Read(R"("\"\\\/\b\f\n\r\t\x41\u00e4\u20AC\U0001F600")").AsString(),
            "\"\\/\b\f\n\r\tA\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(*Read(R"("a\0b")").AsString(), std::string("a\0b", 3));
  EXPECT_EQ(*Read(R"("ä\N\_ä")").AsString(), "ä\xC2\x85\xC2\xA0ä");
  EXPECT_EQ(Read(R"({"\_": 1})").AsMap()->front().key, "\xC2\xA0");
}

TEST(YamlTest, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(Shown(Read("ä: [\"ö\", é]\nx:\t1")),
            "{@1:1 ä@1:1=[@1:4 'ö'@1:5 'é'@1:10] x@2:1=1@2:4}");
  EXPECT_EQ(ErrorOf("ä: \xF0\x9F\x98\x80: b"),
            "1:5: a second ': ' on one line; put the value in quotes");
  // Positions are also right far into a line and into a text.
  const std::string line = Repeat("\"\xC3\xA4\", ", 1000);
  const Value value = Read("[" + line + "x,\n" + line + "y]");
  EXPECT_EQ((*value.AsList())[1000].At(), (Position{1, 5002}));
  EXPECT_EQ((*value.AsList())[2001].At(), (Position{2, 5001}));
}

TEST(YamlTest, ValuePositionIsAfterAnchorAndTag) {
  EXPECT_EQ(Shown(Read("a: &x !!str 1\nb: &y # why\n  c: 2\nd: &z\n  - 3\n&k e: 4\n")),
            "{@1:1 a@1:1='1'@1:13 b@2:1={@3:3 c@3:3=2@3:6} d@4:1=[@5:3 3@5:5] e@6:4=4@6:7}");
}

TEST(YamlTest, AnchorOfKeyDoesNotMoveMap) {
  EXPECT_EQ(Shown(Read("&a key:\n  b: 1\nc: *a")),
            "{@1:1 key@1:4={@2:3 b@2:3=1@2:6} c@3:1='key'@1:4}");
  EXPECT_EQ(Shown(Read("&a key:\n   b")), "{@1:1 key@1:4='b'@2:4}");
}

TEST(YamlTest, EmptyValueHasPositionOfKeyItemOrDocument) {
  EXPECT_EQ(Shown(Read("a:\nb: # none\nnull:\nc: {d: , e}\n")),
            "{@1:1 a@1:1=null@1:1 b@2:1=null@2:1 null@3:1=null@3:1 "
            "c@4:1={@4:4 d@4:5=null@4:5 e@4:10=null@4:10}}");
  EXPECT_EQ(Shown(Read("-\n- x\n- # none\n# of them\n\n-\n- y\n-")),
            "[@1:1 null@1:1 'x'@2:3 null@3:1 null@6:1 'y'@7:3 null@8:1]");
  EXPECT_EQ(Shown(Read("a:\n  - x\n  -\nb: 1")),
            "{@1:1 a@1:1=[@2:3 'x'@2:5 null@3:3] b@4:1=1@4:4}");
  EXPECT_EQ(Shown(Read("\n--- # none\n")), "null@2:1");
  EXPECT_EQ(Shown(Read("a: !!str\nb: &x\n")), "{@1:1 a@1:1=''@1:4 b@2:1=null@2:4}");
}

TEST(YamlTest, KeepsKeysAsWritten) {
  EXPECT_EQ(Shown(Read("123: a\ntrue: b\nNull: c\n~: d\n1.0: e\n'x y': f\n\"\\u0041\": g\na b: h")),
            "{@1:1 123@1:1='a'@1:6 true@2:1='b'@2:7 Null@3:1='c'@3:7 ~@4:1='d'@4:4 1.0@5:1='e'@5:6 "
            "x y@6:1='f'@6:8 A@7:1='g'@7:11 a b@8:1='h'@8:6}");
  EXPECT_EQ(Shown(Read("? a\n: b\n? c")), "{@1:1 a@1:3='b'@2:3 c@3:3=null@3:3}");
  EXPECT_EQ(Shown(Read("{\"a\":1, 'b' : 2}")), "{@1:1 a@1:2=1@1:6 b@1:9=2@1:15}");
}

TEST(YamlTest, RejectsKeysThatAreNotScalars) {
  EXPECT_EQ(ErrorOf("? [a]\n: b"),
            "1:3: a list cannot be a key; text that looks like one needs quotes");
  EXPECT_EQ(ErrorOf("limit: {{ rate }}"),
            "1:9: a mapping cannot be a key; text that looks like one needs quotes");
  EXPECT_EQ(ErrorOf("? - a\n: b"),
            "1:3: a list cannot be a key; text that looks like one needs quotes");
  EXPECT_EQ(ErrorOf("a: &x b\n*x : c"), "2:1: an alias cannot be a key");
  EXPECT_EQ(ErrorOf(": a"), "1:1: expected a key, found ':'");
  EXPECT_EQ(ErrorOf("{a: 1, , b: 2}"), "1:8: expected a key, found ','");
  EXPECT_EQ(ErrorOf("?\n"), "2:1: expected a key, found the end of the text");
  EXPECT_EQ(ErrorOf("a: 1\n<<: {b: 2}"),
            "2:1: the merge key '<<' is not read; repeat the entries, or use a list of limits");
  EXPECT_EQ(Shown(Read("'<<': 1")), "{@1:1 <<@1:1=1@1:7}");
}

TEST(YamlTest, RejectsRepeatedKeyAtSecondPlace) {
  EXPECT_EQ(ErrorOf("a: 1\nb: 2\na: 3\n"), "3:1: duplicate key 'a'");
  EXPECT_EQ(ErrorOf("x: {a: 1, \"\\x61\": 2}"), "1:11: duplicate key 'a'");
  EXPECT_EQ(ErrorOf("1: a\n'1': b"), "2:1: duplicate key '1'");
  EXPECT_EQ(ErrorOf("~: a\n'~': b"), "2:1: duplicate key '~'");
  EXPECT_EQ(ErrorOf("a: {b: 1}\nb: {b: 1}"), "accepted");
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(Read(text).AsMap()->size(), 50'000U);
  EXPECT_EQ(ErrorOf(text + "k7: 1"), "50001:1: duplicate key 'k7'");
}

TEST(YamlTest, RejectsTagsOtherThanStr) {
  EXPECT_EQ(Shown(Read("[!!str 20, !!str true, !<tag:yaml.org,2002:str> ~, ! 5]")),
            "[@1:1 '20'@1:8 'true'@1:18 '~'@1:49 '5'@1:54]");
  EXPECT_EQ(ErrorOf("a: !!int 3"), "1:4: unknown tag '!!int'; the only one read is !!str");
  EXPECT_EQ(ErrorOf("a: !!int"), "1:4: unknown tag '!!int'; the only one read is !!str");
  EXPECT_EQ(ErrorOf("- !secret\n  a: b"), "1:3: unknown tag '!secret'; the only one read is !!str");
  EXPECT_EQ(ErrorOf("- !!str [a]"), "1:3: unknown tag '!!str'; the only one read is !!str");
  EXPECT_EQ(ErrorOf("- !!seq [a]"), "1:3: unknown tag '!!seq'; the only one read is !!str");
  EXPECT_EQ(ErrorOf("!x a: 1"), "1:1: unknown tag '!x'; the only one read is !!str");
  EXPECT_EQ(ErrorOf("!x"), "1:1: expected a value after the tag");
  EXPECT_EQ(ErrorOf("%TAG !e! tag:e,1:\n---\n!e!x a"),
            "3:1: unknown tag 'tag:e,1:x'; the only one read is !!str");
}

TEST(YamlTest, AliasCopiesValueWithPositions) {
  EXPECT_EQ(Shown(Read("a: &x {b: [1, two]}\nc: *x\nd: [*x]")),
            "{@1:1 a@1:1={@1:7 b@1:8=[@1:11 1@1:12 'two'@1:15]} "
            "c@2:1={@1:7 b@1:8=[@1:11 1@1:12 'two'@1:15]} "
            "d@3:1=[@3:4 {@1:7 b@1:8=[@1:11 1@1:12 'two'@1:15]}]}");
  // The last anchor of a name counts. A key and an empty value may have an anchor, too.
  EXPECT_EQ(Shown(Read("[&a 1, &a 2, *a]")), "[@1:1 1@1:5 2@1:11 2@1:11]");
  EXPECT_EQ(Shown(Read("&a 5: *a\nb: &n\nc: *n")),
            "{@1:1 5@1:4=5@1:4 b@2:1=null@2:4 c@3:1=null@2:4}");
  EXPECT_EQ(ErrorOf("a: &x [1, *x]"), "1:11: the alias '*x' stands inside what it repeats");
  EXPECT_EQ(ErrorOf("a: &x\n  b: {c: *x}"), "2:10: the alias '*x' stands inside what it repeats");
  EXPECT_EQ(ErrorOf("- &x 1\n---\n- &x [*x]"), "3:7: the alias '*x' stands inside what it repeats");
  EXPECT_EQ(ErrorOf("host: *.example.com"),
            "1:7: no anchor for the alias '*.example.com' stands before it; text that begins with "
            "'*' needs quotes");
  EXPECT_EQ(ErrorOf("- &x 1\n---\n- *x"),
            "3:3: no anchor for the alias '*x' stands before it; text that begins with '*' needs "
            "quotes");
}

TEST(YamlTest, RejectsTooManyCopiesByAliases) {
  // The "billion laughs" attack: ten times ten times ten and so on.
  std::string laughs = "- &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "- &a" + std::to_string(i) + " [" + Repeat(before + ", ", 10) + "]\n";
  }
  EXPECT_EQ(ErrorOf(laughs), "5:7: more than 200000 values, counting what aliases repeat");
  // One long string is repeated many times.
  EXPECT_EQ(ErrorOf("- &a " + std::string(1 << 20, 'x') + "\n" + Repeat("- *a\n", 15)), "accepted");
  EXPECT_EQ(ErrorOf("- &a " + std::string(1 << 20, 'x') + "\n" + Repeat("- *a\n", 16)),
            "17:3: more than 16777216 bytes of text repeated by aliases");
  // Strings and keys inside a repeated value are copied as well.
  EXPECT_EQ(ErrorOf("- &a [" + std::string(1 << 20, 'x') + "]\n" + Repeat("- *a\n", 16)),
            "17:3: more than 16777216 bytes of text repeated by aliases");
  EXPECT_EQ(ErrorOf("- &a {? " + std::string(1 << 20, 'x') + "}\n" + Repeat("- *a\n", 16)),
            "17:3: more than 16777216 bytes of text repeated by aliases");
  // There is no alias here, but each anchor keeps a copy of everything inside it.
  EXPECT_EQ(ErrorOf(Repeat("&a [", 60) + Repeat("x, ", 10'000) + Repeat("]", 60)),
            "1:168: more than 200000 values, counting what aliases repeat");
}

TEST(YamlTest, RejectsDeepNesting) {
  const auto nested = [](std::size_t depth) { return Repeat("[", depth) + Repeat("]", depth); };
  EXPECT_EQ(ErrorOf(nested(64)), "accepted");
  EXPECT_EQ(ErrorOf(nested(65)), "1:65: nested deeper than 64 levels");
  EXPECT_EQ(ErrorOf(Repeat("- ", 64) + "a"), "accepted");
  EXPECT_EQ(ErrorOf(Repeat("- ", 100'000)), "1:129: nested deeper than 64 levels");
  EXPECT_EQ(ErrorOf(Repeat("? ", 100'000)), "1:129: nested deeper than 64 levels");
  EXPECT_EQ(ErrorOf(nested(100'000)), "1:65: nested deeper than 64 levels");
  EXPECT_EQ(ErrorOf(Repeat("{a: ", 100'000) + Repeat("}", 100'000)),
            "1:257: nested deeper than 64 levels");
  // Lists beside one another do not add to the depth.
  EXPECT_EQ(ErrorOf("[" + Repeat("[{}], ", 1000) + "]"), "accepted");
  // Aliases add the depth of the value that they repeat.
  EXPECT_EQ(ErrorOf("- &a " + nested(62) + "\n- [*a]\n"), "accepted");
  EXPECT_EQ(ErrorOf("- &a " + nested(62) + "\n- [[*a]]\n"), "2:5: nested deeper than 64 levels");
  std::string chain = "- &a0 []\n";
  for (int i = 1; i < 100; ++i) {
    chain += "- &a" + std::to_string(i) + " {k: *a" + std::to_string(i - 1) + "}\n";
  }
  EXPECT_EQ(ErrorOf(chain), "64:12: nested deeper than 64 levels");
}

TEST(YamlTest, RejectsTextOverMaximumSize) {
  EXPECT_TRUE(std::holds_alternative<std::vector<Value>>(ReadYaml("[1]", 3)));
  EXPECT_EQ(std::get<PositionedError>(ReadYaml("[1]", 2)),
            (PositionedError{{}, "the text is 3 bytes long, at most 2 are read"}));
  EXPECT_EQ(ErrorOf(std::string((4U << 20U) + 1, ' ')),
            "the text is 4194305 bytes long, at most 4194304 are read");
}

TEST(YamlTest, RejectsTooManyValues) {
  EXPECT_EQ(Read(Repeat("-\n", 199'999)).AsList()->size(), 199'999U);
  EXPECT_EQ(ErrorOf(Repeat("-\n", 200'000)),
            "200001:1: more than 200000 values, counting what aliases repeat");
  EXPECT_EQ(ErrorOf(Repeat("---\n", 200'001)),
            "200002:1: more than 200000 values, counting what aliases repeat");
  // This is checked before parsing, because yaml-cpp would allocate memory for each of them first.
  EXPECT_EQ(Read("[" + Repeat("1,", 199'998) + "1]").AsList()->size(), 199'999U);
  EXPECT_EQ(ErrorOf("{" + Repeat("a,", 200'000)),
            "1:400001: more than 200000 of ',', '[' and '{' in one text");
  EXPECT_EQ(ErrorOf(Repeat("[", 200'001)),
            "1:200001: more than 200000 of ',', '[' and '{' in one text");
}

TEST(YamlTest, ReadsEveryDocument) {
  EXPECT_TRUE(ReadAll("").empty());
  EXPECT_TRUE(ReadAll("\n \n# nothing\n").empty());
  const std::vector<Value> documents = ReadAll("a: 1\n---\n---\n- b\n...\n---\n\"c\"\n");
  ASSERT_EQ(documents.size(), 4U);
  EXPECT_EQ(Shown(documents[0]), "{@1:1 a@1:1=1@1:4}");
  EXPECT_EQ(Shown(documents[1]), "null@2:1");
  EXPECT_EQ(Shown(documents[2]), "[@4:1 'b'@4:3]");
  EXPECT_EQ(Shown(documents[3]), "'c'@7:1");
  EXPECT_EQ(Shown(Read("%YAML 1.2\n# rules\n---\na")), "'a'@4:1");
  EXPECT_EQ(ReadAll("a\n...\n%YAML 1.2\n---\nb").size(), 2U);
}

TEST(YamlTest, RejectsTextAfterDocument) {
  EXPECT_EQ(ErrorOf("[1] [2]"), "1:5: expected '---' or the end of the text, found '['");
  EXPECT_EQ(ErrorOf("'a' ---\n"), "1:5: expected '---' or the end of the text, found '-'");
  EXPECT_EQ(ErrorOf("\"a\":1"), "1:4: expected '---' or the end of the text, found ':'");
  EXPECT_EQ(ErrorOf("- a\nb: 1"),
            "2:1: expected '---' or the end of the text, found 'b'; is the indentation right?");
  EXPECT_EQ(ErrorOf("a\n...\nb"),
            "3:1: expected '---' or the end of the text, found 'b'; is the indentation right?");
  EXPECT_EQ(ErrorOf("a: 1\n%b: 2\n"),
            "2:1: a line that begins with '%' must stand before its document");
  EXPECT_EQ(ErrorOf("a: 1\n%YAML 1.2\n---\nb: 2"),
            "2:1: a line that begins with '%' must stand before its document");
}

TEST(YamlTest, ExplainsCommonMistakesAtTheirPlace) {
  constexpr std::string_view kTab = "a tab cannot indent; use spaces";
  constexpr std::string_view kNoKey =
      "this ':' follows no key; is a ': ' missing on the line above, or the indentation wrong?";
  constexpr std::string_view kNoQuote = "this string has no closing quote";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a:\n\tb: 1", "2:1: " + std::string(kTab)},
      {"a:\n  \tb: 1", "2:3: " + std::string(kTab)},
      {"a:\n  - x\n\t- y", "3:1: " + std::string(kTab)},
      {"a: b\n\tc", "2:1: " + std::string(kTab)},
      {"-\ta: 1", "1:2: " + std::string(kTab)},
      {"a 1\nb: 2", "2:2: " + std::string(kNoKey)},
      {"a: b\n  c: d", "2:4: " + std::string(kNoKey)},
      {"a: 1\nb", "2:1: expected a key and ': ', found 'b'"},
      {"a: 1\nb\n", "2:1: expected a key and ': ', found 'b'"},
      {"a: 1\nlimit:5\r\n", "2:1: expected a key and ': ', found 'limit:5'"},
      {"a: 1\nlimit:5\nb: 2", "3:2: " + std::string(kNoKey)},
      {"a: 1\nb\n---\nc: 2", "2:1: expected a key and ': ', found 'b'"},
      {"a: 1\n- b", "2:1: expected a key and ': ', found '- b'"},
      {"a: b: c", "1:5: a second ': ' on one line; put the value in quotes"},
      {"--- a: 1", "1:6: a mapping must begin below '---'"},
      {"a:\n  b: 1\n c: 2",
       "3:2: this line begins at column 2, but the mapping that began on line 1 is at column 1"},
      {"x:\n - a: 1\n  b: 2",
       "3:3: this line begins at column 3, but the list that began on line 2 is at column 2"},
      {"a:\nx", "2:1: a value below its key must be indented deeper than the key"},
      {"a:\n[x]", "2:1: a value below its key must be indented deeper than the key"},
      {"- a: &x\n  \"x\"", "2:3: a value below its key must be indented deeper than the key"},
      {"a: \"x\" y", "1:8: expected the end of the line, found 'y'"},
      {"- [1] y", "1:7: expected the end of the line, found 'y'"},
      {"a: \"abc\nb: 2\nc: 3\n", "1:4: " + std::string(kNoQuote)},
      {"a: 'it''s\n", "1:4: " + std::string(kNoQuote)},
      {"a: \"x\\", "1:4: " + std::string(kNoQuote)},
      {"# \"\nsay \"x: it's # '\n'b': \"c", "3:6: " + std::string(kNoQuote)},
      {"[1, {\"a\":\"b}]", "1:10: " + std::string(kNoQuote)},
      {"[say \"x, 'y]", "1:10: " + std::string(kNoQuote)},
      {"[say \"x, \"y]", "1:13: a string has no closing quote before this"},
      {"a: \"b\n---\nc: 1", "1:4: " + std::string(kNoQuote)},
      {"a: [1, 2", "1:4: this '[' has no closing ']'"},
      {"{a: 1\n", "1:1: this '{' has no closing '}'"},
      {"[1, [2, {a: [3, ", "1:13: this '[' has no closing ']'"},
      {"a: [1\n---\nb: 1", "1:4: this '[' has no closing ']'"},
      {"a: [1, 2\nb: 3", "2:2: expected ',' or ']' for the '[' on line 1, found ':'"},
      {"{a: 1 b: 2}", "1:8: expected ',' or '}', found ':'"},
      {"{\"a\" 1}", "1:6: expected ',' or '}', found '1'"},
      {"[\"a\" \"b\"]", "1:6: expected ',' or ']', found '\"'"},
      {"[a, , b]", "1:5: expected a value, found ','"},
      {"a: [1}", "1:6: this '}' closes nothing"},
      {"a: ]", "1:4: this ']' closes nothing"},
      {"{a\n: 1}", "1:2: expected a key and its ':' on one line, at most 1024 bytes long"},
      {std::string(1025, 'k') + ": 1", "1:1026: a key must be at most 1024 bytes long"},
      {"a: - b", "1:4: a list item '- ' must begin a line, and cannot stand in brackets"},
      {"[\n  - b\n]", "2:3: a list item '- ' must begin a line, and cannot stand in brackets"},
      {"a: ? b", "1:4: a key with '? ' must begin a line"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(ErrorOf(text), message) << text;
}

TEST(YamlTest, ExplainsBadCharactersAndEscapes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a: @b", "1:4: a value cannot begin with '@'; put it in quotes"},
      {"a: `b`", "1:4: a value cannot begin with '`'; put it in quotes"},
      {"a: %b", "1:4: a value cannot begin with '%'; put it in quotes"},
      {"{url: /a?b}", "1:9: in brackets, text with '?' needs quotes"},
      {"a: *", "1:5: expected a name after '*'; text that begins with it needs quotes"},
      {"a: & b", "1:5: expected a name after '&'; text that begins with it needs quotes"},
      {"a: *b[", "1:6: this character cannot stand in a name after '*'"},
      {"a: &b[", "1:6: this character cannot stand in a name after '&'"},
      {"a: &b &c d", "1:7: a value has at most one anchor"},
      {"a: !!str !x d", "1:10: a value has at most one tag"},
      {"a: |x", "1:5: expected the end of the line after '|' or '>'"},
      {"a: |0", "1:6: the indentation after '|' or '>' must be 1 to 9"},
      {"%YAML x\n---\n", "1:1: bad version after %YAML; expected 1.2"},
      {"a: \"\\d+\"", "1:5: unknown escape '\\d'; in single quotes a backslash is text"},
      {"a: \"ä\\ä\"", "1:6: unknown escape '\\ä'; in single quotes a backslash is text"},
      {"a: \"\\xZZ\"",
       "1:5: expected two hexadecimal digits after \\x, four after \\u, eight after \\U"},
      {"a: \"\\ud83d\\ude00\"", "1:5: no such character; one above U+FFFF is written \\UXXXXXXXX"},
      {"a: \"\\U00110000\"", "1:5: no such character; one above U+FFFF is written \\UXXXXXXXX"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(ErrorOf(text), message) << text;
}

TEST(YamlTest, RejectsInvalidCharactersBeforeParsing) {
  const std::string control = "a control character must be escaped, in double quotes";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\xEF\xBB\xBF"
       "a: 1",
       "1:1: expected a value, found a byte order mark"},
      {"a: \xFF", "1:4: this byte is not UTF-8"},
      {"ä: \xC0\x80", "1:4: this byte is not UTF-8"},
      {"a\n \xED\xA0\x80", "2:2: this byte is not UTF-8"},
      {"# \xF0\x9F\x98", "1:3: this byte is not UTF-8"},
      {std::string("a: \0", 4), "1:4: " + control},
      {"a: \x04", "1:4: " + control},
      {"a: \x7F", "1:4: " + control},
      {"a: \x1B[0m", "1:4: " + control},
      {"a: \xC2\x85", "1:4: " + control},
      {"a: 1\rb: 2", "1:5: a line must end in \\n or \\r\\n, not in \\r alone"},
      {"a: 1\r", "1:5: a line must end in \\n or \\r\\n, not in \\r alone"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(ErrorOf(text), message) << text;
  EXPECT_EQ(ErrorOf("a: \xC2\xA0\xE2\x80\xA8"), "accepted");
}

TEST(YamlTest, TreatsLineEndsAlike) {
  for (const std::string text : {"a: 1\nb:\n  - c\n  -\nd: \"x\n  y\"\n", "- a\n- b: |\n    x\n",
                                 "a\n", "- x\n- \n", "a:\n"}) {
    std::string crlf;
    for (const char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
    EXPECT_EQ(Shown(Read(crlf)), Shown(Read(text))) << text;
    EXPECT_EQ(Shown(Read(text.substr(0, text.size() - 1))), Shown(Read(text))) << text;
  }
}

// Generates random JSON values whose keys are all different.
class RandomJson {
 public:
  explicit RandomJson(std::uint64_t seed) : state_(seed) {}

  std::string Make(int depth) {
    const std::uint64_t kind = Draw(depth > 0 ? 8 : 6);
    if (kind == 6) return "[" + Members(depth, false) + "]";
    if (kind == 7) return "{" + Members(depth, true) + "}";
    const std::vector<std::string> scalars = {
        "null", "true", "false", "-1.5e3", "0", R"("ä\u20ac\"\\\/\n: # {[, - ]}' \t")"};
    return scalars[kind];
  }

 private:
  std::uint64_t Draw(std::uint64_t below) {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return (state_ >> 33U) % below;
  }

  std::string Blank() {
    const std::vector<std::string> blanks = {"", " ", "\n", "\r\n  ", "\n\t"};
    return blanks[Draw(blanks.size())];
  }

  std::string Members(int depth, bool has_keys) {
    std::string text = Blank();
    const std::uint64_t count = Draw(5);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) text += "," + Blank();
      if (has_keys) text += "\"ö" + std::to_string(i) + "\":" + Blank();
      text += Make(depth - 1) + Blank();
    }
    return text;
  }

  std::uint64_t state_;
};

TEST(YamlTest, AgreesWithReadJsonOnRandomJson) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::string text = RandomJson(seed).Make(6);
    const auto json = ReadJson(text);
    ASSERT_TRUE(std::holds_alternative<Value>(json)) << text;
    EXPECT_EQ(Shown(Read(text)), Shown(std::get<Value>(json))) << text;
  }
}

TEST(YamlTest, RejectsTextTruncatedInsideBrackets) {
  const std::string text = R"({"a":[1.5e3,"\U0001F600",true,null],b: {'c': -2, d}})";
  EXPECT_EQ(ErrorOf(text), "accepted");
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_NE(ErrorOf(text.substr(0, size)), "accepted") << size;
  }
}

// Checks what holds for every tree that ReadYaml returns, whatever the text.
void ExpectSound(const Value& value, std::size_t depth, std::string_view text) {
  const auto is_utf8 = [](std::string_view rest) {
    while (!rest.empty() && Utf8SizeAt(rest) > 0) rest.remove_prefix(Utf8SizeAt(rest));
    return rest.empty();
  };
  ASSERT_LE(depth, kMaxYamlDepth) << text;
  EXPECT_GE(value.At().line, 1U) << text;
  EXPECT_GE(value.At().column, 1U) << text;
  EXPECT_TRUE(value.AsString() == nullptr || is_utf8(*value.AsString())) << text;
  if (value.AsList() != nullptr) {
    for (const Value& item : *value.AsList()) ExpectSound(item, depth + 1, text);
  }
  if (value.AsMap() == nullptr) return;
  for (const Value::Entry& entry : *value.AsMap()) {
    EXPECT_TRUE(is_utf8(entry.key)) << text;
    EXPECT_GE(entry.key_at.line, 1U) << text;
    EXPECT_EQ(value.Find(entry.key), &entry.value) << text;
    ExpectSound(entry.value, depth + 1, text);
  }
}

TEST(YamlTest, DamagedTextYieldsErrorOrSoundTree) {
  const std::string good =
      "%YAML 1.2\n---\na: &x [1.5e3, \"\\u20ac ä\\N\", true, ~]\nb:\n  - *x\n  - c: 'it''s'\n"
      "    d: |\n      text\n  -\n? e # why\n: {f: -2, \"g\":!!str 3, h}\n---\n>-\n  z\n...\n";
  EXPECT_EQ(ReadAll(good).size(), 2U);
  std::uint64_t random = 1;
  for (int round = 0; round < 5000; ++round) {
    std::string text = good;
    for (int change = 0; change < 3; ++change) {
      random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      text[static_cast<std::size_t>(random >> 33U) % text.size()] =
          round % 10 == 0 ? static_cast<char>(random >> 20U)
                          : good[static_cast<std::size_t>(random >> 10U) % good.size()];
    }
    const auto read = ReadYaml(text);
    if (const auto* error = std::get_if<PositionedError>(&read)) {
      EXPECT_GE(error->at.line, 1U) << text;
      EXPECT_FALSE(error->message.empty()) << text;
      continue;
    }
    for (const Value& document : std::get<std::vector<Value>>(read)) ExpectSound(document, 0, text);
  }
}

}  // namespace
}  // namespace sluice
