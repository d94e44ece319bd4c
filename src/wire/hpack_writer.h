// Writing the fields of HTTP/2 heads (RFC 7541).
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Fields are written out whole each time. So nothing has to be remembered of what a peer knows,
// at the price of some thirty bytes a reply to gRPC.
//
// That the peer need not remember any either; before the first field of a connection.
void AppendHpackStart(std::string& out);
// REQUIRES: from 100 to 999.
void AppendHpackStatus(int status, std::string& out);
// Capital letters of the name become small ones.
void AppendHpackField(std::string_view name, std::string_view value, std::string& out);

}  // namespace sluice
