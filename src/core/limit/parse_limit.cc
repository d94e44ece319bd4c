#include "core/limit/parse_limit.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/enum_name.h"
#include "base/spelling.h"
#include "base/text.h"
#include "core/limit/limit_keys.h"
#include "core/limit/limit_words.h"
#include "core/limit/rate.h"

namespace sluice {
namespace {

// The error in the value of a key, or nothing.
using Fault = std::optional<std::string>;
using Entry = Value::Entry;

std::string MustBe(std::string_view expected, const Entry& entry) {
  return Concat(Quoted(entry.key), " must be ", expected, ", found ", entry.value.Description());
}

std::string TooLarge(const Entry& entry) { return MustBe(Concat("at most ", kMaxUnits), entry); }

// The functions ReadXInto<&LimitSpec::member> read the value of an entry into that member.

template <auto kMember>
Fault ReadWholeInto(const Entry& entry, LimitSpec& spec) {
  const std::string* text = entry.value.AsNumber();
  if (text == nullptr) return MustBe("a whole number", entry);
  const auto number = ReadWhole(*text);
  if (const auto* fault = std::get_if<NumberFault>(&number)) {
    if (*fault == NumberFault::kTooLarge) return TooLarge(entry);
    if (text->starts_with('-')) return MustBe("0 or more", entry);
    return MustBe("a whole number, written in digits", entry);
  }
  spec.*kMember = *std::get_if<std::int64_t>(&number);
  return std::nullopt;
}

template <auto kMember>
Fault ReadDecimalInto(const Entry& entry, LimitSpec& spec) {
  const std::string* text = entry.value.AsNumber();
  if (text == nullptr) return MustBe("a number", entry);
  const auto number = ReadDecimal(*text);
  if (const auto* fault = std::get_if<NumberFault>(&number)) {
    if (*fault == NumberFault::kTooLarge) return TooLarge(entry);
    if (*fault == NumberFault::kTooFine) return MustBe("a number of at most 18 decimals", entry);
    if (text->starts_with('-')) return MustBe("0 or more", entry);
    return MustBe("a number such as 2.5, written in digits", entry);
  }
  spec.*kMember = ToFraction(*std::get_if<Decimal>(&number));
  if (!(spec.*kMember).has_value()) return MustBe("a number of fewer digits", entry);
  return std::nullopt;
}

// Only a pacer can store a fraction of a unit.
Fault ReadBurst(const Entry& entry, LimitSpec& spec) {
  return spec.algorithm == Algorithm::kPacer ? ReadDecimalInto<&LimitSpec::burst>(entry, spec)
                                             : ReadWholeInto<&LimitSpec::burst>(entry, spec);
}

Fault ReadMaxInFlight(const Entry& entry, LimitSpec& spec) {
  if (entry.value.AsMap() != nullptr) {
    return "an adaptive 'max_in_flight' is not supported yet; write a whole number";
  }
  return ReadWholeInto<&LimitSpec::max_in_flight>(entry, spec);
}

template <auto kMember>
Fault ReadBooleanInto(const Entry& entry, LimitSpec& spec) {
  const bool* value = entry.value.AsBoolean();
  if (value == nullptr) return MustBe("true or false", entry);
  spec.*kMember = *value;
  return std::nullopt;
}

template <auto kMember>
Fault ReadDurationInto(const Entry& entry, LimitSpec& spec) {
  const std::string* text = entry.value.AsString();
  if (text == nullptr) return MustBe("a duration such as 250ms", entry);
  const Result<Nanos> length = ParseDuration(*text);
  if (!length.ok()) return Concat(Quoted(entry.key), ": ", length.error().message);
  spec.*kMember = length.value();
  return std::nullopt;
}

// Reads a duration that may be 0, which needs no unit.
template <auto kMember>
Fault ReadDurationOrZeroInto(const Entry& entry, LimitSpec& spec) {
  const std::string* number = entry.value.AsNumber();
  const std::string* text = number != nullptr ? number : entry.value.AsString();
  if (text == nullptr || *text != "0") return ReadDurationInto<kMember>(entry, spec);
  spec.*kMember = Nanos{0};
  return std::nullopt;
}

template <typename T>
T& TargetOf(T& target) {
  return target;
}
template <typename T>
T& TargetOf(std::optional<T>& target) {
  return target.emplace();
}

template <auto kMember>
Fault ReadWordInto(const Entry& entry, LimitSpec& spec) {
  const std::string* text = entry.value.AsString();
  if (text == nullptr) return MustBe("a name", entry);
  auto& target = TargetOf(spec.*kMember);
  std::vector<std::string_view> known;
  for (const auto& word : WordsFor(target)) {
    known.push_back(word.text);
    if (word.text != *text) continue;
    target = word.meaning;
    return std::nullopt;
  }
  return Concat("unknown ", entry.key, " ", Quoted(*text), Suggestion(*text, known));
}

Fault ReadZone(const Entry& entry, LimitSpec& spec) {
  const std::string* text = entry.value.AsString();
  if (text == nullptr) return MustBe("a time zone such as Europe/Berlin", entry);
  spec.zone = *text;
  return std::nullopt;
}

Fault ReadRateInto(const Entry& entry, LimitSpec& spec) {
  const std::string* text = entry.value.AsString();
  if (text == nullptr) return MustBe("a string such as 100/m", entry);
  const Result<Rate> rate = ParseRate(*text);
  if (!rate.ok()) return rate.error().message;
  spec.rate = rate.value();
  return std::nullopt;
}

struct Reader {
  std::string_view key;
  Fault (*read)(const Entry& entry, LimitSpec& spec);
};

constexpr std::array kReaders = {
    Reader{"algorithm", ReadWordInto<&LimitSpec::algorithm>},
    Reader{"rate", ReadRateInto},
    Reader{"burst", ReadBurst},
    Reader{"refill", ReadWordInto<&LimitSpec::refill>},
    Reader{"aligned", ReadBooleanInto<&LimitSpec::aligned>},
    Reader{"max_wait", ReadDurationOrZeroInto<&LimitSpec::max_wait>},
    Reader{"delay_after", ReadWholeInto<&LimitSpec::delay_after>},
    Reader{"window", ReadWordInto<&LimitSpec::window>},
    Reader{"zone", ReadZone},
    Reader{"count_refused", ReadBooleanInto<&LimitSpec::count_refused>},
    Reader{"min_gap", ReadDurationOrZeroInto<&LimitSpec::min_gap>},
    Reader{"buckets", ReadWholeInto<&LimitSpec::buckets>},
    Reader{"oldest", ReadWordInto<&LimitSpec::oldest>},
    Reader{"warm_up", ReadDurationOrZeroInto<&LimitSpec::warm_up>},
    Reader{"cold_factor", ReadDecimalInto<&LimitSpec::cold_factor>},
    Reader{"max_in_flight", ReadMaxInFlight},
    Reader{"ttl", ReadDurationInto<&LimitSpec::ttl>},
};

const Reader* FindReader(std::string_view key) {
  for (const Reader& reader : kReaders) {
    if (reader.key == key) return &reader;
  }
  return nullptr;
}

const Entry* FindEntry(const Value::Map& map, std::string_view key) {
  for (const Entry& entry : map) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string UnknownKey(std::string_view key, Algorithm algorithm) {
  const std::string_view nearest = NearestWord(key, AllKeyNames());
  if (!nearest.empty()) {
    return Concat("unknown key ", Quoted(key), "; did you mean ", Quoted(nearest), "?");
  }
  return Concat("unknown key ", Quoted(key), "; expected ", JoinWords(KeyNames(algorithm), "or"));
}

// Checks that every key is known and occurs once.
std::optional<PositionedError> CheckKeys(const Value::Map& map, Algorithm algorithm) {
  for (const Entry& entry : map) {
    if (FindReader(entry.key) == nullptr) {
      return PositionedError{entry.key_at, UnknownKey(entry.key, algorithm)};
    }
    // There are few known keys, so a linear search for the first occurrence is cheap.
    if (FindEntry(map, entry.key) != &entry) {
      return PositionedError{entry.key_at, Concat("duplicate key ", Quoted(entry.key))};
    }
  }
  return std::nullopt;
}

std::optional<PositionedError> ReadEntry(const Entry& entry, LimitSpec& spec) {
  if (Fault fault = FindReader(entry.key)->read(entry, spec)) {
    return PositionedError{entry.value.At(), *std::move(fault)};
  }
  return std::nullopt;
}

std::variant<LimitSpec, PositionedError> ReadMap(const Value::Map& map) {
  LimitSpec spec;
  // The algorithm is read first because the valid keys depend on it.
  if (const Entry* algorithm = FindEntry(map, "algorithm")) {
    if (auto error = ReadEntry(*algorithm, spec)) return *std::move(error);
  }
  if (auto error = CheckKeys(map, spec.algorithm)) return *std::move(error);
  for (const Entry& entry : map) {
    if (auto error = ReadEntry(entry, spec)) return *std::move(error);
  }
  if (auto stray = FindStrayKey(spec)) {
    return PositionedError{FindEntry(map, stray->key)->key_at, std::move(stray->message)};
  }
  return spec;
}

// Returns the position of the key's value, or of the whole limit if the key is not written.
Position PlaceOf(std::string_view key, const Value& value) {
  const Value* found = value.Find(key);
  return found == nullptr ? value.At() : found->At();
}

}  // namespace

std::variant<LimitSpec, PositionedError> ParseLimitSpec(const Value& value) {
  if (const Value::Map* map = value.AsMap()) return ReadMap(*map);
  const std::string* text = value.AsString();
  if (text == nullptr) {
    return PositionedError{
        value.At(),
        Concat("a limit must be a string such as 100/m or a mapping, found ", value.Description())};
  }
  const Result<Rate> rate = ParseRate(*text);
  if (!rate.ok()) return PositionedError{value.At(), rate.error().message};
  LimitSpec spec;
  spec.rate = rate.value();
  return spec;
}

std::variant<Limit, PositionedError> ParseLimit(const Value& value, const ZoneSource& zones) {
  auto spec = ParseLimitSpec(value);
  if (auto* error = std::get_if<PositionedError>(&spec)) return std::move(*error);
  auto limit = MakeLimit(*std::get_if<LimitSpec>(&spec), zones);
  if (auto* error = std::get_if<LimitError>(&limit)) {
    return PositionedError{PlaceOf(error->key, value), std::move(error->message)};
  }
  return std::move(*std::get_if<Limit>(&limit));
}

Result<Limit> ParseLimit(std::string_view text, const ZoneSource& zones) {
  auto limit = ParseLimit(Value::String(std::string(text)), zones);
  if (auto* error = std::get_if<PositionedError>(&limit)) return Error{std::move(error->message)};
  return std::move(*std::get_if<Limit>(&limit));
}

}  // namespace sluice
