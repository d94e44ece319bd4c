// KeyState: the state of one key in Redis, decided on by the core.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/limit.h"
#include "remote/script_request.h"

namespace sluice {

// What the script told of a key, as the core's own state. The script says whether a request goes
// ahead and writes what becomes of it; all that is reported is worked out here, by the functions
// that decide in memory, too. So both answer alike.
//
// Of a log, or of permits, the script tells what the items of the call need (LogPlan); the state is
// then another one that answers these, and only these, alike.
//
// Thread safety: none. Refers to the terms, which must outlive it.
class KeyState {
 public:
  // As if never used.
  explicit KeyState(const Terms& terms, Stagger stagger = {});

  // Reads the state of a key of the call as the script answered it; nothing where that is none.
  static std::optional<KeyState> Read(const ScriptCall& call, std::size_t key,
                                      std::string_view text);

  // The same of a text with its tag; not of a log or permits.
  static std::optional<KeyState> ReadText(const Terms& terms, std::string_view text,
                                          Stagger stagger = {});

  // Becomes what `from`, of other terms, is under these; used units carry over. False where the
  // two are of different algorithms. REQUIRES: this is as if never used.
  bool TakeOver(KeyState& from, Time now);
  // What ReadText reads.
  [[nodiscard]] std::string ToText(std::string_view tag);
  [[nodiscard]] Time UnusedFrom();

  Decision Peek(Cost cost, Time now);
  Decision Check(Cost cost, Time now);
  Decision TakeDebt(Cost cost, Time now);
  // These answer with the state they leave.
  // `until` is that of a RemoteCharge. Of a bucket at most the time until then is given back, as
  // one_time.lua does it.
  Decision Refund(Cost cost, Time now, std::optional<Time> until = std::nullopt);
  Decision Reset(Time now);

 private:
  using AnyState = std::variant<FineTime, IntervalBucket::State, FixedWindow::State, LogState,
                                SlidingWindow::State, PartsState, PermitsState>;

  // Calls f(terms, state) with the terms and the state of their type.
  template <typename F>
  Decision With(F f) {
    Bind();
    return std::visit(
        [&]<typename T>(const T& terms) -> Decision {
          if constexpr (std::is_same_v<T, WarmUpPacer>) {
            return {};  // CheckRemoteLimit refuses it
          } else {
            return f(terms, std::get<typename T::State>(state_));
          }
        },
        *terms_);
  }
  // Calls f(terms of from, its state, terms, state).
  template <typename F>
  void From(KeyState& from, F f) {
    from.With([&](const auto& old, auto& before) {
      return With([&](const auto& terms, auto& after) {
        f(old, before, terms, after);
        return Decision{};
      });
    });
  }
  bool ReadNumbers(std::string_view numbers);
  bool ReadParts(const SlidingBuckets& terms, std::string_view numbers);
  bool ReadLog(const ScriptCall& call, std::size_t key, std::string_view numbers);
  bool ReadPermits(const ScriptCall& call, std::size_t key, std::string_view numbers);
  void Forget();
  // Points the spans of the state at the memory of this object.
  void Bind();

  const Terms* terms_;
  Stagger stagger_;
  AnyState state_;
  std::vector<LogEntry> ring_;
  std::vector<std::int64_t> parts_;
  std::vector<Permit> permits_;
};

}  // namespace sluice
