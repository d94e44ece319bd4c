#include "support/rule_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/rules/rule_files.h"
#include "config/syntax/json.h"

namespace sluice::testing {
namespace {

namespace fs = std::filesystem;

class RuleFolderTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    return made_.Write(name, text);
  }

  std::string ErrorOf(const std::string& path) {
    return ReadRuleFiles(std::vector<std::string>{path}).back().fault;
  }

  RuleFolder made_;
  fs::path folder_ = made_.Path();
};

TEST_F(RuleFolderTest, ReadsRuleFilesOfDirectoryInNameOrder) {
  Write("b.yaml", "b");
  Write("a.yml", "a");
  Write("c.json", "c");
  Write("notes.txt", "no");
  Write(".hidden.yaml", "no");
  fs::create_directory(folder_ / "d.yaml");
  const auto read = ReadRuleFiles(std::vector<std::string>{folder_.string()});
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].text, "a");
  EXPECT_EQ(read[1].text, "b");
  EXPECT_EQ(read[2].name, (folder_ / "c.json").string());
}

TEST_F(RuleFolderTest, ReadsFileOfAnyName) {
  const auto read = ReadRuleFiles(std::vector<std::string>{Write("rules", "x")});
  EXPECT_EQ(read[0].text, "x");
  EXPECT_EQ(read[0].fault, "");
}

TEST_F(RuleFolderTest, ReportsUnreadablePaths) {
  const std::string missing = folder_ / "missing.yaml";
  EXPECT_EQ(ErrorOf(missing), "cannot be read: No such file or directory");
  EXPECT_EQ(ErrorOf(folder_.string()), "has no rule files; expected *.yaml, *.yml or *.json");
}

TEST_F(RuleFolderTest, ReportsProblemsOfOtherFilesBesideUnreadableOne) {
  const std::string missing = folder_ / "missing.yaml";
  const std::string bad = Write("bad.yaml", "domain: 5\nrules: []\n");
  const auto read = ReadRuleFiles(std::vector<std::string>{missing, bad});
  const ReadRulesResult rules = ReadAndCheckRules(read, {});
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : rules.problems) {
    lines.push_back(Describe(rules.spec.files, problem));
  }
  EXPECT_EQ(lines, std::vector<std::string>(
                       {missing + ": cannot be read: No such file or directory",
                        bad + ":1:9: 'domain' must be a string, found the number 5"}));
}

TEST_F(RuleFolderTest, ReportsDanglingLink) {
  Write("a.yaml", "a");
  const std::string link = folder_ / "b.yaml";
  fs::create_symlink("missing", link);
  EXPECT_EQ(ErrorOf(folder_.string()), "cannot be read: No such file or directory");
  fs::remove(link);
  fs::create_symlink("a.yaml", link);
  EXPECT_EQ(ErrorOf(folder_.string()), "");
}

TEST_F(RuleFolderTest, RejectsTooLargeFileWithItsSize) {
  const std::string path = Write("huge.yaml", "");
  fs::resize_file(path, kMaxJsonBytes * 25);
  EXPECT_EQ(ErrorOf(path), "is 104857600 bytes long, at most 4194304 are read");
  // The size of a device is not known in advance.
  EXPECT_EQ(ErrorOf("/dev/zero"), "is more than 4194304 bytes long, no more are read");
  fs::resize_file(path, kMaxJsonBytes);
  EXPECT_EQ(ErrorOf(path), "");
}

}  // namespace
}  // namespace sluice::testing
