#include "config/watch/rule_loader.h"

#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

// The second read matches the first unless a file is being written at this moment.
constexpr int kMaxReadings = 5;

std::vector<std::string> Lines(const ReadRulesResult& read) {
  std::vector<std::string> lines;
  lines.reserve(read.problems.size());
  for (const ConfigProblem& problem : read.problems) {
    lines.push_back(Describe(read.spec.files, problem));
  }
  return lines;
}

}  // namespace

// Reading once is not enough: if a link is swapped between two files, one would be old and one new.
Result<std::vector<RuleText>> RuleLoader::ReadAgreeing() const {
  Result<std::vector<RuleText>> texts = ports_.read();
  for (int i = 1; i < kMaxReadings && texts.ok(); ++i) {
    Result<std::vector<RuleText>> again = ports_.read();
    if (again.ok() && HashOf(again.value()) == HashOf(texts.value())) return again;
    texts = std::move(again);
  }
  if (!texts.ok()) return texts;
  return Error{"the files keep changing while they are read"};
}

LoadOutcome RuleLoader::Load(ReloadCause cause) {
  FreeUnused();
  const Time began = clock_.Now();
  const Result<std::vector<RuleText>> texts = ReadAgreeing();
  if (!texts.ok()) {
    tried_.reset();
    return Fail(cause, {texts.error().message});
  }
  const RuleHash hash = HashOf(texts.value());
  const std::shared_ptr<const RuleStatus> before = status();
  if (before->in_force && before->in_force->hash == hash) return Keep(cause);
  if (cause == ReloadCause::kLook) {
    if (!tried_ || tried_->hash != hash) return LoadOutcome::kDiffers;
    if (tried_->has_errors) return LoadOutcome::kFailed;
  }
  ReadRulesResult read = ReadAndCheckRules(texts.value(), ports_.zones);
  tried_ = Tried{hash, HasErrors(read.problems)};
  if (tried_->has_errors) return Fail(cause, Lines(read));
  RulesInForce in_force{.hash = hash,
                        .count = CountText(read.spec),
                        .files = read.spec.files,
                        .warnings = Lines(read)};
  std::shared_ptr<const RuleSet> rules = RuleSet::Make(std::move(read.spec));
  if (const Result<Done> used = ports_.use(rules); !used.ok()) {
    return Fail(cause, {used.error().message});
  }
  retired_.push_back(std::exchange(rules_, std::move(rules)));
  in_force.loaded_at = clock_.Now();
  in_force.load_time = in_force.loaded_at - began;
  return Succeed(std::move(in_force));
}

LoadOutcome RuleLoader::Succeed(RulesInForce in_force) {
  tried_.reset();
  RuleStatus status = *this->status();
  status.in_force = std::move(in_force);
  status.failure.reset();
  ++status.loads;
  const std::string text = LoadedText(status);
  const std::vector<std::string> warnings = WarningTexts(status);
  Publish(std::move(status));
  ports_.report({RuleEvent::Kind::kLoaded, text});
  for (const std::string& warning : warnings) {
    ports_.report({RuleEvent::Kind::kWarned, warning});
  }
  return LoadOutcome::kLoaded;
}

LoadOutcome RuleLoader::Keep(ReloadCause cause) {
  tried_.reset();
  RuleStatus status = *this->status();
  const bool recovered = status.failure.has_value();
  const bool news = recovered || cause == ReloadCause::kRequest;
  if (cause == ReloadCause::kLook && !news) return LoadOutcome::kUnchanged;
  status.failure.reset();
  ++status.unchanged;
  const std::string text = Concat("rules unchanged: hash ", HexText(status.in_force->hash),
                                  recovered ? "; the files say what is in force again" : "");
  Publish(std::move(status));
  using Kind = RuleEvent::Kind;
  if (news) ports_.report({recovered ? Kind::kRecovered : Kind::kUnchanged, text});
  return LoadOutcome::kUnchanged;
}

LoadOutcome RuleLoader::Fail(ReloadCause cause, std::vector<std::string> problems) {
  RuleStatus status = *this->status();
  const bool known = status.failure && status.failure->problems == problems;
  if (cause == ReloadCause::kLook && known) return LoadOutcome::kFailed;
  status.failure = LoadFailure{clock_.Now(), std::move(problems)};
  ++status.failures;
  const std::string text = NotLoadedText(status);
  Publish(std::move(status));
  if (cause != ReloadCause::kStart) ports_.report({RuleEvent::Kind::kNotLoaded, text});
  return LoadOutcome::kFailed;
}

void RuleLoader::SetWatchFault(const std::string& fault, std::string_view instead) {
  RuleStatus status = *this->status();
  if (status.watch_fault == fault) return;
  status.watch_fault = fault;
  Publish(std::move(status));
  if (!fault.empty()) {
    ports_.report({RuleEvent::Kind::kNotWatched, Concat(fault, "; ", instead)});
  }
}

// A set referenced only by this loader cannot be acquired by another thread.
void RuleLoader::FreeUnused() {
  std::erase_if(retired_, [](const auto& rules) { return rules.use_count() <= 1; });
}

std::shared_ptr<const RuleStatus> RuleLoader::status() const {
  const std::lock_guard guard(status_mutex_);
  return status_;
}

void RuleLoader::Publish(RuleStatus status) {
  auto published = std::make_shared<const RuleStatus>(std::move(status));
  const std::lock_guard guard(status_mutex_);
  status_ = std::move(published);
}

}  // namespace sluice
