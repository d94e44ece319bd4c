#include "config/settings/given_settings.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/spelling.h"
#include "base/text.h"
#include "config/settings/other_flags.h"
#include "config/settings/read_setting.h"

namespace sluice {
namespace {

using Severity = ConfigProblem::Severity;

// Returns "; did you mean '--listen'?" if a name is similar enough, otherwise an empty text.
// `written` comes without the prefix that all names share; leaving it out keeps the prefix from
// counting towards the number of typos allowed for a name of that length.
std::string Nearest(std::string_view written, std::string (*name_of)(const Setting&),
                    std::string_view shared) {
  std::vector<std::string> names = {
      std::string(shared == kVariablePrefix ? kSettingsVariable : kSettingsFlag)};
  for (const Setting& setting : AllSettings()) names.push_back(name_of(setting));
  std::vector<std::string_view> ends(names.begin(), names.end());
  for (std::string_view& end : ends) end.remove_prefix(shared.size());
  const std::string_view nearest = NearestWord(written, ends);
  if (nearest.empty()) return {};
  return Concat("; did you mean ", Quoted(Concat(shared, nearest)), "?");
}

const Setting* Find(std::string_view name, std::string (*name_of)(const Setting&)) {
  for (const Setting& setting : AllSettings()) {
    if (name_of(setting) == name) return &setting;
  }
  return nullptr;
}

// Reads the arguments in order.
class FlagReader {
 public:
  FlagReader(std::span<const std::string_view> args, std::string_view main_flag)
      : rest_(args), main_flag_(main_flag) {}

  GivenSettings Read() {
    while (!rest_.empty()) {
      const std::string_view arg = rest_.front();
      rest_ = rest_.subspan(1);
      ++number_;
      if (arg.starts_with('-') && arg != "-" && arg != "--") {
        ReadFlag(arg);
      } else {
        SayUnexpected();
      }
    }
    return std::move(given_);
  }

 private:
  void Say(std::string_view name, std::string message) {
    given_.problems.push_back({std::string(name), Severity::kError, std::move(message)});
  }

  // Does not show the argument, because it may be a secret or part of one.
  void SayUnexpected() {
    if (last_flag_.empty()) {
      const std::string_view flag = main_flag_.empty() ? kRulesFlag : main_flag_;
      Say("", Concat("unexpected argument ", number_, "; expected a flag such as ", flag));
    } else {
      Say("", Concat("unexpected argument after ", Quoted(last_flag_), "; expected a flag"));
    }
  }

  // Returns "; did you mean '--listen'?" for "port", or an empty text if no other tool has such a
  // flag.
  [[nodiscard]] std::string MeantBy(std::string_view written) const {
    const std::string_view meant = FlagMeantBy(written, [&](std::string_view flag) {
      if (!main_flag_.empty()) return flag == main_flag_;
      return flag == kSettingsFlag || Find(flag, FlagOf) != nullptr;
    });
    return meant.empty() ? std::string() : Concat("; did you mean ", Quoted(meant), "?");
  }

  std::optional<std::string_view> TakeValue() {
    if (rest_.empty() || rest_.front().starts_with("--")) return std::nullopt;
    const std::string_view value = rest_.front();
    rest_ = rest_.subspan(1);
    ++number_;
    return value;
  }

  void ReadFlag(std::string_view arg) {
    const std::size_t equals = arg.find('=');
    const std::string_view name = arg.substr(0, equals);
    std::optional<std::string_view> value;
    if (equals != arg.npos) value = arg.substr(equals + 1);
    last_flag_ = name;
    if (name == kSettingsFlag) return ReadSettingsFile(value ? value : TakeValue());
    const Setting* setting = Find(name, FlagOf);
    if (setting == nullptr) {
      SayUnknown(name);
      if (!value) TakeValue();
      return;
    }
    if (!value) value = IsBoolean(*setting) ? "true" : TakeValue();
    if (!value) {
      Say(name, Concat("needs a value: ", name, " ", ValueNameOf(*setting), ", for example ", name,
                       " ", setting->example));
      return;
    }
    Add(*setting, name, *value);
  }

  // Shows only names that resemble a flag: any other argument may be a secret that begins with a
  // dash.
  void SayUnknown(std::string_view name) {
    const std::string_view bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    std::string nearest = MeantBy(bare);
    if (nearest.empty()) nearest = Nearest(bare, FlagOf, "--");
    if (nearest.empty()) last_flag_ = {};
    Say("", Concat("unknown flag ",
                   nearest.empty() ? Concat("in argument ", number_) : Quoted(name), nearest));
  }

  void ReadSettingsFile(std::optional<std::string_view> path) {
    if (!path || path->empty()) {
      Say(kSettingsFlag, Concat("needs a value: ", kSettingsFlag, " PATH, for example ",
                                kSettingsFlag, " sluice.yaml"));
    } else if (given_.settings_file) {
      Say(kSettingsFlag, "is given twice; once is enough");
    } else {
      given_.settings_file = std::string(*path);
    }
  }

  void Add(const Setting& setting, std::string_view name, std::string_view value) {
    const auto before = std::ranges::find(given_.settings, &setting, &GivenSetting::setting);
    if (before == given_.settings.end()) {
      given_.settings.push_back({&setting, std::string(name), {value}});
    } else if (IsList(setting)) {
      before->texts.push_back(value);
    } else {
      Say(name, "is given twice; once is enough");
    }
  }

  static constexpr std::string_view kRulesFlag = "--rules";

  std::span<const std::string_view> rest_;
  std::string_view main_flag_;
  std::size_t number_ = 0;      // index of the current argument, from 1
  std::string_view last_flag_;  // empty if it must not be shown
  GivenSettings given_;
};

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Matches SLUICE_PORT, SLUICE_ADMIN_SERVICE_PORT_GRPC and SLUICE_PORT_8080_TCP_ADDR.
bool IsServiceLink(std::string_view name) {
  if (name.ends_with("_SERVICE_HOST") || name.ends_with("_PORT")) return true;
  if (name.find("_SERVICE_PORT_") != name.npos) return true;
  constexpr std::string_view kPort = "_PORT_";
  const std::size_t port = name.find(kPort);
  if (port == name.npos) return false;
  const std::string_view rest = name.substr(port + kPort.size());
  return IsNumber(rest.substr(0, rest.find('_')));
}

}  // namespace

GivenSettings ReadSettingFlags(std::span<const std::string_view> args, std::string_view main_flag) {
  return FlagReader(args, main_flag).Read();
}

GivenSettings ReadSettingVariables(std::span<const std::string_view> environment) {
  GivenSettings given;
  for (const std::string_view variable : environment) {
    if (!variable.starts_with(kVariablePrefix)) continue;
    const std::size_t equals = std::min(variable.find('='), variable.size());
    const std::string_view name = variable.substr(0, equals);
    const std::string_view value = variable.substr(std::min(equals + 1, variable.size()));
    if (name == kSettingsVariable) {
      if (value.empty()) {
        given.problems.push_back({std::string(name), Severity::kError, "must not be empty"});
      } else {
        given.settings_file = std::string(value);
      }
    } else if (const Setting* setting = Find(name, VariableOf)) {
      given.settings.push_back({setting, std::string(name), {value}});
    } else if (!IsServiceLink(name)) {
      given.problems.push_back(
          {std::string(name), Severity::kWarning,
           Concat("no setting has this variable",
                  Nearest(name.substr(kVariablePrefix.size()), VariableOf, kVariablePrefix))});
    }
  }
  return given;
}

}  // namespace sluice
