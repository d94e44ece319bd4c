// EnumName: how an enumerator is written in configuration, messages and metrics.
#pragma once

#include <optional>
#include <string_view>

namespace sluice {

// A name and the enumerator that it stands for. For each enum E that is read or written there is a
// function `constexpr std::span<const EnumName<E>> WordsFor(E)` next to it.
template <typename T>
struct EnumName {
  std::string_view text;
  T meaning;
};

// Returns the first name of an enumerator, or an empty text if it has none.
template <typename T>
constexpr std::string_view WordOf(T meaning) {
  for (const EnumName<T>& word : WordsFor(meaning)) {
    if (word.meaning == meaning) return word.text;
  }
  return {};
}

// Returns the enumerator that the name stands for, or nothing.
template <typename T>
constexpr std::optional<T> ParseEnum(std::string_view text) {
  for (const EnumName<T>& word : WordsFor(T{})) {
    if (word.text == text) return word.meaning;
  }
  return std::nullopt;
}

}  // namespace sluice
