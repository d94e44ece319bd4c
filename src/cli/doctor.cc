#include "cli/doctor.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/flags.h"
#include "cli/usage.h"
#include "config/settings/read_settings.h"
#include "config/syntax/file_text.h"
#include "doctor/blocking_redis_client.h"
#include "doctor/doctor_context.h"
#include "doctor/finding.h"
#include "limiter/system_random.h"
#include "server/redis_connector.h"
#include "sluice/clock.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kHelp =
    R"(sluice doctor: whether a store is fit to keep states

usage: sluice doctor --store URL [FLAGS]

Connects to a Redis as 'sluice serve' would and prints one line for each thing it has looked at: ok,
warning or failure, what was found and what to do. It looks whether each server is reached and lets
us in, its version and role, the sentinels or the slots of the cluster, whether the scripts may run,
its clock, eviction, persistence, replication and latency. Scripts run on a key of its own under
sluice:doctor:, which is gone after a minute at most.

flags:
  --store URL                 the store: redis://, rediss://, redis+unix://, redis+sentinel:// or
                              redis+cluster://
  --store-password SECRET     its password, where it is not in the URL
  --store-password-file FILE  a file that holds it
  --store-deadline LENGTH     above which latency is a warning, 5ms unless said
  --settings FILE             a file of settings, of which those of the store are used
  -o text|json                for people (text, the default) or for programs: lines of JSON
  --help                      this text

All settings of 'sluice serve' are understood, also as variables (SLUICE_STORE,
SLUICE_STORE_PASSWORD), so that its command line can be tried as it is.

exit code: 0 if there is no failure, 1 if there is one, 2 if the command is wrong

example:
  $ sluice doctor --store redis://127.0.0.1:6379
)";

// The arguments, with -o and its value apart, because -o is no setting.
struct Arguments {
  std::vector<std::string_view> settings;
  std::vector<std::string_view> form;
};

Arguments Split(std::span<const std::string_view> args) {
  Arguments split;
  while (!args.empty()) {
    const bool is_form = args.front() == kFormFlag.name;
    const std::size_t count = is_form && args.size() > 1 ? 2 : 1;
    auto& taken = is_form ? split.form : split.settings;
    taken.insert(taken.end(), args.begin(), args.begin() + static_cast<std::ptrdiff_t>(count));
    args = args.subspan(count);
  }
  return split;
}

Result<OutputForm> FormOf(std::span<const std::string_view> args) {
  constexpr std::array kFlags = {kFormFlag};
  const Result<GivenFlags> given = ReadFlags(kFlags, args);
  if (!given.ok()) return given.error();
  return ReadForm(given.value());
}

int Fail(std::string_view message, Console& console) {
  return FailUsage("doctor", Concat(message, "\nRun 'sluice doctor --help' to learn more."),
                   console);
}

// Returns a random key, because two doctors may examine one store at the same time.
std::string ScratchKey(std::string_view prefix) {
  constexpr int kHexadecimal = 16;
  std::array<char, 16> digits;
  const auto end =
      std::to_chars(digits.begin(), digits.end(), DrawHashSeed().low, kHexadecimal).ptr;
  return Concat(prefix, "doctor:", std::string_view(digits.begin(), end));
}

int Examine(const StoreSettings& settings, const RedisConnector& store, OutputForm form,
            Console& console) {
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  RedisClientContext room(*clock, DrawHashSeed().low);
  if (!room.loop.is_usable()) {
    console.err.Write("sluice doctor: the system has no descriptors left\n");
    return kExitFailed;
  }
  bool has_failed = false;
  const auto report = [&](const Finding& finding) {
    has_failed = has_failed || finding.grade == Grade::kFailure;
    console.out.Write(form == OutputForm::kJson ? FindingJson(finding)
                                                : FindingText(finding, console.out.ink()));
    console.out.Flush();
  };
  const std::string& prefix = settings.key_prefix.text;
  const DoctorContext scene{room,   settings.url,       store, settings.deadline,
                            prefix, ScratchKey(prefix), report};
  if (settings.url.kind == StoreUrl::Kind::kSentinel) {
    CheckSentinels(scene);
  } else if (settings.url.kind == StoreUrl::Kind::kCluster) {
    CheckCluster(scene);
  } else {
    const Endpoint& endpoint = store.endpoints().front();
    BlockingRedisClient talk(room, endpoint, store.node());
    const std::string where = Describe(endpoint);
    if (CheckReachable(scene, talk, where, Need::kThisOne)) {
      CheckDeciding(scene, {talk, where, scene.scratch_key});
    }
  }
  return has_failed ? kExitNo : kExitOk;
}

}  // namespace

std::string_view DoctorHelp() { return kHelp; }

int RunDoctor(std::span<const std::string_view> args, Console& console) {
  const Arguments split = Split(args);
  for (const std::string_view arg : split.settings) {
    if (arg != "--help" && arg != "-h") continue;
    console.out.Write(kHelp);
    return kExitOk;
  }
  const Result<OutputForm> form = FormOf(split.form);
  if (!form.ok()) return Fail(form.error().message, console);
  std::vector<std::string_view> environment;
  for (char** each = environ; *each != nullptr; ++each) environment.emplace_back(*each);
  const ReadSettingsResult given = ReadSettings({.args = split.settings,
                                                 .environment = environment,
                                                 .read_file = ReadFileText,
                                                 .main_flag = "--store"});
  for (const ConfigProblem& problem : given.problems) {
    console.err.Write(Concat("sluice doctor: ", Describe(given.files, problem), "\n"));
  }
  if (HasErrors(given.problems)) return kExitBadInput;
  const StoreUrl& url = given.settings.store.url;
  if (!RedisConnector::IsFor(url)) {
    return Fail("expected --store URL, for example --store redis://127.0.0.1:6379", console);
  }
  const Result<RedisConnector> store = RedisConnector::Make(url, given.settings.store.deadline);
  if (!store.ok()) {
    console.err.Write(Concat("sluice doctor: ", store.error().message, "\n"));
    return kExitBadInput;
  }
  return Examine(given.settings.store, store.value(), form.value(), console);
}

}  // namespace sluice::cli
