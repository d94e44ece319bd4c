#include "bench/options.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace sluice::bench {

const char* const kUsage =
    "sluice_bench [options]\n"
    "  --quick             10 k and 1 M keys, short rounds: under half a minute\n"
    "  --keys LIST         only these numbers of keys (1,10k,1m,10m,100m; 1 is the hot key)\n"
    "  --algorithm LIST    only these (token_bucket,token_bucket/interval,sliding_window,...)\n"
    "  --seconds S         of measuring, for each cell of the table (0.5; --quick 0.06)\n"
    "  --no-pin            leave threads where the system puts them\n"
    "  --expect            judge the marks, and exit 1 if one is missed\n"
    "  -o json|table       what is printed (table)\n";

namespace {

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

Result<std::uint64_t> ParseKeys(const std::string& text) {
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text.c_str(), &end, 10);
  const std::string unit(end);
  std::uint64_t scale = 1;
  if (unit == "k") scale = 1'000;
  if (unit == "m" || unit == "M") scale = 1'000'000;
  const bool known = unit.empty() || scale != 1;
  if (!known || number == 0 || number > kMaxKeys / scale) {
    return Error{"--keys " + text + ": expected 1 to 100m, as in 10k,1m"};
  }
  return number * scale;
}

// Parses an option that has a value. Returns false if there is no such option.
Result<bool> TakeValue(Options& options, std::string_view name, const std::string& value) {
  if (name == "--keys") {
    for (const std::string& part : SplitList(value)) {
      const Result<std::uint64_t> keys = ParseKeys(part);
      if (!keys.ok()) return keys.error();
      options.keys.push_back(keys.value());
    }
    return true;
  }
  if (name == "--algorithm") {
    options.algorithms = SplitList(value);
    return true;
  }
  if (name == "--seconds") {
    options.seconds = std::strtod(value.c_str(), nullptr);
    if (!(options.seconds > 0)) return Error{"--seconds " + value + ": expected a number above 0"};
    return true;
  }
  if (name == "-o") {
    if (value != "json" && value != "table") return Error{"-o " + value + ": json or table"};
    options.json = value == "json";
    return true;
  }
  return false;
}

bool TakeFlag(Options& options, std::string_view name) {
  if (name == "--quick") return options.quick = true;
  if (name == "--expect") return options.expect = true;
  if (name == "--no-pin") return options.pin = false, true;
  if (name == "--help" || name == "-h") return options.usage = true;
  return false;
}

}  // namespace

bool Options::WantsKeys(std::uint64_t count) const {
  if (!keys.empty()) return std::find(keys.begin(), keys.end(), count) != keys.end();
  return !quick || count <= 1'000'000;
}

bool Options::WantsAlgorithm(const std::string& name) const {
  return algorithms.empty() ||
         std::find(algorithms.begin(), algorithms.end(), name) != algorithms.end();
}

Result<Options> ParseOptions(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (TakeFlag(options, name)) continue;
    if (i + 1 == count) return Error{"unknown option or missing value: " + std::string(name)};
    const Result<bool> taken = TakeValue(options, name, arguments[++i]);
    if (!taken.ok()) return taken.error();
    if (!taken.value()) return Error{"unknown option " + std::string(name)};
  }
  if (options.seconds == 0) options.seconds = options.quick ? 0.06 : 0.5;
  if (options.quick) options.rounds = 3;
  return options;
}

}  // namespace sluice::bench
