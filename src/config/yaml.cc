#include "config/yaml.h"

#include <yaml-cpp/exceptions.h>

#include <optional>
#include <stdexcept>

#include "config/yaml_builder.h"
#include "config/yaml_fault.h"
#include "config/yaml_text.h"
#include "core/text.h"

namespace sluice {

std::variant<std::vector<Value>, PositionedError> ReadYaml(std::string_view text,
                                                           std::size_t bytes_most,
                                                           Secrecy secrecy) {
  if (text.size() > bytes_most) {
    return PositionedError{
        {}, Concat("the text is ", text.size(), " bytes long, at most ", bytes_most, " are read")};
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
    // Its own faults; none is known that a text can cause.
    return PositionedError{placed.At(builder.LastByte()), "cannot be read as YAML from here on"};
  }
  return builder.TakeDocuments();
}

}  // namespace sluice
