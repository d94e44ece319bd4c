// The front ends of a server as the settings want them.
#pragma once

#include "config/settings.h"
#include "frontend/http_front.h"

namespace sluice::cli {

// Sets what the settings say; whom to warn and what is served is for the caller to add.
void SetFrontOptions(const Settings& settings, HttpFrontOptions& options);

}  // namespace sluice::cli
