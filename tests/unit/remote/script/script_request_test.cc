#include "remote/script/script_request.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/script/redis_scripts.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice::testing {
namespace {

RemoteLimit PerHour(std::int64_t count) {
  LimitSpec spec;
  spec.rate = Rate{count, std::chrono::hours{1}};
  return RemoteLimit::Make(MustMake(spec)).value();
}

// Returns the words of the command.
std::vector<std::string> WordsOf(const ScriptCall& call) {
  std::string bytes;
  call.Write(Time{std::chrono::seconds{1'700'000'000}}, bytes);
  RespValueReader reader{RespValueBounds{}};
  const auto read = reader.Read(bytes);
  EXPECT_EQ(read.consumed, bytes.size()) << "one command";
  std::vector<std::string> words;
  for (const RespNode& node : read.nodes.subspan(1)) words.emplace_back(node.text);
  return words;
}

// Invariants (1) and (2).
TEST(ScriptCallTest, MergesKeysAndPutsDebtsFirst) {
  const RemoteLimit limit = PerHour(100);
  constexpr std::array kNames = {"a", "b", "c"};
  constexpr std::array kVetoes = {Enforcement::kEnforce, Enforcement::kDebt, Enforcement::kQuota,
                                  Enforcement::kShadow};
  ForEachSeed(50, [&](Random& random) {
    std::vector<RemoteCharge> charges;
    std::vector<Enforcement> enforcements;
    for (std::int64_t i = random.Between(1, 12); i > 0; --i) {
      charges.push_back({kNames.at(static_cast<std::size_t>(random.Between(0, 2))), &limit});
      enforcements.push_back(kVetoes.at(static_cast<std::size_t>(random.Between(0, 3))));
    }
    const ScriptCall call(RemoteRequest{.charges = charges, .enforcements = enforcements});
    std::set<std::string> names;
    for (const ScriptKey& key : call.keys()) EXPECT_TRUE(names.insert(key.name).second);
    std::set<std::pair<std::size_t, bool>> seen;
    bool are_debts_over = false;
    for (const ScriptItem& item : call.items()) {
      const bool is_debt = item.kind == ItemKind::kDebt;
      EXPECT_TRUE(seen.insert({item.key, is_debt}).second);
      EXPECT_FALSE(is_debt && are_debts_over);
      are_debts_over = !is_debt;
    }
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const ScriptItem& item = call.items()[call.ItemOf(i)];
      EXPECT_EQ(call.keys()[item.key].name, charges[i].key);
      EXPECT_EQ(item.kind == ItemKind::kDebt, enforcements[i] == Enforcement::kDebt);
    }
  });
}

// Invariant (3).
TEST(ScriptCallTest, ContainsCallerTextOnlyInKeyNames) {
  using namespace std::string_view_literals;
  const RemoteLimit limit = PerHour(100);
  const std::vector<std::string> plain = WordsOf({Operation::kCheck, {"k", &limit, Cost{7}}});
  ASSERT_GT(plain.size(), 4U);
  EXPECT_EQ(plain[0], "EVALSHA");
  EXPECT_EQ(plain[1], DecideScript().sha1);
  EXPECT_EQ(plain[2], "1");
  EXPECT_EQ(plain[3], "k");
  for (const std::string_view name :
       {""sv, "2"sv, "k\r\n$8\r\nFLUSHALL\r\n"sv, "'\"]]\\"sv, "\0"sv, "\xFF\xFE"sv}) {
    std::vector<std::string> expected = plain;
    expected[3] = name;
    EXPECT_EQ(WordsOf({Operation::kCheck, {name, &limit, Cost{7}}}), expected);
  }
}

}  // namespace
}  // namespace sluice::testing
