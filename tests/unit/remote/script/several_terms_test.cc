// Nodes with different terms for one key: how much they admit in total, and at what cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/script/leniency.h"
#include "remote/script/new_terms.h"
#include "support/random.h"
#include "support/trace.h"
#include "unit/remote/script/random_remote_limit.h"
#include "unit/remote/script/redis_bench.h"
#include "unit/remote/script/redis_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// A node: its terms, what it knows of others, and the number of scripts it has run.
struct TermsNode {
  explicit TermsNode(RemoteLimit own) : limit(std::move(own)) {}

  RemoteLimit limit;
  FirstTerms first_terms;
  int scripts = 0;
  Decision last;
  ScriptStates left;  // after the last request
};

class SeveralTerms : public RedisBench {
 protected:
  static LimitSpec PerHour(std::int64_t count, Algorithm algorithm) {
    LimitSpec spec;
    spec.algorithm = algorithm;
    spec.rate = Rate{count, hours{1}};
    if (algorithm == Algorithm::kSlidingBuckets) spec.buckets = 60;
    return spec;
  }

  static TermsNode NodeOf(std::int64_t count, Algorithm algorithm) {
    return TermsNode(Keep(PerHour(count, algorithm)));
  }

  Decision Ask(TermsNode& node, Operation operation, Cost cost = Cost{1},
               std::optional<ReturnBound> bound = std::nullopt) {
    ScriptCall call(operation, {"k", &node.limit, cost, {}, bound});
    call.SetFirst(0, node.first_terms.Find(node.limit, now_ - clock_behind_));
    Decision decision;
    for (int tries = 0; tries < 8; ++tries) {
      std::string command;
      call.Write(now_, command);
      const auto nodes = client_->Ask(command);
      ++node.scripts;
      const auto outcome = ReadScriptReply(call, nodes, {&decision, 1}, node.left);
      if (!outcome.ok()) {
        ADD_FAILURE() << outcome.error().message << ": " << nodes[0].text;
        return decision;
      }
      if (outcome.value().status == ScriptStatus::kDecided) {
        Remember(node, call, nodes);
        return decision;
      }
      if (outcome.value().status == ScriptStatus::kOtherTerms) Meet(node, call, nodes);
    }
    ADD_FAILURE() << "not decided";
    return decision;
  }

  // How far the clocks of all nodes are behind the clock of Redis.
  Nanos clock_behind_{0};

  // Returns how many single units pass, up to `max`.
  int Pass(TermsNode& node, int max) {
    int passed = 0;
    for (int i = 0; i < max && Ask(node, Operation::kCheck).allowed; ++i) ++passed;
    return passed;
  }

  // Returns all keys with their values.
  std::string All() {
    std::vector<std::string> texts;
    const auto keys = client_->Command({"KEYS", "*"});
    for (const RespNode& key : std::span(keys).subspan(1)) {
      const std::string name(key.text);
      texts.push_back(name + "=" + client_->Text({"DUMP", name}));
    }
    std::ranges::sort(texts);
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    return all;
  }

 private:
  void Meet(TermsNode& node, ScriptCall& call, std::span<const RespNode> nodes) {
    const auto meeting = MeetTerms(call, nodes, node.first_terms);
    ASSERT_TRUE(meeting.ok()) << meeting.error().message;
    EXPECT_TRUE(meeting.value().is_new);
    const std::vector<NewState>& states = meeting.value().states;
    if (states.empty()) return;
    std::string command;
    WriteNewStates(call, states, command);
    EXPECT_EQ(client_->Ask(command)[0].integer, 1);
    ++node.scripts;
  }

  void Remember(TermsNode& node, const ScriptCall& call, std::span<const RespNode> nodes) {
    const ScriptKey& key = call.keys()[0];
    if (!key.HasFirst()) return;
    const KeyText text = ReadKeyText(ReplyTexts(call, nodes).first(0));
    if (text.tag.empty()) return;
    node.first_terms.Note(node.limit, KeptSince(key.first, text, now_), now_);
  }
};

class SeveralTermsOf : public SeveralTerms, public ::testing::WithParamInterface<Algorithm> {};

TEST_P(SeveralTermsOf, AdmitsInTotalWhatTheMoreLenientTermsAllow) {
  TermsNode lenient = NodeOf(1000, GetParam());
  TermsNode strict = NodeOf(10, GetParam());
  int passed = 0;
  for (int round = 0; round < 4; ++round) {
    passed += Pass(lenient, 990);
    Ask(strict, Operation::kPeek);
    passed += Pass(strict, 20);
    EXPECT_FALSE(Ask(strict, Operation::kCheck, Cost{11}).allowed);
  }
  EXPECT_EQ(passed, 1000);
}

