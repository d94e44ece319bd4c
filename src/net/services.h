// Services: what answers the requests of a listener.
#pragma once

#include <memory>

#include "net/entrance.h"
#include "net/exchange.h"
#include "net/resp_service.h"

namespace sluice {

// Those of one worker for one listener.
struct Services {
  std::unique_ptr<HttpService> http;
  std::unique_ptr<RespService> resp;  // null where the Redis protocol is not spoken
  Entrance entrance{};
};

}  // namespace sluice
