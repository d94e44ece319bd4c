#include "remote/script/log_plan.h"

#include <algorithm>
#include <variant>

namespace sluice {
namespace {

std::int64_t OrNone(std::int64_t depth) { return depth < 0 ? LogPlan::kNone : depth; }

}  // namespace

LogPlan PlanLog(const ScriptCall& call, std::size_t key) {
  const auto& terms = std::get<SlidingLog>(call.keys()[key].limit->terms());
  const std::int64_t count = terms.rate.count;
  LogPlan plan;
  std::int64_t debt = 0;
  for (const ScriptItem& item : call.items()) {
    if (item.key != key) continue;
    const std::int64_t cost = std::min(item.cost.units, count);
    switch (item.kind) {
      case ItemKind::kDebt:
        debt = cost;
        break;
      case ItemKind::kCheck:
      case ItemKind::kAsk:
        // Recorded units are newer, so the unit that must expire then has a smaller depth.
        if (terms.count_refused == Refused::kRecord) plan.first = OrNone(count - debt - 2 * cost);
        plan.second = OrNone(count - debt - std::min(item.asked().units, count));
        break;
      case ItemKind::kRefund:
        // The newest unit that stays.
        plan.second = cost;
        break;
      case ItemKind::kReset:
        break;
    }
  }
  return plan;
}

std::vector<LogEntry> LogLike(const LogTold& told) {
  std::vector<LogEntry> entries;
  std::int64_t left = told.units;
  // Oldest first: each entry holds the units from its depth up to that of the entry before.
  for (const LogTold::Unit* unit : {&told.oldest, &told.second, &told.first, &told.newest}) {
    if (unit->depth == LogPlan::kNone || unit->depth >= left) continue;
    const std::int64_t units = left - unit->depth;
    left = unit->depth;
    if (!entries.empty() && entries.back().at == unit->at) {
      entries.back().units += units;
    } else {
      entries.push_back({unit->at, units});
    }
  }
  return entries;
}

}  // namespace sluice
