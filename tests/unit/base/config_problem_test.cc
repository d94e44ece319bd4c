#include "base/config_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

using Severity = ConfigProblem::Severity;

TEST(ConfigProblemTest, DescribesProblemWithFileAndPlace) {
  const std::vector<std::string> files = {"a.yaml", "rules/api.yaml"};
  EXPECT_EQ(DescribePlace(files, {1, {14, 7}}), "rules/api.yaml:14:7");
  EXPECT_EQ(DescribePlace(files, {1, {}}), "rules/api.yaml");
  EXPECT_EQ(Describe(files, {{1, {14, 7}}, Severity::kError, "unknown key 'limt'"}),
            "rules/api.yaml:14:7: unknown key 'limt'");
  EXPECT_EQ(Describe(files, {{0, {2, 3}}, Severity::kWarning, "unwise"}),
            "a.yaml:2:3: warning: unwise");
}

TEST(ConfigProblemTest, OmitsNameOfUnknownFile) {
  EXPECT_EQ(Describe({}, {{5, {2, 3}}, Severity::kError, "bad"}), "2:3: bad");
  EXPECT_EQ(DescribePlace({}, {0, {2, 3}}), "2:3");
}

TEST(ConfigProblemTest, CountsOnlyErrorsAsErrors) {
  EXPECT_FALSE(HasErrors({}));
  const std::vector<ConfigProblem> warned = {{{}, Severity::kWarning, "w"}};
  EXPECT_FALSE(HasErrors(warned));
  const std::vector<ConfigProblem> wrong = {{{}, Severity::kWarning, "w"},
                                            {{}, Severity::kError, "e"}};
  EXPECT_TRUE(HasErrors(wrong));
}

TEST(ConfigProblemTest, SortsProblemsByFileAndPlace) {
  ConfigProblems problems;
  problems.Error({1, {1, 1}}, "d");
  problems.Warn({0, {2, 5}}, "c");
  problems.Error({0, {2, 1}}, "b1");
  problems.Error({0, {2, 1}}, "b2");
  problems.Error({0, {1, 9}}, "a");
  EXPECT_EQ(problems.ErrorCount(), 4U);
  std::vector<std::string> messages;
  for (const ConfigProblem& problem : problems.Take()) messages.push_back(problem.message);
  EXPECT_EQ(messages, std::vector<std::string>({"a", "b1", "b2", "c", "d"}));
  EXPECT_EQ(problems.ErrorCount(), 0U);
  EXPECT_TRUE(problems.Take().empty());
}

TEST(ConfigProblemTest, ReportsThatProblemsWereLeftOut) {
  ConfigProblems problems;
  for (std::uint32_t line = 1; line <= kMaxProblems; ++line) problems.Warn({0, {line, 1}}, "w");
  EXPECT_EQ(problems.Take().size(), kMaxProblems);
  for (std::uint32_t line = 1; line <= 50'000; ++line) problems.Warn({0, {line, 1}}, "w");
  std::vector<ConfigProblem> taken = problems.Take();
  ASSERT_EQ(taken.size(), kMaxProblems + 1);
  EXPECT_EQ(taken.back(), (ConfigProblem{{0, {1001, 1}}, Severity::kWarning, "and more"}));
}

// This tests invariant 1.
TEST(ConfigProblemTest, KeepsErrorAmongManyWarnings) {
  for (const std::uint32_t warnings : {999U, 1000U, 1001U, 10'000U, 10'001U, 50'000U}) {
    for (const bool error_first : {true, false}) {
      ConfigProblems problems;
      if (error_first) problems.Error({1, {1, 1}}, "e");
      for (std::uint32_t line = 1; line <= warnings; ++line) problems.Warn({0, {line, 1}}, "w");
      if (!error_first) problems.Error({1, {1, 1}}, "e");
      EXPECT_EQ(problems.ErrorCount(), 1U);
      const std::vector<ConfigProblem> taken = problems.Take();
      const ConfigProblem error{{1, {1, 1}}, Severity::kError, "e"};
      EXPECT_EQ(std::ranges::count(taken, error), 1) << warnings;
      EXPECT_LE(taken.size(), kMaxProblems + 1);
      EXPECT_TRUE(std::ranges::is_sorted(taken, {}, [](const ConfigProblem& problem) {
        return std::pair(problem.origin.file, problem.origin.at.line);
      }));
    }
  }
}

TEST(ConfigProblemTest, ReportsLeftOutErrorsAsAnError) {
  ConfigProblems problems;
  for (std::uint32_t line = 1; line <= 50'000; ++line) {
    problems.Warn({0, {line, 1}}, "w");
    problems.Error({1, {line, 1}}, "e");
  }
  EXPECT_EQ(problems.ErrorCount(), 50'000U);
  const std::vector<ConfigProblem> taken = problems.Take();
  ASSERT_EQ(taken.size(), kMaxProblems + 1);
  EXPECT_EQ(taken.front(), (ConfigProblem{{1, {1, 1}}, Severity::kError, "e"}));
  EXPECT_EQ(taken.back(), (ConfigProblem{{1, {1001, 1}}, Severity::kError, "and more"}));
}

}  // namespace
}  // namespace sluice
