#include "cli/bench.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "cli/bench_arguments.h"
#include "cli/bench_report.h"
#include "cli/bench_request.h"
#include "cli/check_answer.h"
#include "cli/conversation.h"
#include "cli/process_limits.h"
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

// Whether the server has rules for the domain. Without any, forward auth and Envoy's protocol let
// everything pass, so the load itself does not tell. What is no clear no counts as yes: the server
// may be another one than ours.
bool HasDomain(const BenchArguments& arguments) {
  constexpr Nanos kTimeout = std::chrono::seconds{1};
  const std::string server = Describe(arguments.server);
  const CheckQuestion question{
      .server = server, .protocol = "http", .domain = arguments.domain, .call = CheckCall::kPeek};
  const Result<ServerAddress> address = FindServer(arguments.server);
  if (!address) return true;
  const std::unique_ptr<Conversation> conversation = AskByHttp(question, arguments.credentials);
  const Result<CheckAnswer> answer =
      Converse(address.value(), *conversation, *MakeSystemClock(), kTimeout);
  return answer || answer.error().message.find(kNoRulesWords) == std::string::npos;
}

// Whether what was measured may be that of a domain without rules.
bool MayLackDomain(const BenchArguments& arguments, const Measurements& measured) {
  if (arguments.domain.empty() || arguments.protocol == BenchProtocol::kResp) return false;
  const bool passes_without_rules = arguments.protocol != BenchProtocol::kHttp;
  return measured.answered() == 0 || (passes_without_rules && measured.refused() == 0);
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
  if (MayLackDomain(arguments, report.value().measured) && !HasDomain(arguments)) {
    return Fail(Concat(Describe(arguments.server), " has no rules for the domain ",
                       Quoted(arguments.domain), ", so this measured nothing that is limited"),
                kExitNoAnswer, console);
  }
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
