// Services: the request handlers of a listener.
#pragma once

#include <memory>

#include "net/http1/exchange.h"
#include "net/loop/listener_policy.h"
#include "net/resp/resp_service.h"

namespace sluice {

// The services of one worker for one listener.
struct Services {
  std::unique_ptr<HttpService> http;
  std::unique_ptr<RespService> resp;  // null: the listener does not speak the Redis protocol
  ListenerPolicy entrance{};
};

}  // namespace sluice
