#include "frontend/front_meter.h"

#include <algorithm>

namespace sluice {
namespace {

CheckOutcome OutcomeOf(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kAllowed:
      return CheckOutcome::kAllowed;
    case VerdictKind::kRefused:
    case VerdictKind::kDenied:
      return CheckOutcome::kRefused;
    case VerdictKind::kBadRequest:
      return CheckOutcome::kBadRequest;
    case VerdictKind::kUnknownDomain:
      return CheckOutcome::kUnknownDomain;
  }
  return CheckOutcome::kBadRequest;
}

template <std::size_t kSize>
void AddEach(const std::array<SoleWriterCount, kSize>& counts,
             std::array<std::uint64_t, kSize>& sums) {
  for (std::size_t i = 0; i < kSize; ++i) sums[i] += counts[i].ReadApprox();
}

}  // namespace

void FrontMeter::Count(FrontEnd front, CheckOutcome outcome, std::uint64_t checks) {
  counts_[static_cast<std::size_t>(front)].checks[static_cast<std::size_t>(outcome)].Add(checks);
}

void FrontMeter::AddRequest(FrontEnd front, const VerdictCounts& verdicts) {
  ++batch_[static_cast<std::size_t>(front)];
  bool decided = verdicts.lifts > 0;
  for (std::size_t i = 0; i < verdicts.checks.size(); ++i) {
    if (verdicts.checks[i] == 0) continue;
    Count(front, OutcomeOf(static_cast<VerdictKind>(i)), verdicts.checks[i]);
    decided = true;
  }
  if (!decided) Count(front, CheckOutcome::kBadRequest, 1);
}

void FrontMeter::AddRequest(FrontEnd front, CheckOutcome outcome) {
  ++batch_[static_cast<std::size_t>(front)];
  Count(front, outcome, 1);
}

void FrontMeter::EndBatch(Nanos taken) {
  // A clock may step back.
  taken = std::max(taken, Nanos{0});
  const auto range = static_cast<std::size_t>(
      std::ranges::find_if(kTimeBounds, [&](Nanos bound) { return taken <= bound; }) -
      kTimeBounds.begin());
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (batch_[i] == 0) continue;
    counts_[i].requests[range].Add(batch_[i]);
    counts_[i].nanos.Add(batch_[i] * static_cast<std::uint64_t>(taken.count()));
    batch_[i] = 0;
  }
}

void FrontMeter::AddTo(FrontSums& sums) const {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    AddEach(counts_[i].checks, sums[i].checks);
    AddEach(counts_[i].requests, sums[i].requests);
    sums[i].nanos += counts_[i].nanos.ReadApprox();
  }
}

FrontMeter& FrontMeters::Add() {
  const std::lock_guard guard(mutex_);
  return meters_.emplace_back();
}

FrontSums FrontMeters::SumApprox() const {
  const std::lock_guard guard(mutex_);
  FrontSums sums;
  for (const FrontMeter& meter : meters_) meter.AddTo(sums);
  return sums;
}

}  // namespace sluice
