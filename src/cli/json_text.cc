#include "cli/json_text.h"

#include "core/json_string.h"

namespace sluice::cli {

std::string JsonString(std::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return json;
}

}  // namespace sluice::cli
