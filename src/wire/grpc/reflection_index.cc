#include "wire/grpc/reflection_index.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "wire/grpc/proto_reader.h"

namespace sluice {
namespace {

// Field numbers of google/protobuf/descriptor.proto.
constexpr std::uint32_t kSetFile = BytesKey(1);
constexpr std::uint32_t kFileName = BytesKey(1);
constexpr std::uint32_t kFilePackage = BytesKey(2);
constexpr std::uint32_t kFileImport = BytesKey(3);
constexpr std::uint32_t kFileMessage = BytesKey(4);
constexpr std::uint32_t kFileEnum = BytesKey(5);
constexpr std::uint32_t kFileService = BytesKey(6);
constexpr std::uint32_t kMessageField = BytesKey(2);
constexpr std::uint32_t kMessageMessage = BytesKey(3);
constexpr std::uint32_t kMessageEnum = BytesKey(4);
constexpr std::uint32_t kMessageOneof = BytesKey(8);
constexpr std::uint32_t kEnumValue = BytesKey(2);
constexpr std::uint32_t kServiceMethod = BytesKey(2);
constexpr std::uint32_t kName = BytesKey(1);  // in all of them but files

// The maximum nesting depth of message declarations.
constexpr int kMaxDepth = 32;

// Calls visit(key, value) for each field that is a string, bytes or a message. Returns false if the
// bytes are not a valid message.
template <typename Visit>
bool ForEachPart(std::string_view message, const Visit& visit) {
  ProtoReader reader(message);
  while (reader.Next()) {
    const std::uint32_t key = reader.key();
    if ((key & 7U) != static_cast<std::uint32_t>(WireType::kBytes)) {
      reader.Skip();
      continue;
    }
    const std::string_view part = reader.Bytes();
    if (!reader.failed() && !visit(key, part)) return false;
  }
  return !reader.failed();
}

std::string_view PartOf(std::string_view message, std::uint32_t key) {
  std::string_view found;
  ForEachPart(message, [&](std::uint32_t each, std::string_view part) {
    if (each == key) found = part;
    return true;
  });
  return found;
}

std::string FullName(std::string_view scope, std::string_view name) {
  if (scope.empty()) return std::string(name);
  return std::string(scope).append(".").append(name);
}

}  // namespace

// Fills an index. Each method returns false if the descriptors are malformed.
class DescriptorReader {
 public:
  explicit DescriptorReader(ReflectionIndex& index) : index_(index) {}

  bool ReadSet(std::string_view set) {
    return ForEachPart(set, [&](std::uint32_t key, std::string_view part) {
      return key != kSetFile || ReadFile(part);
    });
  }

 private:
  bool ReadFile(std::string_view file) {
    const std::size_t place = index_.files_.size();
    index_.files_.push_back({file});
    index_.by_name_.emplace(PartOf(file, kFileName), place);
    file_ = place;
    const std::string_view package = PartOf(file, kFilePackage);
    return ForEachPart(file, [&](std::uint32_t key, std::string_view part) {
      switch (key) {
        case kFileImport:
          return AddImport(part);
        case kFileMessage:
          return ReadMessage(package, part, kMaxDepth);
        case kFileEnum:
          return ReadEnum(package, part);
        case kFileService:
          return ReadService(package, part);
        default:
          return true;
      }
    });
  }

  // Adds the files of an import. The import precedes this file in the set, so its own list is
  // already complete.
  bool AddImport(std::string_view name) {
    const auto found = index_.by_name_.find(name);
    if (found == index_.by_name_.end() || found->second == file_) return false;
    auto& files = index_.files_[file_];
    for (const std::string_view each : index_.files_[found->second]) {
      const bool there = std::ranges::any_of(
          files, [&](std::string_view other) { return other.data() == each.data(); });
      if (!there) files.push_back(each);
    }
    return true;
  }

  bool ReadMessage(std::string_view scope, std::string_view message, int depth) {
    if (depth == 0) return false;
    const std::string_view name = Add(scope, message);
    return ForEachPart(message, [&](std::uint32_t key, std::string_view part) {
      switch (key) {
        case kMessageField:
        case kMessageOneof:
          Add(name, part);
          return true;
        case kMessageMessage:
          return ReadMessage(name, part, depth - 1);
        case kMessageEnum:
          return ReadEnum(name, part);
        default:
          return true;
      }
    });
  }

  // Enum values are scoped to the parent of the enum, not to the enum itself.
  bool ReadEnum(std::string_view scope, std::string_view message) {
    Add(scope, message);
    return ForEachPart(message, [&](std::uint32_t key, std::string_view part) {
      if (key == kEnumValue) Add(scope, part);
      return true;
    });
  }

  bool ReadService(std::string_view scope, std::string_view message) {
    const std::string_view name = Add(scope, message);
    index_.services_.push_back(name);
    return ForEachPart(message, [&](std::uint32_t key, std::string_view part) {
      if (key == kServiceMethod) Add(name, part);
      return true;
    });
  }

  // Registers the symbol that the descriptor declares and returns its full name.
  std::string_view Add(std::string_view scope, std::string_view message) {
    const std::string_view name =
        index_.names_.emplace_back(FullName(scope, PartOf(message, kName)));
    index_.by_symbol_.emplace(name, file_);
    return name;
  }

  ReflectionIndex& index_;
  std::size_t file_ = 0;
};

Result<ReflectionIndex> ReflectionIndex::Make(std::string_view descriptor_set) {
  ReflectionIndex index;
  if (!DescriptorReader(index).ReadSet(descriptor_set)) {
    return Error{"the descriptors of the services cannot be read"};
  }
  return index;
}

}  // namespace sluice
