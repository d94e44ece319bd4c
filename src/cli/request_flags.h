// What commands that ask about a request are given: attributes, a cost, a server.
#pragma once

#include <string_view>

#include "cli/flags.h"
#include "config/address.h"
#include "net/endpoint.h"
#include "sluice/attribute.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice::cli {

// "user=42". Views the text.
Result<Attribute> ReadAttribute(std::string_view text);

// The flag --cost, 1 unless it is given.
Result<Cost> ReadCost(const GivenFlags& given);

// The flag --server, which must be given.
Result<Endpoint> ReadServer(const GivenFlags& given);

// The flag --timeout, 5s unless it is given; from 1ms to an hour.
Result<Nanos> ReadTimeout(const GivenFlags& given);

// Where the address of a setting is.
Endpoint EndpointOf(const Address& address);

}  // namespace sluice::cli
