// FirstTerms: remembers more lenient terms that other nodes use for the same limits.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/limit/limit.h"
#include "remote/script/remote_limit.h"
#include "sluice/time.h"

namespace sluice {

// Terms with the time at which they expire unless nodes with these terms use them again.
struct KeptTerms {
  std::shared_ptr<const RemoteLimit> limit;              // null: no other terms
  Time kept_until{};                                     // by the clock of Redis
  std::shared_ptr<const RemoteLimit> widened = nullptr;  // null: same as limit

  // Returns the terms under which a node with stricter ones asks (Widened in leniency.h). REQUIRES:
  // limit != null.
  [[nodiscard]] const RemoteLimit& asked() const { return widened ? *widened : *limit; }
};

// The more lenient terms that one worker has seen. It applies them to every key of the limit, so
// that one script decides, and so that each request is charged under the most lenient terms known.
// A limit that is not remembered costs each request two more scripts.
//
// Thread safety: none.
//
// Invariants
//   (1) It uses no memory before the first Note, and holds at most kMaxLimits entries. If there is
//       no room, a limit is remembered only once the terms of another have expired.
//   (2) Find returns no expired terms.
//   (3) The terms remembered for a limit only become more lenient, until they expire.
class FirstTerms {
 public:
  static constexpr std::size_t kMaxLimits = 4096;

  [[nodiscard]] bool IsEmpty() const { return entries_.empty(); }

  // Returns the limit of a tag, see RemoteLimit::OfTag; null if the tag is invalid.
  std::shared_ptr<const RemoteLimit> OfTag(std::string_view tag, const Terms& like);

  // Returns the terms remembered for the limit. `now` is the best known time in Redis.
  [[nodiscard]] KeptTerms Find(const RemoteLimit& own, Time now) const;
  // Remembers terms. REQUIRES: first.limit is more lenient than `own`, and is widened for it.
  void Note(const RemoteLimit& own, const KeptTerms& first, Time now);

 private:
  struct Entry {
    // The limit's own tag. While it is held, no other tag has its address.
    std::shared_ptr<const std::string> tag;
    KeptTerms first;
  };

  // Returns whether there is room for one more entry; drops expired entries if necessary.
  bool MakeRoom(Time now);

  std::unordered_map<const std::string*, Entry> entries_;  // by the tag's address
  Time next_over_{};                                       // no entry expires earlier
  std::shared_ptr<const RemoteLimit> last_;                // last result of OfTag
};

}  // namespace sluice
