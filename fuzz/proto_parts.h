// Checks of the parts of a decoded message.
#pragma once

#include <optional>
#include <string_view>

#include "base/utf8.h"
#include "fuzz/must.h"
#include "wire/grpc/grpc_status.h"

namespace sluice::fuzz {

// Checks that a text is UTF-8 and a view of its message.
inline void MustBePart(std::string_view text, std::string_view message) {
  Must(IsUtf8(text), "a text is UTF-8");
  Must(text.empty() || (text.data() >= message.data() &&
                        text.data() + text.size() <= message.data() + message.size()),
       "a text views its message");
}

// Checks that an error is INVALID_ARGUMENT and can be sent.
inline void MustBeCallersFault(const GrpcFault& fault) {
  Must(fault.status == GrpcStatus::kInvalidArgument, "what cannot be read is the caller's fault");
  Must(!fault.message.empty() && IsUtf8(fault.message), "a fault says what is wrong, in UTF-8");
}

}  // namespace sluice::fuzz
