#include "cli/flags.h"

#include <algorithm>
#include <cstddef>

#include "base/spelling.h"
#include "base/value.h"
#include "config/settings/other_flags.h"

namespace sluice::cli {
namespace {

// The argument "--limit=X", split into its name and its value.
struct Spelling {
  std::string_view name;
  std::string_view value;
  bool has_value = false;
};

Spelling Split(std::string_view arg) {
  const std::size_t equals = arg.find('=');
  if (!arg.starts_with("--") || equals == std::string_view::npos) return {arg, {}, false};
  return {arg.substr(0, equals), arg.substr(equals + 1), true};
}

// Accepts -h for --help. Messages never suggest -h, because it is not in `known`.
const Flag* Find(std::span<const Flag> known, std::string_view name) {
  if (name == "-h") name = "--help";
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Flag& flag) { return flag.name == name; });
  return found == known.end() ? nullptr : &*found;
}

// A lone "-" is a value (standard input, by convention), and so is "-1/s", which the parser of the
// value rejects with a better message than ours.
bool LooksLikeFlag(std::span<const Flag> known, std::string_view arg) {
  return arg.starts_with("--") || Find(known, arg) != nullptr;
}

Error UnknownFlag(std::span<const Flag> known, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Flag& flag : known) names.push_back(flag.name);
  const std::string_view meant =
      FlagMeantBy(name, [&](std::string_view flag) { return Find(known, flag) != nullptr; });
  if (!meant.empty()) {
    return Error{"unknown flag " + Quoted(name) + "; did you mean " + Quoted(meant) + "?"};
  }
  return Error{"unknown flag " + Quoted(name) + Suggestion(name, names)};
}

Error MissingValue(const Flag& flag) {
  const std::string name(flag.name);
  return Error{name + " needs a value: " + name + " " + std::string(flag.value_name) +
               ", for example " + name + " " + std::string(flag.example)};
}

// Moves the values of a flag from `rest` to `values`: one, or for kSeveral all up to the next flag.
// Fails if there is none.
Result<Done> TakeValues(std::span<const Flag> known, const Flag& flag,
                        std::span<const std::string_view>& rest,
                        std::vector<std::string_view>& values) {
  const bool several = flag.values == FlagValues::kSeveral;
  bool taken = false;
  while (!rest.empty() && !LooksLikeFlag(known, rest.front()) && (several || !taken)) {
    values.push_back(rest.front());
    rest = rest.subspan(1);
    taken = true;
  }
  if (!taken) return MissingValue(flag);
  return Done{};
}

bool IsOperand(std::string_view arg) { return !arg.starts_with('-') || arg == "-"; }

// Returns the flag that an argument names, or an error if the flag is not allowed here.
Result<const Flag*> FindFlag(std::span<const Flag> known, const Spelling& spelling,
                             const GivenFlags& given) {
  if (IsOperand(spelling.name)) {
    return Error{"unexpected argument " + Quoted(spelling.name) + "; expected a flag"};
  }
  const Flag* flag = Find(known, spelling.name);
  if (flag == nullptr) return UnknownFlag(known, spelling.name);
  const bool repeats = flag->values == FlagValues::kSeveral || flag->values == FlagValues::kEach;
  if (given.Has(flag->name) && !repeats) {
    return Error{std::string(flag->name) + " is given twice; once is enough"};
  }
  if (spelling.has_value && flag->values == FlagValues::kNone) {
    return Error{std::string(flag->name) + " takes no value"};
  }
  return flag;
}

}  // namespace

std::string_view GivenFlags::ValueOr(std::string_view name, std::string_view otherwise) const {
  const auto found = given_.find(name);
  return found == given_.end() ? otherwise : found->second.front();
}

std::span<const std::string_view> GivenFlags::Values(std::string_view name) const {
  const auto found = given_.find(name);
  if (found == given_.end()) return {};
  return found->second;
}

Result<GivenFlags> ReadFlags(std::span<const Flag> known, std::span<const std::string_view> args,
                             Operands operands) {
  GivenFlags given;
  while (!args.empty()) {
    if (operands == Operands::kAny && IsOperand(args.front())) {
      given.operands_.push_back(args.front());
      args = args.subspan(1);
      continue;
    }
    const Spelling spelling = Split(args.front());
    args = args.subspan(1);
    const Result<const Flag*> found = FindFlag(known, spelling, given);
    if (!found) return found.error();
    const Flag& flag = *found.value();
    std::vector<std::string_view>& values = given.given_[flag.name];
    if (flag.values == FlagValues::kNone) continue;
    if (spelling.has_value) values.push_back(spelling.value);
    // A value after an equals sign is the only one, except for a flag that takes several.
    if (spelling.has_value && (flag.values != FlagValues::kSeveral || args.empty() ||
                               LooksLikeFlag(known, args.front()))) {
      continue;
    }
    const Result<Done> taken = TakeValues(known, flag, args, values);
    if (!taken) return taken.error();
  }
  return given;
}

}  // namespace sluice::cli
