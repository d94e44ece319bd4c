// Load generation over HTTP/1.
#pragma once

#include <memory>

#include "load/load_session.h"
#include "load/request_template.h"

namespace sluice {

// Creates a session that sends an HTTP/1 request with any method other than HEAD. Statuses 2xx
// count as allowed, 429 as refused, and any other as an error.
std::unique_ptr<LoadSession> MakeHttpLoad(LoadSession::Listener& listener,
                                          std::shared_ptr<const RequestTemplate> request);

}  // namespace sluice
