// Health and reflection over gRPC.
#pragma once

#include <functional>
#include <string_view>

#include "frontend/grpc/grpc_front.h"
#include "frontend/grpc/grpc_streams.h"
#include "wire/grpc/reflection_index.h"

namespace sluice {

// Adds grpc.health.v1.Health: Check and Watch, for the server ("") and for each service of the
// index. `is_ready` returns whether the server accepts requests; it is called on the worker's
// thread.
void AddHealth(const ReflectionIndex& index, const std::function<bool()>& is_ready,
               GrpcFront& calls, GrpcStreams& streams);

// Adds grpc.reflection, v1 and v1alpha. The index outlives the streams.
void AddReflection(const ReflectionIndex& index, GrpcStreams& streams);

}  // namespace sluice
