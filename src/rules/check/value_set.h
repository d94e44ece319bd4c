// ValueSet: the values that a matcher accepts, for comparison with other sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rules/check/ip_prefixes.h"
#include "rules/model/attribute_value.h"
#include "rules/model/glob.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// A budget for comparisons. Every rule may be compared with every other, each with many values, so
// megabytes of rules would take minutes. Comparisons beyond the budget are skipped.
//
// Units: one is about the comparison of two short texts.
class CompareWork {
 public:
  static constexpr std::size_t kMax = 20'000'000;

  explicit CompareWork(std::size_t max = kMax) : max_(max) {}

  // Spends units. Returns false if the budget is exhausted, now and in all later calls.
  bool Spend(std::size_t units) {
    spent_ = units > max_ - spent_ ? max_ : spent_ + units;
    return !IsSpent();
  }
  [[nodiscard]] bool IsSpent() const { return spent_ == max_; }
  [[nodiscard]] std::size_t spent() const { return spent_; }

 private:
  std::size_t max_;
  std::size_t spent_ = 0;
};

// The values that a matcher accepts, ignoring its negation; for paths, those of requests whose path
// has only one form. (A request with two forms may reach a rule that an earlier allow rule covers;
// writing such a rule is nevertheless a mistake.) Refers to the texts of the matcher and the list,
// which must outlive it. Thread safety: immutable once constructed.
//
// Compares only what is written: true is certain, but false may mean "unknown". That holds even for
// attributes that contain addresses without being known to. An address can be written in several
// ways, so it is comparable with other addresses only, not with texts and globs.
class ValueSet {
 public:
  // `list` is the list that a kIn matcher names, or null if there is no such list without faults.
  ValueSet(const MatcherSpec& matcher, AttributeKind kind, const ListSpec* list);

  // Returns whether the set contains every value: the matcher only needs the attribute to be
  // present.
  [[nodiscard]] bool IsAny() const { return extent_ == Extent::kAny; }

  // Returns whether every value of the other set is in this one. An empty set is contained only in
  // the set of all values.
  bool Contains(const ValueSet& other, CompareWork& work) const;
  // Returns whether no value of the other set is in this one. Returns false if the other set is
  // empty.
  bool IsApartFrom(const ValueSet& other, CompareWork& work) const;

 private:
  enum class Extent : std::uint8_t { kSome, kAny, kUnknown };
  struct MeasuredGlob {
    explicit MeasuredGlob(std::string_view pattern)
        : glob(pattern), longest_literal(glob.LongestLiteral().size()) {}
    // Returns the work of one match: in the worst case each part is searched for at each byte.
    [[nodiscard]] std::size_t WorkFor(std::string_view text) const;
    bool Matches(std::string_view text, CompareWork& work) const {
      return work.Spend(WorkFor(text)) && glob.Matches(text);
    }

    Glob glob;
    std::size_t longest_literal;
  };

  void AddTexts(const MatcherSpec& matcher, AttributeKind kind);
  void AddPathTexts(std::string_view written);
  void AddPath(std::string text);
  void AddList(const ListSpec& list, AttributeKind kind);
  void AddGlob(std::string_view pattern);
  void Finish(std::vector<IpPrefix> addresses);

  [[nodiscard]] bool IsEmpty() const;
  bool HasText(std::string_view text, CompareWork& work) const;
  // Returns whether any glob contains `text`, which may be a glob: a glob contains everything that
  // another one matches if it matches that glob as a text, because only stars match stars.
  bool AGlobMatches(std::string_view text, CompareWork& work) const;
  [[nodiscard]] bool IsApartFromAddress(const IpPrefix& address) const;
  bool IsApartFromText(std::string_view text, CompareWork& work) const;
  bool IsApartFromGlob(std::string_view pattern, CompareWork& work) const;

  Extent extent_ = Extent::kSome;
  std::deque<std::string> kept_;  // texts that are derived from the written ones
  std::unordered_set<std::string_view> texts_;
  bool texts_like_addresses_ = false;  // at least one of the texts looks like an address
  IpPrefixes addresses_;
  std::unordered_set<std::string_view> globs_;  // all globs
  // The prefixes of globs such as abc*; sorted, and none begins with another.
  std::vector<std::string_view> heads_;
  std::vector<MeasuredGlob> other_globs_;
};

}  // namespace sluice
