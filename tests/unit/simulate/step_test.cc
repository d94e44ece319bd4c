#include "simulate/step.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sluice::cli {
namespace {

std::string ErrorOf(std::string_view line) {
  const Result<Step> step = ReadStep(line);
  return step ? "no error" : step.error().message;
}

TEST(StepTest, DefaultsToCheckOfOneUnit) {
  const Step step = ReadStep(R"({"t": 7})").value();
  EXPECT_EQ(step.t, Time(Nanos(7)));
  EXPECT_EQ(step.op, Op::kCheck);
  EXPECT_EQ(step.cost.units, 1);
  EXPECT_EQ(step.key, "k");
  EXPECT_FALSE(step.id.has_value());
}

TEST(StepTest, ReadsEveryMember) {
  const Step step =
      ReadStep(R"( {"id":"a","key":"u\u0031","op":"acquire","cost":2,"t":"1.5s"} )").value();
  EXPECT_EQ(step.t, Time(Nanos(1'500'000'000)));
  EXPECT_EQ(step.op, Op::kAcquire);
  EXPECT_EQ(step.cost.units, 2);
  EXPECT_EQ(step.key, "u1");
  EXPECT_EQ(step.id, "a");
}

TEST(StepTest, ReadsEveryOp) {
  for (const Op op : {Op::kCheck, Op::kPeek, Op::kDebt, Op::kRefund, Op::kReset}) {
    EXPECT_EQ(ReadStep(R"({"t":0,"op":")" + std::string(OpName(op)) + "\"}").value().op, op);
  }
  for (const Op op : {Op::kAcquire, Op::kRenew, Op::kRelease}) {
    EXPECT_EQ(ReadStep(R"({"t":0,"id":"a","op":")" + std::string(OpName(op)) + "\"}").value().op,
              op);
  }
}

TEST(StepTest, AcceptsWholeNanosecondsUpToLatestTime) {
  EXPECT_EQ(ReadStep(R"({"t":6000000000000000000})").value().t, kLatestTime);
  for (const std::string_view t : {"-1", "1.5", "1e9", "true", "null", "[0]", "{}"}) {
    EXPECT_NE(ErrorOf(R"({"t":)" + std::string(t) + "}").find("column 6: expected \"t\" to be"),
              std::string::npos)
        << t;
  }
  EXPECT_EQ(ErrorOf(R"({"t":6000000000000000001})"),
            "column 6: expected \"t\" to be at most 6000000000000000000, in the year 2160, not the "
            "number 6000000000000000001");
  EXPECT_NE(ErrorOf(R"({"t":99999999999999999999})").find("at most 6000000000000000000"),
            std::string::npos);
}

TEST(StepTest, AcceptsDurationAsTime) {
  EXPECT_EQ(ReadStep(R"({"t":"250ms"})").value().t, Time(Nanos(250'000'000)));
  EXPECT_NE(ErrorOf(R"({"t":"1.5"})").find("column 6: \"t\": "), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"t":"-1s"})").find("column 6: \"t\": "), std::string::npos);
}

TEST(StepTest, AcceptsNonNegativeWholeCosts) {
  EXPECT_EQ(ReadStep(R"({"t":0,"cost":0})").value().cost.units, 0);
  EXPECT_EQ(ReadStep(R"({"t":0,"cost":9223372036854775807})").value().cost.units, INT64_MAX);
  for (const std::string_view cost : {"-1", "0.5", "1e3", "\"1\"", "9223372036854775808", "null"}) {
    EXPECT_NE(ErrorOf(R"({"t":0,"cost":)" + std::string(cost) + "}")
                  .find("column 15: expected \"cost\" to be a whole number from 0"),
              std::string::npos)
        << cost;
  }
}

TEST(StepTest, RequiresTime) {
  EXPECT_EQ(ErrorOf("{}"),
            "column 1: expected a member \"t\", the time of the step in nanoseconds");
}

TEST(StepTest, SuggestsNearestNameForUnknownNames) {
  EXPECT_EQ(ErrorOf(R"({"t":0,"csot":1})"),
            "column 8: unknown member 'csot'; did you mean 'cost'?");
  EXPECT_EQ(ErrorOf(R"({"t":0,"op":"chekc"})"),
            "column 13: unknown op 'chekc'; did you mean 'check'?");
}

TEST(StepTest, RejectsOtherJson) {
  EXPECT_EQ(ErrorOf("[1]"),
            "column 1: expected a step such as {\"t\": 0, \"cost\": 1}, not a list");
  EXPECT_NE(ErrorOf(R"({"t":0)").find("column 7: "), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"t":0,"t":1})").find("column 8: "), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"t":0} {"t":1})").find("column 9: "), std::string::npos);
}

TEST(StepTest, AcceptsIdOnlyForPermits) {
  EXPECT_EQ(ErrorOf(R"({"t":0,"op":"renew"})"),
            "column 1: expected a member \"id\": renew names the permit it is about");
  EXPECT_EQ(ErrorOf(R"({"t":0,"id":"a"})"),
            "column 13: \"id\" belongs to acquire, renew and release, not to check");
}

TEST(StepTest, RejectsOpThatDoesNotFitAndSuggestsAnother) {
  Step step;
  EXPECT_TRUE(CheckOpFits(step, Algorithm::kTokenBucket).ok());
  EXPECT_EQ(CheckOpFits(step, Algorithm::kConcurrency).error().message,
            "a concurrency limit has no check; use acquire with an \"id\"");
  step.op = Op::kDebt;
  EXPECT_TRUE(CheckOpFits(step, Algorithm::kTokenBucket).ok());
  EXPECT_EQ(CheckOpFits(step, Algorithm::kConcurrency).error().message,
            "a concurrency limit has no debt; use acquire with an \"id\"");
  step.op = Op::kRefund;
  EXPECT_EQ(CheckOpFits(step, Algorithm::kConcurrency).error().message,
            "a concurrency limit has no refund; use release with the \"id\" of the permit");
  step.op = Op::kAcquire;
  EXPECT_TRUE(CheckOpFits(step, Algorithm::kConcurrency).ok());
  EXPECT_EQ(CheckOpFits(step, Algorithm::kPacer).error().message,
            "acquire is for concurrency limits; use check");
  step.op = Op::kRelease;
  EXPECT_EQ(CheckOpFits(step, Algorithm::kPacer).error().message,
            "release is for concurrency limits; use refund");
  for (const Op op : {Op::kPeek, Op::kReset}) {
    step.op = op;
    EXPECT_TRUE(CheckOpFits(step, Algorithm::kConcurrency).ok());
    EXPECT_TRUE(CheckOpFits(step, Algorithm::kSlidingLog).ok());
  }
}

}  // namespace
}  // namespace sluice::cli
