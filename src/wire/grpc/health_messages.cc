#include "wire/grpc/health_messages.h"

#include "wire/grpc/proto_fault.h"
#include "wire/grpc/proto_reader.h"
#include "wire/grpc/proto_writer.h"

namespace sluice {

std::variant<std::string_view, GrpcFault> ReadHealthRequest(std::string_view message) {
  std::string_view service;
  ProtoFault fault;
  ProtoReader reader(message);
  while (reader.Next()) {
    if (reader.key() == BytesKey(1)) {
      if (!ReadText(reader, service)) {
        fault.Set("service", kNotUtf8);
        return fault.ToGrpc();
      }
    } else if (!SkipUnknown(reader, {"service"}, fault)) {
      return fault.ToGrpc();
    }
  }
  if (!reader.failed()) return service;
  fault.SetMalformed(reader.fault());
  return fault.ToGrpc();
}

void AppendHealthReply(ServingStatus status, std::string& out) {
  AppendProto(kNumberRoom, out, [&](ProtoWriter& writer) {
    writer.WriteNumber(1, static_cast<std::uint64_t>(status));
  });
}

}  // namespace sluice
