// PermitCall: acquires, renews or releases one permit that Redis keeps.
#pragma once

#include <span>
#include <string>

#include "core/algorithm/concurrency.h"
#include "remote/script/script_request.h"
#include "sluice/result.h"
#include "store/local.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {

struct PermitOutcome {
  Decision decision;
  Time now{};  // the time in Redis
};

// One operation on one permit of a concurrency limit, ready to be written as a command.
//
// Thread safety: none. Owns the name of its key; keeps a pointer to the limit, which must outlive
// it.
class PermitCall {
 public:
  // REQUIRES: kAcquire, kRenew or kRelease, and a concurrency limit.
  PermitCall(Operation operation, const RemoteCharge& charge, PermitId permit);

  void Write(std::string& out) const;

  // Parses the reply. An error, which is a store failure, means that it is no reply to this call.
  [[nodiscard]] Result<PermitOutcome> Read(std::span<const RespNode> reply) const;

 private:
  [[nodiscard]] const Concurrency& terms() const;

  Operation operation_;
  std::string key_;
  const RemoteLimit* limit_;
  Cost cost_;
  PermitId permit_;
};

}  // namespace sluice
