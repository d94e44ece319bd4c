// The grpc-message header: a percent-encoded error message.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends the text in the header's encoding: every byte that is not printable ASCII, and the
// percent sign, becomes %XX.
void AppendGrpcMessage(std::string_view words, std::string& out);

}  // namespace sluice
