#include "rules/check/cycles.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sluice {
namespace {

// The maximum number of names that are shown of a cycle.
constexpr std::size_t kMaxNames = 10;

enum class Visit : std::uint8_t { kNew, kOnPath, kDone };

// Searches the graph depth first. Keeps the path in a vector instead of recursing, because a chain
// may be as long as there are rules.
class CycleFinder {
 public:
  explicit CycleFinder(const Edges& edges)
      : edges_(edges), visits_(edges.size(), Visit::kNew), reported_(edges.size(), false) {}

  std::vector<std::vector<std::size_t>> Find() {
    for (std::size_t node = 0; node < edges_.size(); ++node) {
      if (visits_[node] == Visit::kNew) VisitFrom(node);
    }
    return std::move(cycles_);
  }

 private:
  struct Step {
    std::size_t node = 0;
    std::size_t next_edge = 0;
  };

  void VisitFrom(std::size_t root) {
    Enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next_edge == edges_[step.node].size()) {
        visits_[step.node] = Visit::kDone;
        path_.pop_back();
        continue;
      }
      const std::size_t target = edges_[step.node][step.next_edge++];
      if (visits_[target] == Visit::kNew) {
        Enter(target);
      } else if (visits_[target] == Visit::kOnPath) {
        Close(target);
      }
    }
  }

  void Enter(std::size_t node) {
    visits_[node] = Visit::kOnPath;
    path_.push_back({node, 0});
  }

  // Records the cycle that the path forms from `first` on, unless it overlaps a recorded one.
  void Close(std::size_t first) {
    const auto start = std::ranges::find(path_, first, &Step::node);
    const bool overlaps =
        std::any_of(start, path_.end(), [this](const Step& step) { return reported_[step.node]; });
    if (overlaps) return;
    std::vector<std::size_t>& cycle = cycles_.emplace_back();
    for (auto step = start; step != path_.end(); ++step) {
      cycle.push_back(step->node);
      reported_[step->node] = true;
    }
  }

  const Edges& edges_;
  std::vector<Visit> visits_;
  std::vector<bool> reported_;
  std::vector<Step> path_;
  std::vector<std::vector<std::size_t>> cycles_;
};

}  // namespace

std::vector<std::vector<std::size_t>> FindCycles(const Edges& edges) {
  return CycleFinder(edges).Find();
}

std::string DescribeCycle(std::span<const std::string_view> names) {
  std::string text;
  const bool cut = names.size() > kMaxNames;
  for (const std::string_view name : cut ? names.first(kMaxNames) : names) {
    text.append(name).append(" -> ");
  }
  if (cut) text += "... -> ";
  if (!names.empty()) text += names.front();
  return text;
}

}  // namespace sluice
