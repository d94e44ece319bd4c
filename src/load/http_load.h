// Load over HTTP/1.
#pragma once

#include <memory>

#include "load/load_session.h"
#include "load/request_template.h"

namespace sluice {

// A session that sends a request of HTTP/1, other than HEAD. Statuses 2xx are allowed, 429 is
// refused, and any other is an error.
std::unique_ptr<LoadSession> MakeHttpLoad(LoadSession::Listener& listener,
                                          std::shared_ptr<const RequestTemplate> request);

}  // namespace sluice
