// Load generation over Envoy's rate limit service.
#pragma once

#include <memory>
#include <string>

#include "base/header_list.h"
#include "load/load_session.h"
#include "load/request_template.h"

namespace sluice {

// Creates a session that calls ShouldRateLimit with requests made from `message`. OK counts as
// allowed, OVER_LIMIT as refused, and a failed call as an error.
std::unique_ptr<LoadSession> MakeRlsLoad(LoadSession::Listener& listener,
                                         std::shared_ptr<const RequestTemplate> message,
                                         std::string authority, HeaderList metadata = {});

}  // namespace sluice