TEST_P(SeveralTermsOf, CostsOneScriptPerRequest) {
  TermsNode lenient = NodeOf(1000, GetParam());
  TermsNode strict = NodeOf(500, GetParam());
  for (TermsNode* node : {&lenient, &strict, &lenient, &strict}) Ask(*node, Operation::kCheck);
  lenient.scripts = strict.scripts = 0;
  for (int i = 0; i < 50; ++i) {
    for (TermsNode* node : {&lenient, &strict}) {
      EXPECT_TRUE(Ask(*node, Operation::kCheck).allowed);
      Ask(*node, Operation::kPeek);
    }
  }
  EXPECT_EQ(lenient.scripts, 100);
  EXPECT_EQ(strict.scripts, 100);
}

TEST_P(SeveralTermsOf, WritesNothingOnPeeksAndRefusals) {
  TermsNode lenient = NodeOf(1000, GetParam());
  TermsNode strict = NodeOf(10, GetParam());
  EXPECT_TRUE(Ask(lenient, Operation::kCheck, Cost{7}).allowed);
  EXPECT_EQ(Ask(strict, Operation::kPeek).remaining, 3);
  const std::string before = All();
  for (TermsNode* node : {&lenient, &strict}) {
    Ask(*node, Operation::kPeek);
    EXPECT_FALSE(Ask(*node, Operation::kCheck, Cost{994}).allowed);
  }
  EXPECT_EQ(All(), before);
}

// The old terms may still be in use by a node that has not been reloaded yet.
TEST_P(SeveralTermsOf, AppliesALowerLimitAtOnce) {
  TermsNode before = NodeOf(1000, GetParam());
  TermsNode after = NodeOf(10, GetParam());
  EXPECT_TRUE(Ask(before, Operation::kCheck, Cost{4}).allowed);
  EXPECT_EQ(Pass(after, 100), 6);
  EXPECT_TRUE(Ask(before, Operation::kCheck, Cost{990}).allowed);
  EXPECT_FALSE(Ask(before, Operation::kCheck).allowed);
  EXPECT_FALSE(Ask(after, Operation::kCheck).allowed);
}

TEST_P(SeveralTermsOf, CarriesUsedUnitsOverToMoreLenientTerms) {
  TermsNode strict = NodeOf(10, GetParam());
  TermsNode lenient = NodeOf(1000, GetParam());
  EXPECT_EQ(Pass(strict, 100), 10);
  EXPECT_EQ(Ask(lenient, Operation::kCheck, Cost{990}).remaining, 0);
  EXPECT_FALSE(Ask(lenient, Operation::kCheck).allowed);
  EXPECT_FALSE(Ask(strict, Operation::kCheck).allowed);
}

TEST_P(SeveralTermsOf, ResetsTheStatesOfAllTerms) {
  for (const bool is_lenient : {true, false}) {
    TermsNode lenient = NodeOf(1000, GetParam());
    TermsNode strict = NodeOf(10, GetParam());
    EXPECT_TRUE(Ask(lenient, Operation::kCheck, Cost{990}).allowed);
    EXPECT_EQ(Pass(strict, 100), 0);
    Ask(is_lenient ? lenient : strict, Operation::kReset);
    EXPECT_EQ(All(), "");
    EXPECT_EQ(Pass(strict, 100), 10);
  }
}

TEST_P(SeveralTermsOf, ResetByMoreLenientTermsDropsTheEarlierState) {
  TermsNode strict = NodeOf(10, GetParam());
  TermsNode lenient = NodeOf(1000, GetParam());
  Ask(strict, Operation::kCheck);
  Ask(lenient, Operation::kCheck);
  Ask(lenient, Operation::kReset);
  EXPECT_EQ(All(), "");
}

TEST_P(SeveralTermsOf, NoStateOutlivesTheStateOfTheFirstTerms) {
  TermsNode lenient = NodeOf(1000, GetParam());
  TermsNode strict = NodeOf(10, GetParam());
  Ask(lenient, Operation::kCheck);
  EXPECT_EQ(Pass(strict, 9), 9);
  const auto keys = client_->Command({"KEYS", "*"});
  ASSERT_GE(keys.size(), 2U);
  for (const RespNode& key : std::span(keys).subspan(1)) {
    const std::string name(key.text);
    EXPECT_LE(MillisLeft(name), MillisLeft("k")) << name;
  }
}

