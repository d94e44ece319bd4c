// ScriptArguments: the arguments of the deciding script, except for the key names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/limit/interval.h"
#include "remote/script/remote_limit.h"
#include "remote/script/script_request.h"

namespace sluice {

// The arguments of one call, in the order in which scripts/decide.lua reads them. Times become
// whole microseconds, or seconds and ticks. Costs above the limit's maximum are capped, so that
// every number is exact in a double.
//
// Thread safety: none.
class ScriptArguments {
 public:
  // Discards the arguments but keeps the memory.
  void Clear() {
    bytes_.clear();
    count_ = 0;
  }

  // Adds the shape of a key's state, the tag and the numbers of its terms.
  void AddKey(const ScriptCall& call, std::size_t key, Time about);
  // Adds the same for the first terms of a key, if they differ.
  void AddFirst(const ScriptCall& call, std::size_t key, Time about);
  // Adds an item, preceded by one for the first terms of its key if these are charged, too.
  void AddItem(const ScriptCall& call, const ScriptItem& item);

  // Returns the arguments as RESP bulk strings.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t count() const { return count_; }

  void Text(std::string_view text);
  void Number(std::int64_t number);
  // Adds a length of time in whole microseconds, rounded down.
  void Micros(Nanos length);
  // Adds a length of time in whole milliseconds, rounded up.
  void Millis(Nanos length);
  // Adds ticks as seconds and remaining ticks.
  void Ticks(const Interval& interval, Uint128 ticks);

 private:
  void AddTerms(const ScriptCall& call, std::size_t key, const RemoteLimit& limit, Time about);
  void AddNumbers(const RemoteLimit& limit, const ScriptItem& item);

  std::string bytes_;
  std::size_t count_ = 0;
};

// Returns a hash for which the core computes the same phase of a staggered window, rounded down to
// whole microseconds. REQUIRES: the period is a whole number of microseconds.
Stagger WholeMicros(Stagger stagger, Nanos period);

}  // namespace sluice
