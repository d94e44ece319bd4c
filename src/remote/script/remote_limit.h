// RemoteLimit: a limit whose states Redis keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/limit/limit.h"
#include "sluice/result.h"

namespace sluice {

// Redis measures time in whole microseconds, and its scripts use doubles for numbers. A limit that
// both represent exactly is decided as in the core. Any other is rejected here, with a message that
// names the number at fault.
Result<Done> CheckRemoteLimit(const Limit& limit);

// A limit that CheckRemoteLimit accepted, with a tag that identifies its terms in a state. A limit
// that was read from a tag has only terms.
//
// Thread safety: immutable.
//
// Invariants
//   (1) Conversion between terms with equal tags does not change a state.
//   (2) A tag contains no spaces and no text from callers or users.
class RemoteLimit {
 public:
  static Result<RemoteLimit> Make(const Limit& limit);
  // Returns the limit of a tag; none if the tag is invalid. A calendar gets the zone of `like` if
  // that matches the tag. For any other zone it is unknown when windows end, so they start with the
  // first charge and have the maximum length.
  static std::optional<RemoteLimit> OfTag(std::string_view tag, const Terms& like);

  // Returns other terms under the same tag. REQUIRES: they read and write the same states.
  [[nodiscard]] RemoteLimit WithTerms(Terms terms) const;

  [[nodiscard]] const Limit& limit() const { return limit_; }
  [[nodiscard]] const Terms& terms() const { return limit_.terms; }
  [[nodiscard]] const std::string& tag() const { return *tag_; }
  // Hash of the tag; never 0.
  [[nodiscard]] std::uint64_t tag_hash() const { return tag_hash_; }
  // Shares the tag. While it is held, its address identifies this limit and its copies.
  [[nodiscard]] const std::shared_ptr<const std::string>& shared_tag() const { return tag_; }

 private:
  RemoteLimit(Limit limit, std::string tag);

  Limit limit_;
  std::shared_ptr<const std::string> tag_;  // never null
  std::uint64_t tag_hash_;
};

// Returns the maximum length of a calendar window, ignoring clock changes.
Nanos LongestOf(CalendarUnit unit);

}  // namespace sluice
