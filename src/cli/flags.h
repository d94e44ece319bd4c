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

// How many values a flag takes: `--help`, `--limit X`, `--compare X Y Z`.
enum class FlagValues { kNone, kOne, kSeveral };

// One flag a command knows. `name` is with its dashes ("--limit" or "-o"); the one without a name
// takes the arguments that belong to no other.
struct Flag {
  std::string_view name;
  FlagValues values = FlagValues::kOne;
  std::string_view value_name = {};  // what to call the value in messages: "LIMIT"
  std::string_view example = {};     // a value that would do: "100/m"
};

// The flags that were given, with their values.
class GivenFlags {
 public:
  [[nodiscard]] bool Has(std::string_view name) const { return given_.contains(name); }
  // The value of a flag that takes one, or `otherwise` where it was not given.
  [[nodiscard]] std::string_view ValueOr(std::string_view name, std::string_view otherwise) const;
  // The values of a flag that takes several; empty where it was not given.
  [[nodiscard]] std::span<const std::string_view> Values(std::string_view name) const;

 private:
  friend Result<GivenFlags> ReadFlags(std::span<const Flag> known,
                                      std::span<const std::string_view> args);

  std::map<std::string_view, std::vector<std::string_view>, std::less<>> given_;
};

// Reads the arguments that follow a command's name. The result views `known` and `args`.
//   - `--limit X` and `--limit=X` are the same.
//   - A flag that takes several values takes all arguments up to the next flag, and may repeat;
//     any other flag may be given once.
//   - An unknown flag, a missing value, and an argument that belongs to no flag are errors. So is
//   an
//     argument with a dash in front, even if there is a flag without a name.
Result<GivenFlags> ReadFlags(std::span<const Flag> known, std::span<const std::string_view> args);

}  // namespace sluice::cli
