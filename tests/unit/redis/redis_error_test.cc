#include "redis/redis_error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

using Kind = RedisErrorKind;

TEST(RedisErrorTest, RecognizesErrorsByTheirFirstWord) {
  const std::vector<std::pair<std::string_view, Kind>> cases = {
      {"TRYAGAIN Multiple keys request during rehashing of slot", Kind::kTryAgain},
      {"CLUSTERDOWN Hash slot not served", Kind::kClusterDown},
      {"CROSSSLOT Keys in request don't hash to the same slot", Kind::kCrossSlot},
      {"READONLY You can't write against a read only replica.", Kind::kReadOnly},
      {"LOADING Redis is loading the dataset in memory", Kind::kLoading},
      {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
       Kind::kMasterDown},
      {"BUSY Redis is busy running a script.", Kind::kBusy},
      {"OOM command not allowed when used memory > 'maxmemory'.", Kind::kOutOfMemory},
      {"MISCONF Errors writing to the AOF file", Kind::kMisconfigured},
      {"NOREPLICAS Not enough good replicas to write.", Kind::kNoReplicas},
      {"NOAUTH Authentication required.", Kind::kNoAuth},
      {"WRONGPASS invalid username-password pair or user is disabled.", Kind::kWrongPassword},
      {"NOPERM this user has no permissions to run the 'get' command", Kind::kNoPermission},
      {"NOSCRIPT No matching script. Please use EVAL.", Kind::kNoScript},
      {"NOPROTO unsupported protocol version", Kind::kNoProtocol},
      {"ERR unknown command 'HELLO', with args beginning with: '3'", Kind::kUnknownCommand},
      {"ERR wrong number of arguments", Kind::kOther},
      {"BUSYGROUP Consumer Group name already exists", Kind::kOther},
      {"BUSY", Kind::kBusy},
      {"", Kind::kOther},
  };
  for (const auto& [text, kind] : cases) EXPECT_EQ(ReadRedisError(text).kind, kind) << text;
}

TEST(RedisErrorTest, ReadsSlotAndAddressOfARedirect) {
  const RedisError moved = ReadRedisError("MOVED 3999 127.0.0.1:6381");
  EXPECT_EQ(moved.kind, Kind::kMoved);
  EXPECT_EQ(moved.slot, 3999);
  EXPECT_EQ(moved.host, "127.0.0.1");
  EXPECT_EQ(moved.port, 6381);
  const RedisError ask = ReadRedisError("ASK 16383 fe80::1:7000");
  EXPECT_EQ(ask.kind, Kind::kAsk);
  EXPECT_EQ(ask.slot, 16383);
  EXPECT_EQ(ask.host, "fe80::1");
  EXPECT_EQ(ask.port, 7000);
}

TEST(RedisErrorTest, ReadsARedirectWithoutHost) {
  const RedisError moved = ReadRedisError("MOVED 1 :6381");
  EXPECT_EQ(moved.kind, Kind::kMoved);
  EXPECT_EQ(moved.host, "");
  EXPECT_EQ(moved.port, 6381);
}

TEST(RedisErrorTest, ReadsARedirectToAnUnknownAddressAsPortZero) {
  const RedisError moved = ReadRedisError("MOVED 1 ?:6381");
  EXPECT_EQ(moved.kind, Kind::kMoved);
  EXPECT_EQ(moved.port, 0);
}

TEST(RedisErrorTest, ReadsAMalformedRedirectAsOther) {
  for (const std::string_view text :
       {"MOVED", "MOVED 1", "MOVED x 127.0.0.1:1", "MOVED 16384 127.0.0.1:1", "MOVED 1 127.0.0.1",
        "MOVED 1 127.0.0.1:", "MOVED 1 127.0.0.1:70000", "ASK -1 a:1", "ASK 1 a:1x"}) {
    EXPECT_EQ(ReadRedisError(text).kind, Kind::kOther) << text;
  }
}

TEST(RedisErrorTest, ClassifiesAnErrorInsideAScript) {
  EXPECT_EQ(ReadRedisError("READONLY You can't write against a read only replica. script: 0123, "
                           "on @user_script:1.")
                .kind,
            Kind::kReadOnly);
  EXPECT_EQ(ReadRedisError("ERR Error running script (call to f_0123): @user_script:1: -OOM "
                           "command not allowed when used memory > 'maxmemory'.")
                .kind,
            Kind::kOutOfMemory);
  EXPECT_EQ(ReadRedisError("ERR Error running script (call to f_0123): @user_script:1: nil").kind,
            Kind::kOther);
}

TEST(RedisErrorTest, HidesThePasswordInLogTexts) {
  EXPECT_EQ(HidePassword("AUTH pw, then pwpw", "pw"), "AUTH (secret), then (secret)(secret)");
  EXPECT_EQ(HidePassword("a text", ""), "a text");
  EXPECT_EQ(ServerWords("ERR unknown command 'HELLO', with args: '3' 'p\nw'. ", "p\nw"),
            "ERR unknown command 'HELLO', with args: '3' '(secret)'");
  const std::string password(150, 'p');
  const std::string words(100, 'x');
  EXPECT_EQ(ServerWords(Concat(words, password), password), Concat(words, "(secret)"));
}

TEST(RedisErrorTest, MakesLogTextsShortAndPrintable) {
  EXPECT_EQ(ServerWords("OOM\n", ""), "OOM\\x0a");
  EXPECT_EQ(ServerWords(std::string(300, 'x'), ""), Concat(std::string(200, 'x'), "..."));
  const std::string words(199, 'x');
  EXPECT_EQ(ServerWords(Concat(words, "\xC3\xA9\xC3\xA9"), ""), Concat(words, "..."));
}

TEST(RedisErrorTest, NamesEveryKindDifferently) {
  std::set<std::string_view> names;
  for (std::size_t kind = 0; kind < kRedisErrorKinds; ++kind) {
    names.insert(NameOf(static_cast<Kind>(kind)));
  }
  EXPECT_EQ(names.size(), kRedisErrorKinds);
  EXPECT_EQ(NameOf(Kind::kNoReplicas), "no_replicas");
  EXPECT_EQ(NameOf(Kind::kOther), "other");
}

}  // namespace
}  // namespace sluice
