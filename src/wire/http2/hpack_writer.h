// Writes the header fields of HTTP/2 (RFC 7541).
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Fields are written in full each time, without the dynamic table, so no state is kept per peer.
// This costs about thirty bytes per gRPC reply.
//
// Tells the peer that it needs no dynamic table. Call it before the first field of a connection.
void AppendHpackStart(std::string& out);
// Appends the ":status" field. REQUIRES: status is from 100 to 999.
void AppendHpackStatus(int status, std::string& out);
// Appends a field. Converts the name to lower case.
void AppendHpackField(std::string_view name, std::string_view value, std::string& out);

}  // namespace sluice
