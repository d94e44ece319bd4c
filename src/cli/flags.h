// Command-line flags. They are read strictly: a typo is an error with a suggestion and never starts
// a different run.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/result.h"

namespace sluice::cli {

// The number of values that a flag takes: `--help`, `--limit X`, `--header X --header Y`,
// `--compare X Y Z`.
enum class FlagValues { kNone, kOne, kEach, kSeveral };

// One flag that a command knows. `name` includes the dashes ("--limit" or "-o").
struct Flag {
  std::string_view name;
  FlagValues values = FlagValues::kOne;
  std::string_view value_name = {};  // the name of the value in messages: "LIMIT"
  std::string_view example = {};     // a valid value: "100/m"
};

// Whether a command takes operands: arguments that belong to no flag, such as files.
enum class Operands { kNone, kAny };

// The flags that were given, with their values.
class GivenFlags {
 public:
  [[nodiscard]] bool Has(std::string_view name) const { return given_.contains(name); }
  // Returns the value of a flag that takes one, or `otherwise` if the flag was not given.
  [[nodiscard]] std::string_view ValueOr(std::string_view name, std::string_view otherwise) const;
  // Returns the values of a flag that takes kSeveral or kEach; empty if it was not given.
  [[nodiscard]] std::span<const std::string_view> Values(std::string_view name) const;
  // Returns the arguments that belong to no flag, in order.
  [[nodiscard]] std::span<const std::string_view> operands() const { return operands_; }

 private:
  friend Result<GivenFlags> ReadFlags(std::span<const Flag> known,
                                      std::span<const std::string_view> args, Operands operands);

  std::map<std::string_view, std::vector<std::string_view>, std::less<>> given_;
  std::vector<std::string_view> operands_;
};

// Reads the arguments that follow a command's name. The result views `known` and `args`.
//   - `--limit X` and `--limit=X` are equivalent.
//   - A kSeveral flag takes all arguments up to the next flag. It may be repeated, and so may a
//     kEach flag; any other flag may be given only once.
//   - An unknown flag or a missing value is an error, and so is an operand unless the command takes
//     them.
Result<GivenFlags> ReadFlags(std::span<const Flag> known, std::span<const std::string_view> args,
                             Operands operands = Operands::kNone);

}  // namespace sluice::cli
