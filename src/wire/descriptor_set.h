// The descriptors of all files in proto/, which the build makes with protoc.
#pragma once

#include <string_view>

namespace sluice {

// A google.protobuf.FileDescriptorSet, every file after those it imports.
std::string_view DescriptorSet();

}  // namespace sluice
