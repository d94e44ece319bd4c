// Setting: a row of the settings table. The parser of files, flags and variables, the help and
// docs/settings.md are all generated from the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings/settings.h"

namespace sluice {

template <typename T>
using SlotOf = T& (*)(Settings&);

// Returns a reference to the member of Settings that holds the value. The type of that member
// determines how the value is parsed and written.
using SettingSlot =
    std::variant<SlotOf<bool>, SlotOf<std::int64_t>, SlotOf<Nanos>, SlotOf<Bytes>, SlotOf<FilePath>,
                 SlotOf<KeyPrefix>, SlotOf<std::vector<FilePath>>, SlotOf<Address>,
                 SlotOf<std::vector<Address>>, SlotOf<StoreUrl>, SlotOf<Secret>,
                 SlotOf<TrustedProxies>, SlotOf<std::vector<CertificateName>>,
                 SlotOf<std::vector<UserId>>, SlotOf<TlsVersion>, SlotOf<ClientCertificates>,
                 SlotOf<HeaderProfile>, SlotOf<LogLevel>, SlotOf<LogFormat>, SlotOf<ClientHeader>,
                 SlotOf<UnknownDomain>>;

// Returns the slot of a member of Settings, or of a member of one of its groups:
// MakeSlot<&Settings::log, &LogSettings::level>().
template <auto... members>
constexpr SettingSlot MakeSlot() {
  return +[](Settings & settings) -> auto& { return (settings.*....*members); };
}

// When a change of a setting takes effect.
enum class SettingChange : std::uint8_t {
  kRestart,
  kLive,  // the file it names is reloaded when it changes; a new path needs a restart
};

// Inclusive bounds: a number, bytes, nanoseconds or, for a secret, characters. Both 0 if there are
// no bounds.
struct SettingRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct Setting {
  std::string_view path;       // in the file: "tls.certificate"
  std::string_view name = {};  // of the flag and the variable, if it is not the path
  SettingSlot slot;
  SettingRange range = {};
  SettingChange change = SettingChange::kRestart;
  std::string_view example;  // a valid value that differs from the default
  std::string_view meaning;
};

// Returns all settings; the settings of a group are adjacent. Every call returns the same span.
std::span<const Setting> AllSettings();

// Returns the index of a setting in AllSettings. REQUIRES: a setting has this path.
std::size_t IndexOf(std::string_view path);

// Returns the name of the flag: "--tls-certificate".
std::string FlagOf(const Setting& setting);
// Returns the name of the environment variable: "SLUICE_TLS_CERTIFICATE".
std::string VariableOf(const Setting& setting);
// Returns the group: "tls"; empty if the setting is in none.
std::string_view GroupOf(const Setting& setting);

// The path of the settings file, which only a flag or a variable can set.
inline constexpr std::string_view kSettingsFlag = "--settings";
inline constexpr std::string_view kSettingsVariable = "SLUICE_SETTINGS";
inline constexpr std::string_view kVariablePrefix = "SLUICE_";

}  // namespace sluice
