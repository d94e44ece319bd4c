// Fuzzes ReadSettings: it must return for any input, and every problem must have a valid origin.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "config/settings/read_setting.h"
#include "support/random.h"
#include "unit/config/settings/settings_text.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

std::size_t Below(Random& random, std::size_t count) {
  return static_cast<std::size_t>(random.Between(0, static_cast<std::int64_t>(count) - 1));
}

std::string RandomText(Random& random) {
  static const std::vector<std::string> kPieces = {
      "redis://", "@",         ":",     "/",  "?tls=true", "&ca=", "%2F",      "%",
      "[::1]",    "127.0.0.1", "unix:", "1",  "65",        "80",   "KiB",      "ms",
      ",",        "=",         "{",     "}",  "[",         "]",    "\n",       " ",
      "- ",       "true",      "tls",   "\"", "'",         "\x01", "\xC3\xA9", "redis://"};
  std::string text;
  for (std::int64_t count = random.Between(0, 8); count > 0; --count) {
    text += random.OneIn(8) ? std::string(1, static_cast<char>(random.Between(0, 255)))
                            : kPieces[Below(random, kPieces.size())];
  }
  return text;
}

const Setting& RandomSetting(Random& random) {
  return AllSettings()[Below(random, AllSettings().size())];
}

std::string RandomValue(Random& random) {
  return random.OneIn(2) ? RandomText(random) : std::string(RandomSetting(random).example);
}

std::string RandomFile(Random& random) {
  std::string text;
  for (std::int64_t count = random.Between(0, 6); count > 0; --count) {
    const Setting& setting = RandomSetting(random);
    const std::string group(GroupOf(setting));
    const std::string key(setting.path.substr(group.empty() ? 0 : group.size() + 1));
    text += group.empty() ? key : group + ":\n  " + key;
    text += random.OneIn(6) ? RandomText(random) : ": ";
    text += RandomValue(random) + "\n";
  }
  return text;
}

TEST(ReadSettingsRandomTest, GivesEveryProblemOfRandomInputAnOrigin) {
  ForEachSeed(3000, [](Random& random) {
    GivenTexts given{.file = RandomFile(random)};
    for (std::int64_t count = random.Between(0, 4); count > 0; --count) {
      given.args.push_back(random.OneIn(6) ? RandomText(random) : FlagOf(RandomSetting(random)));
      if (!random.OneIn(6)) given.args.back() += "=" + RandomValue(random);
      given.environment.push_back(
          (random.OneIn(6) ? "SLUICE_" + RandomText(random) : VariableOf(RandomSetting(random))) +
          "=" + RandomValue(random));
    }
    const ReadSettingsResult read = ReadTexts(given);
    for (const ConfigProblem& problem : read.problems) {
      ASSERT_LT(problem.origin.file, read.files.size());
      ASSERT_FALSE(problem.message.empty());
      const bool in_file = read.files[problem.origin.file] == given.file_name;
      ASSERT_EQ(problem.origin.at.line > 0, in_file) << Describe(read.files, problem);
    }
    // The text shown for a setting must parse to the same value.
    for (const EffectiveSetting& effective : read.effective) {
      if (effective.from == "default") continue;
      const std::string path(effective.setting->path);
      if (effective.text.find("(secret)") != std::string::npos || effective.text.empty()) continue;
      if (effective.text.find_first_of(" ,") != std::string::npos) continue;
      const ReadSettingsResult again =
          ReadTexts({.args = {FlagOf(*effective.setting) + "=" + effective.text}});
      ASSERT_EQ(EffectiveOf(again, path).text, effective.text) << path;
    }
  });
}

}  // namespace
}  // namespace sluice
