#include "cli/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text.h"
#include "cli/bench/bench_arguments.h"
#include "cli/bench/bench_report.h"
#include "cli/bench/bench_request.h"
#include "cli/check/probe.h"
#include "load/load_run.h"
#include "net/loop/connect.h"
#include "server/process_limits.h"
#include "server/signals.h"
#include "sluice/clock.h"

namespace sluice::cli {
namespace {

// Prints progress, and ends the run on a signal. The results so far are then printed.
class Watcher final : public LoadWatcher {
 public:
  Watcher(Output& out, bool shows) : out_(out), shows_(shows) {}

  void OnSecond(const LoadReport& second) override {
    ++seconds_;
    if (!shows_) return;
    out_.Write(ProgressLine(seconds_, second));
    out_.Flush();
  }

  bool WantsEnd() override { return signals_.WaitFor(Nanos{0}) != Asked::kNothing; }

 private:
  Output& out_;
  bool shows_;
  std::uint64_t seconds_ = 0;
  Signals signals_;
};

LoadPlan PlanOf(const BenchArguments& arguments, ServerAddress server,
                LoadSessionFactory sessions) {
  return {.server = std::move(server),
          .make_session = std::move(sessions),
          .connections = arguments.connections,
          .depth = arguments.depth,
          .threads = arguments.threads,
          .amount = arguments.amount,
          .distribution = arguments.distribution,
          .keys = arguments.keys,
          .seed = arguments.seed,
          .timeout = arguments.timeout};
}

Result<LoadReport> Measure(const BenchArguments& arguments, LoadSessionFactory sessions,
                           Console& console) {
  RaiseDescriptorBound();
  Result<ServerAddress> server = FindServer(arguments.server);
  if (!server) return server.error();
  const LoadPlan plan = PlanOf(arguments, std::move(server).value(), std::move(sessions));
  Watcher watcher(console.err, arguments.shows_progress || console.err.is_terminal());
  return RunLoad(plan, *MakeSystemClock(), watcher);
}

int Fail(std::string_view message, int code, Console& console) {
  console.err.Write(Concat("sluice bench: ", message, "\n"));
  return code;
}

ProbeFinding ProbeServer(const BenchArguments& arguments) {
  constexpr Nanos kTimeout = std::chrono::seconds{1};
  if (arguments.domain.empty()) return ProbeFinding::kNothing;
  return Probe(arguments.server, arguments.domain, arguments.credentials, kTimeout);
}

// Returns whether no request was refused over a protocol that also passes the requests of a domain
// without rules. HTTP and RESP report such a domain instead.
bool AllPassed(const BenchArguments& arguments, const Measurements& measured) {
  const bool passes_without_rules = arguments.protocol == BenchProtocol::kRls ||
                                    arguments.protocol == BenchProtocol::kForwardAuth;
  return passes_without_rules && measured.refused() == 0;
}

// "none of 10 requests got a verdict; the most common error: status 405 (10 of them)"
std::string NoVerdictMessage(const Measurements& measured) {
  const auto& causes = measured.causes();
  const auto count_of = [](const auto& cause) { return cause.second; };
  const auto max = std::ranges::max_element(causes, {}, count_of);
  if (max == causes.end()) return "no request was answered";
  return Concat("none of ", measured.requests(),
                " requests got a verdict; the most common error: ", max->first, " (", max->second,
                " of them)");
}

// Returns whether the figures describe requests that rules apply to. Prints the reason if not.
bool IsMeaningful(const BenchArguments& arguments, const Measurements& measured, Console& console) {
  const bool has_verdicts = measured.answered() > 0;
  if (has_verdicts && !AllPassed(arguments, measured)) return true;
  const ProbeFinding finding = ProbeServer(arguments);
  if (finding == ProbeFinding::kNoRules) {
    Fail(NoRulesMessage(Describe(arguments.server), arguments.domain), kExitNoAnswer, console);
    return false;
  }
  if (has_verdicts) return true;
  Fail(Concat(NoVerdictMessage(measured), AdviceFor(finding)), kExitNoAnswer, console);
  return false;
}

int RunOn(const BenchArguments& arguments, Console& console) {
  Result<LoadSessionFactory> sessions = BenchSessions(arguments);
  if (!sessions) return Fail(sessions.error().message, kExitBadInput, console);
  const Result<LoadReport> report = Measure(arguments, std::move(sessions).value(), console);
  if (!report) {
    return Fail(Concat(report.error().message, AdviceFor(ProbeServer(arguments))), kExitNoAnswer,
                console);
  }
  const bool as_json = arguments.form == OutputForm::kJson;
  console.out.Write(as_json ? BenchJson(arguments, report.value())
                            : BenchText(arguments, report.value(), console.out.ink()));
  const std::string unmet = UnmetLines(arguments, report.value());
  console.err.Write(unmet);
  if (!IsMeaningful(arguments, report.value().measured, console)) return kExitNoAnswer;
  return unmet.empty() ? kExitOk : kExitNo;
}

}  // namespace

int RunBench(std::span<const std::string_view> args, Console& console) {
  const Result<GivenFlags> given = ReadBenchFlags(args);
  if (given && given.value().Has("--help")) {
    console.out.Write(BenchHelp());
    return kExitOk;
  }
  const Result<BenchArguments> arguments =
      given ? ReadBenchArguments(given.value()) : given.error();
  if (!arguments) {
    return Fail(Concat(arguments.error().message, "\nRun 'sluice bench --help' to learn more."),
                kExitBadInput, console);
  }
  return RunOn(arguments.value(), console);
}

}  // namespace sluice::cli
