#include "rules/compile/literal_map.h"

namespace sluice {

LiteralMap::LiteralMap(const std::map<std::string, std::uint32_t>& literals, LiteralRoom& room) {
  if (literals.empty()) return;
  Classify(literals);
  AddState();
  for (const auto& [literal, number] : literals) {
    const std::size_t cells = NewStates(literal) * classes_;
    if (cells > room.cells) {
      left_out_.push_back(number);
    } else {
      room.cells -= cells;
      Insert(literal, number);
    }
  }
  Link();
}

std::size_t LiteralMap::NewStates(const std::string& literal) const {
  std::uint32_t state = 0;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    state = next_[state * classes_ + class_of_[static_cast<unsigned char>(literal[i])]];
    if (state == kNone) return literal.size() - i;
  }
  return 0;
}

void LiteralMap::Classify(const std::map<std::string, std::uint32_t>& literals) {
  for (const auto& [literal, number] : literals) {
    for (const char c : literal) {
      std::uint16_t& its_class = class_of_[static_cast<unsigned char>(c)];
      if (its_class == 0) its_class = static_cast<std::uint16_t>(classes_++);
    }
  }
}

std::uint32_t LiteralMap::AddState() {
  states_.emplace_back();
  next_.resize(states_.size() * classes_, kNone);
  return static_cast<std::uint32_t>(states_.size() - 1);
}

void LiteralMap::Insert(const std::string& literal, std::uint32_t number) {
  std::uint32_t state = 0;
  for (const char c : literal) {
    const std::size_t at = state * classes_ + class_of_[static_cast<unsigned char>(c)];
    if (next_[at] == kNone) {
      const std::uint32_t added = AddState();
      next_[at] = added;
    }
    state = next_[at];
  }
  states_[state].number = number;
}

// Walks breadth first, so that the fallback state, which is nearer to the root, is already
// complete.
void LiteralMap::Link() {
  std::vector<std::uint32_t> fallback(states_.size(), 0);
  std::vector<std::uint32_t> queue;
  for (std::size_t i = 0; i < classes_; ++i) {
    if (next_[i] == kNone) {
      next_[i] = 0;
    } else {
      queue.push_back(next_[i]);
    }
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t state = queue[i];
    const std::uint32_t back = fallback[state];
    states_[state].shorter = states_[back].number != kNone ? back : states_[back].shorter;
    for (std::size_t c = 0; c < classes_; ++c) {
      std::uint32_t& next = next_[state * classes_ + c];
      if (next == kNone) {
        next = next_[back * classes_ + c];
      } else {
        fallback[next] = next_[back * classes_ + c];
        queue.push_back(next);
      }
    }
  }
}

}  // namespace sluice
