#include "config/rules/read_descriptors.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/rules/read_rate_limit.h"
#include "rules/model/glob.h"

namespace sluice {
namespace {

using Entry = Value::Entry;

void ReadKey(const Entry& entry, ConfigReader& reading, DescriptorSpec& out) {
  const std::optional<std::string> key = ScalarText(entry.value);
  if (!key || key->empty()) {
    reading.Error(entry.value.At(), MustBe("a string that is not empty", entry));
    return;
  }
  out.key = *key;
  out.origin = reading.OriginOf(entry.value.At());
}

// An empty value is the same as none: any value matches.
void ReadValue(const Entry& entry, ConfigReader& reading, DescriptorSpec& out) {
  std::optional<std::string> value = ScalarText(entry.value);
  if (!value) {
    reading.Error(entry.value.At(), MustBe("a string, a number or a boolean", entry));
  } else if (!value->empty()) {
    out.value = std::move(value);
  }
}

void ReadNested(const Entry& entry, ConfigReader& reading, DescriptorSpec& out) {
  out.descriptors = ReadDescriptors(entry, reading);
}

template <auto kMember>
void ReadBooleanInto(const Entry& entry, ConfigReader& reading, DescriptorSpec& out) {
  out.*kMember = ReadBoolean(entry, reading).value_or(false);
}

void ReadMetadata(const Entry& entry, ConfigReader& reading, DescriptorSpec& out) {
  if (ReadMap("'metadata'", entry.value, reading) != nullptr) out.metadata = entry.value;
}

constexpr std::array kDescriptorFields = {
    Field<DescriptorSpec>{"key", ReadKey},
    Field<DescriptorSpec>{"value", ReadValue},
    Field<DescriptorSpec>{"rate_limit", ReadRateLimit},
    Field<DescriptorSpec>{"descriptors", ReadNested},
    Field<DescriptorSpec>{"shadow_mode", ReadBooleanInto<&DescriptorSpec::shadow_mode>},
    Field<DescriptorSpec>{"quota_mode", ReadBooleanInto<&DescriptorSpec::quota_mode>},
    Field<DescriptorSpec>{"detailed_metric", ReadBooleanInto<&DescriptorSpec::detailed_metric>},
    Field<DescriptorSpec>{"value_to_metric", ReadBooleanInto<&DescriptorSpec::value_to_metric>},
    Field<DescriptorSpec>{"share_threshold", ReadBooleanInto<&DescriptorSpec::share_threshold>},
    Field<DescriptorSpec>{"metadata", ReadMetadata},
};

std::optional<DescriptorSpec> ReadDescriptor(const Value& value, ConfigReader& reading) {
  const Value::Map* map = ReadMap("a descriptor", value, reading);
  if (map == nullptr) return std::nullopt;
  DescriptorSpec descriptor;
  ReadFields<DescriptorSpec>(*map, kDescriptorFields, reading, descriptor);
  descriptor.written = reading.KeysOf(value);
  if (Lacks(*map, "key")) reading.Error(value.At(), "a descriptor needs a 'key'");
  if (descriptor.share_threshold && !Glob::IsGlob(descriptor.value.value_or(""))) {
    reading.Error(value.Find("share_threshold")->At(),
                  "'share_threshold' needs a 'value' with a *, whose matches can share");
  }
  if (descriptor.key.empty()) return std::nullopt;
  return descriptor;
}

}  // namespace

std::vector<DescriptorSpec> ReadDescriptors(const Entry& entry, ConfigReader& reading) {
  std::vector<DescriptorSpec> descriptors;
  const Value::List* list = ReadList(entry, reading);
  if (list == nullptr) return descriptors;
  for (const Value& item : *list) {
    if (auto descriptor = ReadDescriptor(item, reading)) {
      descriptors.push_back(*std::move(descriptor));
    }
  }
  return descriptors;
}

}  // namespace sluice
