// The messages of gRPC's reflection (proto/grpc/reflection): v1 and v1alpha are alike but in name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "wire/grpc_status.h"

namespace sluice {

// What a request asks for.
enum class ReflectionAsk : std::uint8_t {
  kNothing,       // nothing that is known
  kFileByName,    // of that name
  kFileBySymbol,  // in which that symbol is
  kExtension,     // in which some extension is; there are none
  kExtensions,    // the extensions of that type; there are none
  kServices,      // all services
};

// A ServerReflectionRequest. Thread safety: a value. Ownership: views the message it was read from.
struct ReflectionRequest {
  ReflectionAsk ask = ReflectionAsk::kNothing;
  std::string_view name;  // of a file, symbol or type
  std::string_view host;
  std::string_view message;  // the whole of it, which the reply repeats
};

// INVALID_ARGUMENT where it is none, which ends the stream.
std::variant<ReflectionRequest, GrpcFault> ReadReflectionRequest(std::string_view message);

// Append a ServerReflectionResponse: with files, each a FileDescriptorProto; with the names of
// services; or with why there is no answer, which does not end the stream.
void AppendReflectionFiles(const ReflectionRequest& request,
                           std::span<const std::string_view> files, std::string& out);
void AppendReflectionServices(const ReflectionRequest& request,
                              std::span<const std::string_view> services, std::string& out);
void AppendReflectionFault(const ReflectionRequest& request, const GrpcFault& fault,
                           std::string& out);

}  // namespace sluice
