#include "wire/grpc/struct_value.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "wire/grpc/proto_writer.h"

namespace sluice {
namespace {

// RoomFor returns the maximum number of bytes that Write appends. A value is a message with one
// field, chosen by the kind of value.
std::size_t RoomFor(const StructValue& value);
void Write(const StructValue& value, ProtoWriter& writer);

std::size_t RoomFor(const StructValue::Object& object) {
  std::size_t room = 0;
  for (const auto& [name, value] : object) {
    room += kMessageRoom + TextRoom(name) + kMessageRoom + RoomFor(value);
  }
  return room;
}

void Write(const StructValue::Object& object, ProtoWriter& writer) {
  for (const StructValue::Member& member : object) {
    writer.Message(1, [&](ProtoWriter& own) {
      own.WriteText(1, member.name);
      own.Message(2, [&](ProtoWriter& value) { Write(member.value, value); });
    });
  }
}

// Writes a member of the oneof. It is written even if it is 0 or empty.
struct ValueWriter {
  ProtoWriter& writer;

  void operator()(std::monostate) const { writer.Number(1, 0); }
  void operator()(double number) const { writer.Fixed64(2, std::bit_cast<std::uint64_t>(number)); }
  void operator()(std::string_view text) const { writer.Bytes(3, text); }
  void operator()(bool truth) const { writer.Number(4, truth ? 1 : 0); }
  void operator()(const StructValue::Object& object) const {
    writer.Message(5, [&](ProtoWriter& own) { Write(object, own); });
  }
  void operator()(const StructValue::List& list) const {
    writer.Message(6, [&](ProtoWriter& own) {
      for (const StructValue& each : list) {
        own.Message(1, [&](ProtoWriter& value) { Write(each, value); });
      }
    });
  }
};

std::size_t RoomFor(const StructValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value.held())) return TextRoom(*text);
  if (const auto* object = std::get_if<StructValue::Object>(&value.held())) {
    return kMessageRoom + RoomFor(*object);
  }
  std::size_t room = kNumberRoom;
  if (const auto* list = std::get_if<StructValue::List>(&value.held())) {
    for (const StructValue& each : *list) room += kMessageRoom + RoomFor(each);
  }
  return room;
}

void Write(const StructValue& value, ProtoWriter& writer) {
  std::visit(ValueWriter{writer}, value.held());
}

}  // namespace

StructValue::StructValue() = default;
StructValue::StructValue(Held held) : held_(std::move(held)) {}

void AppendStruct(const StructValue::Object& object, std::string& out) {
  AppendProto(RoomFor(object), out, [&](ProtoWriter& writer) { Write(object, writer); });
}

}  // namespace sluice
