// The messages of grpc.health.v1 (proto/grpc/health/v1/health.proto).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "wire/grpc/grpc_status.h"

namespace sluice {

// The numbers are those of HealthCheckResponse.ServingStatus.
enum class ServingStatus : std::uint8_t { kServing = 1, kNotServing = 2, kServiceUnknown = 3 };

// Returns the service that a HealthCheckRequest asks about, as a view of the message; empty means
// the whole server. Returns INVALID_ARGUMENT if the message is malformed.
std::variant<std::string_view, GrpcFault> ReadHealthRequest(std::string_view message);

// Appends a HealthCheckResponse.
void AppendHealthReply(ServingStatus status, std::string& out);

}  // namespace sluice
