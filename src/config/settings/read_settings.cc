#include "config/settings/read_settings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "base/text.h"
#include "config/settings/check_settings.h"
#include "config/settings/given_settings.h"
#include "config/settings/read_setting.h"
#include "config/settings/settings_draft.h"
#include "config/syntax/config_reader.h"
#include "config/syntax/read_values.h"

namespace sluice {
namespace {

using Entry = Value::Entry;

// A secret and the setting that names the file to read it from.
struct SecretPair {
  std::string_view secret;
  std::string_view file;
};

constexpr std::array kSecretPairs = {
    SecretPair{"admin.token", "admin.token_file"},
    SecretPair{"callers.token", "callers.token_file"},
    SecretPair{"store.password", "store.password_file"},
    SecretPair{"store.key_secret", "store.key_secret_file"},
};

class Reader {
 public:
  explicit Reader(const SettingsInput& input) : input_(input) {}

  ReadSettingsResult Read() {
    const GivenSettings flags = ReadSettingFlags(input_.args, input_.main_flag);
    const GivenSettings variables = ReadSettingVariables(input_.environment);
    const auto& file = flags.settings_file ? flags.settings_file : variables.settings_file;
    if (file) {
      ReadFile(*file, flags.settings_file ? kSettingsFlag : kSettingsVariable);
    }
    ReadGiven(variables, SettingWay::kVariable);
    ReadGiven(flags, SettingWay::kFlag);
    for (const SecretPair& pair : kSecretPairs) ReadSecretFile(pair);
    CheckSettings(draft_);
    UsePassword();
    return Finish();
  }

 private:
  // Reads a value from one source into the draft.
  void ReadInto(const Setting& setting, const Entry& entry, SettingWay way, ConfigReader& reading) {
    SettingsDraft::Given& given = draft_.given[IndexOf(setting.path)];
    if (!ReadSetting(setting, entry, reading, draft_.settings)) {
      given.bad = true;
      return;
    }
    given.way = way;
    given.origin = reading.OriginOf(entry.value.At());
  }

  void ReadFile(const std::string& path, std::string_view given_by) {
    const Result<std::string> text = input_.read_file(path);
    if (!text.ok()) {
      const std::uint32_t file = draft_.AddFile(std::string(given_by));
      draft_.problems.Error({file, {}}, text.error().message);
      return;
    }
    ConfigReader reading(draft_.AddFile(path), no_zones_, draft_.problems);
    auto documents = ReadValues(path, text.value(), Secrecy::kSecret);
    if (auto* error = std::get_if<PositionedError>(&documents)) {
      reading.Error(error->at, std::move(error->message));
      return;
    }
    ReadDocuments(*std::get_if<std::vector<Value>>(&documents), reading);
  }

  // An empty document, for example a file with only comments, leaves every default in place.
  void ReadDocuments(const std::vector<Value>& documents, ConfigReader& reading) {
    bool found = false;
    for (const Value& document : documents) {
      if (document.IsNull()) continue;
      if (std::exchange(found, true)) {
        reading.Error(document.At(), "a file of settings has one document, found a second");
        return;
      }
      const Value::Map* map = ReadMap("a file of settings", document, reading, Secrecy::kSecret);
      if (map != nullptr) ReadGroup("", *map, reading);
    }
  }

  // Reads the keys of a group, or those at the top level if `group` is empty.
  void ReadGroup(std::string_view group, const Value::Map& map, ConfigReader& reading) {
    for (const Entry& entry : map) {
      const std::string path = group.empty() ? entry.key : Concat(group, ".", entry.key);
      const Setting* setting = FindSetting(path);
      if (setting != nullptr && GroupOf(*setting) == group) {
        ReadInto(*setting, {path, entry.key_at, entry.value}, SettingWay::kFile, reading);
      } else if (setting != nullptr) {
        const std::string_view inside = GroupOf(*setting);
        reading.Error(entry.key_at,
                      Concat("unknown key ", Quoted(path), "; write ",
                             Quoted(path.substr(inside.size() + 1)), " under ", Quoted(inside)));
      } else if (group.empty() && IsGroup(entry.key)) {
        const Value::Map* inner =
            ReadMap(Quoted(entry.key), entry.value, reading, Secrecy::kSecret);
        if (inner != nullptr) ReadGroup(entry.key, *inner, reading);
      } else {
        reading.Error(entry.key_at,
                      Concat("unknown key", IsMisspelling(entry.key) ? " " + Quoted(entry.key) : "",
                             Suggestion(entry.key, KeysOf(group))));
      }
    }
  }

  static const Setting* FindSetting(std::string_view path) {
    const auto found = std::ranges::find(AllSettings(), path, &Setting::path);
    return found == AllSettings().end() ? nullptr : &*found;
  }

