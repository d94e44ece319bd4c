#include "fuzz/draft_rules.h"

#include <cstddef>
#include <utility>

#include "base/utf8.h"
#include "fuzz/json_text.h"

namespace sluice::fuzz {
namespace {

constexpr auto kWords =
    std::to_array<std::string_view>({"a", "b", "ab", "/v1/a", "/v1/*", "*", "/*/b*", "free", "7",
                                     "/v1/a*", "", "10.*", "1000000000000000001"});
constexpr auto kAddresses = std::to_array<std::string_view>(
    {"10.0.0.1", "10.0.0.0/8", "10.0.0.0/31", "0.0.0.0/0", "::/0", "::", "2001:db8::/32",
     "2001:db8::1", "::1.2.3.4", "8000::/1", "::ffff:10.0.0.0/104", "::ffff:10.0.0.1",
     "1:2:3:4:5:6:7::", "10.0.0.0/30", "::ffff:0:0/96", "255.255.255.255"});
// Each is a valid expression by itself, so most concatenations are valid, too.
constexpr auto kRegexPieces = std::to_array<std::string_view>(
    {"a", "b", "[ab]", ".*", "|", "(?i)b", "\\Qa", "\\Qb\\E", "$", "\\pL*", "(?P<n>a)", "/"});
constexpr std::array<std::string_view, 3> kModes = {"shadow", "off", "enforce"};
constexpr std::array<std::string_view, 2> kLists = {"l0", "l1"};
constexpr std::array<std::string_view, 2> kPlans = {"free", "pro"};
constexpr std::size_t kMaxRules = 6;
constexpr std::size_t kMaxFresh = 12;

// Generates one document, key by key.
class Drafter {
 public:
  explicit Drafter(ByteReader& bytes) : bytes_(bytes) {}

  RulesDraft Draft() {
    std::string json = Pair("domain", JsonText(kDraftDomain));
    json += "," + Pair("lists", Lists()) + "," + Pair("plans", Plans());
    if (bytes_.OneIn(2)) json += "," + Pair("attributes", Aliases());
    if (bytes_.OneIn(4)) json += "," + Pair("ip_prefix", IpPrefix());
    const std::size_t rules = bytes_.Below(kMaxRules + 1);
    json += "," + Pair("rules", List(rules, [&](std::size_t i) { return Rule(i); }));
    const std::size_t descriptors = bytes_.Below(4);
    json += "," + Pair("descriptors", Descriptors(descriptors, 0));
    draft_.json = "{" + json + "}";
    return std::move(draft_);
  }

 private:
  static std::string Pair(std::string_view key, const std::string& json) {
    return JsonText(key) + ":" + json;
  }

  template <typename Item>
  static std::string List(std::size_t count, Item item) {
    std::string json;
    for (std::size_t i = 0; i < count; ++i) json += (i == 0 ? "" : ",") + item(i);
    return "[" + json + "]";
  }

  std::string Number(std::size_t choices) { return std::to_string(bytes_.Below(choices)); }
  std::string Name() { return JsonText(bytes_.Pick(kDraftNames)); }

  // Returns a text of arbitrary characters below U+0100.
  std::string Fresh() {
    std::string text;
    for (const char c : bytes_.Bytes(bytes_.Below(kMaxFresh + 1))) {
      AppendUtf8(static_cast<unsigned char>(c), text);
    }
    return text;
  }

  // Generates a text to match. `ip` accepts only addresses, prefixes and globs.
  std::string Text(std::string_view attribute) {
    const std::size_t kind = bytes_.Below(4);
    const bool is_address = attribute == "ip" || kind == 0;
    std::string text(is_address ? bytes_.Pick(kAddresses) : bytes_.Pick(kWords));
    if (kind == 2) text = Fresh() + (is_address ? "*" : "");
    if (kind == 3) text += (is_address ? "*" : "") + Fresh();
    return Note(text);
  }

  std::string Note(std::string text) {
    draft_.texts.push_back(text);
    return JsonText(text);
  }

  std::string Texts(std::string_view attribute) {
    return List(1 + bytes_.Below(3), [&](std::size_t) { return Text(attribute); });
  }

  std::string Regex() {
    std::string regex;
    for (std::size_t pieces = 1 + bytes_.Below(3); pieces > 0; --pieces) {
      regex += bytes_.OneIn(16) ? Fresh() : std::string(bytes_.Pick(kRegexPieces));
    }
    return Note(regex);
  }

  std::string Matcher(std::string_view attribute) {
    switch (bytes_.Below(9)) {
      case 0:
        return "{" + Pair("in", JsonText(attribute == "ip" ? kLists[0] : bytes_.Pick(kLists))) +
               "}";
      case 1:
        return "{" + Pair("present", bytes_.OneIn(2) ? "false" : "true") + "}";
      case 2:
        return bytes_.AtEnd() ? Text(attribute) : "{" + Pair("not", Matcher(attribute)) + "}";
      case 3:
      case 4:
        return Texts(attribute);
      case 5:
      case 6:
        return Text(attribute);
      default:
        return "{" + Pair("regex", Regex()) + "}";
    }
  }

  // Uses each attribute at most once, because keys of a mapping must be unique.
  std::string Match() {
    std::string json;
    for (const std::string_view attribute : kDraftNames) {
      if (!bytes_.OneIn(3)) continue;
      json += (json.empty() ? "" : ",") + Pair(attribute, Matcher(attribute));
    }
    return "{" + json + "}";
  }

