// Load over RESP.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "load/load_session.h"
#include "load/request_template.h"

namespace sluice {

// What a reply says about a request.
enum class RespMeaning : std::uint8_t {
  kAny,        // all but errors are allowed
  kThrottled,  // the first of a list is 0 where allowed and 1 where refused: CL.THROTTLE
  kAllowed,    // the first of a list is 1 where allowed and 0 where refused: SLUICE.CHECK
};

// By the name of the command.
RespMeaning MeaningOf(std::string_view command);

// A session that sends a command. `login` is one that is sent before all others, or nothing; where
// the reply to it is an error, the session has failed.
std::unique_ptr<LoadSession> MakeRespLoad(LoadSession::Listener& listener,
                                          std::shared_ptr<const RequestTemplate> request,
                                          RespMeaning meaning, std::string_view login = {});

}  // namespace sluice
