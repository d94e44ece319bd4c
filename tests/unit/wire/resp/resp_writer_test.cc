#include "wire/resp/resp_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace sluice {
namespace {

std::string Write(RespVersion version, const std::function<void(RespWriter&)>& write) {
  std::string text;
  RespWriter writer(version, text);
  write(writer);
  return text;
}

void ExpectWritten(const std::function<void(RespWriter&)>& write, const std::string& resp2,
                   const std::string& resp3) {
  EXPECT_EQ(Write(RespVersion::k2, write), resp2);
  EXPECT_EQ(Write(RespVersion::k3, write), resp3);
}

TEST(RespWriterTest, WritesCommonTypesAlikeInBothVersions) {
  const auto same = [](const std::function<void(RespWriter&)>& write, const std::string& text) {
    ExpectWritten(write, text, text);
  };
  same([](auto& w) { w.Simple("OK"); }, "+OK\r\n");
  same([](auto& w) { w.Error("ERR", "unknown command"); }, "-ERR unknown command\r\n");
  same([](auto& w) { w.Integer(0); }, ":0\r\n");
  same([](auto& w) { w.Integer(std::numeric_limits<std::int64_t>::min()); },
       ":-9223372036854775808\r\n");
  same([](auto& w) { w.Integer(std::numeric_limits<std::int64_t>::max()); },
       ":9223372036854775807\r\n");
  same([](auto& w) { w.Bulk(""); }, "$0\r\n\r\n");
  same([](auto& w) { w.Bulk(std::string("a\0\r\nb", 5)); }, std::string("$5\r\na\0\r\nb\r\n", 11));
  same([](auto& w) { w.ArrayHeader(0); }, "*0\r\n");
  same([](auto& w) { w.ArrayHeader(12); }, "*12\r\n");
}

TEST(RespWriterTest, WritesResp3TypesInResp2LikeRedis) {
  ExpectWritten([](auto& w) { w.Null(); }, "$-1\r\n", "_\r\n");
  ExpectWritten([](auto& w) { w.Boolean(true); }, ":1\r\n", "#t\r\n");
  ExpectWritten([](auto& w) { w.Boolean(false); }, ":0\r\n", "#f\r\n");
  ExpectWritten([](auto& w) { w.MapHeader(3); }, "*6\r\n", "%3\r\n");
  ExpectWritten([](auto& w) { w.SetHeader(3); }, "*3\r\n", "~3\r\n");
}

TEST(RespWriterTest, ReplacesControlBytesInLines) {
  std::string hostile = "no\r\n+OK\r\n";
  hostile += '\0';
  hostile += "\x1b[31m\x7f\t\xC3\xA9";
  const std::string safe = "no  +OK    [31m  \xC3\xA9";
  EXPECT_EQ(Write(RespVersion::k2, [&](auto& w) { w.Error("ERR", hostile); }),
            "-ERR " + safe + "\r\n");
  EXPECT_EQ(Write(RespVersion::k2, [&](auto& w) { w.Simple(hostile); }), "+" + safe + "\r\n");
}

TEST(RespWriterTest, AppendsToExistingText) {
  std::string text = "+a\r\n";
  RespWriter writer(RespVersion::k3, text);
  writer.Simple("b\n");
  writer.Integer(7);
  EXPECT_EQ(text, "+a\r\n+b \r\n:7\r\n");
}

}  // namespace
}  // namespace sluice
