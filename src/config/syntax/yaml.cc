#include "config/syntax/yaml.h"

#include <yaml-cpp/exceptions.h>

#include <optional>
#include <stdexcept>

#include "base/text.h"
#include "config/syntax/yaml_builder.h"
#include "config/syntax/yaml_fault.h"
#include "config/syntax/yaml_text.h"

namespace sluice {

std::variant<std::vector<Value>, PositionedError> ReadYaml(std::string_view text,
                                                           std::size_t max_bytes, Secrecy secrecy) {
  if (text.size() > max_bytes) {
    return PositionedError{
        {}, Concat("the text is ", text.size(), " bytes long, at most ", max_bytes, " are read")};
  }
  const YamlText placed(text, secrecy);
  if (auto error = CheckYamlText(placed)) return *std::move(error);
  YamlBuilder builder(placed);
  try {
    ParseYaml(text, builder);
  } catch (const YamlRefusal& refusal) {
    return refusal.error;
  } catch (const YAML::Exception& fault) {
    return ExplainYamlFault(placed, builder, fault);
  } catch (const std::runtime_error&) {
    // An internal error of yaml-cpp; no text is known that causes one.
    return PositionedError{placed.At(builder.LastByte()), "cannot be read as YAML from here on"};
  }
  return builder.TakeDocuments();
}

}  // namespace sluice
