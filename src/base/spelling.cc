#include "base/spelling.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

// All names of this project are shorter. A longer text is similar to none of them; this bounds the
// work.
constexpr std::size_t kMaxWordBytes = 32;

// A name with more mistakes than this, or with mistakes in more than a third of its letters, is
// taken for another name.
constexpr std::size_t kMaxMistakes = 2;

struct Spelling {
  std::string_view written;
  std::string_view meant;
};

// Returns the number of letters that were added, left out, changed, or swapped with a neighbor.
std::size_t Mistakes(Spelling spelling) {
  const auto [written, meant] = spelling;
  const std::size_t width = meant.size() + 1;
  std::vector<std::size_t> table((written.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= written.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= meant.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= written.size(); ++i) {
    for (std::size_t j = 1; j <= meant.size(); ++j) {
      const std::size_t changed = written[i - 1] == meant[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + changed});
      const bool swapped =
          i > 1 && j > 1 && written[i - 1] == meant[j - 2] && written[i - 2] == meant[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(written.size(), meant.size());
}

}  // namespace

std::string JoinWords(std::span<const std::string_view> words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && i + 1 == words.size()) {
      text.append(" ").append(last).append(" ");
    } else if (i > 0) {
      text += ", ";
    }
    text += words[i];
  }
  return text;
}

std::string_view NearestWord(std::string_view written, std::span<const std::string_view> known) {
  if (written.size() > kMaxWordBytes) return {};
  std::string_view nearest;
  std::size_t fewest = kMaxMistakes + 1;
  for (const std::string_view word : known) {
    const std::size_t mistakes = Mistakes({written, word});
    if (mistakes < fewest && mistakes * 3 <= word.size()) {
      fewest = mistakes;
      nearest = word;
    }
  }
  return nearest;
}

std::string Suggestion(std::string_view written, std::span<const std::string_view> known) {
  const std::string_view nearest = NearestWord(written, known);
  if (!nearest.empty()) return Concat("; did you mean ", Quoted(nearest), "?");
  return Concat("; expected ", JoinWords(known, "or"));
}

}  // namespace sluice
