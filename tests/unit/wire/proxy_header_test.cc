#include "wire/proxy_header.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {
namespace {

using namespace std::string_literals;
using Client = ProxyHeader::Client;

const std::string kSignature = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string kV4 = "\xC0\x00\x02\x01\xC6\x33\x64\x07\x12\x67\x01\xBB"s;
const std::string kV6 =
    "\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x01"
    "\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x02"
    "\x12\x67\x01\xBB"s;

// Builds a header. `what` is the two bytes after the signature: version and command, family and
// transport.
std::string Header(std::string_view what, std::string_view rest) {
  std::string bytes = kSignature;
  bytes.append(what);
  bytes += static_cast<char>(rest.size() / 256);
  bytes += static_cast<char>(rest.size() % 256);
  return bytes.append(rest);
}

// Returns the error, or "more" or "whole".
std::string FaultOf(std::string_view bytes) {
  const ProxyHeaderRead read = ReadProxyHeader(bytes);
  if (read.state == ReadState::kMore) return "more";
  return read.state == ReadState::kWhole ? "whole" : std::string(read.fault);
}

TEST(ProxyHeaderTest, ReadsTheClientOfAnIpv4Header) {
  const std::string bytes = Header("\x21\x11", kV4) + "GET /";
  const ProxyHeaderRead read = ReadProxyHeader(bytes);
  ASSERT_EQ(read.state, ReadState::kWhole);
  EXPECT_EQ(read.consumed, 28U);
  EXPECT_EQ(read.header.client, Client::kIpAddress);
  EXPECT_EQ(read.header.address, "\xC0\x00\x02\x01"s);
  EXPECT_EQ(read.header.port, 4711);
}

TEST(ProxyHeaderTest, ReadsTheClientOfAnIpv6Header) {
  const std::string bytes = Header("\x21\x21", kV6);
  const ProxyHeaderRead read = ReadProxyHeader(bytes);
  ASSERT_EQ(read.state, ReadState::kWhole);
  EXPECT_EQ(read.consumed, 52U);
  EXPECT_EQ(read.header.client, Client::kIpAddress);
  EXPECT_EQ(read.header.address, kV6.substr(0, 16));
  EXPECT_EQ(read.header.port, 4711);
}

TEST(ProxyHeaderTest, SkipsDataAfterTheAddresses) {
  const std::string bytes = Header("\x21\x11", kV4 + "\x04\0\x03"s + "abc and no TLV at all") + "x";
  const ProxyHeaderRead read = ReadProxyHeader(bytes);
  ASSERT_EQ(read.state, ReadState::kWhole);
  EXPECT_EQ(read.consumed, bytes.size() - 1);
  EXPECT_EQ(read.header.address, kV4.substr(0, 4));
}

TEST(ProxyHeaderTest, IgnoresTheAddressesOfLocal) {
  for (const std::string& bytes : {Header("\x20\x00"s, ""), Header("\x20\x11"s, kV4),
                                   Header("\x20\x12"s, "short"), Header("\x20\xFF"s, "")}) {
    const ProxyHeaderRead read = ReadProxyHeader(bytes);
    ASSERT_EQ(read.state, ReadState::kWhole);
    EXPECT_EQ(read.consumed, bytes.size());
    EXPECT_EQ(read.header.client, Client::kProxy);
    EXPECT_EQ(read.header.address, "");
  }
}

TEST(ProxyHeaderTest, ReportsAnUnknownClientWithoutAnIpAddress) {
  const std::string unix_socket = Header("\x21\x31", std::string(216, 'p'));
  const std::string unsaid = Header("\x21\x00"s, kV4);
  for (const std::string& bytes : {unix_socket, unsaid}) {
    const ProxyHeaderRead read = ReadProxyHeader(bytes);
    ASSERT_EQ(read.state, ReadState::kWhole);
    EXPECT_EQ(read.consumed, bytes.size());
    EXPECT_EQ(read.header.client, Client::kUnknown);
    EXPECT_EQ(read.header.address, "");
  }
}

TEST(ProxyHeaderTest, WaitsForTheLastByte) {
  const std::string bytes = Header("\x21\x21", kV6 + "more");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(FaultOf(std::string_view(bytes).substr(0, size)), "more") << size;
  }
  EXPECT_EQ(FaultOf(bytes), "whole");
}

TEST(ProxyHeaderTest, RejectsOtherInputAtTheFirstWrongByte) {
  const std::string header = Header("\x21\x11", kV4);
  for (std::size_t i = 1; i < kSignature.size(); ++i) {
    std::string wrong = header.substr(0, i + 1);
    wrong[i] = 'x';
    EXPECT_EQ(FaultOf(wrong), "no PROXY header") << i;
  }
  EXPECT_EQ(FaultOf("GET / HTTP/1.1\r\n"), "no PROXY header");
  EXPECT_EQ(FaultOf("PO"), "no PROXY header");
  EXPECT_EQ(FaultOf("\x16\x03\x01"), "no PROXY header");
}

TEST(ProxyHeaderTest, RejectsVersionOneWithItsOwnMessage) {
  EXPECT_EQ(FaultOf("PROX"), "more");
  EXPECT_EQ(FaultOf("PROXY TCP4 192.0.2.1 198.51.100.7 4711 443\r\n"),
            "a PROXY header of version 1, which is text; expected version 2");
}

TEST(ProxyHeaderTest, RejectsOtherVersionsCommandsAndFamilies) {
  for (const char command : {'\x11', '\x31', '\x22', '\x2F'}) {
    EXPECT_EQ(FaultOf(kSignature + command),
              "a PROXY header with another version than 2 or an unknown command");
  }
  for (const char family : {'\x12', '\x22', '\x32', '\x41', '\x01', '\x10'}) {
    EXPECT_EQ(FaultOf(kSignature + '\x21' + family),
              "a PROXY header about something else than a stream");
  }
}

TEST(ProxyHeaderTest, ValidatesTheLengthBeforeWaitingForItsBytes) {
  const auto begin = [](std::string_view what, std::size_t length) {
    return Header(what, std::string(length, 'x')).substr(0, 16);
  };
  EXPECT_EQ(FaultOf(begin("\x21\x11", kMaxProxyHeaderBytes - 16)), "more");
  EXPECT_EQ(FaultOf(begin("\x21\x11", kMaxProxyHeaderBytes - 15)),
            "a PROXY header that is too long");
  EXPECT_EQ(FaultOf(begin("\x21\x11", 12)), "more");
  EXPECT_EQ(FaultOf(begin("\x21\x21", 36)), "more");
  EXPECT_EQ(FaultOf(begin("\x21\x31", 216)), "more");
  for (const auto& short_one :
       {begin("\x21\x11", 11), begin("\x21\x21", 35), begin("\x21\x31", 215)}) {
    EXPECT_EQ(FaultOf(short_one), "a PROXY header that is too short for its addresses");
  }
}

}  // namespace
}  // namespace sluice
