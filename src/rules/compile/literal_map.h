// LiteralMap: finds which of many literals a text contains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// The memory budget for the literal maps of a rule set.
struct LiteralRoom {
  std::size_t cells = std::size_t{16} << 20U;  // of four bytes: states times byte classes
};

// An Aho-Corasick automaton of numbered literals, built once and then only read. A lookup reads the
// text once, however many literals there are.
//
// Memory: four bytes per state and byte class (different byte of the literals); there is one state
// per byte of a literal, shared among literals with a common prefix. Literals that exceed the
// budget are left out, and the caller must search for them in another way.
// Thread safety: any number of threads may read once it has been built.
class LiteralMap {
 public:
  LiteralMap() = default;
  // Takes the memory that it needs from `room`. REQUIRES: no literal is empty.
  LiteralMap(const std::map<std::string, std::uint32_t>& literals, LiteralRoom& room);

  // Returns the numbers of the literals that were left out.
  [[nodiscard]] const std::vector<std::uint32_t>& left_out() const { return left_out_; }
  [[nodiscard]] bool empty() const { return states_.empty(); }

  // Calls visit(number) for each literal that ends at a position of `text`, the longest first; at
  // each position it stops as soon as visit returns false. A visitor that returns whether the
  // number is new to it is therefore called for every literal that the text contains, at most once
  // per byte of the text plus once per literal.
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
    std::uint32_t number = kNone;   // number of the literal that ends here
    std::uint32_t shorter = kNone;  // the state of the next shorter literal that ends here
  };

  void Classify(const std::map<std::string, std::uint32_t>& literals);
  std::uint32_t AddState();
  // Returns how many states the literal would add.
  [[nodiscard]] std::size_t NewStates(const std::string& literal) const;
  void Insert(const std::string& literal, std::uint32_t number);
  // Completes the transitions on bytes with which none of a state's literals continues.
  void Link();

  std::array<std::uint16_t, 256> class_of_{};  // 0: a byte that is in no literal
  std::size_t classes_ = 1;
  std::vector<State> states_;        // the first one is the root
  std::vector<std::uint32_t> next_;  // state * classes_ + class
  std::vector<std::uint32_t> left_out_;
};

}  // namespace sluice
