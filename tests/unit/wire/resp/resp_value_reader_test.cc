#include "wire/resp/resp_value_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/resp/resp_writer.h"

namespace sluice {
namespace {

// Formats the nodes as text, with braces around the elements of aggregates.
std::string Shown(std::span<const RespNode> nodes) {
  constexpr std::string_view kMarks = "+-:$*_,#(=%~|>!";
  std::string shown;
  std::vector<std::uint32_t> ends;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const RespNode& node = nodes[i];
    shown += kMarks[static_cast<std::size_t>(node.type)];
    shown += node.text;
    if (node.type == RespType::kInteger) shown += std::to_string(node.integer);
    if (std::string_view("*%~|>").find(shown.back()) != std::string_view::npos) {
      shown += std::to_string(node.integer) + "{";
      ends.push_back(node.end);
    } else {
      EXPECT_EQ(node.end, i + 1);
      shown += ' ';
    }
    for (; !ends.empty() && ends.back() == i + 1; ends.pop_back()) shown += "} ";
  }
  EXPECT_TRUE(ends.empty());
  return shown;
}

struct Session {
  std::vector<std::string> replies;
  std::string fault;
  std::size_t left = 0;

  friend bool operator==(const Session&, const Session&) = default;
};

Session Feed(std::string_view bytes, std::size_t part, RespValueBounds bounds = {}) {
  Session session;
  RespValueReader reader(bounds);
  std::string unread;
  while (!bytes.empty()) {
    unread = unread + std::string(bytes.substr(0, part));  // moves the bytes
    bytes.remove_prefix(std::min(part, bytes.size()));
    for (;;) {
      const RespValueRead read = reader.Read(unread);
      if (read.state == ReadState::kFault) {
        session.fault = read.fault;
        return session;
      }
      if (read.state == ReadState::kMore) break;
      session.replies.push_back(Shown(read.nodes));
      unread.erase(0, read.consumed);
    }
  }
  session.left = unread.size();
  return session;
}

std::string Read(std::string_view bytes, RespValueBounds bounds = {}) {
  const Session session = Feed(bytes, bytes.size(), bounds);
  if (!session.fault.empty()) return "fault: " + session.fault;
  if (session.replies.empty()) return "more";
  EXPECT_EQ(session.left, 0U) << bytes;
  EXPECT_EQ(session.replies.size(), 1U) << bytes;
  return session.replies.front();
}

RespNode ReadOne(std::string_view bytes) {
  RespValueReader reader({});
  const RespValueRead read = reader.Read(bytes);
  EXPECT_EQ(read.state, ReadState::kWhole) << bytes;
  return read.nodes.size() == 1 ? read.nodes[0] : RespNode{};
}

TEST(RespValueReaderTest, ReadsEveryType) {
  EXPECT_EQ(Read("+OK\r\n"), "+OK ");
  EXPECT_EQ(Read("+\r\n"), "+ ");
  EXPECT_EQ(Read("-ERR no\r\n"), "-ERR no ");
  EXPECT_EQ(Read(":-42\r\n"), ":-42 ");
  EXPECT_EQ(Read(":+42\r\n"), ":42 ");
  EXPECT_EQ(Read("$5\r\na\r\nbc\r\n"), "$a\r\nbc ");
  EXPECT_EQ(Read("$0\r\n\r\n"), "$ ");
  EXPECT_EQ(Read("*0\r\n"), "*0{} ");
  EXPECT_EQ(Read("*2\r\n:1\r\n$1\r\nx\r\n"), "*2{:1 $x } ");
  EXPECT_EQ(Read("_\r\n"), "_ ");
  EXPECT_EQ(Read(",1.5\r\n"), ",1.5 ");
  EXPECT_EQ(Read("#t\r\n"), "#t ");
  EXPECT_EQ(Read("(-349999999999999999999999\r\n"), "(-349999999999999999999999 ");
  EXPECT_EQ(Read("=8\r\ntxt:some\r\n"), "=some ");
  EXPECT_EQ(Read("%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n"), "%2{+a :1 +b :2 } ");
  EXPECT_EQ(Read("~1\r\n+a\r\n"), "~1{+a } ");
  EXPECT_EQ(Read(">2\r\n+message\r\n+x\r\n"), ">2{+message +x } ");
  EXPECT_EQ(Read("!7\r\nERR x\r\n\r\n"), "!ERR x\r\n ");
}

TEST(RespValueReaderTest, ReadsNullsOfResp2) {
  EXPECT_EQ(ReadOne("$-1\r\n").type, RespType::kNull);
  EXPECT_EQ(ReadOne("*-1\r\n").type, RespType::kNull);
  EXPECT_EQ(Read("*3\r\n$-1\r\n*-1\r\n_\r\n"), "*3{_ _ _ } ");
}

TEST(RespValueReaderTest, ReadsValues) {
  EXPECT_EQ(ReadOne("#t\r\n").integer, 1);
  EXPECT_EQ(ReadOne("#f\r\n").integer, 0);
  EXPECT_EQ(ReadOne(",-0.25\r\n").number, -0.25);
  EXPECT_EQ(ReadOne(",+1e+3\r\n").number, 1000);
  EXPECT_EQ(ReadOne(",10\r\n").number, 10);
  EXPECT_EQ(ReadOne(",-inf\r\n").number, -INFINITY);
  EXPECT_TRUE(std::isnan(ReadOne(",nan\r\n").number));
  EXPECT_EQ(ReadOne(":-9223372036854775808\r\n").integer, INT64_MIN);
}

TEST(RespValueReaderTest, EndSkipsTheElementsOfAValue) {
  RespValueReader reader({});
  const RespValueRead read = reader.Read("*3\r\n*2\r\n:1\r\n*0\r\n%1\r\n+k\r\n~1\r\n:2\r\n:3\r\n");
  ASSERT_EQ(read.nodes.size(), 9U);
  EXPECT_EQ(read.nodes[0].end, 9U);
  EXPECT_EQ(read.nodes[1].end, 4U);
  EXPECT_EQ(read.nodes[3].end, 4U);
  EXPECT_EQ(read.nodes[4].end, 8U);
  EXPECT_EQ(read.nodes[6].end, 8U);
}

TEST(RespValueReaderTest, DoesNotCountAttributesAsElements) {
  EXPECT_EQ(Read("|1\r\n+ttl\r\n:9\r\n+OK\r\n"), "|1{+ttl :9 } +OK ");
  EXPECT_EQ(Read("|0\r\n+OK\r\n"), "|0{} +OK ");
  EXPECT_EQ(Read("*2\r\n|1\r\n+a\r\n*1\r\n:5\r\n:1\r\n:2\r\n"), "*2{|1{+a *1{:5 } } :1 :2 } ");
  EXPECT_EQ(Read("*1\r\n|0\r\n"), "more");
  EXPECT_EQ(Read("|1\r\n+a\r\n:1\r\n"), "more");
}

TEST(RespValueReaderTest, RejectsNestedPushes) {
  EXPECT_EQ(Read("*1\r\n>1\r\n+a\r\n"), "fault: a push inside a reply");
  EXPECT_EQ(Read(">0\r\n"), "fault: a count below the least");
}

TEST(RespValueReaderTest, ResultDoesNotDependOnHowBytesAreSplit) {
  const std::string good =
      "*4\r\n|1\r\n+k\r\n$3\r\na\r\n\r\n:12\r\n%1\r\n$2\r\n\r\n\r\n,1e5\r\n~0\r\n=7\r\ntxt:abc\r\n"
      "+a simple line of some length\r\n>1\r\n#t\r\n(123\r\n!3\r\nERR\r\n$-1\r\n:+5\r\n";
  for (const char* end : {"", "?", ":1x", "+a\nb\r\n", "$2\r\nabc\r\n", "*2\r\n>1\r\n", "#x\r\n"}) {
    const std::string text = good + end;
    const Session whole = Feed(text, text.size());
    EXPECT_EQ(whole.replies.size(), 7U);
    for (std::size_t part = 1; part < text.size(); ++part) {
      ASSERT_EQ(Feed(text, part), whole) << end << " in parts of " << part;
    }
  }
}

TEST(RespValueReaderTest, RejectsMalformedReplies) {
  for (const char* text : {"x",
                           "\r\n",
                           ":\r\n",
                           ":1.5\r\n",
                           ":01\r\n",
                           ":+-1\r\n",
                           ":++1\r\n",
                           ":9223372036854775808\r\n",
                           ":1\n",
                           "+a\nb\r\n",
                           "+a\rb\r\n",
                           "$-2\r\n",
                           "$x\r\n",
                           "$?\r\n",
                           "*?\r\n",
                           "*-2\r\n",
                           "%-1\r\n",
                           "~-1\r\n",
                           "|-1\r\n",
                           "!-1\r\n",
                           "=-1\r\n",
                           "=3\r\ntxt\r\n",
                           "=4\r\ntxt.\r\n",
                           "$1\r\nab\r\n",
                           "$1\r\na\n\n",
                           "_x\r\n",
                           "#\r\n",
                           "#true\r\n",
                           ",\r\n",
                           ",.5\r\n",
                           ",1.5x\r\n",
                           ",1e999\r\n",
                           ",infinity\r\n",
                           ",--1\r\n",
                           ",0x10\r\n",
                           "(\r\n",
                           "(-\r\n",
                           "(12a\r\n",
                           "(1.5\r\n",
                           "%2147483648\r\n"}) {
    EXPECT_EQ(Read(text).substr(0, 6), "fault:") << text;
  }
}

TEST(RespValueReaderTest, BoundsDepth) {
  const RespValueBounds bounds{.max_depth = 3};
  EXPECT_EQ(Read("*1\r\n*1\r\n*1\r\n:1\r\n", bounds), "*1{*1{*1{:1 } } } ");
  EXPECT_EQ(Read("*1\r\n*1\r\n*1\r\n*1\r\n", bounds), "fault: a reply of too much depth");
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "*1\r\n";
  EXPECT_EQ(Read(deep), "fault: a reply of too much depth");
}

TEST(RespValueReaderTest, BoundsNodes) {
  const RespValueBounds bounds{.max_nodes = 4};
  EXPECT_EQ(Read("*3\r\n:1\r\n:2\r\n:3\r\n", bounds), "*3{:1 :2 :3 } ");
  EXPECT_EQ(Read("*5\r\n", bounds), "fault: a reply of too many nodes");
  EXPECT_EQ(Read("%3\r\n", bounds), "fault: a reply of too many nodes");
  EXPECT_EQ(Read("*9223372036854775807\r\n", bounds), "fault: a reply of too many nodes");
  EXPECT_EQ(Read("*2\r\n*2\r\n:1\r\n:2\r\n:3\r\n", bounds), "fault: a reply of too many nodes");
  EXPECT_EQ(Read("|0\r\n|0\r\n|0\r\n|0\r\n+OK\r\n", bounds), "fault: a reply of too many nodes");
}

TEST(RespValueReaderTest, BoundsBytes) {
  const RespValueBounds bounds{.max_bytes = 16};
  EXPECT_EQ(Read("$9\r\n123456789\r\n", bounds), "$123456789 ");
  EXPECT_EQ(Read("$10\r\n123456789\r\n", bounds), "fault: a reply of too many bytes");
  EXPECT_EQ(Read("$10\r\n", bounds), "fault: a reply of too many bytes");
  EXPECT_EQ(Read("$9223372036854775807\r\n", bounds), "fault: a reply of too many bytes");
  EXPECT_EQ(Read("+1234567890123\r\n", bounds), "+1234567890123 ");
  EXPECT_EQ(Read("+12345678901234", bounds), "more");
  EXPECT_EQ(Read("+123456789012345", bounds), "fault: a reply of too many bytes");
  EXPECT_EQ(Read("*3\r\n:1\r\n:2\r\n:3\r\n", bounds), "*3{:1 :2 :3 } ");
  EXPECT_EQ(Read("*3\r\n:1\r\n:2\r\n:34\r\n", bounds), "fault: a reply of too many bytes");
}

TEST(RespValueReaderTest, ReadsALongLineInSmallPartsOnce) {
  const std::string bytes = "+" + std::string(4 << 20, 'x') + "\r\n";
  RespValueReader reader({});
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    ASSERT_EQ(reader.Read(std::string_view(bytes).substr(0, size)).state, ReadState::kMore);
  }
  EXPECT_EQ(reader.Read(bytes).consumed, bytes.size());
}

TEST(RespValueReaderTest, ReadsWhatTheWriterWrites) {
  for (const RespVersion version : {RespVersion::k2, RespVersion::k3}) {
    std::string text;
    RespWriter writer(version, text);
    writer.ArrayHeader(6);
    writer.Simple("OK");
    writer.Error("ERR", "a\r\nb");
    writer.Null();
    writer.Boolean(true);
    writer.MapHeader(1);
    writer.Bulk("a\r\nb");
    writer.Integer(-7);
    writer.SetHeader(0);
    EXPECT_EQ(Read(text), version == RespVersion::k3
                              ? "*6{+OK -ERR a  b _ #t %1{$a\r\nb :-7 } ~0{} } "
                              : "*6{+OK -ERR a  b _ :1 *2{$a\r\nb :-7 } *0{} } ");
  }
}

TEST(RespValueReaderTest, ReportsTheMissingBytesOfABulkString) {
  RespValueReader reader({});
  EXPECT_EQ(reader.Read("$100\r\nabc").missing, 99U);
  EXPECT_EQ(reader.Read("$100\r\nabcd").missing, 98U);
}

}  // namespace
}  // namespace sluice
