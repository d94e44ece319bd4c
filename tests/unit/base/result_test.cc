#include "sluice/result.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>

namespace sluice {
namespace {

constexpr const char* kDies = "Result::value\\(\\) on an error: the rate is no number\n";

Result<std::string> Failed() { return Error{"the rate is no number"}; }

TEST(ResultTest, HoldsAValueOrAnError) {
  Result<std::string> good = std::string("value");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(std::as_const(good).value(), "value");
  good.value() = "other";
  EXPECT_EQ(std::move(good).value(), "other");
  EXPECT_FALSE(Failed().ok());
  EXPECT_EQ(Failed().error().message, "the rate is no number");
}

TEST(ResultDeathTest, ValueOfAnErrorPrintsItsMessageAndAborts) {
  Result<std::string> failed = Failed();
  EXPECT_EXIT(static_cast<void>(failed.value()), testing::KilledBySignal(SIGABRT), kDies);
  EXPECT_EXIT(static_cast<void>(std::as_const(failed).value()), testing::KilledBySignal(SIGABRT),
              kDies);
  EXPECT_EXIT(static_cast<void>(std::move(failed).value()), testing::KilledBySignal(SIGABRT),
              kDies);
}

}  // namespace
}  // namespace sluice
