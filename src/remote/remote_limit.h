// RemoteLimit: a limit whose states Redis keeps.
#pragma once

#include <string>

#include "core/limit.h"
#include "sluice/result.h"

namespace sluice {

// Redis tells time in whole microseconds, and its scripts have doubles for numbers. A limit that
// both hold exactly is decided as the core decides it; any other is refused here, with a sentence
// that says which number is at fault.
Result<Done> CheckRemoteLimit(const Limit& limit);

// A limit that CheckRemoteLimit accepted, and what a state says of the terms that wrote it.
//
// Thread safety: a value; immutable once made.
//
// Invariants
//   (1) Terms of equal tags convert a state to itself.
//   (2) A tag has no spaces, and nothing that callers or users wrote.
class RemoteLimit {
 public:
  static Result<RemoteLimit> Make(const Limit& limit);

  [[nodiscard]] const Limit& limit() const { return limit_; }
  [[nodiscard]] const Terms& terms() const { return limit_.terms; }
  [[nodiscard]] const std::string& tag() const { return tag_; }

 private:
  explicit RemoteLimit(const Limit& limit);

  Limit limit_;
  std::string tag_;
};

}  // namespace sluice
