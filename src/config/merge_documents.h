// DocumentMerger: the documents of each domain put together.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/read_document.h"
#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Of one domain.
inline constexpr std::size_t kRulesMost = 10'000;
inline constexpr std::size_t kListValuesMost = 1'000'000;

// Adds documents to a spec in the order of their files, and reports what does not go together.
// Refers to what it is made of, which must outlive it. Thread safety: none.
class DocumentMerger {
 public:
  // REQUIRES: spec.files names every file of the documents to come, and it has no domains.
  DocumentMerger(RuleSetSpec& spec, ConfigProblems& problems) : spec_(spec), problems_(problems) {}

  // A document without a domain is left out; it may have been meant for any.
  void Add(Document document);

  // Notes and reports what can be seen only once all documents are there.
  void Finish();

 private:
  // What is written more than once is an error that says where the first is.
  using Names = std::unordered_map<std::string, Origin>;
  struct Seen {
    std::size_t index = 0;  // in spec_.domains
    Names aliases;
    Names lists;
    Names plans;
    Names rules;
    std::optional<WrittenBits> v4;
    std::optional<WrittenBits> v6;
    std::size_t list_values = 0;
  };

  Seen& SeenOf(const DomainSpec& domain);
  template <typename T>
  void MoveNamed(std::string_view what, std::vector<T> from, Names& names, std::vector<T>& into);
  void SetBits(std::string_view what, const std::optional<WrittenBits>& written,
               std::optional<WrittenBits>& seen, int& into);
  void CheckSizes(const DomainSpec& added, Seen& seen);
  void CheckDescriptors(const std::vector<DescriptorSpec>& siblings);

  RuleSetSpec& spec_;
  ConfigProblems& problems_;
  std::unordered_map<std::string, Seen> seen_;
  bool nameless_ = false;  // a document was left out
};

}  // namespace sluice
