// ValueSet: the values that a matcher asks for, to be compared with those of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rules/attribute_value.h"
#include "rules/glob.h"
#include "rules/ip_prefixes.h"
#include "rules/rule_spec.h"

namespace sluice {

// How much may be compared. Every rule can be held against every other, each with many values, and
// megabytes of them would take minutes; what is above the bound is not looked at.
//
// Units: about one for two short texts that are compared.
class CompareWork {
 public:
  static constexpr std::size_t kMost = 20'000'000;

  explicit CompareWork(std::size_t most = kMost) : most_(most) {}

  // False where that is too much, and ever after.
  bool Spend(std::size_t units) {
    spent_ = units > most_ - spent_ ? most_ : spent_ + units;
    return !IsSpent();
  }
  [[nodiscard]] bool IsSpent() const { return spent_ == most_; }
  [[nodiscard]] std::size_t spent() const { return spent_; }

 private:
  std::size_t most_;
  std::size_t spent_ = 0;
};

// The values for which a matcher holds, were it not negated; of a path, for requests whose path has
// one form. (A request may have two, and then be reached by a rule that an allow rule before it
// covers; it is a mistake all the same to write such a rule.) Refers to the texts it is made of,
// which must outlive it. Thread safety: immutable once made.
//
// Compared by the words alone, so that false may mean "cannot tell", but true is sure, also where
// the attribute holds addresses and that is not known. An address may be written in several ways,
// so of one only other addresses are known, no texts and globs.
class ValueSet {
 public:
  // `list` is the one that a kIn names, null where there is none that was read well.
  ValueSet(const MatcherSpec& matcher, AttributeKind kind, const ListSpec* list);

  // All values that there are: nothing is asked but that the attribute is present.
  [[nodiscard]] bool IsAny() const { return extent_ == Extent::kAny; }

  // Whether every value of the other, which has some, is in this one.
  bool Contains(const ValueSet& other, CompareWork& work) const;
  // Whether no value of the other, which has some, is in this one.
  bool IsApartFrom(const ValueSet& other, CompareWork& work) const;

 private:
  enum class Extent : std::uint8_t { kSome, kAny, kUnknown };
  struct MeasuredGlob {
    explicit MeasuredGlob(std::string_view pattern)
        : glob(pattern), longest_literal(glob.LongestLiteral().size()) {}
    // At worst each part is sought at each byte.
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
  // A glob holds all that another matches if it matches that as a text: none but its own stars can
  // stand for the stars there.
  bool AGlobMatches(std::string_view text, CompareWork& work) const;
  [[nodiscard]] bool IsApartFromAddress(const IpPrefix& address) const;
  bool IsApartFromText(std::string_view text, CompareWork& work) const;
  bool IsApartFromGlob(std::string_view pattern, CompareWork& work) const;

  Extent extent_ = Extent::kSome;
  std::deque<std::string> kept_;  // texts that are not written as such
  std::unordered_set<std::string_view> texts_;
  bool texts_like_addresses_ = false;  // one of the texts at least
  IpPrefixes addresses_;
  std::unordered_set<std::string_view> globs_;  // all of them
  std::vector<std::string_view> heads_;  // of globs such as abc*; sorted, none begins with another
  std::vector<MeasuredGlob> other_globs_;
};

}  // namespace sluice
