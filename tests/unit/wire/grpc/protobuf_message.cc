#include "protobuf_message.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <vector>

#include "wire/grpc/descriptor_set.h"

namespace sluice::testing {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptorSet;
using google::protobuf::Reflection;

google::protobuf::DynamicMessageFactory& Factory() {
  static google::protobuf::DynamicMessageFactory factory(&ProtobufPool());
  return factory;
}

std::string RandomText(Random& random) {
  std::string text;
  const std::int64_t length = random.OneIn(100) ? 0 : random.Spread(1, 200);
  for (std::int64_t i = 0; i < length; ++i) {
    text += random.OneIn(20) ? random.Pick<const char*>({"é", "€", "😀", "\n"})
                             : std::string(1, static_cast<char>(random.Between(' ', '~')));
  }
  return text;
}

void Fill(Message& message, int depth, Random& random);

void SetField(Message& message, const FieldDescriptor* field, int depth, Random& random) {
  const Reflection& reflection = *message.GetReflection();
  const bool many = field->is_repeated();
  // Draw numbers of every size, and often the maximum.
  const auto bits = static_cast<std::uint64_t>(random.OneIn(8) ? -1 : random.Spread(0, INT64_MAX));
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      many ? reflection.AddString(&message, field, RandomText(random))
           : reflection.SetString(&message, field, RandomText(random));
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      reflection.SetUInt32(&message, field, static_cast<std::uint32_t>(bits));
      break;
    case FieldDescriptor::CPPTYPE_INT32:
      reflection.SetInt32(&message, field, static_cast<std::int32_t>(bits));
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      reflection.SetUInt64(&message, field, bits);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      reflection.SetInt64(&message, field, static_cast<std::int64_t>(bits));
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      reflection.SetBool(&message, field, (bits & 1U) != 0);
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      reflection.SetEnumValue(
          &message, field,
          field->enum_type()
              ->value(static_cast<int>(random.Between(0, field->enum_type()->value_count() - 1)))
              ->number());
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      Fill(many ? *reflection.AddMessage(&message, field)
                : *reflection.MutableMessage(&message, field),
           depth - 1, random);
      break;
    default:
      ADD_FAILURE() << "a kind of field that is not made here: " << field->full_name();
  }
}

void Fill(Message& message, int depth, Random& random) {
  const auto* type = message.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const bool nested = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (nested && depth == 0) continue;
    const std::int64_t count = field->is_repeated()            ? random.Between(0, 4)
                               : random.OneIn(nested ? 2 : 20) ? 0
                                                               : 1;
    for (std::int64_t made = 0; made < count; ++made) SetField(message, field, depth, random);
  }
}

}  // namespace

const DescriptorPool& ProtobufPool() {
  static const DescriptorPool* const kPool = [] {
    FileDescriptorSet set;
    EXPECT_TRUE(set.ParseFromString(std::string(DescriptorSet())));
    auto* const pool = new DescriptorPool;
    for (const auto& file : set.file()) EXPECT_NE(pool->BuildFile(file), nullptr) << file.name();
    return pool;
  }();
  return *kPool;
}

std::unique_ptr<Message> NewMessage(const std::string& type) {
  const auto* const descriptor = ProtobufPool().FindMessageTypeByName(type);
  EXPECT_NE(descriptor, nullptr) << type;
  return std::unique_ptr<Message>(Factory().GetPrototype(descriptor)->New());
}

std::unique_ptr<Message> MessageOf(const std::string& type, const std::string& text) {
  auto message = NewMessage(type);
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, message.get())) << text;
  return message;
}

std::string BytesOf(const std::string& type, const std::string& text) {
  return MessageOf(type, text)->SerializeAsString();
}

std::string TextOf(const std::string& type, std::string_view bytes) {
  const auto message = NewMessage(type);
  if (!message->ParseFromString(std::string(bytes))) return "malformed";
  if (!message->GetReflection()->GetUnknownFields(*message).empty()) return "malformed";
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  EXPECT_TRUE(printer.PrintToString(*message, &text));
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::unique_ptr<Message> RandomMessage(const std::string& type, int depth, Random& random) {
  auto message = NewMessage(type);
  Fill(*message, depth, random);
  return message;
}

void AddUnknownFields(Message& message) {
  const Reflection& reflection = *message.GetReflection();
  auto& unknown = *reflection.MutableUnknownFields(&message);
  unknown.AddVarint(15, UINT64_MAX);
  unknown.AddFixed32(16, UINT32_MAX);
  unknown.AddFixed64(100'000, 1);
  unknown.AddLengthDelimited(536'870'911, "bytes \xFF");
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      AddUnknownFields(*reflection.MutableMessage(&message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      AddUnknownFields(*reflection.MutableRepeatedMessage(&message, field, i));
    }
  }
}

}  // namespace sluice::testing
