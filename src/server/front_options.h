// Options of the front ends, derived from the settings.
#pragma once

#include "config/settings/settings.h"
#include "frontend/http/http_front.h"

namespace sluice::cli {

// Sets all options that follow from the settings. The caller must add the warnings and the
// services.
void SetFrontOptions(const Settings& settings, HttpFrontOptions& options);

}  // namespace sluice::cli
