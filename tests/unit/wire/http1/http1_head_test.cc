#include "wire/http1/http1_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

// Returns "200", or a status and its message, or "more".
std::string Shown(const Http1HeadRead& read) {
  if (read.state == ReadState::kMore) return "more";
  if (read.state == ReadState::kWhole) return "200";
  return std::to_string(read.fault.status) + " " + std::string(read.fault.text);
}

std::string Check(std::string_view bytes, Http1Bounds bounds = {}) {
  Http1HeadReader reader(bounds);
  return Shown(reader.Read(bytes));
}

// Returns a head with a valid request line, a Host field, and these lines.
std::string With(std::string_view lines) {
  return "POST /v1/check HTTP/1.1\r\nHost: a\r\n" + std::string(lines) + "\r\n";
}

std::string CheckLines(std::string_view lines) { return Check(With(lines)); }

std::string CheckFirstLine(std::string_view line) {
  return Check(std::string(line) + "\r\nHost: a\r\n\r\n");
}

constexpr std::string_view kUsual =
    "POST /v1/check?x=1 HTTP/1.1\r\n"
    "Host: limits.example:8080\r\n"
    "User-Agent: curl/7.88.1\r\n"
    "Accept:*/*\r\n"
    "X-Empty:\r\n"
    "X-Blanks: \t a b\t \r\n"
    "Content-Length: 42\r\n"
    "\r\n";

TEST(Http1HeadTest, ReadsAWholeHead) {
  Http1HeadReader reader({});
  const std::string bytes = std::string(kUsual) + "{\"domain\":";
  const Http1HeadRead read = reader.Read(bytes);
  ASSERT_EQ(Shown(read), "200");
  EXPECT_EQ(read.consumed, kUsual.size());
  const Http1Head& head = reader.head();
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/v1/check?x=1");
  EXPECT_EQ(head.host, "limits.example:8080");
  EXPECT_EQ(head.version, Http1Version::k11);
  EXPECT_EQ(head.content_length, 42U);
  EXPECT_FALSE(head.is_chunked);
  EXPECT_TRUE(head.keeps_alive);
  EXPECT_FALSE(head.expects_continue);
  const std::vector<Header> fields = {{"Host", "limits.example:8080"},
                                      {"User-Agent", "curl/7.88.1"},
                                      {"Accept", "*/*"},
                                      {"X-Empty", ""},
                                      {"X-Blanks", "a b"},
                                      {"Content-Length", "42"}};
  EXPECT_EQ(head.fields, fields);
}

TEST(Http1HeadTest, ReadsSeveralHeadsWithOneReader) {
  Http1HeadReader reader({});
  ASSERT_EQ(Shown(reader.Read(With("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"
                                   "Connection: close\r\n"))),
            "200");
  EXPECT_TRUE(reader.head().is_chunked);
  EXPECT_TRUE(reader.head().expects_continue);
  EXPECT_FALSE(reader.head().keeps_alive);
  const std::string plain = With("");
  EXPECT_EQ(Shown(reader.Read(plain.substr(0, 9))), "more");
  ASSERT_EQ(Shown(reader.Read(plain)), "200");
  EXPECT_FALSE(reader.head().is_chunked);
  EXPECT_FALSE(reader.head().expects_continue);
  EXPECT_TRUE(reader.head().keeps_alive);
  EXPECT_EQ(reader.head().content_length, std::nullopt);
  EXPECT_EQ(reader.head().fields.size(), 1U);
}

TEST(Http1HeadTest, ReadsASplitHeadAfterALongerOne) {
  Http1HeadReader reader({});
  for (const std::string& head : {With("A: " + std::string(500, 'x') + "\r\n"), With("")}) {
    EXPECT_EQ(Shown(reader.Read(head.substr(0, 9))), "more");
    EXPECT_EQ(Shown(reader.Read(head.substr(0, head.size() - 1))), "more");
    EXPECT_EQ(Shown(reader.Read(head)), "200");
  }
}

