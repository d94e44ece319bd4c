#include "frontend/grpc/grpc_services.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/text.h"
#include "wire/grpc/health_messages.h"
#include "wire/grpc/reflection_messages.h"

namespace sluice {
namespace {

bool IsKnown(const ReflectionIndex& index, std::string_view service) {
  return service.empty() || std::ranges::find(index.services(), service) != index.services().end();
}

ServingStatus StatusFor(bool is_ready) {
  return is_ready ? ServingStatus::kServing : ServingStatus::kNotServing;
}

std::optional<GrpcFault> Reflect(const ReflectionIndex& index, std::string_view message,
                                 std::string& out) {
  auto read = ReadReflectionRequest(message);
  if (auto* fault = std::get_if<GrpcFault>(&read)) return std::move(*fault);
  const ReflectionRequest& request = *std::get_if<ReflectionRequest>(&read);
  std::span<const std::string_view> files;
  switch (request.ask) {
    case ReflectionAsk::kServices:
      AppendReflectionServices(request, index.services(), out);
      return std::nullopt;
    case ReflectionAsk::kFileByName:
      files = index.FilesByName(request.name);
      break;
    case ReflectionAsk::kFileBySymbol:
      files = index.FilesBySymbol(request.name);
      break;
    case ReflectionAsk::kExtension:
    case ReflectionAsk::kExtensions:
    case ReflectionAsk::kNothing:
      break;
  }
  if (files.empty()) {
    AppendReflectionFault(
        request, {GrpcStatus::kNotFound, Concat("there is no ", Quoted(request.name))}, out);
  } else {
    AppendReflectionFiles(request, files, out);
  }
  return std::nullopt;
}

}  // namespace

void AddHealth(const ReflectionIndex& index, const std::function<bool()>& is_ready,
               GrpcFront& calls, GrpcStreams& streams) {
  calls.Add("/grpc.health.v1.Health/Check",
            [&index, is_ready](std::string_view message, Caller& /*caller*/,
                               std::string& out) -> std::optional<GrpcFault> {
              auto service = ReadHealthRequest(message);
              if (auto* fault = std::get_if<GrpcFault>(&service)) return std::move(*fault);
              if (!IsKnown(index, *std::get_if<std::string_view>(&service))) {
                return GrpcFault{GrpcStatus::kNotFound, "unknown service"};
              }
              AppendHealthReply(StatusFor(is_ready()), out);
              return std::nullopt;
            });
  GrpcStreams::Method watch;
  watch.ends = GrpcStreams::Ends::kWhenDrained;
  watch.answer = [&index, is_ready](std::string_view message,
                                    std::string& out) -> std::optional<GrpcFault> {
    auto service = ReadHealthRequest(message);
    if (auto* fault = std::get_if<GrpcFault>(&service)) return std::move(*fault);
    const bool known = IsKnown(index, *std::get_if<std::string_view>(&service));
    AppendHealthReply(known ? StatusFor(is_ready()) : ServingStatus::kServiceUnknown, out);
    return std::nullopt;
  };
  watch.take_leave = [](std::string& out) { AppendHealthReply(ServingStatus::kNotServing, out); };
  streams.Add("/grpc.health.v1.Health/Watch", std::move(watch));
}

void AddReflection(const ReflectionIndex& index, GrpcStreams& streams) {
  constexpr std::array<std::string_view, 2> kPaths = {
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
      "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
  };
  for (const std::string_view path : kPaths) {
    GrpcStreams::Method method;
    method.answer = [&index](std::string_view message, std::string& out) {
      return Reflect(index, message, out);
    };
    streams.Add(std::string(path), std::move(method));
  }
}

}  // namespace sluice