TEST_P(SeveralTermsOf, DropsTermsThatExpiredInRedisWhateverANodeRemembers) {
  if (GetParam() == Algorithm::kSlidingLog) return;  // the terms share one log
  TermsNode before = NodeOf(1000, GetParam());
  TermsNode after = NodeOf(10, GetParam());
  Ask(before, Operation::kCheck);
  clock_behind_ = hours{12};
  for (int i = 0; i <= 60; ++i) {
    At(minutes{5 * i});
    Ask(after, Operation::kCheck);
  }
  EXPECT_EQ(client_->Number({"DBSIZE"}), 1);
  EXPECT_EQ(client_->Text({"GET", "k"}).find('|'), std::string::npos);
}

TEST_P(SeveralTermsOf, CountsADebtUnderAllTerms) {
  TermsNode lenient = NodeOf(1000, GetParam());
  TermsNode strict = NodeOf(10, GetParam());
  Ask(lenient, Operation::kCheck);
  Ask(strict, Operation::kDebt, Cost{8});
  EXPECT_EQ(Ask(lenient, Operation::kPeek).remaining, 991);
  EXPECT_EQ(Ask(strict, Operation::kPeek).remaining, 1);
  Ask(strict, Operation::kRefund, Cost{8});
  EXPECT_EQ(Ask(lenient, Operation::kPeek).remaining, 999);
  EXPECT_EQ(Ask(strict, Operation::kPeek).remaining, 9);
}

// First terms that only other nodes use expire once all units that they admit at once must be back.
TEST_P(SeveralTermsOf, DropsTermsThatNoNodeUses) {
  TermsNode before = NodeOf(1000, GetParam());
  TermsNode after = NodeOf(10, GetParam());
  Ask(before, Operation::kCheck, Cost{2});
  int passed = 0;
  for (int i = 1; i <= 60; ++i) {
    At(minutes{5 * i});
    passed += Ask(after, Operation::kCheck).allowed ? 1 : 0;
    for (const char* key : {"k", "k~"}) EXPECT_NE(MillisLeft(key), -1);
  }
  EXPECT_GE(passed, 20);
  EXPECT_EQ(client_->Number({"DBSIZE"}), 1);
  after.scripts = 0;
  Ask(after, Operation::kPeek);
  EXPECT_EQ(after.scripts, 1);
  EXPECT_EQ(client_->Text({"TYPE", "k"}) == "string" &&
                client_->Text({"GET", "k"}).find('|') != std::string::npos,
            false);
}

// Units charged under both terms are refunded to both, each until its own bound.
TEST_P(SeveralTermsOf, RefundsUnitsUnderAllTerms) {
  if (GetParam() == Algorithm::kSlidingLog) return;  // its terms share one log
  TermsNode lenient = NodeOf(1000, GetParam());
  TermsNode strict = NodeOf(990, GetParam());
  Ask(lenient, Operation::kCheck);
  EXPECT_TRUE(Ask(strict, Operation::kCheck, Cost{200}).allowed);
  ASSERT_EQ(strict.left.bounds.size(), 1U);
  const ReturnBound bound = strict.left.bounds[0];
  Ask(strict, Operation::kRefund, Cost{150}, bound);
  EXPECT_EQ(Ask(strict, Operation::kPeek).remaining, 990 - 51);
  EXPECT_EQ(Ask(lenient, Operation::kPeek).remaining, 1000 - 51);
  // Terms that were not charged get no refund.
  Ask(strict, Operation::kRefund, Cost{50}, ReturnBound{bound.until});
  EXPECT_EQ(Ask(lenient, Operation::kPeek).remaining, 1000 - 51);
}

// Code that continues with the state of the stricter terms must see what the first terms leave.
TEST_P(SeveralTermsOf, ReportsAStateWithinTheFirstTerms) {
  if (GetParam() == Algorithm::kSlidingLog) return;
  TermsNode lenient = NodeOf(1000, GetParam());
  TermsNode strict = NodeOf(900, GetParam());
  Ask(lenient, Operation::kCheck);
  Ask(strict, Operation::kCheck);
  Ask(lenient, Operation::kCheck, Cost{939});
  EXPECT_EQ(Ask(strict, Operation::kCheck).remaining, 58);
  ASSERT_EQ(strict.left.keys.size(), 1U);
  EXPECT_EQ(strict.left.keys[0].Peek(Cost{0}, now_).remaining, 58);
}

