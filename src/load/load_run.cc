#include "load/load_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "load/load_loop.h"

namespace sluice {
namespace {

Nanos CpuTime() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto length = [](const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  };
  return length(usage.ru_utime) + length(usage.ru_stime);
}

// Runs all loops, the first one on this thread. Returns their results.
std::vector<Result<Done>> RunAll(std::vector<std::unique_ptr<LoadLoop>>& loops, Time begin) {
  std::vector<Result<Done>> outcomes(loops.size(), Done{});
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < loops.size(); ++i) {
    threads.emplace_back([&, i] { outcomes[i] = loops[i]->Run(begin); });
  }
  outcomes[0] = loops[0]->Run(begin);
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

}  // namespace

Result<LoadReport> RunLoad(const LoadPlan& plan, Clock& clock, LoadWatcher& watcher) {
  LoadShare share;
  std::vector<std::unique_ptr<LoadLoop>> loops;
  for (std::size_t i = 0; i < plan.threads; ++i) {
    loops.push_back(std::make_unique<LoadLoop>(plan, TaskSlice{i, plan.threads}, clock, share,
                                               i == 0 ? &watcher : nullptr));
    const Result<Done> opened = loops.back()->Open();
    if (!opened) return opened.error();
  }
  const Nanos cpu_before = CpuTime();
  const Time begin = clock.Now();
  for (const Result<Done>& outcome : RunAll(loops, begin)) {
    if (!outcome) return outcome.error();
  }
  LoadReport report;
  const auto lasted = static_cast<double>((clock.Now() - begin).count());
  report.processors = static_cast<double>((CpuTime() - cpu_before).count()) / lasted;
  const Time measured_from = begin + plan.amount.warm_up;
  for (const auto& loop : loops) {
    report.measured.Add(loop->measured());
    const Time last = loop->last_answer().value_or(measured_from);
    report.elapsed = std::max(report.elapsed, last - measured_from);
  }
  return report;
}

}  // namespace sluice
