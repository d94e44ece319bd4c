// Runs the loader on rule files that each test one thing: files in tests/rules/good have no errors,
// files in tests/rules/bad have some.
//
// A case is a file, or a folder whose files are read together. NAME.expected beside it contains the
// problems, one per line, with names relative to good/ or bad/; without it there must be none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/rules/read_rules.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// This zone does not exist in these tests; every other one exists and equals UTC.
constexpr std::string_view kUnknownZone = "Mars/Olympus";

std::shared_ptr<const Zone> FindZone(std::string_view name) {
  if (name == kUnknownZone) return nullptr;
  return std::make_shared<const Zone>(Zone{std::string(name), 0, {}});
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path ExpectedOf(const fs::path& path) {
  return path.parent_path() / (path.stem().string() + ".expected");
}

// Returns the cases of a folder in sorted order.
std::vector<fs::path> FindCases(const fs::path& folder) {
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".expected") cases.push_back(entry.path());
  }
  std::ranges::sort(cases);
  return cases;
}

std::vector<RuleText> ReadTexts(const fs::path& path) {
  std::vector<fs::path> files = {path};
  if (fs::is_directory(path)) files = FindCases(path);
  std::vector<RuleText> texts;
  for (const fs::path& file : files) {
    const std::string name = fs::relative(file, path.parent_path()).generic_string();
    texts.push_back({name, ReadFile(file)});
  }
  return texts;
}

// The problems of a case, one per line.
struct Said {
  std::string lines;
  bool errors = false;
};

Said Check(const fs::path& path) {
  const ReadRulesResult read = ReadAndCheckRules(ReadTexts(path), FindZone);
  Said said;
  for (const ConfigProblem& problem : read.problems) {
    said.lines += Describe(read.spec.files, problem) + "\n";
  }
  said.errors = HasErrors(read.problems);
  return said;
}

void CheckFolder(std::string_view name, bool errors, std::size_t min_cases) {
  const fs::path folder = fs::path(SLUICE_RULE_FILES) / name;
  const std::vector<fs::path> cases = FindCases(folder);
  EXPECT_GE(cases.size(), min_cases);
  std::set<std::string> stems;
  for (const fs::path& path : cases) {
    const Said said = Check(path);
    EXPECT_EQ(said.lines, ReadFile(ExpectedOf(path))) << path;
    EXPECT_EQ(said.errors, errors) << path;
    EXPECT_TRUE(stems.insert(path.stem().string()).second) << path << " shares its .expected";
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    EXPECT_TRUE(stems.contains(entry.path().stem().string())) << entry.path() << " is for no case";
  }
}

TEST(RuleFilesTest, GoodFilesHaveExactlyTheExpectedWarnings) { CheckFolder("good", false, 130); }

// Returns the text cut off in the middle of each line, and the text without each line.
std::vector<std::string> Damage(const std::string& text) {
  std::vector<std::string> damaged;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    damaged.push_back(text.substr(0, start + (end - start) / 2));
    damaged.push_back(text.substr(0, start) + text.substr(end));
    start = end;
  }
  return damaged;
}

TEST(RuleFilesTest, ReportsPlacesInDamagedFiles) {
  for (const std::string_view folder : {"good", "bad"}) {
    for (const fs::path& path : FindCases(fs::path(SLUICE_RULE_FILES) / folder)) {
      std::vector<RuleText> texts = ReadTexts(path);
      for (std::string& text : Damage(texts.back().text)) {
        texts.back().text = std::move(text);
        const ReadRulesResult read = ReadAndCheckRules(texts, FindZone);
        for (const ConfigProblem& problem : read.problems) {
          ASSERT_LT(problem.origin.file, texts.size()) << path;
          ASSERT_GT(problem.origin.at.line, 0U) << path << ": " << problem.message;
          ASSERT_GT(problem.origin.at.column, 0U) << path << ": " << problem.message;
        }
      }
    }
  }
}

TEST(RuleFilesTest, BadFilesHaveExactlyTheExpectedErrors) { CheckFolder("bad", true, 260); }

}  // namespace
}  // namespace sluice
