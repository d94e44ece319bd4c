#include "wire/grpc/reflection_index.h"

#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "protobuf_message.h"
#include "wire/grpc/descriptor_set.h"

namespace sluice {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;

const ReflectionIndex& Index() {
  static const Result<ReflectionIndex> kIndex = ReflectionIndex::Make(DescriptorSet());
  return kIndex.value();
}

std::vector<std::string> NamesOf(std::span<const std::string_view> files) {
  std::vector<std::string> names;
  for (const std::string_view file : files) {
    FileDescriptorProto proto;
    EXPECT_TRUE(proto.ParseFromString(std::string(file)));
    names.push_back(proto.name());
  }
  return names;
}

void AddImports(const FileDescriptor* file, std::set<std::string>& names) {
  names.insert(file->name());
  for (int i = 0; i < file->dependency_count(); ++i) AddImports(file->dependency(i), names);
}

void AddSymbols(const EnumDescriptor* type, std::vector<std::string>& symbols) {
  symbols.push_back(type->full_name());
  for (int i = 0; i < type->value_count(); ++i) symbols.push_back(type->value(i)->full_name());
}

void AddSymbols(const Descriptor* type, std::vector<std::string>& symbols) {
  symbols.push_back(type->full_name());
  for (int i = 0; i < type->field_count(); ++i) symbols.push_back(type->field(i)->full_name());
  for (int i = 0; i < type->oneof_decl_count(); ++i) {
    symbols.push_back(type->oneof_decl(i)->full_name());
  }
  for (int i = 0; i < type->enum_type_count(); ++i) AddSymbols(type->enum_type(i), symbols);
  for (int i = 0; i < type->nested_type_count(); ++i) AddSymbols(type->nested_type(i), symbols);
}

std::vector<std::string> SymbolsOf(const FileDescriptor* file) {
  std::vector<std::string> symbols;
  for (int i = 0; i < file->message_type_count(); ++i) AddSymbols(file->message_type(i), symbols);
  for (int i = 0; i < file->enum_type_count(); ++i) AddSymbols(file->enum_type(i), symbols);
  for (int i = 0; i < file->service_count(); ++i) {
    symbols.push_back(file->service(i)->full_name());
    for (int at = 0; at < file->service(i)->method_count(); ++at) {
      symbols.push_back(file->service(i)->method(at)->full_name());
    }
  }
  return symbols;
}

std::vector<const FileDescriptor*> AllFiles() {
  FileDescriptorSet set;
  EXPECT_TRUE(set.ParseFromString(std::string(DescriptorSet())));
  std::vector<const FileDescriptor*> files;
  for (const auto& file : set.file()) {
    files.push_back(testing::ProtobufPool().FindFileByName(file.name()));
  }
  return files;
}

TEST(ReflectionIndexTest, ReturnsAFileFollowedByItsImports) {
  for (const FileDescriptor* file : AllFiles()) {
    const auto names = NamesOf(Index().FilesByName(file->name()));
    ASSERT_FALSE(names.empty()) << file->name();
    EXPECT_EQ(names.front(), file->name());
    std::set<std::string> expected;
    AddImports(file, expected);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected);
    EXPECT_EQ(names.size(), expected.size());
  }
}

TEST(ReflectionIndexTest, FindsEverySymbolInItsFile) {
  std::size_t count = 0;
  for (const FileDescriptor* file : AllFiles()) {
    for (const std::string& symbol : SymbolsOf(file)) {
      const auto files = Index().FilesBySymbol(symbol);
      ASSERT_FALSE(files.empty()) << symbol;
      EXPECT_EQ(files.data(), Index().FilesByName(file->name()).data()) << symbol;
      ++count;
    }
  }
  EXPECT_GT(count, 150U);
}

TEST(ReflectionIndexTest, FindsNothingForUnknownNames) {
  for (const char* name : {"", "limiter.proto", "sluice.v1", "sluice.v1.Limiter.Nothing",
                           ".sluice.v1.Limiter", "sluice.v1.Mode.MODE_SHADOW"}) {
    EXPECT_TRUE(Index().FilesByName(name).empty()) << name;
    EXPECT_TRUE(Index().FilesBySymbol(name).empty()) << name;
  }
}

TEST(ReflectionIndexTest, ListsAllServices) {
  const std::set<std::string_view> services(Index().services().begin(), Index().services().end());
  EXPECT_EQ(services, (std::set<std::string_view>{
                          "envoy.service.ratelimit.v3.RateLimitService", "grpc.health.v1.Health",
                          "grpc.reflection.v1.ServerReflection",
                          "grpc.reflection.v1alpha.ServerReflection", "sluice.v1.Limiter"}));
}

TEST(ReflectionIndexTest, StaysValidWhenMoved) {
  auto made = ReflectionIndex::Make(DescriptorSet());
  ASSERT_TRUE(made.ok());
  const ReflectionIndex moved = std::move(made).value();
  EXPECT_FALSE(moved.FilesBySymbol("sluice.v1.Mode").empty());
}

TEST(ReflectionIndexTest, RejectsMalformedDescriptorSets) {
  EXPECT_FALSE(ReflectionIndex::Make("\x0A\x05").ok());
  EXPECT_FALSE(ReflectionIndex::Make(DescriptorSet().substr(0, 1000)).ok());
  FileDescriptorSet set;
  set.add_file()->set_name("a.proto");
  set.add_file()->set_name("b.proto");
  set.mutable_file(1)->add_dependency("a.proto");
  EXPECT_TRUE(ReflectionIndex::Make(set.SerializeAsString()).ok());
  set.mutable_file(1)->add_dependency("c.proto");
  EXPECT_FALSE(ReflectionIndex::Make(set.SerializeAsString()).ok());
}

}  // namespace
}  // namespace sluice
