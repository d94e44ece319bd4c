#include "config/settings/given_settings.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/config/settings/settings_text.h"

namespace sluice {
namespace {

using Texts = std::vector<std::string>;

TEST(GivenSettingsTest, ReportsInvalidFlags) {
  const std::vector<std::pair<Texts, std::string>> cases = {
      {{"rules.yaml"}, "unexpected argument 1; expected a flag such as --rules"},
      {{"-m", "1GiB"}, "unknown flag in argument 1"},
      {{"-memory", "1GiB"}, "unknown flag '-memory'; did you mean '--memory'?"},
      {{"-memory=1GiB"}, "unknown flag '-memory'; did you mean '--memory'?"},
      {{"--"}, "unexpected argument 1; expected a flag such as --rules"},
      {{"-"}, "unexpected argument 1; expected a flag such as --rules"},
      {{"--log-level", "info", "b"}, "unexpected argument after '--log-level'; expected a flag"},
      {{"--memroy", "1GiB"}, "unknown flag '--memroy'; did you mean '--memory'?"},
      {{"--memroy=1GiB"}, "unknown flag '--memroy'; did you mean '--memory'?"},
      {{"--port", "8080"}, "unknown flag '--port'; did you mean '--listen'?"},
      {{"-p", "8080"}, "unknown flag '-p'; did you mean '--listen'?"},
      {{"--config=a"}, "unknown flag '--config'; did you mean '--settings'?"},
      {{"--setings", "a"}, "unknown flag '--setings'; did you mean '--settings'?"},
      {{"--store-url", "memory"}, "unknown flag in argument 1"},
      {{"--log-level", "info", "--frob"}, "unknown flag in argument 3"},
      {{"--verbose"}, "unknown flag '--verbose'; did you mean '--log-level'?"},
      {{"--=1"}, "unknown flag in argument 1"},
      {{"--memory"}, "--memory: needs a value: --memory SIZE, for example --memory 4GiB"},
      {{"--memory", "--proxy-protocol"},
       "--memory: needs a value: --memory SIZE, for example --memory 4GiB"},
      {{"--log-level"},
       "--log-level: needs a value: --log-level debug|info|warning|error, for example --log-level "
       "debug"},
      {{"--memory="},
       "--memory: 'store.memory': '' is no size; expected a number and a unit such as 16KiB"},
      {{"--memory", "1GiB", "--memory", "1GiB"}, "--memory: is given twice; once is enough"},
      {{"--proxy-protocol", "--proxy-protocol"},
       "--proxy-protocol: is given twice; once is enough"},
      {{"--proxy-protocol", "true"},
       "unexpected argument after '--proxy-protocol'; expected a flag"},
      {{"--proxy-protocol=on"},
       "--proxy-protocol: 'proxy_protocol' must be true or false, found the string 'on'"},
      {{"--settings"},
       "--settings: needs a value: --settings PATH, for example --settings sluice.yaml"},
      {{"--settings="},
       "--settings: needs a value: --settings PATH, for example --settings sluice.yaml"},
      {{"--settings", "a", "--settings", "a"}, "--settings: is given twice; once is enough"},
      {{"--bounds-streams", "0100"},
       "--bounds-streams: 'bounds.streams' must be a whole number from 1 to 100000, found the "
       "string '0100'"},
      {{"--bounds-streams", "-1"},
       "--bounds-streams: 'bounds.streams' must be a whole number from 1 to 100000, found the "
       "number -1"},
      {{"--trusted-proxies", "10.0.0.0/8,,unix"},
       "--trusted-proxies: 'trusted_proxies' must not be empty"},
      {{"--callers-uids", "1000,root"},
       "--callers-uids: 'callers.uids' must be a whole number from 0 to 4294967294, found the "
       "string 'root'"},
  };
  for (const auto& [args, expected] : cases) {
    const GivenTexts given{.args = args, .files = {{"a", "log: {}"}}};
    EXPECT_EQ(ProblemsOf(given), Problems({expected})) << args.front();
  }
}

TEST(GivenSettingsTest, SuggestsOnlyTheMainFlag) {
  const auto problem_of = [](const std::vector<std::string_view>& args) {
    return ReadSettingFlags(args, "--store").problems.front().message;
  };
  EXPECT_EQ(problem_of({"--port", "7390"}), "unknown flag '--port'; did you mean '--store'?");
  EXPECT_EQ(problem_of({"--redis", "a"}), "unknown flag '--redis'; did you mean '--store'?");
  EXPECT_EQ(problem_of({"--config", "a"}), "unknown flag in argument 1");
  EXPECT_EQ(problem_of({"redis://a"}), "unexpected argument 1; expected a flag such as --store");
}

TEST(GivenSettingsTest, WarnsOfUnknownVariables) {
  EXPECT_EQ(ProblemsOf({.environment = {"SLUICE_MEMROY=1GiB", "SLUICE_SEED=17", "SLUICE_="}}),
            Problems({
                "SLUICE_MEMROY: warning: no setting has this variable; did you mean "
                "'SLUICE_MEMORY'?",
                "SLUICE_SEED: warning: no setting has this variable",
                "SLUICE_: warning: no setting has this variable",
            }));
  EXPECT_FALSE(HasErrors(ReadTexts({.environment = {"SLUICE_SEED=17"}}).problems));
}

TEST(GivenSettingsTest, IgnoresVariablesOfOtherPrograms) {
  EXPECT_EQ(
      ProblemsOf({.environment = {"PATH=/bin", "HOME=", "sluice_memory=1", "XSLUICE_A=1",
                                  "SLUICE_PORT=tcp://10.0.0.1:8080", "SLUICE_SERVICE_HOST=10.0.0.1",
                                  "SLUICE_SERVICE_PORT=8080", "SLUICE_SERVICE_PORT_GRPC=8080",
                                  "SLUICE_PORT_8080_TCP=tcp://10.0.0.1:8080",
                                  "SLUICE_PORT_8080_TCP_ADDR=10.0.0.1",
                                  "SLUICE_ADMIN_PORT=tcp://10.0.0.1:9090",
                                  "SLUICE_ADMIN_SERVICE_HOST=10.0.0.1"}}),
      Problems());
}

TEST(GivenSettingsTest, ReportsInvalidVariables) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SLUICE_SETTINGS=", "SLUICE_SETTINGS: must not be empty"},
      {"SLUICE_RULES=,", "SLUICE_RULES: 'rules' must not be empty"},
      {"SLUICE_STORE=", "SLUICE_STORE: 'store.url' must not be empty"},
      {"SLUICE_STORE", "SLUICE_STORE: 'store.url' must not be empty"},
      {"SLUICE_PROXY_PROTOCOL=1",
       "SLUICE_PROXY_PROTOCOL: 'proxy_protocol' must be true or false, found the number 1"},
      {"SLUICE_ADMIN_TOKEN=",
       "SLUICE_ADMIN_TOKEN: 'admin.token': the secret must have 16 to 1024 bytes, found 0"},
      {"SLUICE_LISTEN=127.0.0.1",
       "SLUICE_LISTEN: 'listen': '127.0.0.1' needs a port; expected HOST:PORT or unix:PATH"},
      {"SLUICE_DEADLINES_WRITE=5",
       "SLUICE_DEADLINES_WRITE: 'deadlines.write': '5' needs a unit: ns, us, ms, s, m, h, d, w, "
       "month or year"},
  };
  for (const auto& [variable, expected] : cases) {
    EXPECT_EQ(ProblemsOf({.environment = {variable}})[0], expected) << variable;
    EXPECT_EQ(ProblemsOf({.environment = {variable}}).size(),
              variable == "SLUICE_RULES=," ? 2U : 1U);
  }
}

}  // namespace
}  // namespace sluice
