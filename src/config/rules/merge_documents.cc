#include "config/rules/merge_documents.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace sluice {

DocumentMerger::Seen& DocumentMerger::SeenOf(const DomainSpec& domain) {
  const auto [found, added] = seen_.try_emplace(domain.name);
  if (added) {
    found->second.index = spec_.domains.size();
    DomainSpec& made = spec_.domains.emplace_back();
    made.name = domain.name;
    made.origin = domain.origin;
  }
  return found->second;
}

template <typename T>
void DocumentMerger::MoveNamed(std::string_view what, std::vector<T> from, Names& names,
                               std::vector<T>& into) {
  for (T& item : from) {
    const auto [first, added] = names.emplace(item.name, item.origin);
    if (added) {
      into.push_back(std::move(item));
      continue;
    }
    problems_.Error(item.origin,
                    Concat("duplicate ", what, " ", Quoted(item.name), "; the first is at ",
                           DescribePlace(spec_.files, first->second)));
  }
}

void DocumentMerger::SetBits(std::string_view what, const std::optional<WrittenBits>& written,
                             std::optional<WrittenBits>& seen, int& into) {
  if (!written) return;
  if (seen && seen->bits != written->bits) {
    problems_.Error(written->origin,
                    Concat("'ip_prefix' has ", written->bits, " for ", what, ", but ", seen->bits,
                           " at ", DescribePlace(spec_.files, seen->origin)));
    return;
  }
  seen = written;
  into = written->bits;
}

// Reports an exceeded maximum only once, at the item that exceeds it.
void DocumentMerger::CheckSizes(const DomainSpec& added, Seen& seen) {
  const std::size_t rules = seen.rules.size();
  if (rules <= kMaxRules && rules + added.rules.size() > kMaxRules) {
    problems_.Error(
        added.rules[kMaxRules - rules].origin,
        Concat("the domain ", Quoted(added.name), " has more than ", kMaxRules, " rules"));
  }
  for (const ListSpec& list : added.lists) {
    const std::size_t before = seen.list_values;
    seen.list_values += list.values.size();
    if (before > kMaxListValues || seen.list_values <= kMaxListValues) continue;
    problems_.Error(list.origin, Concat("the lists of the domain ", Quoted(added.name),
                                        " have more than ", kMaxListValues, " values"));
  }
}

void DocumentMerger::Add(Document document) {
  DomainSpec& from = document.domain;
  if (from.name.empty()) {
    nameless_ = true;
    return;
  }
  Seen& seen = SeenOf(from);
  DomainSpec& into = spec_.domains[seen.index];
  into.partial |= from.partial;
  CheckSizes(from, seen);
  MoveNamed("attribute", std::move(from.aliases), seen.aliases, into.aliases);
  MoveNamed("list", std::move(from.lists), seen.lists, into.lists);
  MoveNamed("plan", std::move(from.plans), seen.plans, into.plans);
  MoveNamed("rule", std::move(from.rules), seen.rules, into.rules);
  SetBits("v4", document.v4, seen.v4, into.ip_prefix.v4);
  SetBits("v6", document.v6, seen.v6, into.ip_prefix.v6);
  std::ranges::move(from.descriptors, std::back_inserter(into.descriptors));
}

void DocumentMerger::CheckDescriptors(const std::vector<DescriptorSpec>& siblings) {
  // Key and value; "" if there is no value, because a value is never empty.
  using Name = std::pair<std::string_view, std::string_view>;
  std::map<Name, const DescriptorSpec*> firsts;
  for (const DescriptorSpec& each : siblings) {
    const std::string_view value = each.value ? std::string_view(*each.value) : "";
    const auto [first, added] = firsts.emplace(Name(each.key, value), &each);
    if (!added) {
      const std::string described =
          each.value ? Concat(" with the value ", Quoted(value)) : std::string(" without a value");
      problems_.Error(each.origin, Concat("duplicate descriptor ", Quoted(each.key), described,
                                          "; the first is at ",
                                          DescribePlace(spec_.files, first->second->origin)));
    }
    CheckDescriptors(each.descriptors);
  }
}

void DocumentMerger::Finish() {
  for (DomainSpec& domain : spec_.domains) {
    const Seen& seen = seen_.at(domain.name);
    if (seen.v4) domain.ip_prefix_written.push_back({"v4", seen.v4->origin});
    if (seen.v6) domain.ip_prefix_written.push_back({"v6", seen.v6->origin});
    domain.partial |= nameless_;
    CheckDescriptors(domain.descriptors);
  }
}

}  // namespace sluice
