// The OpenAPI document of the HTTP API, as the build embeds it (src/frontend/openapi.yaml).
#pragma once

#include <string_view>

namespace sluice {

std::string_view OpenApiDocument();

}  // namespace sluice
