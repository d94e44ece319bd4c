// FrontSession: gets the verdicts for a worker's front ends. Some verdicts arrive later.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gate/gate_session.h"
#include "gate/request.h"
#include "gate/verdict.h"

namespace sluice {

class VerdictStock;

// A front end reads a request, decides it and writes the reply in one go. If a verdict is pending,
// the reply is discarded, and the front end answers the same request again when all verdicts are
// there. In this second pass each Decide returns the verdict of the matching call in the first
// pass. Front ends therefore do not need to know which requests wait, and a request that does not
// wait has no extra cost.
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
//   (1) A request is decided once, however often it is answered: the second pass makes the same
//       calls as the first and takes nothing.
//   (2) A waiter is called once, after all verdicts of its request have arrived, and not before
//       Wait.
class FrontSession {
 public:
  // A request that waits. Subclasses keep what they need to answer it again.
  class Waiter {
   public:
    Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    virtual ~Waiter();

    // Called when all is decided. The request must then be answered again, between Recall and End.
    virtual void OnReady() = 0;

   private:
    friend class FrontSession;
    std::unique_ptr<VerdictStock> stock_;
    VerdictCounts counts_;
  };

  explicit FrontSession(Gate& gate, const RemoteAccess& way = {});
  FrontSession(const FrontSession&) = delete;
  FrontSession& operator=(const FrontSession&) = delete;
  ~FrontSession();

  // Begins a request whose caller waits for at most this long.
  void Begin(Nanos answer_within);

  // Called by front ends. Decides, or returns the recorded verdict between Recall and End.
  void Decide(const GateRequest& request, Verdict& verdict);

  // Whether a verdict of the current request is pending.
  [[nodiscard]] bool is_waiting() const;
  // Registers the waiter of the current request. REQUIRES: is_waiting(). The waiter lives until
  // End.
  void Wait(Waiter& waiter);
  // Makes Decide return the recorded verdicts of the waiter's request.
  void Recall(Waiter& waiter);
  // Ends the request that was answered again. Returns the counts of its verdicts.
  VerdictCounts End(Waiter& waiter);

  // Returns the counts for requests that did not wait, since the last call.
  VerdictCounts TakeVerdictCounts() { return session_.TakeVerdictCounts(); }
  // Whether a request is being answered for the second time, between Recall and End.
  [[nodiscard]] bool is_recalled() const { return recalled_ != nullptr; }
  [[nodiscard]] bool has_remote() const { return session_.has_remote(); }

 private:
  friend class VerdictStock;

  static constexpr std::size_t kMaxIdle = 256;

  static VerdictCounts& CountsOf(Waiter& waiter);
  std::unique_ptr<VerdictStock> TakeStock();

  GateSession session_;
  Nanos answer_within_ = kNever;
  std::unique_ptr<VerdictStock> stock_;  // for the current request
  VerdictStock* recalled_ = nullptr;
  std::vector<std::unique_ptr<VerdictStock>> idle_;
};

}  // namespace sluice
