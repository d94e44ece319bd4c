// FrontSession: a worker's way from front ends to verdicts, some of which come later.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gate/gate_session.h"
#include "gate/request.h"
#include "gate/verdict.h"

namespace sluice {

class VerdictStock;

// Front ends read a request, decide and tell the verdict without a pause. Where a verdict has to be
// waited for, what they tell is thrown away and they answer the same request once more when it is
// there: then each Decide is handed what the one before it came to. So none of them has to know
// which requests wait, and what does not wait costs nothing more.
//
//   session.Begin(answer_within);
//   Answer(request, reply);
//   if (!session.is_waiting()) return reply.Finish();
//   session.Wait(waiter);    // and later, in waiter.OnReady():
//   session.Recall(waiter);
//   Answer(request, reply);  // with what was decided
//   session.End(waiter);
//
// Thread safety: none; one for each service of a worker. Ownership: the gate and the remote outlive
// it, as with GateSession.
//
// Invariants
//   (1) A request is decided once, however often it is answered: the second time asks as the first
//       did and takes nothing.
//   (2) A waiter is called once all verdicts of its request are there, and not before Wait.
class FrontSession {
 public:
  // One request that waits. What it is called back with is its own to keep.
  class Waiter {
   public:
    Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    virtual ~Waiter();

    // All is decided: to be answered again, between Recall and End.
    virtual void OnReady() = 0;

   private:
    friend class FrontSession;
    std::unique_ptr<VerdictStock> stock_;
    VerdictCounts counts_;
  };

  explicit FrontSession(Gate& gate, const RemoteWay& way = {});
  FrontSession(const FrontSession&) = delete;
  FrontSession& operator=(const FrontSession&) = delete;
  ~FrontSession();

  // A request comes; its caller waits that long.
  void Begin(Nanos answer_within);

  // For front ends.
  void Decide(const GateRequest& request, Verdict& verdict);

  // Whether a verdict of the request is still to come.
  [[nodiscard]] bool is_waiting() const;
  // REQUIRES: is_waiting(). The waiter lives until End.
  void Wait(Waiter& waiter);
  // What the waiter's request came to is handed out from now on.
  void Recall(Waiter& waiter);
  // It is answered: what its verdicts were.
  VerdictCounts End(Waiter& waiter);

  // The verdicts of requests that did not wait, since it was last called.
  VerdictCounts TakeVerdictCounts() { return session_.TakeVerdictCounts(); }
  // Whether a request is answered for the second time, between Recall and End.
  [[nodiscard]] bool is_recalled() const { return recalled_ != nullptr; }
  [[nodiscard]] bool has_remote() const { return session_.has_remote(); }

 private:
  friend class VerdictStock;

  static constexpr std::size_t kIdleMost = 256;

  static VerdictCounts& CountsOf(Waiter& waiter);
  std::unique_ptr<VerdictStock> TakeStock();

  GateSession session_;
  Nanos answer_within_ = kNever;
  std::unique_ptr<VerdictStock> stock_;  // of the request at hand
  VerdictStock* recalled_ = nullptr;
  std::vector<std::unique_ptr<VerdictStock>> idle_;
};

}  // namespace sluice
