// ExplainYamlFault: what yaml-cpp could not read, in words of ours.
#pragma once

#include <yaml-cpp/exceptions.h>

#include "config/yaml_builder.h"
#include "config/yaml_text.h"
#include "core/value.h"

namespace sluice {

// What was wrong and where, as near as can be told to what its writer has to change: the quote that
// is not closed rather than the end of the text. `builder` is as the fault left it.
PositionedError ExplainYamlFault(const YamlText& text, const YamlBuilder& builder,
                                 const YAML::Exception& fault);

}  // namespace sluice
