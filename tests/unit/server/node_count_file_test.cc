#include "server/node_count_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sluice::cli {
namespace {

class NodeCountFileTest : public ::testing::Test {
 protected:
  NodeCountFileTest() { std::filesystem::create_directory(folder_); }
  ~NodeCountFileTest() override { std::filesystem::remove_all(folder_); }

  void Put(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  const std::string folder_ = ::testing::TempDir() + "/node_count_file_" + std::to_string(getpid());
  const std::string path_ = folder_ + "/nodes";
};

TEST_F(NodeCountFileTest, ReadsWhatWasWritten) {
  EXPECT_FALSE(ReadNodeCount(path_).value().has_value());
  for (const std::int64_t nodes : {std::int64_t{1}, std::int64_t{12}, kNodeCountMax}) {
    ASSERT_TRUE(WriteNodeCount(path_, nodes).ok());
    EXPECT_EQ(ReadNodeCount(path_).value(), nodes);
  }
  // No other file is left, and only the owner can read this one.
  const std::filesystem::directory_iterator files(folder_);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  struct stat about {};
  ASSERT_EQ(stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(NodeCountFileTest, RefusesHostileContent) {
  for (const std::string& text :
       {std::string(), std::string("nodes"), std::string("nodes \n"), std::string("nodes 7"),
        std::string("nodes 0\n"), std::string("nodes -1\n"), std::string("nodes 07\n"),
        std::string("nodes +7\n"), std::string("nodes 7 \n"), std::string("nodes 10001\n"),
        std::string("nodes 99999999999999999999\n"), std::string("nodes 7\n\n"),
        std::string("nodes 7\0\n", 9), "nodes 7\n" + std::string(1 << 20, 'x')}) {
    Put(text);
    const auto read = ReadNodeCount(path_);
    ASSERT_FALSE(read.ok()) << text.substr(0, 40);
    EXPECT_NE(read.error().message.find("holds no number of nodes"), std::string::npos);
  }
}

TEST_F(NodeCountFileTest, ReadsOnlyRegularFiles) {
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(ReadNodeCount(path_).ok());
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(ReadNodeCount(path_).ok());
  std::filesystem::remove(path_);
  std::ofstream(folder_ + "/other") << "nodes 7\n";
  std::filesystem::create_symlink(folder_ + "/other", path_);
  EXPECT_FALSE(ReadNodeCount(path_).ok());
}

TEST_F(NodeCountFileTest, ReplacesSymbolicLinkInsteadOfItsTarget) {
  std::ofstream(folder_ + "/other") << "precious";
  std::filesystem::create_symlink(folder_ + "/other", path_);
  ASSERT_TRUE(WriteNodeCount(path_, 3).ok());
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/other"), 8U);
  EXPECT_EQ(ReadNodeCount(path_).value(), 3);
}

TEST_F(NodeCountFileTest, ReportsThatFileCannotBeCreated) {
  const auto written = WriteNodeCount(folder_ + "/none/nodes", 3);
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("cannot create"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
