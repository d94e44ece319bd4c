// RuleSetSpec: rules as they are written in rule files, before they are compiled.
//
// The loader (src/config) fills it in from files, CheckRules reports its mistakes, and
// RuleSet::Make compiles it. Every part records where it was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/config_problem.h"
#include "core/limit/limit.h"
#include "rules/model/ip_address.h"

namespace sluice {

// A key that was written in a mapping, and where its value is.
struct WrittenKey {
  std::string key;
  Origin origin;
};
// The written keys of one mapping. Every other key has its default.
using WrittenKeys = std::vector<WrittenKey>;

// A condition on the value of an attribute.
struct MatcherSpec {
  enum class Kind : std::uint8_t {
    kValues,   // any of `texts`: whole values, or globs if they contain a `*`
    kRegex,    // texts[0] matches the whole value
    kIn,       // the value is in the list named texts[0]
    kPresent,  // the attribute is present, whatever its value
  };
  Kind kind = Kind::kValues;
  std::vector<std::string> texts;
  // Inverts the matcher; an attribute that is missing then matches, too.
  bool negated = false;
  Origin origin;

  friend bool operator==(const MatcherSpec& a, const MatcherSpec& b) {
    return a.kind == b.kind && a.texts == b.texts && a.negated == b.negated;
  }
};

struct ConditionSpec {
  std::string attribute;
  MatcherSpec matcher;
  Origin origin = {};  // where the attribute's name is
};

// One part of a key: the value of the first of these attributes that is present.
struct KeyPartSpec {
  std::vector<std::string> attributes;
  Origin origin;
  std::vector<Origin> origins = {};  // where each attribute's name is
};

// A limit of a rule or a plan. `name` is unique there; together with the rule's name it identifies
// the stored states.
struct NamedLimit {
  std::string name;
  Limit limit;
  Origin origin;
  WrittenKeys written = {};  // only `rate` if the limit is a string
};

// Chooses a plan by the value of an attribute. `otherwise` is used if the attribute is missing or
// names no plan.
struct PlanChoiceSpec {
  std::string by;
  std::optional<std::string> otherwise;
  Origin origin;
  Origin by_origin = {};
};

// The cost of a request: a number, or the attribute that holds one.
using CostSpec = std::variant<std::int64_t, std::string>;

enum class RuleAction : std::uint8_t { kLimit, kAllow, kDeny };
enum class RuleMode : std::uint8_t { kEnforce, kShadow, kOff };
enum class Consistency : std::uint8_t { kExact, kLeased, kEventual, kLocal };
enum class OnStoreFailure : std::uint8_t { kLocal, kAllow, kDeny };

// A share of all keys in millionths: 12.5 % is 125,000.
struct Share {
  static constexpr std::uint32_t kWhole = 1'000'000;
  std::uint32_t millionths = kWhole;

  friend bool operator==(const Share&, const Share&) = default;
};

struct ReplacedSpec {
  std::string name;
  Origin origin;
};

struct RuleSpec {
  std::string name;
  std::vector<ConditionSpec> match;  // all must hold
  std::vector<KeyPartSpec> per;
  // A valid rule has at most one of `limits` and `plan`.
  std::vector<NamedLimit> limits;
  std::optional<PlanChoiceSpec> plan;
  RuleAction action = RuleAction::kLimit;
  std::optional<CostSpec> cost;  // none: the cost the request comes with
  bool debt = false;
  RuleMode mode = RuleMode::kEnforce;
  Share enforce;  // share of the keys that it is enforced on; the others are in shadow
  std::optional<int> status;
  std::string message;
  Consistency consistency = Consistency::kExact;
  OnStoreFailure on_store_failure = OnStoreFailure::kLocal;
  bool deny_cache = false;  // remember refusals of `exact` on this node
  std::vector<ReplacedSpec> replaces;
  Origin origin;
  WrittenKeys written;
  bool faulty = false;  // parts were wrong and left out, and have been reported
};

// One entry of the `descriptors` format: a key with or without a value, the settings of a
// descriptor that ends here, and the entries that may follow it.
struct DescriptorSpec {
  std::string key;
  std::optional<std::string> value;  // a pattern if it contains `*`; none: any value
  bool unlimited = false;
  std::optional<Limit> limit;
  std::string limit_name;  // the name that other entries use in `replaces`; may be empty
  std::vector<ReplacedSpec> replaces;
  bool shadow_mode = false;
  bool quota_mode = false;
  bool detailed_metric = false;
  bool value_to_metric = false;
  bool share_threshold = false;
  std::optional<Value> metadata;
  std::vector<DescriptorSpec> descriptors;
  Origin origin;
  WrittenKeys written;
  // The keys of `rate_limit`; `unit` and `requests_per_unit` add `algorithm` and `rate`, which they
  // determine.
  WrittenKeys rate_limit_written;
};

// `user: header.x-user-id`: a request without `name` takes the value of `source`.
struct AliasSpec {
  std::string name;
  std::string source;
  Origin origin;
  Origin source_origin = {};
};

struct ListSpec {
  std::string name;
  std::vector<std::string> values;  // addresses and prefixes only, or none at all
  Origin origin;
  bool faulty = false;               // as in RuleSpec; values may be missing then
  bool mixed = false;                // has addresses and other values; CheckRules reports it
  std::vector<Origin> origins = {};  // where each value is
};

struct PlanSpec {
  std::string name;
  std::vector<NamedLimit> limits;
  Origin origin;
};

// Everything that is written for one domain, in one or several documents.
struct DomainSpec {
  std::string name;
  std::vector<AliasSpec> aliases;
  std::vector<ListSpec> lists;
  std::vector<PlanSpec> plans;
  IpPrefixLengths ip_prefix;      // how much of an address is kept in keys
  WrittenKeys ip_prefix_written;  // v4, v6
  std::vector<RuleSpec> rules;    // in the order of the files
  std::vector<DescriptorSpec> descriptors;
  Origin origin;
  // Something that may have been a list, a plan or a rule could not be read, and that has been
  // reported. A name that is missing here may therefore have been defined there.
  bool partial = false;
};

struct RuleSetSpec {
  std::vector<std::string> files;  // file names as messages show them
  std::vector<DomainSpec> domains;
};

}  // namespace sluice
