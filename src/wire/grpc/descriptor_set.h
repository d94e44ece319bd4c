// The descriptors of all files in proto/, which protoc generates during the build.
#pragma once

#include <string_view>

namespace sluice {

// Returns a serialized google.protobuf.FileDescriptorSet in which every file follows its imports.
std::string_view DescriptorSet();

}  // namespace sluice
