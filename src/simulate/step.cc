#include "simulate/step.h"

#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/spelling.h"
#include "base/value.h"
#include "config/syntax/json.h"

namespace sluice::cli {
namespace {

struct OpWord {
  std::string_view name;
  Op op;
};

constexpr std::array kOps = {
    OpWord{"check", Op::kCheck},   OpWord{"peek", Op::kPeek},       OpWord{"debt", Op::kDebt},
    OpWord{"refund", Op::kRefund}, OpWord{"reset", Op::kReset},     OpWord{"acquire", Op::kAcquire},
    OpWord{"renew", Op::kRenew},   OpWord{"release", Op::kRelease},
};

constexpr std::array<std::string_view, 5> kMembers = {"t", "cost", "op", "key", "id"};

bool NeedsId(Op op) { return op == Op::kAcquire || op == Op::kRenew || op == Op::kRelease; }

// Adds only the column, because the caller knows the line.
Error At(Position at, const std::string& message) {
  if (at.column == 0) return Error{message};
  return Error{"column " + std::to_string(at.column) + ": " + message};
}

Error Unexpected(const Value& value, std::string_view expected) {
  return At(value.At(), "expected " + std::string(expected) + ", not " + value.Description());
}

Result<Time> ReadTime(const Value& value) {
  constexpr std::string_view kExpected =
      "\"t\" to be whole nanoseconds from 0 on, or a duration such as \"1.5s\"";
  if (const std::string* text = value.AsString()) {
    const Result<Nanos> length = ParseDuration(*text);
    if (!length) return At(value.At(), "\"t\": " + length.error().message);
    return Time(length.value());
  }
  const std::string* number = value.AsNumber();
  if (number == nullptr) return Unexpected(value, kExpected);
  const auto whole = ReadWhole(*number);
  const std::int64_t* nanos = std::get_if<std::int64_t>(&whole);
  const auto* fault = std::get_if<NumberFault>(&whole);
  if (fault != nullptr && *fault != NumberFault::kTooLarge) return Unexpected(value, kExpected);
  if (nanos == nullptr || Time(Nanos(*nanos)) > kLatestTime) {
    return Unexpected(value, "\"t\" to be at most " +
                                 std::to_string(kLatestTime.time_since_epoch().count()) +
                                 ", in the year 2160");
  }
  return Time(Nanos(*nanos));
}

Result<Cost> ReadCost(const Value& value) {
  const std::string* number = value.AsNumber();
  const auto whole = ReadWhole(number == nullptr ? std::string_view() : *number);
  if (const std::int64_t* units = std::get_if<std::int64_t>(&whole)) return Cost{*units};
  return Unexpected(value, "\"cost\" to be a whole number from 0 to 9223372036854775807");
}

Result<Op> ReadOp(const Value& value) {
  const std::string* name = value.AsString();
  if (name == nullptr) return Unexpected(value, "\"op\" to be a string such as \"check\"");
  std::vector<std::string_view> names;
  for (const OpWord& known : kOps) {
    if (known.name == *name) return known.op;
    names.push_back(known.name);
  }
  return At(value.At(), "unknown op " + Quoted(*name) + Suggestion(*name, names));
}

Result<std::string> ReadName(const Value& value, std::string_view member) {
  const std::string* text = value.AsString();
  if (text == nullptr) {
    return Unexpected(value, std::string(member) + " to be a string");
  }
  return *text;
}

// Moves a value that was read to `place`, or returns its error.
template <typename T, typename Place>
Result<Done> Put(Result<T> read, Place& place) {
  if (!read) return read.error();
  place = std::move(read).value();
  return Done{};
}

Result<Done> ReadMember(const Value::Entry& entry, Step& step) {
  if (entry.key == "t") return Put(ReadTime(entry.value), step.t);
  if (entry.key == "cost") return Put(ReadCost(entry.value), step.cost);
  if (entry.key == "op") return Put(ReadOp(entry.value), step.op);
  if (entry.key == "key") return Put(ReadName(entry.value, "\"key\""), step.key);
  if (entry.key == "id") return Put(ReadName(entry.value, "\"id\""), step.id);
  return At(entry.key_at, "unknown member " + Quoted(entry.key) + Suggestion(entry.key, kMembers));
}

Result<Step> ReadMembers(const Value& value, const Value::Map& members) {
  Step step;
  for (const Value::Entry& entry : members) {
    const Result<Done> read = ReadMember(entry, step);
    if (!read) return read.error();
  }
  if (value.Find("t") == nullptr) {
    return At(value.At(), "expected a member \"t\", the time of the step in nanoseconds");
  }
  if (NeedsId(step.op) && !step.id) {
    return At(value.At(), "expected a member \"id\": " + std::string(OpName(step.op)) +
                              " names the permit it is about");
  }
  if (!NeedsId(step.op) && step.id) {
    return At(value.Find("id")->At(), "\"id\" belongs to acquire, renew and release, not to " +
                                          std::string(OpName(step.op)));
  }
  return step;
}

}  // namespace

std::string_view OpName(Op op) {
  for (const OpWord& known : kOps) {
    if (known.op == op) return known.name;
  }
  return {};
}

Result<Step> ReadStep(std::string_view line) {
  const auto read = ReadJson(line);
  if (const auto* error = std::get_if<PositionedError>(&read)) return At(error->at, error->message);
  const Value& value = *std::get_if<Value>(&read);
  const Value::Map* members = value.AsMap();
  if (members == nullptr) return Unexpected(value, "a step such as {\"t\": 0, \"cost\": 1}");
  return ReadMembers(value, *members);
}

Result<Done> CheckOpFits(const Step& step, Algorithm algorithm) {
  const bool permits = algorithm == Algorithm::kConcurrency;
  const std::string name(OpName(step.op));
  if (permits && step.op == Op::kCheck) {
    return Error{"a concurrency limit has no check; use acquire with an \"id\""};
  }
  if (permits && step.op == Op::kDebt) {
    return Error{"a concurrency limit has no debt; use acquire with an \"id\""};
  }
  if (permits && step.op == Op::kRefund) {
    return Error{"a concurrency limit has no refund; use release with the \"id\" of the permit"};
  }
  if (!permits && NeedsId(step.op)) {
    const std::string instead = step.op == Op::kRelease ? "refund" : "check";
    return Error{name + " is for concurrency limits; use " + instead};
  }
  return Done{};
}

}  // namespace sluice::cli
