#include "frontend/http/rls_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <vector>

#include "base/json_string.h"
#include "base/spelling.h"
#include "base/text.h"

namespace sluice {
namespace {

// Indexed by RlsUnit.
constexpr std::array<std::string_view, 8> kUnitNames = {"UNKNOWN", "SECOND", "MINUTE", "HOUR",
                                                        "DAY",     "MONTH",  "YEAR",   "WEEK"};

constexpr std::uint64_t kMaxUint32 = std::numeric_limits<std::uint32_t>::max();

std::string_view NameOf(RlsCode code) { return code == RlsCode::kOk ? "OK" : "OVER_LIMIT"; }

std::optional<std::uint64_t> ParseDigits(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::size_t> RlsJsonReader::NextField(std::span<const Names> fields, Seen& seen) {
  while (const std::optional<std::string_view> key = json_.NextKey()) {
    const auto is_it = [&](const Names& each) { return *key == each.camel || *key == each.snake; };
    const auto field = std::ranges::find_if(fields, is_it);
    if (field == fields.end()) {
      std::vector<std::string_view> known;
      for (const Names& each : fields) known.push_back(each.camel);
      json_.Fail(Concat("unknown field ", Quoted(*key), Suggestion(*key, known)));
      return std::nullopt;
    }
    const auto index = static_cast<std::size_t>(field - fields.begin());
    const std::uint32_t bit = std::uint32_t{1} << index;
    if ((seen.bits & bit) != 0) {
      json_.Fail(Concat("duplicate field ", Quoted(*key)));
      return std::nullopt;
    }
    seen.bits |= bit;
    const std::optional<JsonKind> kind = json_.Peek();
    if (!kind) return std::nullopt;
    if (*kind != JsonKind::kNull) return index;
    if (!json_.ReadNull()) return std::nullopt;
  }
  return std::nullopt;
}

bool RlsJsonReader::Read(std::string_view body, RlsRequest& request) {
  request.domain = {};
  request.addend = 0;
  request.descriptors.clear();
  request.entries.clear();
  json_.Begin(body);
  return ReadRequest(request) && json_.ReadEnd();
}

bool RlsJsonReader::ReadRequest(RlsRequest& request) {
  static constexpr std::array<Names, 3> kFields = {
      {{"domain", "domain"}, {"descriptors", "descriptors"}, {"hitsAddend", "hits_addend"}}};
  if (!json_.OpenMap()) return false;
  Seen seen;
  while (const std::optional<std::size_t> field = NextField(kFields, seen)) {
    const bool ok = *field == 0   ? ReadText(request.domain)
                    : *field == 1 ? ReadDescriptors(request)
                                  : ReadNumber(request.addend);
    if (!ok) return false;
  }
  if (!json_.ok()) return false;
  if (request.domain.empty()) return json_.FailMissing("domain");
  return !request.descriptors.empty() || json_.FailMissing("descriptors");
}

bool RlsJsonReader::ReadDescriptors(RlsRequest& request) {
  if (!json_.OpenList()) return false;
  while (json_.NextItem()) {
    if (request.descriptors.size() == bounds_.max_descriptors) {
      return json_.Fail(Concat("more than ", bounds_.max_descriptors, " descriptors"));
    }
    if (!ReadDescriptor(request)) return false;
  }
  if (!json_.ok()) return false;
  return !request.descriptors.empty() || json_.Fail("expected at least one descriptor");
}

bool RlsJsonReader::ReadDescriptor(RlsRequest& request) {
  // In the order of DescriptorField.
  static constexpr std::array<Names, 4> kFields = {{{"entries", "entries"},
                                                    {"limit", "limit"},
                                                    {"hitsAddend", "hits_addend"},
                                                    {"isNegativeHits", "is_negative_hits"}}};
  if (!json_.OpenMap()) return false;
  RlsDescriptor& descriptor = request.descriptors.emplace_back();
  descriptor.first = static_cast<std::uint32_t>(request.entries.size());
  Seen seen;
  while (const std::optional<std::size_t> field = NextField(kFields, seen)) {
    if (!ReadDescriptorField(static_cast<DescriptorField>(*field), request)) return false;
  }
  if (!json_.ok()) return false;
  descriptor.count = static_cast<std::uint32_t>(request.entries.size()) - descriptor.first;
  return descriptor.count > 0 || json_.FailMissing("entries");
}

bool RlsJsonReader::ReadDescriptorField(DescriptorField field, RlsRequest& request) {
  RlsDescriptor& descriptor = request.descriptors.back();
  switch (field) {
    case DescriptorField::kEntries:
      return ReadEntries(request);
    case DescriptorField::kLimit:
      return ReadOverride(descriptor.limit);
    case DescriptorField::kAddend:
      return ReadNumber(std::numeric_limits<std::uint64_t>::max(), descriptor.addend.emplace());
    case DescriptorField::kNegative:
      break;
  }
  const std::optional<bool> negative = json_.ReadBoolean();
  descriptor.negative = negative.value_or(false);
  return negative.has_value();
}

bool RlsJsonReader::ReadEntries(RlsRequest& request) {
  if (!json_.OpenList()) return false;
  while (json_.NextItem()) {
    if (request.entries.size() == bounds_.max_entries) {
      return json_.Fail(Concat("more than ", bounds_.max_entries, " entries"));
    }
    if (!ReadEntry(request.entries.emplace_back())) return false;
  }
  if (!json_.ok()) return false;
  const bool is_empty = request.entries.size() == request.descriptors.back().first;
  return !is_empty || json_.Fail("expected at least one entry");
}

bool RlsJsonReader::ReadEntry(Attribute& entry) {
  static constexpr std::array<Names, 2> kFields = {{{"key", "key"}, {"value", "value"}}};
  if (!json_.OpenMap()) return false;
  Seen seen;
  while (const std::optional<std::size_t> field = NextField(kFields, seen)) {
    if (!ReadText(*field == 0 ? entry.name : entry.value)) return false;
  }
  if (!json_.ok()) return false;
  return !entry.name.empty() || json_.FailMissing("key");
}

bool RlsJsonReader::ReadOverride(std::optional<RlsOverride>& limit) {
  static constexpr std::array<Names, 3> kFields = {{{"requestsPerUnit", "requests_per_unit"},
                                                    {"unit", "unit"},
                                                    {"unitMultiplier", "unit_multiplier"}}};
  if (!json_.OpenMap()) return false;
  RlsOverride& brought = limit.emplace();
  Seen seen;
  while (const std::optional<std::size_t> field = NextField(kFields, seen)) {
    const bool ok = *field == 0   ? ReadNumber(brought.requests_per_unit)
                    : *field == 1 ? ReadUnit(brought.unit)
                                  : ReadNumber(brought.multiplier);
    if (!ok) return false;
    if (brought.multiplier == 0) return json_.Fail("expected at least 1, found 0");
  }
  if (!json_.ok()) return false;
  return brought.unit != RlsUnit::kUnknown || json_.FailMissing("unit");
}

bool RlsJsonReader::ReadUnit(RlsUnit& unit) {
  const std::optional<JsonKind> kind = json_.Peek();
  if (!kind) return false;
  std::size_t index = 0;
  if (*kind == JsonKind::kNumber) {
    const std::optional<std::int64_t> number = json_.ReadWhole(kUnitNames.size() - 1);
    if (!number) return false;
    index = static_cast<std::size_t>(*number);
  } else {
    std::string_view name;
    if (!ReadText(name)) return false;
    index = static_cast<std::size_t>(std::ranges::find(kUnitNames, name) - kUnitNames.begin());
    if (index == kUnitNames.size()) {
      return json_.Fail(Concat("unknown unit ", Quoted(name), Suggestion(name, kUnitNames)));
    }
  }
  unit = static_cast<RlsUnit>(index);
  return true;
}

bool RlsJsonReader::ReadText(std::string_view& text) {
  const std::optional<std::string_view> read = json_.ReadString();
  if (read) text = *read;
  return read.has_value();
}

bool RlsJsonReader::ReadNumber(std::uint64_t max, std::uint64_t& number) {
  const std::optional<JsonKind> kind = json_.Peek();
  if (!kind) return false;
  const auto text = *kind == JsonKind::kString ? json_.ReadString() : json_.ReadInteger();
  if (!text) return false;
  const std::optional<std::uint64_t> read = ParseDigits(*text);
  if (!read || *read > max) {
    return json_.Fail(Concat("expected a whole number from 0 to ", max, ", found ", Quoted(*text)));
  }
  number = *read;
  return true;
}

bool RlsJsonReader::ReadNumber(std::uint32_t& number) {
  std::uint64_t wide = 0;
  if (!ReadNumber(kMaxUint32, wide)) return false;
  number = static_cast<std::uint32_t>(wide);
  return true;
}

namespace {

// Writes the set fields of one message.
class MessageWriter {
 public:
  explicit MessageWriter(std::string& out) : out_(out) { out_ += '{'; }
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;
  ~MessageWriter() { out_ += '}'; }

  // Begins a field. The caller appends its value to the result.
  std::string& Start(std::string_view name) {
    out_ += separator_;
    out_ += '"';
    out_ += name;
    out_ += "\":";
    separator_ = ",";
    return out_;
  }

  void Text(std::string_view name, std::string_view text) {
    if (!text.empty()) AppendJsonString(text, Start(name));
  }
  void Number(std::string_view name, std::uint64_t number) {
    if (number != 0) AppendPart(number, Start(name));
  }

 private:
  std::string& out_;
  std::string_view separator_;
};

void AppendBase64(std::string_view bytes, std::string& out) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto at = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = at(i) << 16U | at(i + 1) << 8U | at(i + 2);
    out += kDigits[three >> 18U];
    out += kDigits[three >> 12U & 63U];
    out += i + 1 < bytes.size() ? kDigits[three >> 6U & 63U] : '=';
    out += i + 2 < bytes.size() ? kDigits[three & 63U] : '=';
  }
}

// Appends "30s" or "1.500000000s".
void AppendLength(Nanos length, std::string& out) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
  const auto rest = static_cast<std::uint64_t>((length - seconds).count());
  out += '"';
  AppendPart(seconds.count(), out);
  if (rest != 0) {
    const std::string digits = std::to_string(rest);
    out.append(".").append(9 - digits.size(), '0').append(digits);
  }
  out += "s\"";
}

void Append(const RlsLimit& limit, std::string& out) {
  MessageWriter message(out);
  message.Number("requestsPerUnit", limit.requests_per_unit);
  if (limit.unit != RlsUnit::kUnknown) {
    message.Text("unit", kUnitNames[static_cast<std::size_t>(limit.unit)]);
  }
  message.Text("name", limit.name);
  if (limit.multiplier != 1) AppendPart(limit.multiplier, message.Start("unitMultiplier"));
}

void Append(const RlsStatus& status, std::string& out) {
  MessageWriter message(out);
  message.Text("code", NameOf(status.code));
  if (status.limit) Append(*status.limit, message.Start("currentLimit"));
  message.Number("limitRemaining", status.remaining);
  if (status.until_reset) AppendLength(*status.until_reset, message.Start("durationUntilReset"));
}

void Append(const Attribute& header, std::string& out) {
  MessageWriter message(out);
  message.Text("key", header.name);
  message.Text("value", header.value);
}

template <typename Element>
void AppendEach(std::string_view name, std::span<const Element> elements, MessageWriter& message) {
  if (elements.empty()) return;
  std::string& out = message.Start(name);
  char before = '[';
  for (const Element& each : elements) {
    out += before;
    Append(each, out);
    before = ',';
  }
  out += ']';
}

}  // namespace

void AppendRlsJson(const RlsReply& reply, std::string& out) {
  MessageWriter message(out);
  message.Text("overallCode", NameOf(reply.overall));
  AppendEach("statuses", reply.statuses, message);
  AppendEach("responseHeadersToAdd", reply.response_headers, message);
  AppendEach("requestHeadersToAdd", reply.request_headers, message);
  if (reply.raw_body.empty()) return;
  std::string& body = message.Start("rawBody");
  body += '"';
  AppendBase64(reply.raw_body, body);
  body += '"';
}

}  // namespace sluice
