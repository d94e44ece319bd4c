#include "simulate/replay.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sluice::cli {
namespace {

// Any constant works, because it only has to be the same in every run.
constexpr std::uint64_t kSeed = 1;

}  // namespace

Result<std::unique_ptr<Replay>> Replay::Create(const LimitSpec& spec) {
  std::unique_ptr<Replay> replay(new Replay(spec));
  Limiter::Options options;
  options.clock = &replay->clock_;
  options.seed = kSeed;
  Result<std::unique_ptr<Limiter>> limiter = Limiter::Create(options);
  if (!limiter) return limiter.error();
  replay->limiter_ = std::move(limiter).value();
  const Result<LimitHandle> limit = replay->limiter_->Add("limit", spec);
  if (!limit) return limit.error();
  replay->limit_ = limit.value();
  return replay;
}

Result<Reply> Replay::Apply(const Step& step) {
  const Result<Done> fits = CheckOpFits(step, algorithm_);
  if (!fits) return fits.error();
  latest_ = std::max(latest_, step.t);
  clock_.Set(latest_);
  const Reply reply{latest_, step.op, Decide(step)};
  overflowed_ = overflowed_ || reply.decision.source == Source::kOverflow;
  return reply;
}

Decision Replay::Decide(const Step& step) {
  const Charge charge{limit_, step.key, step.cost};
  const std::string_view id = step.id ? std::string_view(*step.id) : std::string_view();
  switch (step.op) {
    case Op::kCheck:
      return limiter_->Check(charge);
    case Op::kPeek:
      return limiter_->Peek(charge);
    case Op::kDebt:
      return limiter_->TakeDebt(charge);
    case Op::kRefund:
      return limiter_->Refund(charge);
    case Op::kReset:
      return limiter_->Reset(charge);
    case Op::kAcquire:
      return limiter_->Acquire(charge, id);
    case Op::kRenew:
      return limiter_->Renew(charge, id);
    case Op::kRelease:
      return limiter_->Release(charge, id);
  }
  return {};
}

}  // namespace sluice::cli
