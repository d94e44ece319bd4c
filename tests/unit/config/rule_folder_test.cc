#include "support/rule_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/json.h"
#include "config/rule_files.h"

namespace sluice::testing {
namespace {

namespace fs = std::filesystem;

class RuleFolderTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    return made_.Write(name, text);
  }

  std::string ErrorOf(const std::string& path) {
    const auto read = ReadRuleFiles(std::vector<std::string>{path});
    return read.ok() ? "" : read.error().message;
  }

  RuleFolder made_;
  fs::path folder_ = made_.Path();
};

TEST_F(RuleFolderTest, ADirectoryIsItsRuleFilesByName) {
  Write("b.yaml", "b");
  Write("a.yml", "a");
  Write("c.json", "c");
  Write("notes.txt", "no");
  Write(".hidden.yaml", "no");
  fs::create_directory(folder_ / "d.yaml");
  const auto read = ReadRuleFiles(std::vector<std::string>{folder_.string()});
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().size(), 3U);
  EXPECT_EQ(read.value()[0].text, "a");
  EXPECT_EQ(read.value()[1].text, "b");
  EXPECT_EQ(read.value()[2].name, (folder_ / "c.json").string());
}

TEST_F(RuleFolderTest, AFileIsReadWhateverItIsCalled) {
  const auto read = ReadRuleFiles(std::vector<std::string>{Write("rules", "x")});
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value()[0].text, "x");
}

TEST_F(RuleFolderTest, WhatCannotBeReadIsAnError) {
  const std::string missing = folder_ / "missing.yaml";
  EXPECT_EQ(ErrorOf(missing), "cannot read '" + missing + "': No such file or directory");
  EXPECT_EQ(ErrorOf(folder_.string()),
            "'" + folder_.string() + "' has no rule files; expected *.yaml, *.yml or *.json");
}

TEST_F(RuleFolderTest, ALinkThatLeadsNowhereIsAnError) {
  Write("a.yaml", "a");
  const std::string link = folder_ / "b.yaml";
  fs::create_symlink("missing", link);
  EXPECT_EQ(ErrorOf(folder_.string()), "cannot read '" + link + "': No such file or directory");
  fs::remove(link);
  fs::create_symlink("a.yaml", link);
  EXPECT_EQ(ErrorOf(folder_.string()), "");
}

TEST_F(RuleFolderTest, OfAHugeFileOnlySoMuchIsReadThatItIsRefused) {
  const std::string path = Write("huge.yaml", "");
  fs::resize_file(path, kJsonBytesMost * 25);
  const auto read = ReadRuleFiles(std::vector<std::string>{path});
  ASSERT_TRUE(read.ok());
  EXPECT_GT(read.value()[0].text.size(), kJsonBytesMost);
  EXPECT_LT(read.value()[0].text.size(), kJsonBytesMost * 2);
}

}  // namespace
}  // namespace sluice::testing
