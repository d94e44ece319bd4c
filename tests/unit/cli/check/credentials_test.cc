#include "cli/check/credentials.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {
namespace {

constexpr std::array kFlags = {kHeaderFlag, kTokenFlag};

Result<Credentials> Read(const std::vector<std::string_view>& args) {
  const Result<GivenFlags> given = ReadFlags(kFlags, args);
  return given ? ReadCredentials(given.value()) : given.error();
}

std::string LinesOf(const std::vector<std::string_view>& args) {
  const Result<Credentials> read = Read(args);
  return read ? HeaderLines(read.value().headers) : read.error().message;
}

// Tests with files in a folder of their own.
class CredentialsFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = ::testing::TempDir() + "sluice_credentials_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Writes the text to a file. Returns its path, valid until the next call.
  [[nodiscard]] std::string FileOf(std::string_view text) const {
    std::string path = folder_ + "/token";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  std::string folder_;
};

TEST(CredentialsTest, LowersHeaderNamesAndTrimsValues) {
  EXPECT_EQ(LinesOf({}), "");
  EXPECT_EQ(LinesOf({"--header", "X-Team:  a: b ", "--header=empty:"}),
            "x-team: a: b\r\nempty: \r\n");
}

TEST(CredentialsTest, RejectsInvalidHeaderWithoutRepeatingIt) {
  for (const std::string_view bad :
       {"s3cret", ": s3cret", "a b: s3cret", "a: s3cret\r\nb: c", ":path: /s3cret", "a : s3cret"}) {
    EXPECT_EQ(LinesOf({"--header", bad}), "--header: expected 'NAME: VALUE', found something else");
  }
  EXPECT_EQ(LinesOf({"--header", "Content-Length: 0"}),
            "--header: content-length is set by the protocol");
}

TEST_F(CredentialsFileTest, ReadsTokenFromFile) {
  for (const std::string_view end : {"", "\n", "\r\n"}) {
    const std::string path = FileOf("s3cret" + std::string(end));
    const Result<Credentials> read = Read({"--token-file", path, "--header", "a: b"});
    ASSERT_TRUE(read);
    EXPECT_EQ(read.value().token, "s3cret");
    EXPECT_EQ(HeaderLines(read.value().headers), "a: b\r\nauthorization: Bearer s3cret\r\n");
  }
  EXPECT_EQ(AuthCommand("s3cret"), "*2\r\n$4\r\nAUTH\r\n$6\r\ns3cret\r\n");
  EXPECT_EQ(AuthCommand(""), "");
}

TEST_F(CredentialsFileTest, RejectsInvalidTokenWithoutRepeatingIt) {
  for (const std::string& bad : {std::string(), std::string("\n"), std::string("s3cret\nx"),
                                 "s3cret" + std::string(1020, 'x')}) {
    const std::string path = FileOf(bad);
    EXPECT_EQ(LinesOf({"--token-file", path}),
              "--token-file: expected one line of 1 to 1024 bytes in '" + path + "'");
  }
  EXPECT_EQ(LinesOf({"--token-file", "/nonexistent/file"}),
            "--token-file: '/nonexistent/file' cannot be read: No such file or directory");
  const std::string path = FileOf("s3cret");
  EXPECT_EQ(LinesOf({"--token-file", path, "--header", "Authorization: x"}),
            "expected --token-file or the --header authorization, found both");
}

}  // namespace
}  // namespace sluice::cli
