// Load over Envoy's rate limit service.
#pragma once

#include <memory>
#include <string>

#include "core/header_list.h"
#include "load/load_session.h"
#include "load/request_template.h"

namespace sluice {

// A session that calls ShouldRateLimit; `message` makes the requests. OK is allowed, OVER_LIMIT is
// refused, and a call that fails is an error.
std::unique_ptr<LoadSession> MakeRlsLoad(LoadSession::Listener& listener,
                                         std::shared_ptr<const RequestTemplate> message,
                                         std::string authority, HeaderList metadata = {});

}  // namespace sluice
