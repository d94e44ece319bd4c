// The front ends of a server as the settings want them.
#pragma once

#include "admin/log.h"
#include "config/settings.h"
#include "frontend/front_warnings.h"
#include "frontend/http_front.h"

namespace sluice::cli {

// Sets what the settings say; whom to warn and what is served is for the caller to add.
void SetFrontOptions(const Settings& settings, HttpFrontOptions& options);

// Logs each warning as an error. The log outlives the function.
FrontWarnings::LogFunction LogWarningsTo(Log& log);

}  // namespace sluice::cli