// If there are too many tags, a state is deleted, because a reset could not find it.
TEST_P(SeveralTermsOf, ResetsTheStatesOfManyTerms) {
  TermsNode lenient = NodeOf(1000, GetParam());
  Ask(lenient, Operation::kCheck);
  for (std::int64_t count = 10; count <= 70; count += 10) {
    TermsNode strict = NodeOf(count, GetParam());
    EXPECT_TRUE(Ask(strict, Operation::kCheck).allowed);
  }
  Ask(lenient, Operation::kReset);
  EXPECT_EQ(All(), "");
}

TEST_F(SeveralTerms, BoundsRefundsByTheWindowOfEachTerms) {
  const auto node = [](std::int64_t count, Nanos period) {
    LimitSpec spec{.algorithm = Algorithm::kFixedWindow, .rate = Rate{count, period}};
    spec.window = WindowKind::kFirstRequest;
    return TermsNode(Keep(spec));
  };
  TermsNode lenient = node(360'000, hours{1});
  TermsNode strict = node(600, seconds{10});
  Ask(lenient, Operation::kCheck);
  Ask(strict, Operation::kCheck);
  ASSERT_EQ(strict.left.bounds.size(), 1U);
  EXPECT_EQ(strict.left.bounds[0].until, now_ + seconds{10});
  EXPECT_EQ(strict.left.bounds[0].other_until, now_ + hours{1});
}

// A window opens with a charge, not with a refund of a key that is kept for the states beside it.
TEST_F(SeveralTerms, RefundOfAnUnusedKeyOpensNoWindow) {
  const auto node = [](std::int64_t count, Nanos period) {
    LimitSpec spec{.algorithm = Algorithm::kFixedWindow, .rate = Rate{count, period}};
    spec.window = WindowKind::kFirstRequest;
    return TermsNode(Keep(spec));
  };
  TermsNode lenient = node(5, seconds{10});
  TermsNode strict = node(1, hours{1});
  Ask(lenient, Operation::kCheck);
  Ask(strict, Operation::kCheck);
  At(seconds{20});
  Ask(lenient, Operation::kRefund);
  At(seconds{29});
  EXPECT_EQ(Pass(lenient, 9), 5);
  At(seconds{30});
  EXPECT_EQ(Pass(lenient, 9), 0);
}

// A limit with a larger burst but a lower rate than the previous terms.
TEST_F(SeveralTerms, AdmitsACostThatOnlyTheLimitItselfAllows) {
  TermsNode before(Keep({.rate = Rate{10, minutes{1}}}));
  TermsNode after(Keep({.rate = Rate{500, hours{1}}}));
  Ask(before, Operation::kCheck);
  const Decision large = Ask(after, Operation::kCheck, Cost{100});
  EXPECT_TRUE(large.allowed);
  EXPECT_EQ(large.remaining, 399);
  // The previous terms refuse until their own burst is available again.
  const Decision small = Ask(before, Operation::kCheck);
  EXPECT_FALSE(small.allowed);
  EXPECT_EQ(small.retry_after, seconds{6 * 92});
}

TEST_F(SeveralTerms, AdmitsALargeCostOnceThePreviousWindowHasEnded) {
  const auto node = [](std::int64_t count, Nanos period) {
    return TermsNode(Keep({.algorithm = Algorithm::kSlidingWindow, .rate = Rate{count, period}}));
  };
  TermsNode before = node(600, seconds{10});
  TermsNode after = node(1000, hours{1});
  Ask(before, Operation::kCheck);
  const Decision large = Ask(after, Operation::kCheck, Cost{700});
  EXPECT_FALSE(large.allowed);
  ASSERT_LE(large.retry_after, minutes{2});
  At(now_ - kStart + large.retry_after);
  const Decision later = Ask(after, Operation::kCheck, Cost{700});
  EXPECT_TRUE(later.allowed) << later.remaining << " " << later.retry_after.count() << All();
}

// Terms that no node uses stay in force until a debt under them is paid.
TEST_F(SeveralTerms, KeepsTermsUntilTheirDebtIsPaid) {
  TermsNode before(Keep({.rate = Rate{20, seconds{1}}}));
  TermsNode after(Keep({.rate = Rate{5, seconds{1}}}));
  Ask(before, Operation::kCheck);
  Ask(after, Operation::kCheck);
  Ask(before, Operation::kDebt, Cost{20'000});
  for (const seconds at : {seconds{1}, seconds{70}, seconds{140}, seconds{900}}) {
    At(at);
    EXPECT_GE(Ask(after, Operation::kCheck).retry_after, seconds{990} - at) << at.count();
  }
  At(seconds{1200});
  EXPECT_TRUE(Ask(after, Operation::kCheck).allowed);
}

TEST_F(SeveralTerms, NewNodeSeesADebtUnderExpiredTerms) {
  TermsNode before(Keep({.rate = Rate{20, seconds{1}}}));
  const RemoteLimit limit = Keep({.rate = Rate{1, seconds{100}}});
  TermsNode after(limit);
  Ask(before, Operation::kCheck);
  Ask(after, Operation::kCheck);
  Ask(before, Operation::kDebt, Cost{20'000});
  At(seconds{1});
  Ask(after,
      Operation::kDebt);  // always written, together with the time until which the terms are kept
  At(seconds{70});
  TermsNode fresh(limit);
  EXPECT_GE(Ask(fresh, Operation::kCheck).retry_after, seconds{920});
}

std::string NameOfAlgorithm(const ::testing::TestParamInfo<Algorithm>& algorithm) {
  constexpr std::array<const char*, 5> kNames = {"token_bucket", "fixed_window", "sliding_window",
                                                 "sliding_buckets", "sliding_log"};
  return kNames[algorithm.index];
}

INSTANTIATE_TEST_SUITE_P(Each, SeveralTermsOf,
                         ::testing::Values(Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                           Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets,
                                           Algorithm::kSlidingLog),
                         NameOfAlgorithm);

// Random terms, times and costs. Everything that passes under any terms would also have passed
// under the key's first terms, if these had been charged for all of it since they became the first.
class SeveralTermsRandom : public SeveralTerms, public ::testing::WithParamInterface<Kind> {
 protected:
  void SetUpFixture(Random& random) {
    client_->Command({"FLUSHALL"});
    LoadScripts(*client_);
    At(Nanos{0});
    nodes_.clear();
    makers_.clear();
    first_ = nullptr;
    terms_.clear();
    for (std::int64_t i = random.Between(2, 3); i > 0; --i) {
      LimitSpec spec = RandomRemoteLimit(GetParam(), random);
      // For a different zone it would be unknown when windows end.
      if (spec.zone) spec.zone = "Asia/Kathmandu";
      nodes_.push_back(std::make_unique<TermsNode>(Keep(spec)));
      makers_.push_back(std::make_unique<TraceMaker>(spec, ZoneOf(spec), random, now_));
      terms_ += ToText(spec) + "\n";
    }
  }

  void Step(Random& random) {
    const auto last = static_cast<std::int64_t>(nodes_.size()) - 1;
    const auto place = static_cast<std::size_t>(random.Between(0, last));
    TermsNode& node = *nodes_[place];
    if (random.OneIn(2)) {
      makers_[place]->CatchUp(now_);
      const Time next = makers_[place]->NextTime(node.last);
      if (next > now_ + std::chrono::years{10}) return;
      At(std::chrono::ceil<std::chrono::microseconds>(std::max(next, now_)) - kStart);
    }
    const Cost cost = makers_[place]->NextCost(node.last);
    const auto operation = random.Pick({Operation::kCheck, Operation::kCheck, Operation::kCheck,
                                        Operation::kPeek, Operation::kDebt});
    node.last = Ask(node, operation, cost);
    ++steps_;
    if (TakeFirst() || operation == Operation::kPeek || cost.units == 0) return;
    if (operation == Operation::kDebt) {
      model_->TakeDebt(cost, now_);
    } else if (node.last.allowed) {
      ++passed_;
      with_several_ += &node == first_ ? 0 : 1;
      EXPECT_TRUE(model_->Check(cost, now_).allowed) << "cost " << cost.units;
    }
  }

  // Returns whether the key has new first terms, or no state. If they are new, the model starts
  // with their state.
  bool TakeFirst() {
    const std::string text = client_->Text({"GET", "k"});
    const KeyText read = ReadKeyText(text);
    // With a COUNT of 0, a debt changes nothing.
    if (read.tag.empty()) return true;
    if (first_ != nullptr && first_->limit.tag() == read.tag) return false;
    const auto found = std::ranges::find_if(
        nodes_, [&](const auto& node) { return node->limit.tag() == read.tag; });
    EXPECT_NE(found, nodes_.end()) << text;
    ++changes_;
    first_ = found->get();
    // Widen the model like the node with the largest burst does.
    model_limit_ = std::make_shared<const RemoteLimit>(first_->limit);
    for (const auto& node : nodes_) {
      if (auto widened = Widened(*model_limit_, node->limit)) model_limit_ = std::move(widened);
    }
    model_ = KeyState::ReadText(model_limit_->terms(), read.state);
    EXPECT_TRUE(model_.has_value()) << text;
    return true;
  }

  std::vector<std::unique_ptr<TermsNode>> nodes_;
  std::vector<std::unique_ptr<TraceMaker>> makers_;
  const TermsNode* first_ = nullptr;
  std::shared_ptr<const RemoteLimit> model_limit_;
  std::optional<KeyState> model_;  // state of the first terms
  std::string terms_;
  int steps_ = 0;
  int passed_ = 0;
  int with_several_ = 0;  // passed under terms that are not the first
  int changes_ = 0;
};

TEST_P(SeveralTermsRandom, AdmitsNoMoreThanTheMostLenientTerms) {
  ForEachSeed(40, [&](Random& random) {
    SetUpFixture(random);
    for (int step = 0; step < 60 && !HasFailure(); ++step) Step(random);
    EXPECT_FALSE(HasFailure()) << terms_;
  });
  std::printf(
      "%d requests passed, %d of them under others than the first terms, which changed %d "
      "times\n",
      passed_, with_several_, changes_);
  EXPECT_GT(with_several_, 50);
  // Terms become the first at most once, unless others were alone for long.
  EXPECT_LT(changes_, steps_ / 8);
}

std::vector<Kind> KindsWithTags() {
  std::vector<Kind> kinds = RemoteKinds();
  std::erase_if(kinds,
                [](Kind kind) { return kind == Kind::kSlidingLog || kind == Kind::kConcurrency; });
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Each, SeveralTermsRandom, ::testing::ValuesIn(KindsWithTags()),
                         [](const auto& kind) { return NameOf(kind.param); });

// Terms share a log: each sees everything that passed within its own PERIOD, under any terms. A log
// is kept for the terms that need most, so nothing leaves the view too early.
TEST_F(SeveralTerms, SharesOneLogAmongTerms) {
  int passed = 0;
  ForEachSeed(60, [&](Random& random) {
    client_->Command({"FLUSHALL"});
    LoadScripts(*client_);
    std::vector<TermsNode> nodes;
    std::vector<std::optional<Time>> met;
    std::vector<Time> asked;
    std::vector<std::pair<Time, std::int64_t>> all;
    for (std::int64_t i = random.Between(2, 3); i > 0; --i) {
      LimitSpec spec = PerHour(random.Between(1, 20), Algorithm::kSlidingLog);
      spec.rate->period = seconds{random.Between(1, 10)};
      nodes.emplace_back(Keep(spec));
      met.emplace_back();
      asked.push_back(now_);
    }
    for (int step = 0; step < 150 && !HasFailure(); ++step) {
      At(now_ - kStart + std::chrono::milliseconds{random.OneIn(3) ? random.Between(0, 4000) : 0});
      const auto last = static_cast<std::int64_t>(nodes.size()) - 1;
      const auto place = static_cast<std::size_t>(random.Between(0, last));
      TermsNode& node = nodes[place];
      const Cost cost{random.Between(1, 6)};
      const Rate rate = std::get<SlidingLog>(node.limit.terms()).rate;
      if (client_->Number({"EXISTS", "k"}) == 0) std::ranges::fill(met, std::nullopt);
      // Terms are forgotten if they are not used for long.
      if (!met[place] || now_ - asked[place] > minutes{1}) met[place] = now_;
      asked[place] = now_;
      std::int64_t in_view = 0;
      std::int64_t since_met = 0;
      for (const auto& [at, units] : all) {
        if (now_ - at >= rate.period) continue;
        in_view += units;
        since_met += at >= *met[place] ? units : 0;
      }
      const Decision decision = Ask(node, Operation::kCheck, cost);
      if (decision.allowed) {
        EXPECT_LE(since_met + cost.units, rate.count) << "at step " << step;
        all.emplace_back(now_, cost.units);
        ++passed;
      } else {
        EXPECT_GT(in_view + cost.units, rate.count) << "at step " << step;
      }
    }
  });
  EXPECT_GT(passed, 500);
}

}  // namespace
}  // namespace sluice::testing
