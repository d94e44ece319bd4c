#include "wire/resp/resp_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/resp/resp_writer.h"

namespace sluice {
namespace {

using Command = std::vector<std::string>;

std::string Written(const Command& command) {
  std::string text;
  RespWriter writer(RespVersion::k2, text);
  writer.ArrayHeader(command.size());
  for (const std::string& argument : command) writer.Bulk(argument);
  return text;
}

// The result of feeding bytes to a reader.
struct Session {
  std::vector<Command> commands;
  std::string fault;
  std::size_t missing = 0;
  std::size_t left = 0;

  friend bool operator==(const Session&, const Session&) = default;
};

// Feeds the bytes in parts of this size. Every part moves the unread bytes, so that asan detects a
// view of an earlier place.
Session Feed(std::string_view bytes, std::size_t part, RespCommandBounds bounds = {}) {
  Session session;
  RespReader reader(bounds);
  std::string unread;
  while (session.fault.empty() && !bytes.empty()) {
    std::string moved = unread;
    moved.append(bytes.substr(0, part));
    moved.shrink_to_fit();
    unread = std::move(moved);
    bytes.remove_prefix(std::min(part, bytes.size()));
    for (;;) {
      const RespCommandRead read = reader.Read(unread);
      if (read.state == ReadState::kFault) {
        session.fault = read.fault;
        session.missing = 0;
        return session;
      }
      if (read.state == ReadState::kWhole) {
        session.commands.emplace_back(read.arguments.begin(), read.arguments.end());
      }
      unread.erase(0, read.consumed);
      session.missing = read.missing;
      if (read.state == ReadState::kMore) break;
    }
  }
  session.left = unread.size();
  return session;
}

std::string FaultOf(std::string_view bytes, RespCommandBounds bounds = {}) {
  return Feed(bytes, bytes.size(), bounds).fault;
}

TEST(RespReaderTest, ReadsPipelinedCommands) {
  const std::vector<Command> commands = {
      {"PING"}, {"CL.THROTTLE", "user:42", "15", "30", "60"}, {"ECHO", ""}};
  std::string bytes;
  for (const Command& command : commands) bytes += Written(command);
  const Session session = Feed(bytes, bytes.size());
  EXPECT_EQ(session.commands, commands);
  EXPECT_EQ(session.left, 0U);
  EXPECT_EQ(session.fault, "");
}

TEST(RespReaderTest, AcceptsAnyBytesInArguments) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const Command command = {"GET", all, "\r\n", "*1\r\n$4\r\nPING\r\n", "$-1\r\n"};
  EXPECT_EQ(Feed(Written(command), 1 << 16).commands, std::vector<Command>{command});
}

TEST(RespReaderTest, ResultDoesNotDependOnHowBytesAreSplit) {
  std::string bytes = "*0\r\n" + Written({"SET", "a\r\nb", std::string(300, 'x'), ""}) + "*-1\r\n" +
                      Written({"PING"}) + "*2\r\n$4\r\nECHO\r\n$10\r\nabc";
  for (const char* end : {"", "defghij\r\n*x", "defghij\rx", "defghijx", "defghij\r\n+OK\r\n"}) {
    const std::string text = bytes + end;
    const Session whole = Feed(text, text.size());
    EXPECT_GE(whole.commands.size(), 2U);
    for (std::size_t part = 1; part < text.size(); ++part) {
      ASSERT_EQ(Feed(text, part), whole) << end << " in parts of " << part;
    }
  }
}

TEST(RespReaderTest, SkipsCommandsWithoutArgumentsLikeRedis) {
  const Session session = Feed("*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n*0\r\n", 100);
  EXPECT_EQ(session.commands, std::vector<Command>{{"PING"}});
  EXPECT_EQ(session.left, 0U);
  EXPECT_EQ(session.fault, "");
}

// `redis-cli --pipe` sends an empty line after its commands.
TEST(RespReaderTest, SkipsEmptyLinesBetweenCommandsLikeRedis) {
  const std::string bytes =
      "\r\n" + Written({"PING"}) + "\r\n\r\n" + Written({"ECHO", "a"}) + "\r\n";
  for (std::size_t part = 1; part <= bytes.size(); ++part) {
    const Session session = Feed(bytes, part);
    EXPECT_EQ(session.commands, (std::vector<Command>{{"PING"}, {"ECHO", "a"}})) << part;
    EXPECT_EQ(session.left, 0U) << part;
    EXPECT_EQ(session.fault, "") << part;
  }
  EXPECT_EQ(Feed("\r", 1).missing, 1U);
  EXPECT_EQ(FaultOf("\n"), "Protocol error: expected '*', got '\\x0a'");
  EXPECT_EQ(FaultOf("\r\r"), "Protocol error: expected '*', got '\\x0d'");
}

TEST(RespReaderTest, ReportsErrorsInTheWordsOfRedis) {
  const struct {
    std::string_view bytes;
    std::string_view fault;
  } cases[] = {
      {"*-2\r\n", "Protocol error: invalid multibulk length"},
      {"*2147483648\r\n", "Protocol error: invalid multibulk length"},
      {"*9223372036854775808\r\n", "Protocol error: invalid multibulk length"},
      {"*99999999999999999999", "Protocol error: invalid multibulk length"},
      {"*+1\r\n", "Protocol error: invalid multibulk length"},
      {"*01\r\n", "Protocol error: invalid multibulk length"},
      {"*-0\r\n", "Protocol error: invalid multibulk length"},
      {"*1 \r\n", "Protocol error: invalid multibulk length"},
      {"*\r\n", "Protocol error: invalid multibulk length"},
      {"*1\n", "Protocol error: invalid multibulk length"},
      {"*1\r\r", "Protocol error: invalid multibulk length"},
      {"*?\r\n", "Protocol error: invalid multibulk length"},
      {"*1\r\n$-5\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$-1\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$x\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$9223372036854775807\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$4294967296\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\nPING\r\n", "Protocol error: expected '$', got 'P'"},
      {"*1\r\n:1\r\n", "Protocol error: expected '$', got ':'"},
      {"*1\r\n*1\r\n*1\r\n*1\r\n", "Protocol error: expected '$', got '*'"},
      {"*1\r\n%1\r\n", "Protocol error: expected '$', got '%'"},
      {"*1\r\n\r\n", "Protocol error: expected '$', got '\\x0d'"},
      {"PING\r\n", "Protocol error: expected '*', got 'P'"},
      {"\xFF", "Protocol error: expected '*', got '\\xff'"},
      {"*1\r\n$4\r\nPINGx\n", "Protocol error: bulk string without CRLF"},
      {"*1\r\n$4\r\nPING\rx", "Protocol error: bulk string without CRLF"},
      {"*1\r\n$4\r\nPINGPING\r\n", "Protocol error: bulk string without CRLF"},
  };
  for (const auto& test : cases) EXPECT_EQ(FaultOf(test.bytes), test.fault) << test.bytes;
}

TEST(RespReaderTest, RejectsTooManyArguments) {
  const RespCommandBounds bounds{.max_arguments = 3, .max_bytes = 1000};
  EXPECT_EQ(Feed("*3\r\n", 4, bounds).fault, "");
  EXPECT_EQ(Feed("*4\r\n", 4, bounds).fault, "Protocol error: invalid multibulk length");
}

TEST(RespReaderTest, RejectsOversizedCommandsBeforeTheirBytesArrive) {
  const RespCommandBounds bounds{.max_arguments = 100, .max_bytes = 64};
  // 4 + 5 + 53 + 2 bytes are 64.
  const std::string largest = Written({std::string(53, 'x')});
  EXPECT_EQ(largest.size(), 64U);
  EXPECT_EQ(Feed(largest, 1, bounds).commands.size(), 1U);
  EXPECT_EQ(FaultOf("*1\r\n$54\r\n", bounds), "Protocol error: invalid bulk length");
  // Ten empty arguments are 65 bytes with their count.
  EXPECT_EQ(FaultOf("*10\r\n", bounds), "Protocol error: invalid multibulk length");
  EXPECT_EQ(FaultOf("*9\r\n", bounds), "");
  // The first argument leaves too little for the second one.
  EXPECT_EQ(FaultOf("*2\r\n$48\r\n", bounds), "Protocol error: invalid bulk length");
  EXPECT_EQ(FaultOf("*2\r\n$47\r\n", bounds), "");
}

TEST(RespReaderTest, NeverAwaitsMoreThanTheBound) {
  const RespCommandBounds bounds{.max_arguments = 100, .max_bytes = 64};
  for (const Command& command :
       {Command{std::string(53, 'x')}, Command{"a", std::string(46, 'x')}, Command(9, "")}) {
    const std::string bytes = Written(command);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      RespReader reader(bounds);
      const RespCommandRead read = reader.Read(std::string_view(bytes).substr(0, size));
      ASSERT_EQ(read.state, ReadState::kMore);
      ASSERT_GE(read.missing, 1U);
      ASSERT_LE(size + read.missing, bytes.size()) << "more than the command has";
    }
  }
  std::string cut = Written({"a", std::string(30, 'x'), "", ""});
  cut.resize(cut.size() - 6);
  EXPECT_EQ(cut.size(), 54U);
  EXPECT_EQ(FaultOf(cut + "$12345678", bounds), "");
  EXPECT_EQ(FaultOf(cut + "$123456789", bounds), "Protocol error: invalid bulk length");
}

