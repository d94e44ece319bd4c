// LimitPlace: where the states of a limit are kept.
#pragma once

#include <memory>
#include <optional>

#include "rules/rule_spec.h"
#include "sluice/charge.h"
#include "store/nearby.h"
#include "store/remote.h"

namespace sluice {

// Immutable; lives with the rules in force.
struct LimitPlace {
  // In memory: the states themselves, or where a remote keeps them this node's share for the time
  // in which that cannot be asked.
  LimitHandle handle{};
  std::shared_ptr<const RemoteTerms> remote = nullptr;  // null: in memory alone
  std::optional<Nearness> nearness = std::nullopt;      // none: the remote is always asked
  OnStoreFailure on_failure = OnStoreFailure::kLocal;
  // The share is charged with what the remote lets pass, so that it is not a fresh allowance when
  // the remote goes away.
  bool share_follows = false;
};

}  // namespace sluice
