#include "core/header_profile.h"

#include <vector>

#include "base/enum_name.h"
#include "base/spelling.h"
#include "base/text.h"

namespace sluice {

Result<HeaderProfile> ReadHeaderProfile(std::string_view word) {
  std::vector<std::string_view> known;
  for (const EnumName<HeaderProfile>& each : kHeaderProfileWords) {
    if (each.text == word) return each.meaning;
    known.push_back(each.text);
  }
  return Error{Concat("unknown header profile ", Quoted(word), Suggestion(word, known))};
}

}  // namespace sluice
