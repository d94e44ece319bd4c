// Load generation over RESP.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "load/load_session.h"
#include "load/request_template.h"

namespace sluice {

// How a reply encodes the verdict.
enum class RespMeaning : std::uint8_t {
  kAny,  // every reply but an error means allowed
  // CL.THROTTLE: the first element of the array is 0 if allowed and 1 if refused.
  kThrottled,
  // SLUICE.CHECK: the first element of the array is 1 if allowed and 0 if refused.
  kAllowed,
};

// Returns the meaning of a command's replies, by the command's name.
RespMeaning MeaningOf(std::string_view command);

// Creates a session that sends a command. `login`, if not empty, is a command that is sent before
// all others; the session fails if the reply to it is an error.
std::unique_ptr<LoadSession> MakeRespLoad(LoadSession::Listener& listener,
                                          std::shared_ptr<const RequestTemplate> request,
                                          RespMeaning meaning, std::string_view login = {});

}  // namespace sluice
