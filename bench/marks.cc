#include "bench/marks.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace sluice::bench {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

const Row* RowOf(const Report& report, const std::string& algorithm, std::uint64_t keys) {
  for (const Row& row : report.rows) {
    if (row.algorithm == algorithm && row.keys == keys && row.choice == "uniform") return &row;
  }
  return nullptr;
}

// Returns the decisions per CPU second on one thread with batches of 16; 0 if not measured.
double RateOf(const Row* row) {
  if (row == nullptr) return 0;
  for (const Cell& cell : row->cells) {
    if (cell.way.threads == 1 && cell.way.batch == 16) return cell.cpu.median;
  }
  return 0;
}

std::string Number(double value, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof(text), "%.1f%s", value, unit);
  return text;
}

std::string AtKeys(const std::string& algorithm, std::uint64_t keys) {
  return algorithm + ", " + std::to_string(keys / kMillion) + " M keys: ";
}

Mark::State Verdict(bool reached) { return reached ? Mark::State::kReached : Mark::State::kMissed; }

// Fails the mark if its row carries a warning, however good its numbers are.
Mark Distrust(Mark mark, const Row* row) {
  if (row == nullptr || row->warning.empty() || mark.state == Mark::State::kNotMeasured)
    return mark;
  mark.state = Mark::State::kMissed;
  mark.measured += ", but " + row->warning;
  return mark;
}

Mark RateMark(const Report& report, std::uint64_t keys, double min) {
  Mark mark{.what = AtKeys("token_bucket", keys) + "at least " + Number(min / 1e6, " M/s")};
  const Row* const row = RowOf(report, "token_bucket", keys);
  const double rate = RateOf(row);
  if (rate == 0) return mark;
  mark.measured = Number(rate / 1e6, " M/s");
  mark.state = Verdict(rate >= min);
  return Distrust(mark, row);
}

Mark RatioMark(const Report& report, const std::string& algorithm, std::uint64_t keys) {
  Mark mark{.what = AtKeys(algorithm, keys) + "at least 60 % of token_bucket"};
  const double whole = RateOf(RowOf(report, "token_bucket", keys));
  const Row* const row = RowOf(report, algorithm, keys);
  const double rate = RateOf(row);
  if (whole == 0 || rate == 0) return mark;
  mark.measured = Number(rate / whole * 100, " %");
  mark.state = Verdict(rate >= 0.6 * whole);
  return Distrust(mark, row);
}

Mark BytesMark(const Report& report, const std::string& algorithm, std::uint64_t keys) {
  const double max = keys == 100 * kMillion ? 22 : 34;
  Mark mark{.what = AtKeys(algorithm, keys) + (max == 34 ? "under " : "at most ") +
                    Number(max, " bytes a key")};
  const Row* const row = RowOf(report, algorithm, keys);
  if (row == nullptr || !row->footprint) return mark;
  const double bytes = std::max(row->footprint->bytes, row->footprint->resident);
  mark.measured =
      Number(row->footprint->bytes, " counted, ") + Number(row->footprint->resident, " resident");
  mark.state = Verdict(max == 34 ? bytes < max : bytes <= max);
  return Distrust(mark, row);
}

}  // namespace

std::vector<Mark> JudgeMarks(const Report& report) {
  std::vector<Mark> marks{RateMark(report, kMillion, 15e6), RateMark(report, 10 * kMillion, 10e6),
                          RateMark(report, 100 * kMillion, 8e6)};
  for (const Subject& subject : AllSubjects()) {
    // The bytes marks are for states of fixed size; logs, parts and permits use memory by their
    // contents.
    if (subject.ages || subject.permits) continue;
    for (const std::uint64_t keys : {kMillion, 10 * kMillion, 100 * kMillion}) {
      if (keys > subject.max_keys) continue;
      if (subject.name.starts_with("sliding_window")) {
        marks.push_back(RatioMark(report, subject.name, keys));
      }
      marks.push_back(BytesMark(report, subject.name, keys));
    }
  }
  return marks;
}

}  // namespace sluice::bench