// Feeds the bytes in parts of one size to a reader, moving them each time.
std::string Feed(std::string_view bytes, std::size_t part, Http1Bounds bounds) {
  Http1HeadReader reader(bounds);
  std::string shown = "more";
  for (std::size_t size = 0; size < bytes.size() && shown == "more";) {
    size = std::min(size + part, bytes.size());
    const std::string moved(bytes.substr(0, size));
    shown = Shown(reader.Read(moved));
    if (shown != "200") continue;
    for (const Header& field : reader.head().fields) {
      shown += "|" + std::string(field.name) + "=" + std::string(field.value);
    }
  }
  return shown;
}

TEST(Http1HeadTest, ResultDoesNotDependOnHowBytesAreSplit) {
  const Http1Bounds bounds{.max_head_bytes = 150, .max_target_bytes = 30, .max_fields = 4};
  const std::string long_value(200, 'x');
  for (const std::string& head :
       {With("A: b\r\nC: d\r\n"), With("A: b\nC: d\r\n"), With("A : b\r\n"), With("A: b\r\n c\r\n"),
        With("A: b\rc\r\n"), With("A:1\r\nA:2\r\nA:3\r\n"), With("A:1\r\nA:2\r\nA:3\r\nA:4\r\n"),
        With("A: " + long_value + "\r\n"), "GET /" + long_value + " HTTP/1.1\r\n\r\n",
        std::string("GET /\r\n\r\n"), std::string("GET / HTTP/1.1\n\n"),
        std::string("GET / HTTP/2.0\r\n\r\n"), std::string("\r\n\r\nGET / HTTP/1.0\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\n\r\n"), std::string("GET / HTTP/1\r\n\r\n"),
        long_value + " / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0" + long_value,
        With("A: " + std::string(104, 'x') + "\r\n"),
        With("A: " + std::string(105, 'x') + "\r\n")}) {
    const std::string whole = Feed(head, head.size(), bounds);
    EXPECT_NE(whole, "more") << head;
    for (std::size_t part = 1; part < head.size(); ++part) {
      ASSERT_EQ(Feed(head, part, bounds), whole) << head << " in parts of " << part;
    }
  }
}

