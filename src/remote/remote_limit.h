// RemoteLimit: a limit whose states Redis keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/limit.h"
#include "sluice/result.h"

namespace sluice {

// Redis tells time in whole microseconds, and its scripts have doubles for numbers. A limit that
// both hold exactly is decided as the core decides it; any other is refused here, with a sentence
// that says which number is at fault.
Result<Done> CheckRemoteLimit(const Limit& limit);

// A limit that CheckRemoteLimit accepted, and what a state says of the terms that wrote it. Of one
// that a tag was read from only the terms are known.
//
// Thread safety: a value; immutable once made.
//
// Invariants
//   (1) Terms of equal tags convert a state to itself.
//   (2) A tag has no spaces, and nothing that callers or users wrote.
class RemoteLimit {
 public:
  static Result<RemoteLimit> Make(const Limit& limit);
  // The limit of a tag, nothing where it is none. A calendar has the zone of `like` where the tag
  // says so. Of another zone nobody knows here when windows end: they are as long as the longest,
  // from the first charge on.
  static std::optional<RemoteLimit> OfTag(std::string_view tag, const Terms& like);

  // Other terms under the same tag. REQUIRES: they read and write the states of these.
  [[nodiscard]] RemoteLimit WithTerms(Terms terms) const;

  [[nodiscard]] const Limit& limit() const { return limit_; }
  [[nodiscard]] const Terms& terms() const { return limit_.terms; }
  [[nodiscard]] const std::string& tag() const { return *tag_; }
  // Names the tag; never 0.
  [[nodiscard]] std::uint64_t tag_hash() const { return tag_hash_; }
  // The same; who holds it knows this limit, and its copies, by it.
  [[nodiscard]] const std::shared_ptr<const std::string>& shared_tag() const { return tag_; }

 private:
  RemoteLimit(Limit limit, std::string tag);

  Limit limit_;
  std::shared_ptr<const std::string> tag_;  // never null
  std::uint64_t tag_hash_;
};

// How long windows of a calendar are at most, but for clocks that are put back in one.
Nanos LongestOf(CalendarUnit unit);

}  // namespace sluice
