#include "simulate/plot_recorder.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "simulate/replay.h"

namespace sluice::cli {
namespace {

// About one per two pixels of the width, so that the recovery of a key looks like a slope.
constexpr std::int64_t kSamples = 600;

// Replays the steps of one key and samples its state at the steps and between them.
class Sampler {
 public:
  Sampler(Replay& replay, const LimitSpec& spec, const Plot& plot)
      : replay_(replay),
        start_(plot.start),
        span_(plot.end - plot.start),
        curve_of_(plot.curve_of),
        max_wait_(spec.max_wait.value_or(Nanos(0))),
        envelope_(plot.start, plot.end, kSamples) {
    question_.op = Op::kPeek;
    question_.key = plot.key;
  }

  Result<Done> Take(const Step& step) {
    SampleBefore(step.t);
    Sample(step.t);
    const Result<Reply> reply = replay_.Apply(step);
    if (!reply) return reply.error();
    Sample(step.t);
    return Done{};
  }

  void Finish(Plot& plot) {
    SampleBefore(plot.end + Nanos(1));
    plot.curve = envelope_.Points();
    plot.curve_top = std::max<std::int64_t>(top_, 1);
  }

 private:
  // Takes the regular samples before `t` that have not been taken yet.
  void SampleBefore(Time t) {
    for (; taken_ <= kSamples; ++taken_) {
      // Computed in two parts, because span_ * taken_ may overflow.
      const Time at = start_ + span_ / kSamples * taken_ + span_ % kSamples * taken_ / kSamples;
      if (at >= t) return;
      Sample(at);
    }
  }

  void Sample(Time t) {
    question_.t = t;
    const Result<Reply> reply = replay_.Apply(question_);
    if (!reply || reply.value().decision.retry_after == kNever) return;
    const Decision& decision = reply.value().decision;
    std::int64_t value = decision.remaining;
    if (curve_of_ == CurveOf::kUnitsLeft) {
      top_ = std::max({top_, decision.limit, value});
    } else {
      // After retry_after, the request would still have to wait for max_wait.
      value = (decision.allowed ? decision.wait : decision.retry_after + max_wait_).count();
      top_ = std::max(top_, value);
    }
    envelope_.Add({t, value});
  }

  Replay& replay_;
  Time start_;
  Nanos span_;
  CurveOf curve_of_;
  Nanos max_wait_;
  Envelope envelope_;
  Step question_;
  std::int64_t taken_ = 0;
  std::int64_t top_ = 0;
};

}  // namespace

void PlotSteps::Add(const Step& step, Time used) {
  if (by_key_.empty()) first_key_ = step.key;
  Step& kept = by_key_[step.key].emplace_back(step);
  kept.t = used;
  kept.key.clear();
}

const std::vector<Step>& PlotSteps::Of(std::string_view key) const {
  static const std::vector<Step> none;
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? none : found->second;
}

std::string MostRefusedKey(const RefusalCounts& refused, const PlotSteps& steps) {
  std::string key = steps.first_key();
  const auto first = refused.find(key);
  std::uint64_t max = first == refused.end() ? 0 : first->second;
  for (const auto& [name, count] : refused) {
    if (count <= max) continue;
    key = name;
    max = count;
  }
  return key;
}

void PlotRecorder::Add(const Step& step, const Reply& reply) {
  if (!std::exchange(has_steps_, true)) first_ = reply.t;
  if (AsksToPass(step.op)) {
    marks_.push_back({reply.t, reply.decision.allowed});
    if (!reply.decision.allowed) ++refused_[step.key];
  }
  last_ = reply.t;
  reset_after_ = reply.decision.reset_after;
}

// Starts at 0 if the first step is close to 0 relative to the length of the trace.
Time PlotRecorder::Start() const {
  const bool near_zero = first_.time_since_epoch() <= (last_ - first_) / 4;
  return near_zero ? Time{} : first_;
}

// Leaves room after the last step to show how the key recovers, but not so much that the steps are
// squeezed together. If all steps are at one instant, the recovery is all there is to show.
Time PlotRecorder::End() const {
  const Nanos span = last_ - Start();
  Nanos room = reset_after_ > Nanos(0) ? reset_after_ : Nanos(std::chrono::seconds(1));
  if (span > Nanos(0)) room = std::clamp(room, span / 50, std::max(span / 8, Nanos(1)));
  return last_ + std::min(room, kLatestTime - last_);
}

Result<Plot> PlotRecorder::Finish(const LimitSpec& spec, std::string title, const PlotSteps& steps,
                                  std::string_view key) {
  Plot plot;
  plot.title = std::move(title);
  plot.several_keys = steps.keys() > 1;
  plot.end = End();
  // Only a trace that ends at the latest possible time has no room after its last step.
  plot.start = std::min(Start(), plot.end - Nanos(1));
  plot.marks = std::move(marks_);
  if (spec.algorithm == Algorithm::kPacer) plot.curve_of = CurveOf::kWait;
  plot.key = key;

  Result<std::unique_ptr<Replay>> replay = Replay::Create(spec);
  if (!replay) return replay.error();
  Sampler sampler(*replay.value(), spec, plot);
  for (Step step : steps.Of(key)) {
    step.key = plot.key;
    const Result<Done> taken = sampler.Take(step);
    if (!taken) return taken.error();
  }
  sampler.Finish(plot);
  return plot;
}

}  // namespace sluice::cli
