// ScriptArguments: what the script asks for besides the names of the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/interval.h"
#include "remote/remote_limit.h"
#include "remote/script_request.h"

namespace sluice {

// The arguments of one call, in the order that scripts/decide.lua reads them. Times become whole
// microseconds, or seconds and ticks; costs that are above all that a limit knows are cut, so that
// every number is exact in a double.
//
// Thread safety: none.
class ScriptArguments {
 public:
  // Begins anew; the memory is kept.
  void Clear() {
    bytes_.clear();
    count_ = 0;
  }

  // The shape of a key's state, the tag and the numbers of its terms.
  void AddKey(const ScriptCall& call, std::size_t key, Time about);
  // The same of the first terms of a key that has others; nothing where it has none.
  void AddFirst(const ScriptCall& call, std::size_t key, Time about);
  // An item; where the first terms of its key are charged, too, theirs before it.
  void AddItem(const ScriptCall& call, const ScriptItem& item);

  // The arguments as bulk strings of RESP.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t count() const { return count_; }

  void Text(std::string_view text);
  void Number(std::int64_t number);
  // A length of time in whole microseconds, rounded down.
  void Micros(Nanos length);
  // In whole milliseconds, rounded up.
  void Millis(Nanos length);
  // The same as seconds and ticks.
  void Ticks(const Interval& interval, Uint128 ticks);

 private:
  void AddTerms(const ScriptCall& call, std::size_t key, const RemoteLimit& limit, Time about);
  void AddNumbers(const RemoteLimit& limit, const ScriptItem& item);

  std::string bytes_;
  std::size_t count_ = 0;
};

// The phase of a staggered window in whole microseconds, as what the core draws it from.
// REQUIRES: the period is of whole microseconds.
Stagger WholeMicros(Stagger stagger, Nanos period);

}  // namespace sluice
