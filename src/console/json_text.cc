#include "console/json_text.h"

#include "base/json_string.h"

namespace sluice::cli {
namespace {

void Append(const Value& value, std::string& json) {
  if (const std::string* text = value.AsString()) {
    json += JsonString(*text);
  } else if (const std::string* number = value.AsNumber()) {
    json += *number;
  } else if (const bool* boolean = value.AsBoolean()) {
    json += *boolean ? "true" : "false";
  } else if (const Value::List* list = value.AsList()) {
    json += '[';
    for (const Value& item : *list) {
      if (&item != &list->front()) json += ',';
      Append(item, json);
    }
    json += ']';
  } else if (const Value::Map* map = value.AsMap()) {
    json += '{';
    for (const Value::Entry& entry : *map) {
      if (&entry != &map->front()) json += ',';
      json += JsonString(entry.key) + ':';
      Append(entry.value, json);
    }
    json += '}';
  } else {
    json += "null";
  }
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return json;
}

std::string JsonText(const Value& value) {
  std::string json;
  Append(value, json);
  return json;
}

}  // namespace sluice::cli
