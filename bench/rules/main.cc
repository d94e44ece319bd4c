// The benchmark of rule matching: from a request's attributes to its charges, on one core.
//
//   sluice_rules_bench            prints a table
//   sluice_rules_bench --expect   also exits with 1 if a mark is missed
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/machine.h"
#include "core/limit/parse_limit.h"
#include "rules/compile/rule_set.h"

namespace sluice::bench {
namespace {

constexpr int kRounds = 51;
constexpr int kRequests = 20'000;  // per round
constexpr std::size_t kPrefixes = 100'000;
constexpr std::uint64_t kSeed = 20'240'229;

using Condition = std::pair<std::string, MatcherSpec>;

MatcherSpec Text(std::string text) { return {.texts = {std::move(text)}, .origin = {}}; }

RuleSpec RuleFor(std::size_t number, std::vector<Condition> match) {
  RuleSpec rule;
  rule.name = "rule " + std::to_string(number);
  for (auto& [attribute, matcher] : match) rule.match.push_back({attribute, matcher});
  rule.per.push_back({{"user"}, {}});
  rule.limits.push_back({"m", ParseLimit("100/m", {}).value(), {}});
  return rule;
}

// Makes one of `all` rules. In every thousand, 600 match an exact path, 300 a prefix, 90 a glob and
// 10 a regular expression; with ten rules there are six, three, one and none.
RuleSpec MakeRule(std::size_t number, std::size_t all) {
  const std::string path = "/v1/resource" + std::to_string(number);
  const std::size_t part = number * 1000 / all;
  if (part < 600) return RuleFor(number, {{"path", Text(path)}, {"method", Text("GET")}});
  if (part < 900) return RuleFor(number, {{"path", Text(path + "/*")}});
  if (part < 990)
    return RuleFor(number, {{"path", Text("*/items" + std::to_string(number) + "/*")}});
  MatcherSpec regex = Text("/v2/(users|teams)/[0-9]+/r" + std::to_string(number));
  regex.kind = MatcherSpec::Kind::kRegex;
  return RuleFor(number, {{"path", regex}});
}

RuleSpec OfficesRule() {
  MatcherSpec in = Text("offices");
  in.kind = MatcherSpec::Kind::kIn;
  RuleSpec rule;
  rule.name = "offices";
  rule.action = RuleAction::kAllow;
  rule.match.push_back({"ip", in});
  return rule;
}

std::shared_ptr<const RuleSet> MakeRules(std::size_t count, std::size_t prefixes) {
  DomainSpec domain;
  domain.name = "api";
  std::mt19937_64 engine(kSeed);
  ListSpec list{.name = "offices", .values = {}, .origin = {}};
  // One address in eight hundred is in a prefix, so the rule allows hardly any request. One in six
  // is close enough to a prefix to need a search.
  for (std::size_t i = 0; i < prefixes; ++i) {
    const auto cut = static_cast<unsigned>(engine() % 9);
    const auto bits = static_cast<std::uint32_t>(engine() >> 32U) >> cut << cut;
    list.values.push_back(FormatIpAddress(IpAddress::FromV4(bits)) + "/" +
                          std::to_string(32 - cut));
  }
  if (prefixes != 0) {
    domain.lists.push_back(std::move(list));
    domain.rules.push_back(OfficesRule());
  }
  for (std::size_t i = 0; i < count; ++i) domain.rules.push_back(MakeRule(i, count));
  RuleSetSpec spec;
  spec.domains.push_back(std::move(domain));
  return RuleSet::Make(std::move(spec));
}

// A request as a proxy sends it, with a path that one rule matches.
struct Texts {
  std::string user;
  std::string ip;
  std::string path;
};

std::vector<Texts> MakeRequests(std::size_t rules) {
  std::mt19937_64 engine(kSeed + 1);
  std::vector<Texts> requests(kRequests);
  for (Texts& each : requests) {
    const auto address = static_cast<std::uint32_t>(engine() >> 32U);
    each.user = "user" + std::to_string(engine() % 1'000'000);
    each.ip = FormatIpAddress(IpAddress::FromV4(address));
    each.path = "/v1/resource" + std::to_string(engine() % rules) + (engine() % 3 == 0 ? "/7" : "");
  }
  return requests;
}

// Returns the CPU nanoseconds per request of one round. `charges` keeps the compiler from removing
// the work.
double MeasureRound(const RuleSet& rules, const std::vector<Texts>& requests,
                    std::size_t& charges) {
  const Domain& domain = *rules.Find("api");
  Match match;
  const double start = ThreadCpuSeconds();
  for (const Texts& each : requests) {
    const Attribute attributes[] = {
        {"method", "GET"}, {"path", each.path}, {"ip", each.ip}, {"user", each.user}};
    match.Clear();
    domain.MatchRules(attributes, Cost{1}, match);
    charges += match.charges().size();
  }
  return (ThreadCpuSeconds() - start) / kRequests * 1e9;
}

double MedianOf(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

// Nanoseconds per request, as medians of the rounds.
struct Pair {
  double without = 0;  // with no list
  double more = 0;     // extra time with a list of 100,000 prefixes
};

// Alternates rounds with and without the list, so that slow phases of the machine affect both.
Pair MeasurePair(std::size_t rules) {
  const auto plain = MakeRules(rules, 0);
  const auto listed = MakeRules(rules, kPrefixes);
  const std::vector<Texts> requests = MakeRequests(rules);
  std::size_t charges = 0;
  std::vector<double> without;
  std::vector<double> more;
  for (int round = 0; round < kRounds; ++round) {
    without.push_back(MeasureRound(*plain, requests, charges));
    more.push_back(MeasureRound(*listed, requests, charges) - without.back());
  }
  const Pair pair{MedianOf(without), MedianOf(more)};
  std::printf("%6zu rules: %5.0f ns a request, %4.0f ns more with %zu prefixes, %.2f charges\n",
              rules, pair.without, pair.more, kPrefixes,
              static_cast<double>(charges) / kRequests / kRounds / 2);
  return pair;
}

bool Judge(const char* what, double measured, double max) {
  const bool reached = measured < max;
  std::printf("%s %-44s %7.0f ns\n", reached ? "pass" : "FAIL", what, measured);
  return reached;
}

int Main(bool expect) {
  std::printf("%s\n\n", DescribeMachine().c_str());
  const Pair ten = MeasurePair(10);
  const Pair thousand = MeasurePair(1000);
  if (!expect) return 0;
  std::printf("\n");
  const bool reached[] = {Judge("10 rules: under 300 ns", ten.without, 300),
                          Judge("1,000 rules: under 2,000 ns", thousand.without, 2000),
                          Judge("100,000 prefixes: under 100 ns more", ten.more, 100)};
  return std::all_of(std::begin(reached), std::end(reached), [](bool each) { return each; }) ? 0
                                                                                             : 1;
}

}  // namespace
}  // namespace sluice::bench

int main(int count, char** arguments) {
  return sluice::bench::Main(count > 1 && std::string_view(arguments[1]) == "--expect");
}
