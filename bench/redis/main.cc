// sluice_redis_bench: measures decisions of the Gate API with Redis, by consistency.
// bench/redis_store.py runs it beside redis-benchmark and reports the results.
//
//   sluice_redis_bench URL memory|exact|leased|eventual SECONDS KEYS DEPTH
//   sluice_redis_bench URL exact SECONDS KEYS paced RATE
//
// Prints one line of JSON: all decisions, refused ones and those made by fallback; seconds of wall
// time and of this process's CPU time; and, for a paced run, latencies since each request was due.
#include <sys/resource.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "config/settings/store_url.h"
#include "core/limit/parse_limit.h"
#include "gate/gate_session.h"
#include "limiter/system_clock.h"
#include "load/histogram.h"
#include "net/loop/event_loop.h"
#include "server/redis_backend.h"
#include "server/serve_parts.h"
#include "store/memory_store.h"

namespace sluice {
namespace {

using std::chrono::seconds;

struct Plan {
  std::string url;
  Consistency consistency = Consistency::kExact;
  bool is_remote = true;
  Nanos length{0};
  std::int64_t keys = 1;
  std::int64_t depth = 64;
  std::int64_t rate = 0;  // 0: as fast as possible
};

std::optional<std::int64_t> NumberOf(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

std::optional<Plan> ReadPlan(const std::vector<std::string_view>& words) {
  if (words.size() < 5) return std::nullopt;
  Plan plan;
  plan.url = words[0];
  constexpr std::array kModes = {
      std::pair<std::string_view, Consistency>{"memory", Consistency::kLocal},
      std::pair<std::string_view, Consistency>{"exact", Consistency::kExact},
      std::pair<std::string_view, Consistency>{"leased", Consistency::kLeased},
      std::pair<std::string_view, Consistency>{"eventual", Consistency::kEventual}};
  bool is_known = false;
  for (const auto& [word, consistency] : kModes) {
    if (words[1] != word) continue;
    plan.consistency = consistency;
    plan.is_remote = word != "memory";
    is_known = true;
  }
  const bool is_paced = words.size() == 6 && words[4] == "paced";
  const auto length = NumberOf(words[2]);
  const auto keys = NumberOf(words[3]);
  const auto last = NumberOf(words.back());
  if (!is_known || !length || !keys || !last) return std::nullopt;
  plan.length = seconds{*length};
  plan.keys = *keys;
  (is_paced ? plan.rate : plan.depth) = *last;
  return plan;
}

std::shared_ptr<const RuleSet> RulesOf(const Plan& plan) {
  RuleSpec rule;
  rule.name = "all";
  rule.per = {{{"user"}, {}}};
  rule.limits = {{"s", ParseLimit("1000000000/s", {}).value(), {}}};
  rule.consistency = plan.consistency;
  DomainSpec domain;
  domain.name = "api";
  domain.rules = {rule};
  RuleSetSpec spec;
  spec.domains = {domain};
  return RuleSet::Make(std::move(spec));
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

// Makes requests continuously on one loop, with at most `depth` in flight.
class Run final : private EventLoop::Watcher {
 public:
  Run(const Plan& plan, Gate& gate, const RemoteAccess& way, EventLoop& loop, Clock& clock)
      : plan_(plan), session_(gate, way), loop_(loop), clock_(clock), tick_(loop, [this] {
          OnAgain();
        }) {
    for (std::int64_t i = 0; i < plan.keys; ++i) users_.push_back(Concat("user:", 10'000'000 + i));
  }

  void Begin() {
    begin_ = clock_.Now();
    cpu_begin_ = CpuSeconds();
    loop_.Again(*this);
  }

  void Print() const {
    const double wall = std::chrono::duration<double>(clock_.Now() - begin_).count();
    const auto micros = [&](std::uint32_t millionths) {
      return static_cast<double>(latencies_.Quantile({millionths})) / 1000.0;
    };
    std::printf(
        "{\"decisions\": %lld, \"refused\": %lld, \"fallback\": %lld, \"later\": %lld, "
        "\"seconds\": %.6f, \"cpu_seconds\": %.6f, \"p50_us\": %.1f, \"p99_us\": %.1f, "
        "\"p999_us\": %.1f}\n",
        decided_, refused_, fallback_, later_, wall, CpuSeconds() - cpu_begin_, micros(500'000),
        micros(990'000), micros(999'000));
  }

 private:
  static constexpr int kAtOnce = 256;

  struct Waiter final : VerdictWaiter {
    explicit Waiter(Run& owner) : run(owner) {}
    void OnVerdict(Verdict& verdict) override { run.OnVerdict(*this, verdict); }
    Run& run;
    Time due{};
  };

  void OnReady(const EventLoop::Readiness& /*ready*/) override {}

  void OnAgain() override {
    const Time now = clock_.Now();
    if (now - begin_ >= plan_.length) {
      is_over_ = true;
      if (under_way_ == 0) loop_.End();
      return;
    }
    if (plan_.rate > 0) return AskDue(now);
    for (int i = 0; i < kAtOnce && under_way_ < plan_.depth; ++i) Ask(now);
    if (under_way_ < plan_.depth) loop_.Again(*this);
  }

  void AskDue(Time now) {
    const Nanos step{std::nano::den / plan_.rate};
    for (; begin_ + asked_ * step <= now; ++asked_) Ask(begin_ + asked_ * step);
    tick_.SetAfter(std::max(Nanos{1}, begin_ + asked_ * step - clock_.Now()));
  }

  void Ask(Time due) {
    const std::string& user = users_[next_++ % users_.size()];
    const Attribute attribute{"user", user};
    const AttributeSet set{.attributes = {&attribute, 1}};
    if (idle_.empty()) idle_.push_back(&waiters_.emplace_back(*this));
    Waiter& waiter = *idle_.back();
    waiter.due = due;
    if (session_.Decide({"api", {&set, 1}}, verdict_, waiter) == GateSession::Decided::kNow) {
      return Count(verdict_);
    }
    idle_.pop_back();
    ++under_way_;
    ++later_;
  }

  void Count(const Verdict& verdict) {
    ++decided_;
    if (!verdict.allowed()) ++refused_;
    if (verdict.decisions()[0].decision.source == Source::kFallback) ++fallback_;
  }

  void OnVerdict(Waiter& waiter, const Verdict& verdict) {
    Count(verdict);
    if (plan_.rate > 0) {
      latencies_.Add(static_cast<std::uint64_t>((clock_.Now() - waiter.due).count()));
    }
    idle_.push_back(&waiter);
    const bool was_full = under_way_-- == plan_.depth;
    if (is_over_) {
      if (under_way_ == 0) loop_.End();
    } else if (plan_.rate == 0 && was_full) {
      loop_.Again(*this);
    }
  }

  const Plan plan_;
  GateSession session_;
  EventLoop& loop_;
  Clock& clock_;
  LoopTimer tick_;
  std::vector<std::string> users_;
  std::deque<Waiter> waiters_;
  std::vector<Waiter*> idle_;
  Verdict verdict_;
  Histogram latencies_;
  Time begin_{};
  double cpu_begin_ = 0;
  std::int64_t asked_ = 0;
  std::size_t next_ = 0;
  std::int64_t under_way_ = 0;
  bool is_over_ = false;
  long long decided_ = 0;
  long long refused_ = 0;
  long long fallback_ = 0;
  long long later_ = 0;
};

int Main(const std::vector<std::string_view>& words) {
  const std::optional<Plan> plan = ReadPlan(words);
  if (!plan) {
    std::fputs("usage: sluice_redis_bench URL MODE SECONDS KEYS (DEPTH | paced RATE)\n", stderr);
    return 2;
  }
  const Result<StoreUrl> url = ParseStoreUrl(plan->url);
  if (!url.ok()) {
    std::fprintf(stderr, "%s\n", url.error().message.c_str());
    return 2;
  }
  Settings settings;
  settings.store.url = url.value();
  settings.store.deadline = seconds{1};
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  Log log({.descriptor = 2, .form = LogForm::kText, .min_level = LogLevel::kWarning}, *clock);
  EventLoop loop;
  auto remote = cli::RedisBackend::Make(settings, {*clock, log}).value();
  const auto store = MemoryStore::Create({.seed = {1, 2}}).value();
  Gate gate(*store, *clock, plan->is_remote ? &remote->limits() : nullptr);
  if (!gate.Use(RulesOf(*plan)).ok()) return 2;
  const RemoteAccess way = plan->is_remote ? remote->Join(0, loop) : RemoteAccess{};
  Run run(*plan, gate, way, loop, *clock);
  // Leaves time to connect and to fetch the secret.
  LoopTimer start(loop, [&] { run.Begin(); });
  start.SetAfter(std::chrono::milliseconds{300});
  loop.Run();
  run.Print();
  remote->End();
  return 0;
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  return sluice::Main(std::vector<std::string_view>(argv + 1, argv + argc));
}
