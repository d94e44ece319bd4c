#include "cli/bench.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "cli/bench_arguments.h"
#include "cli/bench_report.h"
#include "cli/bench_request.h"
#include "cli/serve_parts.h"
#include "cli/signals.h"
#include "core/text.h"
#include "load/load_run.h"
#include "net/connect.h"
#include "sluice/clock.h"

namespace sluice::cli {
namespace {

// Shows how it goes, and ends it when the system asks for that: what was measured by then is
// printed.
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

int RunOn(const BenchArguments& arguments, Console& console) {
  Result<LoadSessionFactory> sessions = BenchSessions(arguments);
  if (!sessions) return Fail(sessions.error().message, kExitBadInput, console);
  const Result<LoadReport> report = Measure(arguments, std::move(sessions).value(), console);
  if (!report) return Fail(report.error().message, kExitNoAnswer, console);
  const bool as_json = arguments.form == OutputForm::kJson;
  console.out.Write(as_json ? BenchJson(arguments, report.value())
                            : BenchText(arguments, report.value(), console.out.ink()));
  const std::string unmet = UnmetLines(arguments, report.value());
  console.err.Write(unmet);
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
