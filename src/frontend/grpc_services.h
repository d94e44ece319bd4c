// Health and reflection over gRPC.
#pragma once

#include <functional>
#include <string_view>

#include "frontend/grpc_front.h"
#include "frontend/grpc_streams.h"
#include "wire/reflection_index.h"

namespace sluice {

// Adds grpc.health.v1.Health: Check and Watch, of the server ("") and of each service of the index.
// `is_ready` tells whether the server wants requests; called on the worker's thread.
void AddHealth(const ReflectionIndex& index, const std::function<bool()>& is_ready,
               GrpcFront& calls, GrpcStreams& streams);

// Adds grpc.reflection, v1 and v1alpha. The index outlives the streams.
void AddReflection(const ReflectionIndex& index, GrpcStreams& streams);

}  // namespace sluice
