// Checks the settings table: every setting can be read from every source, and docs/settings.md
// matches.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings/read_setting.h"
#include "config/settings/setting.h"
#include "unit/config/settings/settings_text.h"

namespace sluice {
namespace {

// Returns how the example value of a setting is shown.
std::string ShownOf(const Setting& setting) {
  return IsSecret(setting) ? "(secret)" : std::string(setting.example);
}

bool IsQuoted(const Setting& setting) {
  const std::string kind = ValueNameOf(setting);
  return kind != "COUNT" && kind != "true|false" && kind != "UID";
}

// Returns the lines of a settings file that set the example value of a setting.
std::string FileOf(const Setting& setting) {
  const std::string_view group = GroupOf(setting);
  const std::string quote = IsQuoted(setting) ? "\"" : "";
  const std::string value = quote + std::string(setting.example) + quote;
  if (group.empty()) return std::string(setting.path) + ": " + value + "\n";
  const std::string key(setting.path.substr(group.size() + 1));
  return std::string(group) + ":\n  " + key + ": " + value + "\n";
}

// Adds the other settings that this one needs to be valid.
GivenTexts WithNeeds(const Setting& setting, GivenTexts given) {
  const std::string_view path = setting.path;
  const auto needs = [&](std::string_view flag, std::string_view value) {
    if (FlagOf(setting) == flag) return;
    given.args.emplace_back(flag);
    given.args.emplace_back(value);
  };
  if (path.starts_with("tls.") || path == "callers.names" || path == "admin.client_names") {
    needs("--tls-certificate", "c.pem");
    needs("--tls-key", "k.pem");
    needs("--tls-client-ca", "ca.pem");
  }
  if (path == "callers.uids") needs("--listen", "unix:/s");
  given.files[std::string(setting.example)] = "a-secret-that-is-long-enough\n";
  return given;
}

void ExpectRead(const Setting& setting, const GivenTexts& given, const std::string& from) {
  const GivenTexts whole = WithNeeds(setting, given);
  EXPECT_EQ(ProblemsOf(whole), Problems()) << setting.path << " from " << from;
  const ReadSettingsResult read = ReadTexts(whole);
  const EffectiveSetting& effective = EffectiveOf(read, setting.path);
  EXPECT_EQ(effective.text, ShownOf(setting)) << setting.path;
  EXPECT_EQ(effective.from, from) << setting.path;
}

TEST(SettingsTableTest, ReadsEverySettingFromFile) {
  for (const Setting& setting : AllSettings()) {
    const GivenTexts given{.file = FileOf(setting)};
    const bool grouped = !GroupOf(setting).empty();
    const std::size_t key = setting.path.size() - (grouped ? GroupOf(setting).size() + 1 : 0);
    ExpectRead(setting, given,
               Concat("sluice.yaml:", grouped ? "2:" : "1:", key + (grouped ? 5 : 3)));
  }
}

TEST(SettingsTableTest, ReadsEverySettingFromFlagInBothForms) {
  for (const Setting& setting : AllSettings()) {
    const std::string flag = FlagOf(setting);
    const std::string value(setting.example);
    ExpectRead(setting, {.args = {flag + "=" + value}}, flag);
    if (IsBoolean(setting)) {
      ExpectRead(setting, {.args = {flag}}, flag);
    } else {
      ExpectRead(setting, {.args = {flag, value}}, flag);
    }
  }
}

TEST(SettingsTableTest, ReadsEverySettingFromVariable) {
  for (const Setting& setting : AllSettings()) {
    const std::string name = VariableOf(setting);
    const std::string variable = name + "=" + std::string(setting.example);
    ExpectRead(setting, {.environment = {variable}}, name);
  }
}

// Returns a value that no setting accepts: an empty text, or a list of two empty texts.
std::string BadValueOf(const Setting& setting) { return IsList(setting) ? "," : ""; }

TEST(SettingsTableTest, RejectsInvalidValueOfEverySettingFromEverySource) {
  for (const Setting& setting : AllSettings()) {
    const std::string bad = BadValueOf(setting);
    const Problems by_flag = ProblemsOf({.args = {FlagOf(setting) + "=" + bad}});
    ASSERT_FALSE(by_flag.empty()) << setting.path;
    EXPECT_TRUE(by_flag[0].starts_with(FlagOf(setting) + ": ")) << by_flag[0];
    const Problems by_variable = ProblemsOf({.environment = {VariableOf(setting) + "=" + bad}});
    ASSERT_FALSE(by_variable.empty()) << setting.path;
    EXPECT_EQ(by_variable[0].substr(VariableOf(setting).size()),
              by_flag[0].substr(FlagOf(setting).size()));
  }
}

TEST(SettingsTableTest, AcceptsItsOwnDefaults) {
  Settings defaults;
  for (const Setting& setting : AllSettings()) {
    const std::string text = TextOf(setting, defaults);
    EXPECT_NE(text, setting.example) << setting.path;
    if (text.empty()) continue;
    const GivenTexts given = WithNeeds(setting, {.args = {FlagOf(setting) + "=" + text}});
    EXPECT_EQ(ProblemsOf(given), Problems()) << setting.path;
    EXPECT_EQ(EffectiveOf(ReadTexts(given), setting.path).text, text);
  }
}

TEST(SettingsTableTest, HasUniqueNames) {
  std::set<std::string> names;
  for (const Setting& setting : AllSettings()) {
    for (const std::string& name :
         {std::string(setting.path), FlagOf(setting), VariableOf(setting)}) {
      EXPECT_TRUE(names.insert(name).second) << name;
    }
    EXPECT_LE(FlagOf(setting).size(), 32U) << "longer names get no suggestion";
  }
  EXPECT_FALSE(names.contains(std::string(kSettingsFlag)));
  EXPECT_FALSE(names.contains(std::string(kSettingsVariable)));
}

TEST(SettingsTableTest, AvoidsVariableNamesThatKubernetesSets) {
  for (const Setting& setting : AllSettings()) {
    const std::string name = VariableOf(setting);
    EXPECT_EQ(name.find("_PORT"), std::string::npos) << name;
    EXPECT_EQ(name.find("_SERVICE"), std::string::npos) << name;
  }
}

TEST(SettingsTableTest, HasTheSpecifiedFlags) {
  std::set<std::string> flags;
  for (const Setting& setting : AllSettings()) flags.insert(FlagOf(setting));
  for (const char* flag : {"--rules", "--listen", "--admin", "--store", "--memory"}) {
    EXPECT_TRUE(flags.contains(flag)) << flag;
  }
}

TEST(SettingsTableTest, ListsEveryFlagInHelpWithin100Columns) {
  const std::string help = SettingsHelp();
  for (const Setting& setting : AllSettings()) {
    EXPECT_NE(help.find("\n  " + FlagOf(setting) + (IsBoolean(setting) ? "\n" : " ")),
              std::string::npos)
        << setting.path;
  }
  EXPECT_NE(help.find("  --memory SIZE\n"
                      "      most memory for states kept in this process; a hard cap (1GiB)\n"),
            std::string::npos)
      << help;
  EXPECT_NE(help.find("  --listen ADDRESS\n"
                      "      where requests are served; port 0 is any free one; may repeat "
                      "(127.0.0.1:8080)\n"),
            std::string::npos)
      << help;
  std::size_t start = 0;
  for (std::size_t end = help.find('\n'); end != help.npos; end = help.find('\n', start)) {
    EXPECT_LE(end - start, 100U) << help.substr(start, end - start);
    start = end + 1;
  }
  EXPECT_EQ(start, help.size());
}

// Returns the row of docs/settings.md for a setting.
std::string RowOf(const Setting& setting) {
  Settings defaults;
  const std::string text = TextOf(setting, defaults);
  std::string value = ValueNameOf(setting);
  for (std::size_t at = value.find('|'); at != value.npos; at = value.find('|', at + 2)) {
    value.insert(at, "\\");
  }
  const std::string range = RangeTextOf(setting);
  return Concat(
      "| `", setting.path, "` | `", FlagOf(setting), "` | ", value, IsList(setting) ? ", list" : "",
      range.empty() ? "" : ", ", range, " | ", text.empty() ? "" : Concat("`", text, "`"), " | ",
      setting.change == SettingChange::kLive ? "live" : "restart", " | ", setting.meaning, " |\n");
}

std::string TablesOf() {
  std::string tables;
  std::string_view group = "none yet";
  for (const Setting& setting : AllSettings()) {
    if (GroupOf(setting) != group) {
      group = GroupOf(setting);
      tables += Concat("\n## ", group.empty() ? "The server" : group,
                       "\n\n| key | flag | value | default | change | meaning |\n"
                       "|---|---|---|---|---|---|\n");
    }
    tables += RowOf(setting);
  }
  return tables;
}

TEST(SettingsTableTest, MatchesTheDocumentation) {
  std::ifstream file(SLUICE_DOCUMENTS "/settings.md", std::ios::binary);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(document.empty());
  EXPECT_NE(document.find(TablesOf()), std::string::npos) << "docs/settings.md should hold\n"
                                                          << TablesOf();
}

}  // namespace
}  // namespace sluice
