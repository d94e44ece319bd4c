// FirstTerms: more lenient terms than those of a limit, which other nodes have for it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/limit.h"
#include "remote/remote_limit.h"
#include "sluice/time.h"

namespace sluice {

// Terms, and when they are over unless their own ask again.
struct KeptTerms {
  std::shared_ptr<const RemoteLimit> limit;              // null: none
  Time kept_until{};                                     // in Redis
  std::shared_ptr<const RemoteLimit> widened = nullptr;  // null: as they are

  // The terms that a node with stricter ones asks (Widened in leniency.h). REQUIRES: limit != null.
  [[nodiscard]] const RemoteLimit& asked() const { return widened ? *widened : *limit; }
};

// What a worker has seen of them. They are asked for every key of the limit, so that one script
// does, and so that none is let pass by terms that are stricter elsewhere. A limit that is not
// remembered costs each request two scripts more.
//
// Thread safety: none.
//
// Invariants
//   (1) It holds no memory before the first Note, and no more than kMaxLimits entries. A limit that
//       finds no room is remembered once another's terms are over.
//   (2) No entry is found once its terms are over.
//   (3) What is remembered of a limit only becomes more lenient, until it is over.
class FirstTerms {
 public:
  static constexpr std::size_t kMaxLimits = 4096;

  [[nodiscard]] bool IsEmpty() const { return entries_.empty(); }

  // The limit of a tag, see RemoteLimit::OfTag; null where it is none.
  std::shared_ptr<const RemoteLimit> OfTag(std::string_view tag, const Terms& like);

  // `now` is the time in Redis, as far as is known.
  [[nodiscard]] KeptTerms Find(const RemoteLimit& own, Time now) const;
  // REQUIRES: first.limit is more lenient than `own`, and is widened for it.
  void Note(const RemoteLimit& own, const KeptTerms& first, Time now);

 private:
  struct Entry {
    // The limit's own tag: while it is held no other limit has its address.
    std::shared_ptr<const std::string> tag;
    KeptTerms first;
  };

  // Whether there is room for one more entry; drops those that are over if there is none.
  bool MakeRoom(Time now);

  std::unordered_map<const std::string*, Entry> entries_;  // by the address of the tag
  Time next_over_{};                                       // no entry is over before
  std::shared_ptr<const RemoteLimit> last_;                // that OfTag made
};

}  // namespace sluice
