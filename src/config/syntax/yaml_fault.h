// ExplainYamlFault: explains in our own words what yaml-cpp could not parse.
#pragma once

#include <yaml-cpp/exceptions.h>

#include "base/value.h"
#include "config/syntax/yaml_builder.h"
#include "config/syntax/yaml_text.h"

namespace sluice {

// Returns what is wrong, as close as possible to the place that has to be changed: the quote that
// is not closed rather than the end of the text. `builder` must be in the state in which the fault
// left it.
PositionedError ExplainYamlFault(const YamlText& text, const YamlBuilder& builder,
                                 const YAML::Exception& fault);

}  // namespace sluice
