// Setting: one row of the table of all settings. Files, flags, variables, the help and
// docs/settings.md all follow from the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.h"

namespace sluice {

template <typename T>
using SlotOf = T& (*)(Settings&);

// Where the value of a setting is kept. What type it has there says how it is written.
using SettingSlot =
    std::variant<SlotOf<bool>, SlotOf<std::int64_t>, SlotOf<Nanos>, SlotOf<Bytes>, SlotOf<FilePath>,
                 SlotOf<KeyPrefix>, SlotOf<std::vector<FilePath>>, SlotOf<Address>,
                 SlotOf<std::vector<Address>>, SlotOf<StoreUrl>, SlotOf<Secret>,
                 SlotOf<TrustedProxies>, SlotOf<std::vector<CertificateName>>,
                 SlotOf<std::vector<UserId>>, SlotOf<TlsVersion>, SlotOf<ClientCertificates>,
                 SlotOf<HeaderProfile>, SlotOf<LogLevel>, SlotOf<LogFormat>, SlotOf<ClientHeader>,
                 SlotOf<UnknownDomain>>;

// The slot of a member, or of a member of a group: MakeSlot<&Settings::log, &LogSettings::level>().
template <auto... members>
constexpr SettingSlot MakeSlot() {
  return +[](Settings & settings) -> auto& { return (settings.*....*members); };
}

// When a change takes effect.
enum class SettingChange : std::uint8_t {
  kRestart,
  kLive,  // what the file holds is read again when it changes; another path needs a restart
};

// Both ends included: a number, bytes, nanoseconds or, of a secret, characters.
struct SettingRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

struct Setting {
  std::string_view path;       // in the file: "tls.certificate"
  std::string_view name = {};  // of the flag and the variable, where it is not the path
  SettingSlot slot;
  SettingRange range = {};
  SettingChange change = SettingChange::kRestart;
  std::string_view example;  // a good value that is not the default
  std::string_view meaning;
};

// All settings, those of a group side by side. The same in every call.
std::span<const Setting> AllSettings();

// Where a setting stands in AllSettings. REQUIRES: there is one of that path.
std::size_t IndexOf(std::string_view path);

// "--tls-certificate"
std::string FlagOf(const Setting& setting);
// "SLUICE_TLS_CERTIFICATE"
std::string VariableOf(const Setting& setting);
// "tls"; empty where it stands alone.
std::string_view GroupOf(const Setting& setting);

// The path of the settings file itself, which only a flag or a variable can give.
inline constexpr std::string_view kSettingsFlag = "--settings";
inline constexpr std::string_view kSettingsVariable = "SLUICE_SETTINGS";
inline constexpr std::string_view kVariablePrefix = "SLUICE_";

}  // namespace sluice
