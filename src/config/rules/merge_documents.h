// DocumentMerger: merges the documents of each domain.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/config_problem.h"
#include "config/rules/read_document.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// The maximum numbers per domain.
inline constexpr std::size_t kMaxRules = 10'000;
inline constexpr std::size_t kMaxListValues = 1'000'000;

// Adds documents to a spec in file order, and reports conflicts between them. Refers to the spec
// and the problems, which must outlive it. Thread safety: none.
class DocumentMerger {
 public:
  // REQUIRES: spec.files names every file of the documents that will be added, and spec has no
  // domains.
  DocumentMerger(RuleSetSpec& spec, ConfigProblems& problems) : spec_(spec), problems_(problems) {}

  // Adds a document. Skips a document without a domain name; it may belong to any domain, so every
  // domain counts as incomplete then.
  void Add(Document document);

  // Records and reports what is only known after all documents have been added.
  void Finish();

 private:
  // A name that is defined twice is an error, which reports the place of the first definition.
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
  bool nameless_ = false;  // a document was skipped
};

}  // namespace sluice