TEST(RespReaderTest, ReportsTheMissingBytesOfABulkString) {
  EXPECT_EQ(Feed("*1\r\n$100\r\nabc", 100).missing, 99U);
  EXPECT_EQ(Feed("*2\r\n$100\r\nabc", 100).missing, 99U + 6U);
  EXPECT_EQ(Feed("*3\r\n", 100).missing, 18U);
  EXPECT_EQ(Feed("*", 100).missing, 3U);
}

TEST(RespReaderTest, ReadsALargeCommandInSmallPartsOnce) {
  // If every part were read from the start, this would take minutes.
  const RespCommandBounds bounds{.max_arguments = 100'000, .max_bytes = 1 << 20};
  const std::string bytes = Written(Command(100'000, "abc"));
  RespReader reader(bounds);
  for (std::size_t size = 0; size + 1 < bytes.size(); size += 7) {
    ASSERT_EQ(reader.Read(std::string_view(bytes).substr(0, size)).state, ReadState::kMore);
  }
  EXPECT_EQ(reader.Read(bytes).arguments.size(), 100'000U);
}

TEST(RespReaderTest, ReusesTheMemoryOfTheArguments) {
  RespReader reader({});
  const std::string bytes = Written({"CL.THROTTLE", "user:42", "15", "30", "60"});
  const auto* first = reader.Read(bytes).arguments.data();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(reader.Read(bytes).arguments.data(), first);
}

}  // namespace
}  // namespace sluice
