#include "wire/grpc/reflection_messages.h"

#include <cstddef>

#include "wire/grpc/proto_fault.h"
#include "wire/grpc/proto_reader.h"
#include "wire/grpc/proto_writer.h"

namespace sluice {
namespace {

// Reads the argument of a query (a text, or a message in its place). Returns false and sets the
// fault if it is not UTF-8.
bool ReadName(ProtoReader& reader, ReflectionAsk ask, ReflectionRequest& request,
              ProtoFault& fault) {
  request.ask = ask;
  return ReadText(reader, request.name) || fault.Set("message_request", kNotUtf8);
}

bool ReadField(ProtoReader& reader, ReflectionRequest& request, ProtoFault& fault) {
  switch (reader.key()) {
    case BytesKey(1):
      return ReadText(reader, request.host) || fault.Set("host", kNotUtf8);
    case BytesKey(3):
      return ReadName(reader, ReflectionAsk::kFileByName, request, fault);
    case BytesKey(4):
      return ReadName(reader, ReflectionAsk::kFileBySymbol, request, fault);
    case BytesKey(5):  // not read: there are no extensions
      request.ask = ReflectionAsk::kExtension;
      request.name = {};
      reader.Skip();
      return true;
    case BytesKey(6):
      return ReadName(reader, ReflectionAsk::kExtensions, request, fault);
    case BytesKey(7):
      return ReadName(reader, ReflectionAsk::kServices, request, fault);
    default:
      if (reader.field() == 1) return fault.Set("host", kWrongType);
      if (reader.field() >= 3 && reader.field() <= 7) {
        return fault.Set("message_request", kWrongType);
      }
      reader.Skip();
      return true;
  }
}

// Appends a reply. write(writer) writes its answer, a message of at most `room` bytes.
template <typename Write>
void AppendReply(const ReflectionRequest& request, std::size_t room, std::string& out,
                 const Write& write) {
  const std::size_t head = TextRoom(request.host) + TextRoom(request.message);
  AppendProto(head + kMessageRoom + room, out, [&](ProtoWriter& writer) {
    writer.WriteText(1, request.host);  // valid_host
    writer.Bytes(2, request.message);   // original_request
    write(writer);
  });
}

}  // namespace

std::variant<ReflectionRequest, GrpcFault> ReadReflectionRequest(std::string_view message) {
  ReflectionRequest request;
  request.message = message;
  ProtoFault fault;
  ProtoReader reader(message);
  while (reader.Next()) {
    if (!ReadField(reader, request, fault)) return fault.ToGrpc();
  }
  if (!reader.failed()) return request;
  fault.SetMalformed(reader.fault());
  return fault.ToGrpc();
}

void AppendReflectionFiles(const ReflectionRequest& request,
                           std::span<const std::string_view> files, std::string& out) {
  std::size_t room = 0;
  for (const std::string_view file : files) room += TextRoom(file);
  AppendReply(request, room, out, [&](ProtoWriter& writer) {
    writer.Message(4, [&](ProtoWriter& own) {
      for (const std::string_view file : files) own.Bytes(1, file);
    });
  });
}

void AppendReflectionServices(const ReflectionRequest& request,
                              std::span<const std::string_view> services, std::string& out) {
  std::size_t room = 0;
  for (const std::string_view name : services) room += kMessageRoom + TextRoom(name);
  AppendReply(request, room, out, [&](ProtoWriter& writer) {
    writer.Message(6, [&](ProtoWriter& own) {
      for (const std::string_view name : services) {
        own.Message(1, [&](ProtoWriter& service) { service.Bytes(1, name); });
      }
    });
  });
}

void AppendReflectionFault(const ReflectionRequest& request, const GrpcFault& fault,
                           std::string& out) {
  AppendReply(request, kNumberRoom + TextRoom(fault.message), out, [&](ProtoWriter& writer) {
    writer.Message(7, [&](ProtoWriter& own) {
      own.WriteNumber(1, static_cast<std::uint64_t>(fault.status));
      own.WriteText(2, fault.message);
    });
  });
}

}  // namespace sluice
