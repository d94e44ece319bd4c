#include "config/rules/read_document.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/rules/read_descriptors.h"
#include "config/rules/read_limits.h"
#include "config/rules/read_rule.h"
#include "rules/model/ip_address.h"

namespace sluice {
namespace {

using Entry = Value::Entry;

constexpr std::int64_t kMaxV4Bits = 32;
constexpr std::int64_t kMaxV6Bits = 128;

void ReadDomain(const Entry& entry, ConfigReader& reading, Document& out) {
  std::optional<std::string> name = ReadName(entry, reading);
  if (!name) return;
  out.domain.name = *std::move(name);
  out.domain.origin = reading.OriginOf(entry.value.At());
}

void ReadAttributes(const Entry& entry, ConfigReader& reading, Document& out) {
  const Value::Map* map = ReadMap("'attributes'", entry.value, reading);
  if (map == nullptr) return;
  for (const Entry& alias : *map) {
    const bool named = CheckAttribute(alias.key, alias.key_at, reading);
    std::optional<std::string> source = ReadString(alias, reading);
    if (!source || !CheckAttribute(*source, alias.value.At(), reading) || !named) continue;
    out.domain.aliases.push_back({alias.key, *std::move(source), reading.OriginOf(alias.key_at),
                                  reading.OriginOf(alias.value.At())});
  }
}

void ReadValueList(const Entry& entry, ConfigReader& reading, Document& out) {
  const std::size_t errors_before = reading.ErrorCount();
  CheckName(entry.key, entry.key_at, reading);
  const Value::List* list = ReadList(entry, reading);
  ListSpec read{entry.key, {}, reading.OriginOf(entry.key_at)};
  std::size_t addresses = 0;
  for (const Value& item : list == nullptr ? Value::List() : *list) {
    std::optional<std::string> text = ScalarText(item);
    if (!text) {
      reading.Error(item.At(), Concat("a value of a list must be a string, a number or a boolean, "
                                      "found ",
                                      item.Description()));
      continue;
    }
    if (ParseIpPrefix(*text).ok()) ++addresses;
    read.values.push_back(*std::move(text));
    read.origins.push_back(reading.OriginOf(item.At()));
  }
  read.mixed = addresses != 0 && addresses != read.values.size();
  // A list with errors is recorded, too, so that rules that use it do not report it as unknown.
  read.faulty = reading.ErrorCount() > errors_before;
  out.domain.lists.push_back(std::move(read));
}

void ReadLists(const Entry& entry, ConfigReader& reading, Document& out) {
  const Value::Map* map = ReadMap("'lists'", entry.value, reading);
  out.domain.partial |= map == nullptr;
  if (map == nullptr) return;
  for (const Entry& list : *map) ReadValueList(list, reading, out);
}

void ReadPlans(const Entry& entry, ConfigReader& reading, Document& out) {
  const Value::Map* map = ReadMap("'plans'", entry.value, reading);
  out.domain.partial |= map == nullptr;
  if (map == nullptr) return;
  for (const Entry& plan : *map) {
    CheckName(plan.key, plan.key_at, reading);
    std::vector<NamedLimit> limits = ReadLimits(plan.value, reading);
    out.domain.plans.push_back({plan.key, std::move(limits), reading.OriginOf(plan.key_at)});
  }
}

std::optional<WrittenBits> ReadBits(std::int64_t max, const Entry& entry, ConfigReader& reading) {
  const auto bits = ReadWholeIn({0, max}, entry, reading);
  if (!bits) return std::nullopt;
  return WrittenBits{static_cast<int>(*bits), reading.OriginOf(entry.value.At())};
}

constexpr std::array kPrefixFields = {
    Field<Document>{"v4", [](const Entry& entry, ConfigReader& reading,
                             Document& out) { out.v4 = ReadBits(kMaxV4Bits, entry, reading); }},
    Field<Document>{"v6", [](const Entry& entry, ConfigReader& reading,
                             Document& out) { out.v6 = ReadBits(kMaxV6Bits, entry, reading); }},
};

void ReadIpPrefix(const Entry& entry, ConfigReader& reading, Document& out) {
  const Value::Map* map = ReadMap("'ip_prefix'", entry.value, reading);
  if (map != nullptr) ReadFields<Document>(*map, kPrefixFields, reading, out);
}

void ReadRuleList(const Entry& entry, ConfigReader& reading, Document& out) {
  const Value::List* list = ReadList(entry, reading);
  out.domain.partial |= list == nullptr;
  if (list == nullptr) return;
  for (const Value& item : *list) {
    std::optional<RuleSpec> rule = ReadRule(item, reading);
    out.domain.partial |= !rule;
    if (rule) out.domain.rules.push_back(*std::move(rule));
  }
}

void ReadDescriptorList(const Entry& entry, ConfigReader& reading, Document& out) {
  out.domain.descriptors = ReadDescriptors(entry, reading);
}

constexpr std::array kDocumentFields = {
    Field<Document>{"domain", ReadDomain},
    Field<Document>{"attributes", ReadAttributes},
    Field<Document>{"lists", ReadLists},
    Field<Document>{"plans", ReadPlans},
    Field<Document>{"ip_prefix", ReadIpPrefix},
    Field<Document>{"rules", ReadRuleList},
    Field<Document>{"descriptors", ReadDescriptorList},
};

// The keys that can give a document content; a document without any of them was most likely
// truncated.
constexpr std::array<std::string_view, 5> kContents = {"rules", "descriptors", "lists", "plans",
                                                       "attributes"};

}  // namespace

Document ReadDocument(const Value& value, ConfigReader& reading) {
  Document document;
  const Value::Map* map = ReadMap("a document of rules", value, reading);
  if (map == nullptr) return document;
  ReadFields<Document>(*map, kDocumentFields, reading, document);
  // An unknown key may be a misspelled `lists`, `plans` or `rules`.
  document.domain.partial |= std::ranges::any_of(*map, [](const Entry& entry) {
    return std::ranges::find(kDocumentFields, entry.key, &Field<Document>::key) ==
           kDocumentFields.end();
  });
  if (Lacks(*map, "domain")) reading.Error(value.At(), "a document needs a 'domain'");
  if (std::ranges::all_of(kContents, [&](std::string_view key) { return Lacks(*map, key); })) {
    reading.Error(value.At(),
                  Concat("a document needs at least one of ", JoinWords(kContents, "or")));
  }
  return document;
}

}  // namespace sluice
