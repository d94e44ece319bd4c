// The messages of gRPC server reflection (proto/grpc/reflection). v1 and v1alpha differ only in
// name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "wire/grpc/grpc_status.h"

namespace sluice {

// The query of a request.
enum class ReflectionAsk : std::uint8_t {
  kNothing,       // no known query
  kFileByName,    // the file with this name
  kFileBySymbol,  // the file that declares this symbol
  kExtension,     // the file of an extension; there are none
  kExtensions,    // the extensions of this type; there are none
  kServices,      // all services
};

// A ServerReflectionRequest. Thread safety: a value. Ownership: views the message it was read from.
struct ReflectionRequest {
  ReflectionAsk ask = ReflectionAsk::kNothing;
  std::string_view name;  // the file, symbol or type asked for
  std::string_view host;
  std::string_view message;  // the whole request, which the reply repeats
};

// Returns INVALID_ARGUMENT if the message is malformed, which ends the stream.
std::variant<ReflectionRequest, GrpcFault> ReadReflectionRequest(std::string_view message);

// Append a ServerReflectionResponse with files (each a FileDescriptorProto), with the names of
// services, or with an error, which does not end the stream.
void AppendReflectionFiles(const ReflectionRequest& request,
                           std::span<const std::string_view> files, std::string& out);
void AppendReflectionServices(const ReflectionRequest& request,
                              std::span<const std::string_view> services, std::string& out);
void AppendReflectionFault(const ReflectionRequest& request, const GrpcFault& fault,
                           std::string& out);

}  // namespace sluice
