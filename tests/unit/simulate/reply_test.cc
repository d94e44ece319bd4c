#include "simulate/reply.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::cli {
namespace {

std::string TextOf(const Reply& reply) {
  std::string text;
  AppendReply(reply, text);
  return text;
}

Decision Passed() {
  Decision decision;
  decision.limit = 5;
  decision.remaining = 3;
  decision.reset_after = Nanos(2'000'000'000);
  return decision;
}

TEST(ReplyTest, WritesMembersInFixedOrder) {
  EXPECT_EQ(TextOf({Time{}, Op::kCheck, Passed()}),
            "{\"t\":0,\"op\":\"check\",\"allowed\":true,\"limit\":5,\"remaining\":3,"
            "\"retry_after\":null,\"reset_after\":2000000000,\"wait\":0}\n");
}

TEST(ReplyTest, WritesRetryAfterOfRefusal) {
  Decision decision = Passed();
  decision.allowed = false;
  decision.retry_after = Nanos(7);
  EXPECT_EQ(TextOf({kLatestTime, Op::kPeek, decision}),
            "{\"t\":6000000000000000000,\"op\":\"peek\",\"allowed\":false,\"limit\":5,"
            "\"remaining\":3,\"retry_after\":7,\"reset_after\":2000000000,\"wait\":0}\n");
}

TEST(ReplyTest, WritesNeverAsString) {
  Decision decision = Passed();
  decision.allowed = false;
  decision.retry_after = kNever;
  EXPECT_NE(TextOf({Time{}, Op::kCheck, decision}).find("\"retry_after\":\"never\","),
            std::string::npos);
}

TEST(ReplyTest, WritesNullForLimitWithoutUnits) {
  Decision decision = Passed();
  decision.limit = decision.remaining = kNoUnits;
  decision.wait = Nanos(12);
  EXPECT_EQ(TextOf({Time{}, Op::kCheck, decision}),
            "{\"t\":0,\"op\":\"check\",\"allowed\":true,\"limit\":null,\"remaining\":null,"
            "\"retry_after\":null,\"reset_after\":2000000000,\"wait\":12}\n");
}

}  // namespace
}  // namespace sluice::cli
