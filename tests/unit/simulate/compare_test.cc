#include "simulate/compare.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

std::vector<ComparedLimit> TwoLimits() {
  Step step;
  Reply passed{Time(0s), Op::kCheck, {}};
  Reply refused{Time(1500ms), Op::kCheck, {}};
  refused.decision.allowed = false;
  Tally rate(60s);
  rate.Add(step, passed);
  rate.Add(step, passed);
  rate.Add(step, refused);
  return {{"1/s, burst 5", "{\"rate\":\"1/s\"}", rate}, {"concurrency", "c", Tally(std::nullopt)}};
}

TEST(CompareTest, AlignsColumnsOfTable) {
  std::istringstream table(CompareTable(TwoLimits(), ColorMode::kPlain));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0],
            "limit         allowed  refused  share allowed  first refusal at  longest run allowed  "
            "total wait  most units in a period");
  EXPECT_EQ(lines[1],
            "1/s, burst 5        2        1          66.7%              1.5s                    2  "
            "        0s                 2 in 1m");
  EXPECT_EQ(lines[2],
            "concurrency         0        0              -                 -                    0  "
            "        0s                       -");
}

TEST(CompareTest, WritesJsonWithLimitAsGivenAndNanoseconds) {
  EXPECT_EQ(CompareJson(TwoLimits()),
            "{\"limits\":[{\"limit\":\"{\\\"rate\\\":\\\"1/s\\\"}\",\"allowed\":2,\"refused\":1,"
            "\"share_allowed\":0.666667,\"first_refusal_at\":1500000000,\"longest_run_allowed\":2,"
            "\"total_wait\":0,\"period\":60000000000,\"most_units_in_period\":2},"
            "{\"limit\":\"c\",\"allowed\":0,\"refused\":0,\"share_allowed\":0.000000,"
            "\"first_refusal_at\":null,\"longest_run_allowed\":0,\"total_wait\":0,\"period\":null,"
            "\"most_units_in_period\":null}]}\n");
}

}  // namespace
}  // namespace sluice::cli
