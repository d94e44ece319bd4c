// LimitPlace: where the states of a limit are kept.
#pragma once

#include <memory>
#include <optional>

#include "rules/model/rule_spec.h"
#include "sluice/charge.h"
#include "store/node_cache.h"
#include "store/remote_store.h"

namespace sluice {

// Immutable; lives as long as the rules in force.
struct LimitPlace {
  // In memory: the states themselves, or, if a remote store keeps them, this node's share for the
  // time while the remote store cannot be asked.
  LimitHandle handle{};
  std::shared_ptr<const RemoteTerms> remote = nullptr;  // null: in memory only
  std::optional<CacheMode> cache_mode = std::nullopt;   // none: always ask the remote store
  OnStoreFailure on_failure = OnStoreFailure::kLocal;
  // Whether the share is charged with what the remote store admits, so that it is no fresh
  // allowance when the remote store becomes unavailable.
  bool share_follows = false;
};

}  // namespace sluice
