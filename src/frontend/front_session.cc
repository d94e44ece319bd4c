#include "frontend/front_session.h"

#include <deque>
#include <utility>

namespace sluice {
namespace {

void Add(const VerdictCounts& more, VerdictCounts& counts) {
  for (std::size_t i = 0; i < kVerdictKinds; ++i) counts.checks[i] += more.checks[i];
  counts.lifts += more.lifts;
}

}  // namespace

// The verdicts of one request, in the order in which its front end asks for them.
class VerdictStock {
 public:
  explicit VerdictStock(FrontSession& session) : session_(session) {}

  void Clear() {
    // A verdict that was swapped into a slot would keep its rules alive, even after a reload.
    for (std::size_t i = 0; i < used_; ++i) slots_[i].verdict.ReleaseMemory();
    used_ = handed_out_ = missing_ = 0;
    last_ = nullptr;
    waiter_ = nullptr;
  }

  // Decides the next verdict. It stays with the front end as long as it may be the only one; the
  // next call moves it into its slot.
  void Decide(GateSession& gate, const GateRequest& request, Verdict& verdict) {
    PutLast();
    if (used_ == slots_.size()) slots_.emplace_back(*this);
    Slot& slot = slots_[used_++];
    if (gate.Decide(request, verdict, slot) == GateSession::Decided::kLater) {
      ++missing_;
    } else {
      last_ = &verdict;
    }
  }

  void Wait(FrontSession::Waiter& waiter) {
    PutLast();
    waiter_ = &waiter;
  }

  void HandOut(Verdict& verdict) {
    // The front end no longer needs its previous verdict, but its memory is reused.
    std::swap(verdict, slots_[handed_out_++].verdict);
  }

  [[nodiscard]] bool is_waiting() const { return missing_ != 0; }
  [[nodiscard]] bool is_large() const { return slots_.size() > kSlotsKept; }

 private:
  static constexpr std::size_t kSlotsKept = 16;

  struct Slot final : VerdictWaiter {
    explicit Slot(VerdictStock& owner) : stock(owner) {}

    void OnVerdict(Verdict& there) override {
      std::swap(verdict, there);
      stock.OnVerdict();
    }

    VerdictStock& stock;
    Verdict verdict;
  };

  void PutLast() {
    if (last_ != nullptr) std::swap(*last_, slots_[used_ - 1].verdict);
    last_ = nullptr;
  }

  void OnVerdict() {
    Add(session_.TakeVerdictCounts(), FrontSession::CountsOf(*waiter_));
    if (--missing_ == 0) waiter_->OnReady();
  }

  FrontSession& session_;
  std::deque<Slot> slots_;  // registered with the gate, so their addresses must not change
  std::size_t used_ = 0;
  std::size_t handed_out_ = 0;
  std::size_t missing_ = 0;
  Verdict* last_ = nullptr;  // holds the last slot's verdict; null: it is in the slot
  FrontSession::Waiter* waiter_ = nullptr;
};

FrontSession::Waiter::Waiter() = default;
FrontSession::Waiter::~Waiter() = default;

FrontSession::FrontSession(Gate& gate, const RemoteAccess& way) : session_(gate, way) {}
FrontSession::~FrontSession() = default;

VerdictCounts& FrontSession::CountsOf(Waiter& waiter) { return waiter.counts_; }

void FrontSession::Begin(Nanos answer_within) {
  answer_within_ = answer_within;
  if (!session_.has_remote()) return;
  if (stock_ == nullptr) stock_ = TakeStock();
  stock_->Clear();
}

std::unique_ptr<VerdictStock> FrontSession::TakeStock() {
  if (idle_.empty()) return std::make_unique<VerdictStock>(*this);
  std::unique_ptr<VerdictStock> stock = std::move(idle_.back());
  idle_.pop_back();
  return stock;
}

void FrontSession::Decide(const GateRequest& request, Verdict& verdict) {
  if (recalled_ != nullptr) return recalled_->HandOut(verdict);
  if (stock_ == nullptr) return session_.Decide(request, verdict);
  GateRequest timed = request;
  timed.answer_within = answer_within_;
  stock_->Decide(session_, timed, verdict);
}

bool FrontSession::is_waiting() const { return stock_ != nullptr && stock_->is_waiting(); }

void FrontSession::Wait(Waiter& waiter) {
  waiter.counts_ = session_.TakeVerdictCounts();
  stock_->Wait(waiter);
  waiter.stock_ = std::move(stock_);
}

void FrontSession::Recall(Waiter& waiter) { recalled_ = waiter.stock_.get(); }

VerdictCounts FrontSession::End(Waiter& waiter) {
  recalled_ = nullptr;
  waiter.stock_->Clear();
  if (idle_.size() < kMaxIdle && !waiter.stock_->is_large()) {
    idle_.push_back(std::move(waiter.stock_));
  }
  waiter.stock_.reset();
  return std::exchange(waiter.counts_, {});
}

}  // namespace sluice