TEST(Http1HeadTest, ParsesALongHeadInSmallPartsOnlyTwice) {
  const Http1Bounds bounds{.max_head_bytes = 4 << 20, .max_fields = 1'000'000};
  std::string lines;
  for (int i = 0; i < 200'000; ++i) lines += "X-Field: 12345\r\n";
  const std::string head = With(lines);
  Http1HeadReader reader(bounds);
  for (std::size_t size = 1; size < head.size(); size += 11) {
    ASSERT_EQ(reader.Read(std::string_view(head).substr(0, size)).state, ReadState::kMore);
  }
  EXPECT_EQ(Shown(reader.Read(head)), "200");
}

TEST(Http1HeadTest, RejectsAmbiguousBodyLengths) {
  const struct {
    std::string_view lines;
    std::string_view shown;
  } cases[] = {
      {"Content-Length: 0\r\n", "200"},
      {"Content-Length:   7\t\r\n", "200"},
      {"Content-Length: 007\r\n", "200"},
      {"content-LENGTH: 7\r\n", "200"},
      {"Transfer-Encoding: chunked\r\n", "200"},
      {"transfer-encoding: Chunked\r\n", "200"},
      {"Content-Length: 7\r\nTransfer-Encoding: chunked\r\n",
       "400 both Content-Length and Transfer-Encoding"},
      {"Transfer-Encoding: chunked\r\nContent-Length: 7\r\n",
       "400 both Content-Length and Transfer-Encoding"},
      {"Content-Length: 7\r\nContent-Length: 7\r\n", "400 Content-Length is there twice"},
      {"Content-Length: 7\r\nContent-Length: 8\r\n", "400 Content-Length is there twice"},
      {"Content-Length: 7, 7\r\n", "400 Content-Length is not a number"},
      {"Content-Length: 7,\r\n", "400 Content-Length is not a number"},
      {"Content-Length: -7\r\n", "400 Content-Length is not a number"},
      {"Content-Length: +7\r\n", "400 Content-Length is not a number"},
      {"Content-Length: 0x7\r\n", "400 Content-Length is not a number"},
      {"Content-Length: 7.0\r\n", "400 Content-Length is not a number"},
      {"Content-Length: 7 7\r\n", "400 Content-Length is not a number"},
      {"Content-Length: \"7\"\r\n", "400 Content-Length is not a number"},
      {"Content-Length:\r\n", "400 Content-Length is not a number"},
      {"Content-Length: 1048576\r\n", "200"},
      {"Content-Length: 1048577\r\n", "413 the content is too long"},
      {"Content-Length: 18446744073709551617\r\n", "413 the content is too long"},
      {"Content-Length: 99999999999999999999999999\r\n", "413 the content is too long"},
      {"Content-Length: 00000000000000000000000007\r\n", "200"},
      {"Transfer-Encoding: xchunked\r\n", "400 Transfer-Encoding is not chunked"},
      {"Transfer-Encoding: chunked, chunked\r\n", "400 Transfer-Encoding is not chunked"},
      {"Transfer-Encoding: gzip, chunked\r\n", "400 Transfer-Encoding is not chunked"},
      {"Transfer-Encoding: identity\r\n", "400 Transfer-Encoding is not chunked"},
      {"Transfer-Encoding: \"chunked\"\r\n", "400 Transfer-Encoding is not chunked"},
      {"Transfer-Encoding: chunked;a=b\r\n", "400 Transfer-Encoding is not chunked"},
      {"Transfer-Encoding:\r\n", "400 Transfer-Encoding is not chunked"},
      {"Transfer-Encoding: \x0b"
       "chunked\r\n",
       "400 a line holds a character that no line holds"},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
       "400 Transfer-Encoding is there twice"},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
       "400 Transfer-Encoding is there twice"},
  };
  for (const auto& test : cases) EXPECT_EQ(CheckLines(test.lines), test.shown) << test.lines;
  EXPECT_EQ(Check("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "400 HTTP/1.0 has no Transfer-Encoding");
}

TEST(Http1HeadTest, RequiresLinesToEndInCrLf) {
  EXPECT_EQ(CheckLines("A: b\n"), "400 a line ends without CR");
  EXPECT_EQ(CheckLines("A: b\r\n\nC: d\r\n"), "400 the name of a field is malformed");
  EXPECT_EQ(CheckLines("A: b\rc\r\n"), "400 a CR without LF");
  EXPECT_EQ(CheckLines("A: b\r\r\n"), "400 a CR without LF");
  EXPECT_EQ(CheckLines("A: b\r\n\rc\r\n"), "400 a CR without LF");
  EXPECT_EQ(CheckLines("A: b\r\n c\r\n"), "400 a folded line");
  EXPECT_EQ(CheckLines("A: b\r\n\tc\r\n"), "400 a folded line");
  EXPECT_EQ(Check("GET / HTTP/1.1\r\n Host: a\r\n\r\n"), "400 a folded line");
  EXPECT_EQ(Check("GET / HTTP/1.1\nHost: a\n\n"), "400 a line ends without CR");
  EXPECT_EQ(Check("GET / HTTP/1.1\rHost: a\r\n\r\n"), "400 a CR without LF");
  EXPECT_EQ(Check("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), "400 the request line is malformed");
}

TEST(Http1HeadTest, RejectsControlCharactersAtEveryOffset) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool is_control = (byte < 0x20 && byte != '\t') || byte == 0x7F;
    // Test every offset within the eight bytes that are scanned together, and in the rest.
    for (std::size_t at = 0; at < 20; ++at) {
      std::string value(20, 'x');
      value[at] = c;
      const std::string shown = CheckLines("A: " + value + "\r\n");
      ASSERT_EQ(shown == "200", !is_control) << byte << " at " << at << ": " << shown;
      ASSERT_TRUE(!is_control || shown.starts_with("400 ")) << shown;
    }
    const bool is_visible = byte > 0x20 && byte < 0x7F && c != '#';
    EXPECT_EQ(CheckFirstLine("GET /a" + std::string(1, c) + "b HTTP/1.1") == "200", is_visible)
        << byte;
  }
}

TEST(Http1HeadTest, RequiresATokenAndAColonRightAfterIt) {
  EXPECT_EQ(CheckLines("A : b\r\n"), "400 a blank before the colon of a field");
  EXPECT_EQ(CheckLines("Content-Length\t: 7\r\n"), "400 a blank before the colon of a field");
  EXPECT_EQ(CheckLines(": b\r\n"), "400 the name of a field is malformed");
  EXPECT_EQ(CheckLines("A\r\n"), "400 the name of a field is malformed");
  EXPECT_EQ(CheckLines("A(b): c\r\n"), "400 the name of a field is malformed");
  EXPECT_EQ(CheckLines("A\x80: c\r\n"), "400 the name of a field is malformed");
  EXPECT_EQ(CheckLines(std::string("A\0b: c\r\n", 8)), "400 the name of a field is malformed");
  EXPECT_EQ(CheckLines("!#$%&'*+-.^_`|~09AZaz: c\r\n"), "200");
}

TEST(Http1HeadTest, RequiresExactlyOneValidHost) {
  const auto check_host = [](std::string_view host) {
    return Check("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
  };
  for (const char* host : {"a", "a.example", "a:80", "a:", "", "127.0.0.1:8080", "[::1]",
                           "[::1]:80", "a_b.example", "x--y", "a%20b"}) {
    EXPECT_EQ(check_host(host), "200") << host;
  }
  for (const char* host : {"a b", "a/b", "a?b", "a#b", "u@a", "a:b", "a:80:80", "[::1", "::1",
                           "[::1]x", "[]", "[x]", "a\\b", "a\"b", "<a>", "a\x80"}) {
    EXPECT_EQ(check_host(host), "400 Host is malformed") << host;
  }
  EXPECT_EQ(Check("GET / HTTP/1.1\r\n\r\n"), "400 Host is missing");
  EXPECT_EQ(Check("GET / HTTP/1.0\r\n\r\n"), "200");
  EXPECT_EQ(Check("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"), "400 Host is there twice");
  EXPECT_EQ(CheckLines("hOST: a\r\n"), "400 Host is there twice");
}

TEST(Http1HeadTest, PrefersTheAuthorityOfTheTargetToHost) {
  const auto read = [](const std::string& target) {
    const std::string bytes = "GET " + target + " HTTP/1.1\r\nHost: other\r\n\r\n";
    Http1HeadReader reader({});
    const std::string shown = Shown(reader.Read(bytes));
    if (shown != "200") return shown;
    return std::string(reader.head().host) + " " + std::string(reader.head().target);
  };
  EXPECT_EQ(read("http://a.example:80/v1/check?x=/"), "a.example:80 /v1/check?x=/");
  EXPECT_EQ(read("HTTPS://[::1]/"), "[::1] /");
  EXPECT_EQ(read("http://a"), "a ");
  EXPECT_EQ(read("http://a?q"), "a ?q");
  EXPECT_EQ(read("/plain"), "other /plain");
  EXPECT_EQ(read("http:///x"), "400 the host of the target is malformed");
  EXPECT_EQ(read("http://u@a/x"), "400 the host of the target is malformed");
  EXPECT_EQ(read("http://a:b/x"), "400 the host of the target is malformed");
  EXPECT_EQ(read("ftp://a/x"), "400 the target is malformed");
  EXPECT_EQ(read("a.example:443"), "400 the target is malformed");
  EXPECT_EQ(read("v1/check"), "400 the target is malformed");
  EXPECT_EQ(read("*"), "400 the target * is for OPTIONS alone");
  EXPECT_EQ(CheckFirstLine("OPTIONS * HTTP/1.1"), "200");
  EXPECT_EQ(CheckFirstLine("CONNECT a:443 HTTP/1.1"), "400 this is no proxy");
}

TEST(Http1HeadTest, RequiresSingleSpacesInTheRequestLine) {
  EXPECT_EQ(CheckFirstLine("M-SEARCH /a HTTP/1.1"), "200");
  for (const char* line : {"", " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET\t/ HTTP/1.1", "GET",
                           "G(T / HTTP/1.1", "GET / ", "\x16\x03\x01"}) {
    EXPECT_EQ(CheckFirstLine(line).substr(0, 4), "400 ") << line;
  }
  EXPECT_EQ(CheckFirstLine("GET /  HTTP/1.1"), "400 the version is malformed");
  EXPECT_EQ(CheckFirstLine("GET / HTTP/1.1 "), "400 a line holds a character that no line holds");
  EXPECT_EQ(CheckFirstLine("GET /a b HTTP/1.1"), "400 the version is malformed");
  EXPECT_EQ(CheckFirstLine(std::string(33, 'A') + " / HTTP/1.1"), "400 the method is too long");
}

TEST(Http1HeadTest, AcceptsOnlyVersions10And11) {
  for (const char* version : {"HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9"}) {
    EXPECT_EQ(CheckFirstLine("GET / " + std::string(version)),
              "505 the version is not HTTP/1.1 or 1.0");
  }
  EXPECT_EQ(Check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").substr(0, 3), "400");
  for (const char* version : {"http/1.1", "HTTP/1", "HTTP/1.", "HTTP/11", "HTTP/x.1", "HTP/1.1",
                              "HTTP/1,1", "HTTP 1.1", "/1.1"}) {
    EXPECT_EQ(CheckFirstLine("GET / " + std::string(version)), "400 the version is malformed");
  }
  EXPECT_EQ(CheckFirstLine("GET / HTTP/1.10"), "400 a line holds a character that no line holds");
  EXPECT_EQ(Check("GET /\r\n"), "400 the request line has no version");
}

TEST(Http1HeadTest, CloseWinsOverKeepAlive) {
  const auto keeps = [](const std::string& version, const std::string& lines) {
    Http1HeadReader reader({});
    EXPECT_EQ(Shown(reader.Read("GET / HTTP/" + version + "\r\nHost: a\r\n" + lines + "\r\n")),
              "200");
    return reader.head().keeps_alive;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: Close\r\n"));
  EXPECT_TRUE(keeps("1.0", "connection: Keep-Alive\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: upgrade, close\r\nConnection: keep-alive\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: close,keep-alive\r\n"));
  EXPECT_TRUE(keeps("1.1", "Connection: closed\r\n"));
  EXPECT_TRUE(keeps("1.1", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"));
}

TEST(Http1HeadTest, RejectsEachOverlongPartWithItsOwnStatus) {
  const Http1Bounds bounds{.max_head_bytes = 100, .max_target_bytes = 20, .max_fields = 3};
  EXPECT_EQ(Check("GET /" + std::string(19, 'x') + " HTTP/1.0\r\n\r\n", bounds), "200");
  EXPECT_EQ(Check("GET /" + std::string(20, 'x'), bounds), "414 the target is too long");
  EXPECT_EQ(Check("GET / HTTP/1.0\r\nA:1\r\nB:2\r\nC:3\r\n\r\n", bounds), "200");
  EXPECT_EQ(Check("GET / HTTP/1.0\r\nA:1\r\nB:2\r\nC:3\r\nD:4\r\n", bounds),
            "431 too many header fields");
  const std::string start = "GET / HTTP/1.0\r\nA:";
  const std::string end = "\r\n\r\n";
  const std::size_t room = 100 - start.size() - end.size();
  EXPECT_EQ(Check(start + std::string(room, 'x') + end, bounds), "200");
  EXPECT_EQ(Check(start + std::string(room + 1, 'x') + end, bounds),
            "431 the header fields are too long");
  EXPECT_EQ(Check(start + std::string(room + 3, 'x'), bounds), "more");
  EXPECT_EQ(Check(start + std::string(room + 4, 'x'), bounds),
            "431 the header fields are too long");
  const Http1Bounds wide{.max_head_bytes = 100, .max_target_bytes = 1000};
  EXPECT_EQ(Check("GET /" + std::string(200, 'x'), wide), "414 the request line is too long");
}

}  // namespace
}  // namespace sluice
