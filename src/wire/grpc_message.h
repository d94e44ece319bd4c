// The header grpc-message: words about a status, percent-encoded.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends the words as the header has them: all but printable ASCII, and the percent sign itself,
// byte by byte as %XX.
void AppendGrpcMessage(std::string_view words, std::string& out);

}  // namespace sluice
