// ReflectionIndex: finds the files of a descriptor set by file name or symbol.
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

// Answers the queries of gRPC server reflection. Built once, at startup.
//
// Thread safety: immutable after construction. Ownership: views the descriptor set, and owns the
// names.
//
// Invariants
//   (1) A lookup returns the file itself, then every file it imports directly or indirectly, each
//       once.
//   (2) Symbols are the full names of messages, fields, oneofs, enums, enum values, services and
//       methods.
class ReflectionIndex {
 public:
  ReflectionIndex(const ReflectionIndex&) = delete;  // symbols view names_
  ReflectionIndex& operator=(const ReflectionIndex&) = delete;
  ReflectionIndex(ReflectionIndex&&) = default;
  ReflectionIndex& operator=(ReflectionIndex&&) = default;
  ~ReflectionIndex() = default;

  // Returns an error if the bytes are not a FileDescriptorSet, or if a file imports one that does
  // not precede it.
  static Result<ReflectionIndex> Make(std::string_view descriptor_set);

  // Return serialized FileDescriptorProtos; none if there is no such file or symbol.
  [[nodiscard]] std::span<const std::string_view> FilesByName(std::string_view name) const {
    return FilesIn(by_name_, name);
  }
  [[nodiscard]] std::span<const std::string_view> FilesBySymbol(std::string_view symbol) const {
    return FilesIn(by_symbol_, symbol);
  }

  // The full names of the services, in the order of the files.
  [[nodiscard]] std::span<const std::string_view> services() const { return services_; }

 private:
  friend class DescriptorReader;

  ReflectionIndex() = default;

  // Maps names to indexes of files_.
  using Places = std::map<std::string_view, std::size_t>;

  [[nodiscard]] std::span<const std::string_view> FilesIn(const Places& places,
                                                          std::string_view name) const {
    const auto found = places.find(name);
    if (found == places.end()) return {};
    return files_[found->second];
  }

  std::vector<std::vector<std::string_view>> files_;  // each file, followed by its imports
  std::deque<std::string> names_;                     // a deque, so that their addresses stay valid
  Places by_name_;
  Places by_symbol_;
  std::vector<std::string_view> services_;
};

}  // namespace sluice
