// Converts one value of a file, a flag or a variable into Settings, and back to text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/value.h"
#include "config/settings/setting.h"
#include "config/syntax/config_reader.h"

namespace sluice {

// Reads the value of a setting into `out`. Returns false, reports the error to `reading` and leaves
// `out` unchanged if the value is invalid. The entry's key must be the setting's path.
bool ReadSetting(const Setting& setting, const Value::Entry& entry, ConfigReader& reading,
                 Settings& out);

// Returns the Value that a file would hold for the texts of a flag or a variable. A list takes any
// number of texts, each with its items separated by commas; every other setting takes one.
Value ValueOfTexts(const Setting& setting, std::span<const std::string_view> texts);

// Returns the value as it would be written. Items of a list are joined with ", ", a secret is
// "(secret)", and a value that is not set is empty.
std::string TextOf(const Setting& setting, Settings& settings);

// Returns the placeholder for the value in help and errors: "SIZE", "required|optional".
std::string ValueNameOf(const Setting& setting);

// Returns the range of a setting, "16B to 1GiB", or an empty text if it has none.
std::string RangeTextOf(const Setting& setting);

bool IsList(const Setting& setting);
bool IsBoolean(const Setting& setting);
bool IsSecret(const Setting& setting);

// Returns the text as a Secret if its length in bytes is within the setting's range and it has no
// control characters. The error does not show the text.
Result<Secret> MakeSecret(const Setting& setting, std::string_view text);

}  // namespace sluice
