// LiteralMap: which of many literals a text contains.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Literals with a number each, built once and then only read: the automaton of Aho and Corasick, so
// that a look-up reads the text once however many literals there are.
//
// Memory: four bytes for each state and each different byte of the literals; a state for each byte
// of a literal that no other literal shares.
// Thread safety: reading from any thread once built.
class LiteralMap {
 public:
  LiteralMap() = default;
  // REQUIRES: no literal is empty.
  explicit LiteralMap(const std::map<std::string, std::uint32_t>& literals);

  // Calls visit(number) for every literal that `text` contains, as often as it does.
  template <typename Visit>
  void ForEachIn(std::string_view text, Visit visit) const {
    if (states_.empty()) return;
    std::uint32_t state = 0;
    for (const char c : text) {
      state = next_[state * classes_ + class_of_[static_cast<unsigned char>(c)]];
      std::uint32_t at = states_[state].number != kNone ? state : states_[state].shorter;
      for (; at != kNone; at = states_[at].shorter) visit(states_[at].number);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct State {
    std::uint32_t number = kNone;   // of the literal that ends here
    std::uint32_t shorter = kNone;  // the state of the longest shorter literal that ends here
  };

  void Classify(const std::map<std::string, std::uint32_t>& literals);
  std::uint32_t AddState();
  void Insert(const std::string& literal, std::uint32_t number);
  // Sets where each state goes on a byte that none of its literals goes on with.
  void Link();

  std::array<std::uint16_t, 256> class_of_{};  // 0: a byte of no literal
  std::size_t classes_ = 1;
  std::vector<State> states_;        // the first is that of no byte
  std::vector<std::uint32_t> next_;  // state * classes_ + class
};

}  // namespace sluice
