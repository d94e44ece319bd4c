// The OpenAPI document of the HTTP API, embedded by the build (src/frontend/http/openapi.yaml).
#pragma once

#include <string_view>

namespace sluice {

std::string_view OpenApiDocument();

}  // namespace sluice
