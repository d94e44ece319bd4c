// The benchmark of the limiter: decisions per second and bytes per key. See README.md.
#include <cstdio>
#include <memory>

#include "bench/growth.h"
#include "bench/machine.h"
#include "bench/marks.h"
#include "bench/measure.h"
#include "bench/options.h"
#include "bench/report.h"

namespace sluice::bench {
namespace {

constexpr std::uint64_t kSizes[] = {1, 10'000, 1'000'000, 10'000'000, 100'000'000};
constexpr std::uint64_t kLineKeys = 1'000'000;  // keys of the special rows

// The draws for one number of keys, made when they are first needed. Only one instance exists at a
// time.
class DrawsOfSize {
 public:
  explicit DrawsOfSize(std::uint64_t keys) : keys_(keys) {}

  const Draws& Get(Choice choice) {
    std::unique_ptr<Draws>& draws = choice == Choice::kZipf ? zipf_ : uniform_;
    if (!draws) draws = std::make_unique<Draws>(keys_, choice);
    return *draws;
  }

 private:
  std::uint64_t keys_;
  std::unique_ptr<Draws> uniform_;
  std::unique_ptr<Draws> zipf_;
};

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {
    report_.machine = DescribeMachine();
    report_.cores = CoreCount();
  }

  // Returns an error if measuring cannot continue.
  Result<Done> Measure();

  [[nodiscard]] const Report& report() const { return report_; }

 private:
  Result<Done> MeasureSize(std::uint64_t keys);
  Result<Done> MeasureSubject(const Subject& subject, DrawsOfSize& draws, std::uint64_t keys);
  Result<Done> MeasureSpecialRows(DrawsOfSize& draws);
  Result<Done> MeasureSpecial(const Subject& subject, Filled::TimeFrom time, const Draws& draws,
                              const std::string& name);

  void AddRow(Filled& filled, const Draws& draws, const std::string& choice, bool with_bytes);
  [[nodiscard]] bool Fits(const Subject& subject, std::uint64_t keys);

  Options options_;
  Report report_;
};

std::vector<Way> WaysOf(const Subject& subject, std::size_t cores) {
  std::vector<Way> ways{{1, 1}};
  if (cores > 1) ways.push_back({1, cores});
  if (subject.permits) return ways;
  ways.push_back({16, 1});
  if (cores > 1) ways.push_back({16, cores});
  return ways;
}

// Returns a warning if a row did not measure what its name says, otherwise "".
std::string WarningFor(const Row& row, Filled& filled) {
  std::uint64_t decisions = 0;
  std::uint64_t allowed = 0;
  for (const Cell& cell : row.cells) {
    decisions += cell.decisions;
    allowed += cell.allowed;
  }
  const std::uint64_t wanted = row.choice == "all refused" ? 0 : decisions;
  if (allowed != wanted)
    return std::to_string(allowed) + " of " + std::to_string(decisions) + " were allowed";
  const LimiterStats stats = filled.limiter().StatsApprox();
  if (stats.overflow_decisions != 0)
    return std::to_string(stats.overflow_decisions) + " decided on shared states";
  // Ageing states are forgotten if they have not been charged for a period.
  if (!filled.subject().ages && stats.keys != row.keys) {
    return std::to_string(stats.keys) + " keys at the end";
  }
  return "";
}

void Run::AddRow(Filled& filled, const Draws& draws, const std::string& choice, bool with_bytes) {
  WarmUp(filled, draws);
  Row row{.algorithm = filled.subject().name, .choice = choice, .keys = filled.keys()};
  const Pace pace{options_.seconds, options_.rounds, options_.pin};
  row.cells = MeasureWays(filled, draws, WaysOf(filled.subject(), report_.cores), pace);
  if (with_bytes) row.footprint = filled.Measure();
  row.warning = WarningFor(row, filled);
  if (!options_.json) PrintRow(report_, row);
  report_.rows.push_back(std::move(row));
}

bool Run::Fits(const Subject& subject, std::uint64_t keys) {
  // Ask for 1.5 times the memory that the states should take.
  const std::uint64_t needed = keys * (subject.ages || subject.permits ? 1024 : 33);
  const std::uint64_t available = MemoryAvailable();
  if (needed <= available) return true;
  report_.notes.push_back(subject.name + " with " + std::to_string(keys) +
                          " keys left out: " + std::to_string(available >> 20U) +
                          " MiB are available, " + std::to_string(needed >> 20U) + " wanted");
  return false;
}

Result<Done> Run::MeasureSubject(const Subject& subject, DrawsOfSize& draws, std::uint64_t keys) {
  // Draw the keys before reading the memory in use, so that they do not count as memory of the
  // limiter.
  const Draws& uniform = draws.Get(Choice::kUniform);
  const bool with_zipf = keys > 1 && !(options_.quick && keys < kLineKeys);
  if (with_zipf) draws.Get(Choice::kZipf);
  auto filled = Filled::Make(subject, keys, Filled::TimeFrom::kSteps);
  if (!filled.ok()) return filled.error();
  if (report_.rows.empty()) {
    report_.notes.push_back("A limiter without keys takes " +
                            std::to_string(filled.value()->empty_bytes() >> 10U) +
                            " KiB, which bytes per key leave out.");
  }
  AddRow(*filled.value(), uniform, keys == 1 ? "one hot key" : "uniform", keys > 1);
  if (with_zipf) AddRow(*filled.value(), draws.Get(Choice::kZipf), "zipf 0.99", false);
  return Done{};
}

Result<Done> Run::MeasureSpecial(const Subject& subject, Filled::TimeFrom time, const Draws& draws,
                                 const std::string& name) {
  auto filled = Filled::Make(subject, kLineKeys, time);
  if (!filled.ok()) return filled.error();
  AddRow(*filled.value(), draws, name, false);
  return Done{};
}

Result<Done> Run::MeasureSpecialRows(DrawsOfSize& draws) {
  const Draws& uniform = draws.Get(Choice::kUniform);
  const Result<Done> done =
      MeasureSpecial(RefusingSubject(), Filled::TimeFrom::kSteps, uniform, "all refused");
  if (!done.ok()) return done;
  return MeasureSpecial(SlowSubject(), Filled::TimeFrom::kMachine, uniform, "system clock");
}

Result<Done> Run::MeasureSize(std::uint64_t keys) {
  DrawsOfSize draws(keys);
  for (const Subject& subject : AllSubjects()) {
    if (keys > subject.max_keys || !options_.WantsAlgorithm(subject.name)) continue;
    if (!Fits(subject, keys)) continue;
    const Result<Done> done = MeasureSubject(subject, draws, keys);
    if (!done.ok()) return done;
  }
  const bool special = keys == kLineKeys && options_.WantsAlgorithm(RefusingSubject().name);
  return special ? MeasureSpecialRows(draws) : Done{};
}

Result<Done> Run::Measure() {
  if (!options_.json) PrintHead(report_);
  const std::vector<std::uint64_t> all(std::begin(kSizes), std::end(kSizes));
  for (const std::uint64_t keys : options_.keys.empty() ? all : options_.keys) {
    if (!options_.WantsKeys(keys)) continue;
    const Result<Done> done = MeasureSize(keys);
    if (!done.ok()) return done;
  }
  const std::uint64_t growth_keys = options_.quick ? 1'000'000 : 10'000'000;
  if (options_.WantsKeys(growth_keys) && options_.WantsAlgorithm("token_bucket")) {
    Result<Growth> growth = MeasureGrowth(growth_keys);
    if (!growth.ok()) return growth.error();
    report_.growth = std::move(growth).value();
  }
  return Done{};
}

// Prints the marks and returns the exit code: 1 if a mark was missed or none was measured.
int PrintMarks(const Report& report, FILE* to) {
  int reached = 0;
  int missed = 0;
  std::fprintf(to, "\n");
  for (const Mark& mark : JudgeMarks(report)) {
    const char* const word = mark.state == Mark::State::kReached  ? "pass"
                             : mark.state == Mark::State::kMissed ? "FAIL"
                                                                  : "not measured";
    reached += mark.state == Mark::State::kReached ? 1 : 0;
    missed += mark.state == Mark::State::kMissed ? 1 : 0;
    std::fprintf(to, "%-12s %-62s %s\n", word, mark.what.c_str(), mark.measured.c_str());
  }
  return missed > 0 || reached == 0 ? 1 : 0;
}

int Main(int count, char** arguments) {
  const Result<Options> options = ParseOptions(count, arguments);
  if (!options.ok()) {
    std::fprintf(stderr, "sluice_bench: %s\n%s", options.error().message.c_str(), kUsage);
    return 2;
  }
  if (options.value().usage) return std::fputs(kUsage, stdout) < 0 ? 2 : 0;
  Run run(options.value());
  const Result<Done> done = run.Measure();
  if (!done.ok()) {
    std::fprintf(stderr, "sluice_bench: %s\n", done.error().message.c_str());
    return 2;
  }
  if (options.value().json) {
    PrintJson(run.report());
  } else {
    PrintRest(run.report());
  }
  // Standard output holds nothing but the JSON.
  if (!options.value().expect) return 0;
  return PrintMarks(run.report(), options.value().json ? stderr : stdout);
}

}  // namespace
}  // namespace sluice::bench

int main(int count, char** arguments) { return sluice::bench::Main(count, arguments); }
