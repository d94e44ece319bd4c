// RuleSetSpec: rules as a person writes them, before they are compiled.
//
// The loader (src/config) fills this in from files, CheckRules says what is wrong with it, and
// RuleSet::Make compiles it. Everything remembers where it was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/config_problem.h"
#include "core/limit.h"
#include "rules/ip_address.h"

namespace sluice {

// A key of a mapping that was written, and where its value stands.
struct WrittenKey {
  std::string key;
  Origin origin;
};
// The keys of one mapping. What is not among them has its default.
using WrittenKeys = std::vector<WrittenKey>;

// What an attribute's value must be.
struct MatcherSpec {
  enum class Kind : std::uint8_t {
    kValues,   // any of `texts`: whole values, or globs where they have a `*`
    kRegex,    // texts[0] matches the whole value
    kIn,       // the value is in the list named texts[0]
    kPresent,  // the attribute is there, whatever its value
  };
  Kind kind = Kind::kValues;
  std::vector<std::string> texts;
  // Holds where the matcher would not, so also where the attribute is missing.
  bool negated = false;
  Origin origin;

  friend bool operator==(const MatcherSpec& a, const MatcherSpec& b) {
    return a.kind == b.kind && a.texts == b.texts && a.negated == b.negated;
  }
};

struct ConditionSpec {
  std::string attribute;
  MatcherSpec matcher;
  Origin origin = {};  // of the attribute's name
};

// One part of a key: the first of these attributes that is present.
struct KeyPartSpec {
  std::vector<std::string> attributes;
  Origin origin;
  std::vector<Origin> origins = {};  // of each attribute's name
};

// A limit of a rule or a plan. `name` is unique there and, with the rule's, what its states are
// kept under.
struct NamedLimit {
  std::string name;
  Limit limit;
  Origin origin;
  WrittenKeys written = {};  // `rate` alone of the string form
};

// A plan by the value of an attribute; `otherwise` where that is missing or no plan.
struct PlanChoiceSpec {
  std::string by;
  std::optional<std::string> otherwise;
  Origin origin;
  Origin by_origin = {};
};

// What a request takes: a number, or the attribute that holds one.
using CostSpec = std::variant<std::int64_t, std::string>;

enum class RuleAction : std::uint8_t { kLimit, kAllow, kDeny };
enum class RuleMode : std::uint8_t { kEnforce, kShadow, kOff };
enum class Consistency : std::uint8_t { kExact, kLeased, kEventual, kLocal };
enum class OnStoreFailure : std::uint8_t { kLocal, kAllow, kDeny };

// A share of all keys, in millionths: 12.5 % is 125,000.
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
  std::vector<NamedLimit> limits;      // or a plan
  std::optional<PlanChoiceSpec> plan;  // or limits
  RuleAction action = RuleAction::kLimit;
  std::optional<CostSpec> cost;  // none: the request's own
  bool debt = false;
  RuleMode mode = RuleMode::kEnforce;
  Share enforce;  // of the keys; the others are in shadow
  std::optional<int> status;
  std::string message;
  Consistency consistency = Consistency::kExact;
  OnStoreFailure on_store_failure = OnStoreFailure::kLocal;
  bool deny_cache = false;  // refusals of `exact` are remembered here
  std::vector<ReplacedSpec> replaces;
  Origin origin;
  WrittenKeys written;
  bool faulty = false;  // some of it is wrong and left out, and that has been reported
};

// One entry of the `descriptors` format: a key with or without a value, what applies to a
// descriptor that ends here, and what may follow.
struct DescriptorSpec {
  std::string key;
  std::optional<std::string> value;  // with `*`: a pattern; none: any value
  bool unlimited = false;
  std::optional<Limit> limit;
  std::string limit_name;  // what `replaces` of others says; may be empty
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
  // Those of `rate_limit`; `algorithm` and `rate` too where `unit` and `requests_per_unit` say
  // them.
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
  std::vector<std::string> values;  // all of them addresses and prefixes, or none
  Origin origin;
  bool faulty = false;               // as in a rule; then values may be missing
  bool mixed = false;                // addresses and other values; CheckRules reports it
  std::vector<Origin> origins = {};  // of each value
};

struct PlanSpec {
  std::string name;
  std::vector<NamedLimit> limits;
  Origin origin;
};

// Everything that is written for one domain, in however many documents.
struct DomainSpec {
  std::string name;
  std::vector<AliasSpec> aliases;
  std::vector<ListSpec> lists;
  std::vector<PlanSpec> plans;
  IpPrefixLengths ip_prefix;      // how much of an address makes a key
  WrittenKeys ip_prefix_written;  // v4, v6
  std::vector<RuleSpec> rules;    // in the order of the files
  std::vector<DescriptorSpec> descriptors;
  Origin origin;
  // Something that may have been a list, a plan or a rule of it could not be read, and that has
  // been reported. So a name that is not here may have been meant to be.
  bool partial = false;
};

struct RuleSetSpec {
  std::vector<std::string> files;  // their names, as messages show them
  std::vector<DomainSpec> domains;
};

}  // namespace sluice
