// The arguments that commands about a request share: attributes, cost, server and timeout.
#pragma once

#include <string_view>

#include "cli/flags.h"
#include "net/loop/endpoint.h"
#include "sluice/attribute.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice::cli {

// Reads an attribute such as "user=42". The result views the text.
Result<Attribute> ReadAttribute(std::string_view text);

// Reads the flag --cost; default: 1.
Result<Cost> ReadCost(const GivenFlags& given);

// Reads the flag --server, which is required.
Result<Endpoint> ReadServer(const GivenFlags& given);

// Reads the flag --timeout, from 1ms to 1h; default: 5s.
Result<Nanos> ReadTimeout(const GivenFlags& given);

}  // namespace sluice::cli
