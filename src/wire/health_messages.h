// The messages of grpc.health.v1 (proto/grpc/health/v1/health.proto).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "wire/grpc_status.h"

namespace sluice {

// By the numbers of HealthCheckResponse.ServingStatus.
enum class ServingStatus : std::uint8_t { kServing = 1, kNotServing = 2, kServiceUnknown = 3 };

// The service that a HealthCheckRequest asks about, empty for the whole server: a view of the
// message. INVALID_ARGUMENT where it is none.
std::variant<std::string_view, GrpcFault> ReadHealthRequest(std::string_view message);

// Appends a HealthCheckResponse.
void AppendHealthReply(ServingStatus status, std::string& out);

}  // namespace sluice
