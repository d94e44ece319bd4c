// Spelling: lists of words in messages, and suggestions for words that are misspelled.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sluice {

// Returns "a, b or c", with `last` in place of "or".
std::string JoinWords(std::span<const std::string_view> words, std::string_view last);

// Returns the word of `known` that `written` most likely means, or nothing if none is similar.
std::string_view NearestWord(std::string_view written, std::span<const std::string_view> known);

// Returns "; did you mean 'burst'?", or "; expected a, b or c" if no word is similar.
std::string Suggestion(std::string_view written, std::span<const std::string_view> known);

}  // namespace sluice