  std::string Aliases() {
    std::string json;
    for (std::size_t i = 1; i < kDraftNames.size(); ++i) {
      if (!bytes_.OneIn(3)) continue;
      json +=
          (json.empty() ? "" : ",") + Pair(kDraftNames[i], JsonText(kDraftNames[bytes_.Below(i)]));
    }
    return "{" + json + "}";
  }

  // Generates a list of addresses and a list of words, without mixing them.
  std::string Lists() {
    const auto list = [&](const auto& choices) {
      return List(bytes_.Below(4),
                  [&](std::size_t) { return Note(std::string(bytes_.Pick(choices))); });
    };
    return "{" + Pair(kLists[0], list(kAddresses)) + "," + Pair(kLists[1], list(kWords)) + "}";
  }

  static std::string Plans() {
    return "{" + Pair(kPlans[0], "\"1/s\"") + "," + Pair(kPlans[1], R"(["2/s","9/m"])") + "}";
  }

  std::string IpPrefix() {
    return "{" + Pair("v4", Number(33)) + "," + Pair("v6", Number(129)) + "}";
  }

  std::string KeyPart(std::size_t) {
    if (!bytes_.OneIn(3)) return Name();
    return List(1 + bytes_.Below(3), [&](std::size_t) { return Name(); });
  }

  static std::string RuleName(std::size_t number) { return JsonText("r" + std::to_string(number)); }

  std::string Rule(std::size_t number) {
    std::string json = Pair("name", RuleName(number)) + "," + Pair("match", Match());
    if (bytes_.OneIn(4)) json += "," + Pair("mode", JsonText(bytes_.Pick(kModes)));
    if (bytes_.OneIn(5)) {
      return "{" + json + "," + Pair("action", bytes_.OneIn(2) ? "\"deny\"" : "\"allow\"") + "}";
    }
    const std::size_t parts = bytes_.Below(4);
    json += "," + Pair("per", List(parts, [&](std::size_t i) { return KeyPart(i); }));
    json += "," + Limits();
    if (bytes_.OneIn(4)) json += "," + Pair("cost", bytes_.OneIn(2) ? "3" : Name());
    if (bytes_.OneIn(6)) json += "," + Pair("enforce_percent", "0");
    // Replaces only an earlier rule, so that no rule replaces itself.
    if (number > 0 && bytes_.OneIn(3)) {
      json += "," + Pair("replaces", RuleName(bytes_.Below(number)));
    }
    return "{" + json + "}";
  }

  std::string Limits() {
    if (!bytes_.OneIn(3)) return Pair("limit", bytes_.OneIn(2) ? R"(["1/s","5/m"])" : "\"1/s\"");
    const std::string otherwise = bytes_.OneIn(2) ? ",\"default\":\"free\"" : "";
    return Pair("plan", "{" + Pair("by", Name()) + otherwise + "}");
  }

  std::string Flag(std::string_view key) {
    return bytes_.OneIn(6) ? "," + Pair(key, "true") : std::string();
  }

  std::string RateLimit() {
    std::string json = R"("unit":"minute","requests_per_unit":)" + Number(10);
    const std::size_t name = bytes_.Below(4);
    if (name != 0) json += "," + Pair("name", RuleName(name));
    if (bytes_.OneIn(3)) json += ",\"replaces\":[" + RuleName(name + 1) + "]";
    return "{" + json + "}";
  }

  std::string Descriptors(std::size_t count, int depth) {
    return List(count, [&](std::size_t) { return Descriptor(depth); });
  }

  std::string Descriptor(int depth) {
    constexpr int kMaxDepth = 3;
    std::string json = Pair("key", Name());
    if (bytes_.OneIn(2)) {
      json += "," + Pair("value", Text({}));
      if (draft_.texts.back().find('*') != std::string::npos) json += Flag("share_threshold");
    }
    if (!bytes_.OneIn(3)) json += "," + Pair("rate_limit", RateLimit());
    for (const std::string_view key :
         {"shadow_mode", "quota_mode", "detailed_metric", "value_to_metric"}) {
      json += Flag(key);
    }
    const std::size_t below = depth < kMaxDepth ? bytes_.Below(3) : 0;
    return "{" + json + "," + Pair("descriptors", Descriptors(below, depth + 1)) + "}";
  }

  ByteReader& bytes_;
  RulesDraft draft_;
};

}  // namespace

RulesDraft DraftRules(ByteReader& bytes) { return Drafter(bytes).Draft(); }

std::string DraftValue(const RulesDraft& draft, ByteReader& bytes) {
  constexpr std::size_t kMaxBytes = 24;
  const std::size_t kind = bytes.Below(8);
  if (kind == 0 || draft.texts.empty()) return bytes.Bytes(bytes.Below(kMaxBytes));
  if (kind == 1) return std::string(bytes.Pick(kAddresses));
  if (kind == 5) return std::string(bytes.Pick(kWords));
  std::string value = bytes.Pick(draft.texts);
  if (kind == 2) return value + bytes.Bytes(1);
  if (kind == 3) return value.substr(0, bytes.Below(value.size() % 256 + 1));
  // Generate a value that the glob matches.
  for (std::size_t star = value.find('*'); kind == 4 && star != std::string::npos;) {
    const std::string any = bytes.Bytes(bytes.Below(4));
    value.replace(star, 1, any);
    star = value.find('*', star + any.size());
  }
  return value;
}

}  // namespace sluice::fuzz
