// Checks whether a server can run the scripts, and how fast.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "console/duration_text.h"
#include "core/limit/limit.h"
#include "doctor/doctor_context.h"
#include "doctor/doctor_permissions.h"
#include "remote/script/new_terms.h"
#include "remote/script/permit_call.h"
#include "remote/script/redis_scripts.h"
#include "remote/script/remote_limit.h"
#include "remote/script/script_reply.h"
#include "remote/script/script_request.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kRounds = 100;

// REQUIRES: a limit that Redis can keep, without calendar windows.
RemoteLimit LimitOf(const LimitSpec& spec) {
  const auto no_zones = [](std::string_view /*name*/) { return nullptr; };
  const auto made = MakeLimit(spec, no_zones);
  const auto* const limit = std::get_if<Limit>(&made);
  assert(limit != nullptr);
  return RemoteLimit::Make(*limit).value();
}

RemoteLimit PerMinute(std::int64_t count) {
  return LimitOf({.rate = Rate{count, std::chrono::minutes{1}}});
}

// Runs each script on the scratch key, which expires within seconds if it is not deleted.
class ScriptRun {
 public:
  ScriptRun(const DoctorContext& scene, const DecidingServer& server)
      : talk_(server.talk), key_(server.scratch_key), clock_(scene.room.clock) {}

  // Returns an error of the server, or of ours if a reply is not as expected.
  Result<Done> Run() {
    for (const RedisScript* const script : {&DecideScript(), &NewTermsScript(), &PermitScript()}) {
      const BlockingReply loaded = talk_.Ask({"SCRIPT", "LOAD", script->text});
      if (!loaded.ok()) return Fault(loaded);
      if (loaded.text() != script->sha1) return Error{"a script has another name there than here"};
    }
    Forget();
    Result<Done> done = RunDecide();
    if (done.ok()) done = RunPermit();
    Forget();
    return done;
  }

  void Forget() { talk_.Ask({"DEL", key_, NameBeside(key_, PerMinute(10).tag())}); }

 private:
  static Error Fault(const BlockingReply& reply) { return {std::string(reply.text())}; }

  Result<BlockingReply> Decide(const ScriptCall& call) {
    std::string command;
    call.Write(clock_.Now(), command);
    BlockingReply reply = talk_.AskBytes(std::move(command));
    if (!reply.ok()) return Fault(reply);
    return reply;
  }

  // Makes a charge, then another one under new terms, for which the state must be converted first.
  Result<Done> RunDecide() {
    const RemoteLimit before = PerMinute(10);
    const RemoteLimit after = PerMinute(20);
    ScriptStatus expected = ScriptStatus::kDecided;
    for (const RemoteLimit* const limit : {&before, &after, &after}) {
      ScriptCall call(Operation::kCheck, {key_, limit, Cost{1}});
      const Result<BlockingReply> reply = Decide(call);
      if (!reply.ok()) return reply.error();
      Decision decision;
      const Result<ScriptOutcome> outcome =
          ReadScriptReply(call, reply.value().nodes, {&decision, 1});
      if (!outcome.ok()) return outcome.error();
      const bool is_other = outcome.value().status == ScriptStatus::kOtherTerms;
      if (outcome.value().status != expected || (!is_other && !decision.allowed)) {
        return Error{"a script has decided what it should not have"};
      }
      expected = limit == &before ? ScriptStatus::kOtherTerms : ScriptStatus::kDecided;
      if (!is_other) continue;
      if (Result<Done> done = Meet(call, reply.value()); !done.ok()) return done;
    }
    return Done{};
  }

  Result<Done> Meet(ScriptCall& call, const BlockingReply& reply) {
    FirstTerms terms;
    const Result<Meeting> meeting = MeetTerms(call, reply.nodes, terms);
    if (!meeting.ok()) return meeting.error();
    std::string command;
    WriteNewStates(call, meeting.value().states, command);
    const BlockingReply written = talk_.AskBytes(std::move(command));
    if (!written.ok()) return Fault(written);
    return Done{};
  }

