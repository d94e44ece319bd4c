// EndpointOf: converts an address of the settings to an Endpoint to listen on or connect to.
#pragma once

#include "config/settings/address.h"
#include "net/loop/endpoint.h"

namespace sluice::cli {

Endpoint EndpointOf(const Address& address);

}  // namespace sluice::cli
