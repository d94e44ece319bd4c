#include "config/watch/live_rules.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/rules/rule_files.h"

namespace sluice {
namespace {

// Reads all files, or returns the errors of those that cannot be read.
Result<std::vector<RuleText>> ReadAllFiles(std::span<const std::string> paths) {
  std::vector<RuleText> texts = ReadRuleFiles(paths);
  std::string faults;
  for (const RuleText& text : texts) {
    if (text.fault.empty()) continue;
    faults += Concat(faults.empty() ? "" : "\n", text.name, ": ", text.fault);
  }
  if (!faults.empty()) return Error{std::move(faults)};
  return texts;
}

}  // namespace

Result<std::unique_ptr<LiveRules>> LiveRules::Create(LiveRulesOptions options,
                                                     Result<std::unique_ptr<DirectoryWatch>> watch,
                                                     Clock& clock) {
  std::unique_ptr<LiveRules> live(new LiveRules(std::move(options), clock));
  RuleLoader& loader = live->loader_;
  Result<std::unique_ptr<FileWatcher>> follower = FileWatcher::Create(
      {.what = "rule files",
       .load = [&loader](ReloadCause cause) { return loader.Load(cause); },
       .note_watch = [&loader](const std::string& fault,
                               std::string_view instead) { loader.SetWatchFault(fault, instead); }},
      live->options_.times, std::move(watch), clock);
  if (!follower.ok()) return follower.error();
  live->follower_ = std::move(follower).value();
  return live;
}

LiveRules::LiveRules(LiveRulesOptions options, Clock& clock)
    : options_(std::move(options)),
      loader_({.read = [this] { return ReadAllFiles(options_.paths); },
               .zones = options_.zones,
               .use = options_.use,
               .report = options_.report},
              clock) {}

Result<Done> LiveRules::Load() {
  follower_->NoteWatch();
  if (loader_.Load(ReloadCause::kStart) != LoadOutcome::kFailed) return Done{};
  std::string lines;
  for (const std::string& problem : status()->failure->problems) {
    lines += Concat(lines.empty() ? "" : "\n", problem);
  }
  return Error{std::move(lines)};
}

}  // namespace sluice
