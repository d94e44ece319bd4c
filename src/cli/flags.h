// Flags of a command: read strictly, so that a slip of the hand is an error with a hint and never
// a different run.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/result.h"

namespace sluice::cli {

// How many values a flag takes: `--help`, `--limit X`, `--header X --header Y`, `--compare X Y Z`.
enum class FlagValues { kNone, kOne, kEach, kSeveral };

// One flag a command knows. `name` is with its dashes ("--limit" or "-o").
struct Flag {
  std::string_view name;
  FlagValues values = FlagValues::kOne;
  std::string_view value_name = {};  // what to call the value in messages: "LIMIT"
  std::string_view example = {};     // a value that would do: "100/m"
};

// Whether a command takes arguments that belong to no flag, such as files.
enum class Operands { kNone, kAny };

// The flags that were given, with their values.
class GivenFlags {
 public:
  [[nodiscard]] bool Has(std::string_view name) const { return given_.contains(name); }
  // The value of a flag that takes one, or `otherwise` where it was not given.
  [[nodiscard]] std::string_view ValueOr(std::string_view name, std::string_view otherwise) const;
  // The values of a flag that takes several, or one each time; empty where it was not given.
  [[nodiscard]] std::span<const std::string_view> Values(std::string_view name) const;
  // The arguments that belong to no flag, in their order.
  [[nodiscard]] std::span<const std::string_view> operands() const { return operands_; }

 private:
  friend Result<GivenFlags> ReadFlags(std::span<const Flag> known,
                                      std::span<const std::string_view> args, Operands operands);

  std::map<std::string_view, std::vector<std::string_view>, std::less<>> given_;
  std::vector<std::string_view> operands_;
};

// Reads the arguments that follow a command's name. The result views `known` and `args`.
//   - `--limit X` and `--limit=X` are the same.
//   - A flag that takes several values takes all arguments up to the next flag, and may repeat; so
//     may one that takes one each time. Any other flag may be given once.
//   - An unknown flag and a missing value are errors; so is an argument that belongs to no flag,
//     unless the command takes such.
Result<GivenFlags> ReadFlags(std::span<const Flag> known, std::span<const std::string_view> args,
                             Operands operands = Operands::kNone);

}  // namespace sluice::cli
