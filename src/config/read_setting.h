// ReadSetting: one value of a file, a flag or a variable into Settings, and back to text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/reading.h"
#include "config/setting.h"
#include "core/value.h"

namespace sluice {

// Reads the value of a setting, which is changed only where the value is good; else it has been
// said what is wrong. The entry's key is the setting's path.
bool ReadSetting(const Setting& setting, const Value::Entry& entry, Reading& reading,
                 Settings& out);

// What the texts of a flag or a variable stand for, as a file would have it. A list has any number
// of texts, each with commas between its items; anything else has one.
Value ValueOfTexts(const Setting& setting, std::span<const std::string_view> texts);

// The value as it would be written; items of a list with ", " between them, a secret as
// "(secret)", and nothing for what is not set.
std::string TextOf(const Setting& setting, Settings& settings);

// What to call the value: "SIZE", "required|optional".
std::string ValueNameOf(const Setting& setting);

// "16B to 1GiB"; empty where there are no bounds.
std::string RangeTextOf(const Setting& setting);

bool IsList(const Setting& setting);
bool IsBoolean(const Setting& setting);
bool IsSecret(const Setting& setting);

// A secret that a file holds, or that is given: visible ASCII, as long as the setting says. The
// error does not show it.
Result<Secret> MakeSecret(const Setting& setting, std::string_view text);

}  // namespace sluice
