#include "config/rules/rule_summary.h"

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/sip_hash.h"
#include "base/text.h"

namespace sluice {
namespace {

std::string Counted(std::size_t count, std::string_view what) {
  return Concat(count, " ", what, count == 1 ? "" : "s");
}

// Counts descriptors with a limit at any depth, including unlimited ones.
std::size_t CountLimits(const std::vector<DescriptorSpec>& siblings) {
  std::size_t count = 0;
  for (const DescriptorSpec& each : siblings) {
    count += (each.limit || each.unlimited ? 1 : 0) + CountLimits(each.descriptors);
  }
  return count;
}

}  // namespace

RuleHash HashOf(std::span<const RuleText> texts) {
  SipHash hash(HashSeed{});
  for (const RuleText& text : texts) {
    const std::string_view name = text.name;
    hash.Absorb(name.substr(name.rfind('/') + 1));
    hash.Absorb(text.text);
  }
  return {hash.Finish({})};
}

std::string HexText(RuleHash hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(hash.value >> shift) & 0xFU];
  return text;
}

std::string CountText(const RuleSetSpec& spec) {
  std::size_t rules = 0;
  std::size_t descriptors = 0;
  for (const DomainSpec& domain : spec.domains) {
    rules += domain.rules.size();
    descriptors += CountLimits(domain.descriptors);
  }
  return Concat(Counted(spec.files.size(), "file"), ", ", Counted(spec.domains.size(), "domain"),
                ", ", Counted(rules, "rule"),
                descriptors == 0 ? "" : Concat(", ", Counted(descriptors, "descriptor")));
}

}  // namespace sluice
