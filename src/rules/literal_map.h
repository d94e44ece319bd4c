// LiteralMap: which of many literals a text contains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Room for the literals of all maps of a rule set.
struct LiteralRoom {
  std::size_t cells = std::size_t{16} << 20U;  // of four bytes: states times different bytes
};

// Literals with a number each, built once and then only read: the automaton of Aho and Corasick, so
// that a look-up reads the text once however many literals there are.
//
// Memory: four bytes for each state and each different byte of the literals; a state for each byte
// of a literal that no other literal shares. Literals for which there is no room are left out, and
// whoever asks must look for them otherwise.
// Thread safety: reading from any thread once built.
class LiteralMap {
 public:
  LiteralMap() = default;
  // Takes what it needs from `room`. REQUIRES: no literal is empty.
  LiteralMap(const std::map<std::string, std::uint32_t>& literals, LiteralRoom& room);

  // The numbers of the literals that are not in it.
  [[nodiscard]] const std::vector<std::uint32_t>& left_out() const { return left_out_; }
  [[nodiscard]] bool empty() const { return states_.empty(); }

  // Calls visit(number) wherever in `text` a literal ends, then for those inside it that end there,
  // too, until visit answers false. So one that answers whether the number is new to it is called
  // for every literal that the text contains, and in all at most once for each byte and literal.
  template <typename Visit>
  void ForEachIn(std::string_view text, Visit visit) const {
    if (states_.empty()) return;
    std::uint32_t state = 0;
    for (const char c : text) {
      state = next_[state * classes_ + class_of_[static_cast<unsigned char>(c)]];
      std::uint32_t at = states_[state].number != kNone ? state : states_[state].shorter;
      while (at != kNone && visit(states_[at].number)) at = states_[at].shorter;
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
  // How many states the literal would add.
  [[nodiscard]] std::size_t NewStates(const std::string& literal) const;
  void Insert(const std::string& literal, std::uint32_t number);
  // Sets where each state goes on a byte that none of its literals goes on with.
  void Link();

  std::array<std::uint16_t, 256> class_of_{};  // 0: a byte of no literal
  std::size_t classes_ = 1;
  std::vector<State> states_;        // the first is that of no byte
  std::vector<std::uint32_t> next_;  // state * classes_ + class
  std::vector<std::uint32_t> left_out_;
};

}  // namespace sluice
