#include "cli/usage.h"

#include "base/text.h"

namespace sluice::cli {

Result<OutputForm> ReadForm(const GivenFlags& given) {
  const std::string_view form = given.ValueOr("-o", "text");
  if (form == "text") return OutputForm::kText;
  if (form == "json") return OutputForm::kJson;
  return Error{Concat("-o: expected text or json, found ", Quoted(form))};
}

int FailUsage(std::string_view command, std::string_view message, Console& console) {
  console.err.Write(Concat("sluice ", command, ": ", message, "\n"));
  return kExitBadInput;
}

}  // namespace sluice::cli
