// ReflectionIndex: which file of a descriptor set describes what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/result.h"

namespace sluice {

// Answers what reflection is asked. Made once, at start.
//
// Thread safety: does not change once it is made. Ownership: views the set, and owns the names.
//
// Invariants
//   (1) What is found for a file is the file itself, then every file it imports, near or far, once.
//   (2) Symbols are the full names of messages, fields, oneofs, enums, their values, services and
//       methods.
class ReflectionIndex {
 public:
  ReflectionIndex(const ReflectionIndex&) = delete;  // symbols view names of its own
  ReflectionIndex& operator=(const ReflectionIndex&) = delete;
  ReflectionIndex(ReflectionIndex&&) = default;
  ReflectionIndex& operator=(ReflectionIndex&&) = default;
  ~ReflectionIndex() = default;

  // An error where the bytes are no FileDescriptorSet, or a file imports one that is not there.
  static Result<ReflectionIndex> Make(std::string_view descriptor_set);

  // Each a FileDescriptorProto; none where there is no such file or symbol.
  [[nodiscard]] std::span<const std::string_view> FilesByName(std::string_view name) const {
    return FilesIn(by_name_, name);
  }
  [[nodiscard]] std::span<const std::string_view> FilesBySymbol(std::string_view symbol) const {
    return FilesIn(by_symbol_, symbol);
  }

  // Full names, in the order of the files.
  [[nodiscard]] std::span<const std::string_view> services() const { return services_; }

 private:
  friend class DescriptorReader;

  ReflectionIndex() = default;

  // By name, to an index of files_.
  using Places = std::map<std::string_view, std::size_t>;

  [[nodiscard]] std::span<const std::string_view> FilesIn(const Places& places,
                                                          std::string_view name) const {
    const auto found = places.find(name);
    if (found == places.end()) return {};
    return files_[found->second];
  }

  std::vector<std::vector<std::string_view>> files_;  // each with what it imports
  std::deque<std::string> names_;                     // that stay where they are
  Places by_name_;
  Places by_symbol_;
  std::vector<std::string_view> services_;
};

}  // namespace sluice