  Result<Done> RunPermit() {
    const RemoteLimit limit = LimitOf(
        {.algorithm = Algorithm::kConcurrency, .max_in_flight = 1, .ttl = std::chrono::seconds{1}});
    Forget();
    for (const Operation operation : {Operation::kAcquire, Operation::kRelease}) {
      const PermitCall call(operation, {key_, &limit, Cost{1}}, PermitId{1});
      std::string command;
      call.Write(command);
      const BlockingReply reply = talk_.AskBytes(std::move(command));
      if (!reply.ok()) return Fault(reply);
      const Result<PermitOutcome> outcome = call.Read(reply.nodes);
      if (!outcome.ok()) return outcome.error();
    }
    return Done{};
  }

  BlockingRedisClient& talk_;
  const std::string key_;
  Clock& clock_;
};

Finding Forbidden(const DoctorContext& scene, const DecidingServer& server,
                  const Permissions& permissions) {
  const std::string user = scene.url.user.empty() ? "default" : scene.url.user;
  std::string found = Concat("the user ", Quoted(user), " may not");
  for (const std::string_view command : permissions.commands) {
    found += Concat(command == permissions.commands.front() ? " run " : ", ", command);
  }
  if (permissions.lacks_keys) {
    found += Concat(permissions.commands.empty() ? "" : ", nor", " use keys ",
                    KeyPattern(scene.key_prefix));
  }
  return {.grade = Grade::kFailure,
          .check = "scripts",
          .where = server.where,
          .found = std::move(found),
          .advice =
              Concat("ACL SETUSER ", Printable(user), " ", AclRules(scene.url, scene.key_prefix))};
}

}  // namespace

bool CheckScripts(const DoctorContext& scene, const DecidingServer& server) {
  const Permissions permissions = FindMissing(scene.url, server);
  if (!permissions.commands.empty() || permissions.lacks_keys) {
    scene.report(Forbidden(scene, server, permissions));
    return false;
  }
  const Result<Done> done = ScriptRun(scene, server).Run();
  Finding finding{
      .check = "scripts", .where = server.where, .found = "load and run, with all they call"};
  if (!done.ok()) {
    finding.grade = Grade::kFailure;
    finding.found = Concat("do not run: ", Printable(done.error().message));
    finding.advice = "see whether this is Redis, and no proxy or other program that speaks like it";
  }
  scene.report(finding);
  return done.ok();
}

void CheckLatency(const DoctorContext& scene, const DecidingServer& server) {
  const RemoteLimit limit = PerMinute(6000);
  std::vector<Nanos> took;
  for (std::size_t i = 0; i < kRounds; ++i) {
    std::string command;
    const ScriptCall call(Operation::kCheck, {server.scratch_key, &limit, Cost{1}});
    const Time begin = scene.room.clock.Now();
    call.Write(begin, command);
    const BlockingReply reply = server.talk.AskBytes(std::move(command));
    took.push_back(scene.room.clock.Now() - begin);
    if (!reply.ok()) {
      scene.report({.grade = Grade::kFailure,
                    .check = "latency",
                    .where = server.where,
                    .found = Concat("not measured: ", Printable(reply.text())),
                    .advice = "try again, and look at its log"});
      return;
    }
  }
  server.talk.Ask({"DEL", server.scratch_key});
  std::ranges::sort(took);
  const Nanos p99 = took[kRounds * 99 / 100 - 1];
  Finding finding{.check = "latency",
                  .where = server.where,
                  .found = Concat(kRounds, " decisions, one after another: p50 ",
                                  DurationText(took[kRounds / 2 - 1]), ", p99 ", DurationText(p99),
                                  ", most ", DurationText(took.back()))};
  if (p99 > scene.deadline) {
    finding.grade = Grade::kWarning;
    finding.found += Concat("; above 'store.deadline', ", DurationText(scene.deadline),
                            ", on_store_failure decides");
    finding.advice = "bring Redis nearer, look what else it does, or raise 'store.deadline'";
  }
  scene.report(finding);
}

}  // namespace sluice::cli