  static bool IsGroup(std::string_view key) {
    return !key.empty() && std::ranges::find(AllSettings(), key, GroupOf) != AllSettings().end();
  }

  // Returns whether the key exists in some group or resembles a key that does. Other keys are not
  // shown in errors: they may be an entry with a secret in it that lacks the space after its ':'.
  static bool IsMisspelling(std::string_view key) {
    if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != key.npos) return false;
    if (!NearestWord(key, KeysOf("")).empty()) return true;
    return std::ranges::any_of(KeysOf(""), [&](std::string_view group) {
      return IsGroup(group) && !NearestWord(key, KeysOf(group)).empty();
    });
  }

  // Returns the keys that are valid in a group, or at the top level if `group` is empty.
  static std::vector<std::string_view> KeysOf(std::string_view group) {
    std::vector<std::string_view> keys;
    for (const Setting& setting : AllSettings()) {
      std::string_view key = setting.path;
      if (!group.empty()) {
        if (GroupOf(setting) != group) continue;
        key.remove_prefix(group.size() + 1);
      } else if (!GroupOf(setting).empty()) {
        key = GroupOf(setting);
      }
      if (keys.empty() || keys.back() != key) keys.push_back(key);
    }
    return keys;
  }

  void ReadGiven(const GivenSettings& given, SettingWay way) {
    for (const GivenProblem& problem : given.problems) {
      const Origin origin{draft_.AddFile(problem.name), {}};
      if (problem.severity == ConfigProblem::Severity::kError) {
        draft_.problems.Error(origin, problem.message);
      } else {
        draft_.problems.Warn(origin, problem.message);
      }
    }
    for (const GivenSetting& each : given.settings) {
      ConfigReader reading(draft_.AddFile(each.name), no_zones_, draft_.problems);
      const Setting& setting = *each.setting;
      ReadInto(setting, {std::string(setting.path), {}, ValueOfTexts(setting, each.texts)}, way,
               reading);
    }
  }

  // Reads a secret from its file, unless a stronger source gives the secret itself.
  void ReadSecretFile(const SecretPair& pair) {
    const std::span<const Setting> all = AllSettings();
    SettingsDraft::Given& secret = draft_.given[IndexOf(pair.secret)];
    SettingsDraft::Given& file = draft_.given[IndexOf(pair.file)];
    if (file.bad || file.way == SettingWay::kDefault || file.way < secret.way) return;
    if (file.way == secret.way) {
      draft_.problems.Error(file.origin,
                            Concat(Quoted(pair.file), " cannot be used with ", Quoted(pair.secret),
                                   " (from ", DescribePlace(draft_.files, secret.origin), ")"));
      return;
    }
    const std::string path = TextOf(all[IndexOf(pair.file)], draft_.settings);
    const Result<Secret> read = SecretIn(all[IndexOf(pair.secret)], path);
    if (!read.ok()) {
      file.bad = true;
      draft_.problems.Error(file.origin, Concat(Quoted(pair.file), ": ", read.error().message));
      return;
    }
    const Setting& setting = all[IndexOf(pair.secret)];
    (*std::get_if<SlotOf<Secret>>(&setting.slot))(draft_.settings) = read.value();
    secret.way = file.way;
    secret.origin = file.origin;
  }

  Result<Secret> SecretIn(const Setting& setting, const std::string& path) {
    const Result<std::string> text = input_.read_file(path);
    if (!text.ok()) return text.error();
    std::string_view held = text.value();
    if (held.ends_with('\n')) held.remove_suffix(1);
    if (held.ends_with('\r')) held.remove_suffix(1);
    Result<Secret> secret = MakeSecret(setting, held);
    if (!secret.ok()) return Error{Concat("in ", Quoted(path), " ", secret.error().message)};
    return secret;
  }

  void UsePassword() {
    StoreSettings& store = draft_.settings.store;
    if (!store.password.empty() && store.url.kind != StoreUrl::Kind::kMemory) {
      store.url.password = store.password;
    }
  }

  ReadSettingsResult Finish() {
    ReadSettingsResult result;
    for (const Setting& setting : AllSettings()) {
      const SettingsDraft::Given& given = draft_.Of(setting.path);
      std::string from = given.way == SettingWay::kDefault
                             ? std::string("default")
                             : DescribePlace(draft_.files, given.origin);
      result.effective.push_back({&setting, TextOf(setting, draft_.settings), std::move(from)});
    }
    result.settings = std::move(draft_.settings);
    result.files = std::move(draft_.files);
    result.problems = draft_.problems.Take();
    return result;
  }

  const SettingsInput& input_;
  // No setting refers to a time zone.
  ZoneSource no_zones_ = [](std::string_view) { return nullptr; };
  SettingsDraft draft_;
};

}  // namespace

ReadSettingsResult ReadSettings(const SettingsInput& input) { return Reader(input).Read(); }

}  // namespace sluice
