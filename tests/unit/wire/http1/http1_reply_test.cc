#include "wire/http1/http1_reply.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

constexpr Http1ReplyBounds kSmall{.max_head_bytes = 120, .max_body_bytes = 20};

struct Reading {
  // Such as "200 hello", with " close" appended if the connection ends.
  std::vector<std::string> replies;
  std::string fault;
  std::size_t left = 0;

  friend bool operator==(const Reading&, const Reading&) = default;
};

std::string Shown(const Http1Reply& reply) {
  return std::to_string(reply.status) + " " + std::string(reply.body) +
         (reply.keeps_alive ? "" : " close");
}

// Reads the bytes in parts of this size, and then the end of the connection.
Reading ReadInParts(std::string_view bytes, std::size_t part) {
  Http1ReplyReader reader(kSmall);
  Reading reading;
  std::string unread;
  for (std::size_t at = 0; at <= bytes.size(); at += part) {
    unread += bytes.substr(at, part);
    const bool is_end = at + part > bytes.size();
    for (;;) {
      const std::string moved = unread;  // the bytes may move between calls
      const Http1ReplyRead read = is_end ? reader.ReadEnd(moved) : reader.Read(moved);
      if (read.state == ReadState::kFault) {
        reading.fault = read.fault;
        return reading;
      }
      if (read.state == ReadState::kMore) break;
      reading.replies.push_back(Shown(reader.reply()));
      unread.erase(0, read.consumed);
    }
  }
  reading.left = unread.size();
  return reading;
}

Reading Read(std::string_view bytes) { return ReadInParts(bytes, bytes.size() + 1); }

std::string FaultOf(std::string_view bytes) { return Read(bytes).fault; }

using Replies = std::vector<std::string>;

TEST(Http1ReplyReaderTest, ReadsABodyByItsContentLength) {
  const Reading read = Read(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
      "HTTP/1.1 429 Too Many Requests\r\nX: y\r\ncontent-length:0\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut");
  EXPECT_EQ(read.replies, (Replies{"200 hello", "429 "}));
  EXPECT_EQ(read.left, std::string_view("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut").size());
}

TEST(Http1ReplyReaderTest, ReadsAChunkedBody) {
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0"
                 "\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\n!\r\n0\r\n\r\n")
                .replies,
            (Replies{"200 hello", "204 ", "200 !"}));
}

TEST(Http1ReplyReaderTest, ReadsABodyUntilTheConnectionEnds) {
  EXPECT_EQ(Read("HTTP/1.1 200\r\n\r\nhello").replies, (Replies{"200 hello close"}));
  EXPECT_EQ(Read("HTTP/1.0 200 OK\r\n\r\n").replies, (Replies{"200  close"}));
}

TEST(Http1ReplyReaderTest, ReadsNoBodyForStatusesWithoutOne) {
  EXPECT_EQ(Read("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!")
                .replies,
            (Replies{"304 ", "200 !"}));
}

TEST(Http1ReplyReaderTest, SkipsInterimReplies) {
  EXPECT_EQ(Read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!")
                .replies,
            (Replies{"200 !"}));
  EXPECT_EQ(FaultOf("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"),
            "asks for another protocol");
}

TEST(Http1ReplyReaderTest, ReportsWhetherTheConnectionStaysOpen) {
  const auto ends = [](std::string_view head) {
    return Read(std::string(head) + "Content-Length: 0\r\n\r\n").replies ==
           Replies{std::string("200  close")};
  };
  EXPECT_FALSE(ends("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(ends("HTTP/1.1 200 OK\r\nConnection: foo, Close\r\n"));
  EXPECT_TRUE(ends("HTTP/1.0 200 OK\r\n"));
  EXPECT_FALSE(ends("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"));
}

// Invariant 1.
TEST(Http1ReplyReaderTest, ResultDoesNotDependOnHowBytesAreSplit) {
  for (const std::string_view bytes :
       {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
        "HTTP/1.1 429 No\r\n\r\nrest",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/2 200", "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "-ERR no\r\n",
        "HTTP/1.1 200 OK\n\nlenient"}) {
    const Reading whole = Read(bytes);
    for (std::size_t part = 1; part < bytes.size(); ++part) {
      EXPECT_EQ(ReadInParts(bytes, part), whole) << bytes << " in parts of " << part;
    }
  }
}

// Invariant 3.
TEST(Http1ReplyReaderTest, RejectsAmbiguousBodyLengths) {
  const std::string begin = "HTTP/1.1 200 OK\r\n";
  EXPECT_EQ(FaultOf(begin + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), "has two lengths");
  EXPECT_EQ(FaultOf(begin + "Content-Length: 2\r\nContent-Length: 1\r\n\r\n"), "has two lengths");
  EXPECT_EQ(FaultOf(begin + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "has both a length and chunks");
  EXPECT_EQ(FaultOf(begin + "Transfer-Encoding: gzip\r\n\r\n"),
            "has a Transfer-Encoding that is not chunked");
  for (const std::string_view bad : {"-1", "1 2", "", "0x1", "9999999999999999999"}) {
    EXPECT_EQ(FaultOf(begin + "Content-Length: " + std::string(bad) + "\r\n\r\n"),
              "has a Content-Length that is no length");
  }
}

TEST(Http1ReplyReaderTest, RejectsMalformedReplies) {
  EXPECT_EQ(FaultOf("-ERR unknown command\r\n"), "is not HTTP/1");
  EXPECT_EQ(FaultOf("HTTP/2 200\r\n\r\n"), "is not HTTP/1");
  for (const std::string_view line : {"HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 2000", "HTTP/1.x 200",
                                      "HTTP/1.1 020 OK", "HTTP/1.1  200"}) {
    EXPECT_EQ(FaultOf(std::string(line) + "\r\n\r\n"), "has a malformed status line") << line;
  }
  for (const std::string_view line : {"no colon", ": no name", " folded: line"}) {
    EXPECT_EQ(FaultOf("HTTP/1.1 200 OK\r\n" + std::string(line) + "\r\n\r\n"),
              "has a malformed header")
        << line;
  }
}

// Invariant 4.
TEST(Http1ReplyReaderTest, EnforcesBoundsBeforeWaiting) {
  const std::string begin = "HTTP/1.1 200 OK\r\n";
  EXPECT_EQ(FaultOf(begin + "Content-Length: 20\r\n\r\n"), "");
  EXPECT_EQ(FaultOf(begin + "Content-Length: 21\r\n\r\n"), "has a body that is too long");
  EXPECT_EQ(FaultOf(begin + "\r\n" + std::string(21, 'x')), "has a body that is too long");
  EXPECT_EQ(FaultOf(begin + "Transfer-Encoding: chunked\r\n\r\n15\r\n"),
            "has malformed chunks, or too many of them");
  EXPECT_EQ(FaultOf(begin + "A: " + std::string(101, 'x')), "has a head that is too long");
  EXPECT_EQ(FaultOf("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
                    "HTTP/1.1 100 Continue\r\n\r\n"),
            "has a head that is too long");
}

}  // namespace
}  // namespace sluice
