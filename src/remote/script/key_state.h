// KeyState: the state of one key in Redis, decided by the core.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/limit/limit.h"
#include "remote/script/script_request.h"

namespace sluice {

// The state of a key that the script returned, in the core's representation. The script decides
// whether a request goes ahead and writes the result; everything that is reported is computed here,
// by the same functions that decide in memory. So both report the same.
//
// For a log or permits the script returns only what the items of the call need (LogPlan). The state
// then differs from the real one, but gives the same answers to these items, and only to these.
//
// Thread safety: none. Keeps a pointer to the terms, which must outlive it.
class KeyState {
 public:
  // Creates the state of a key that was never used.
  explicit KeyState(const Terms& terms, Stagger stagger = {});

  // Parses the state of a key of the call from the script's reply. None if it is invalid.
  static std::optional<KeyState> Read(const ScriptCall& call, std::size_t key,
                                      std::string_view text);

  // Parses a text that starts with a tag; not for logs or permits.
  static std::optional<KeyState> ReadText(const Terms& terms, std::string_view text,
                                          Stagger stagger = {});

  // Converts `from`, a state under other terms, to these terms; used units carry over. Returns
  // false if the algorithms differ. REQUIRES: this state is as if never used.
  bool TakeOver(KeyState& from, Time now);
  // Returns the text that ReadText reads.
  [[nodiscard]] std::string ToText(std::string_view tag);
  [[nodiscard]] Time UnusedFrom();

  Decision Peek(Cost cost, Time now);
  Decision Check(Cost cost, Time now);
  Decision TakeDebt(Cost cost, Time now);
  // The following functions return the state they leave. `until` is the bound of a RemoteCharge. A
  // bucket gets back at most the time until then, as in one_time.lua.
  Decision Refund(Cost cost, Time now, std::optional<Time> until = std::nullopt);
  Decision Reset(Time now);

 private:
  using AnyState = std::variant<FineTime, IntervalBucket::State, FixedWindow::State, LogState,
                                SlidingWindow::State, PartsState, PermitsState>;

  // Calls f(terms, state) with the concrete types of both.
  template <typename F>
  Decision With(F f) {
    Bind();
    return std::visit(
        [&]<typename T>(const T& terms) -> Decision {
          if constexpr (std::is_same_v<T, WarmUpPacer>) {
            return {};  // CheckRemoteLimit rejects it
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
  // Points the spans of the state to the memory of this object.
  void Bind();

  const Terms* terms_;
  Stagger stagger_;
  AnyState state_;
  std::vector<LogEntry> ring_;
  std::vector<std::int64_t> parts_;
  std::vector<Permit> permits_;
};

}  // namespace sluice
