// DirectoryWatch: reports when rule files may have changed, using inotify.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "sluice/result.h"

struct inotify_event;

namespace sluice {

// The changes of the files since the last call of Drain.
enum class Noticed : std::uint8_t {
  kNothing,
  kChange,
  kUnfinishedChange,  // a file was written to and has not been closed yet
};

// Watches every directory in which a lookup of the given paths resolves a name: the directories on
// the way to a file or to a directory of rule files, also through symbolic links, and the targets
// of links among the rule files of a directory. This covers a file edited in place or replaced by a
// rename, a link swapped at any step (Kubernetes: ..data), and a directory that is removed and
// created again.
//
// A report is a hint to read the files again; it may be a false positive.
//
// Thread safety: none. Ownership: owns its inotify descriptor.
//
// Invariants
//   (1) A directory is watched before a name is looked up in it. A change after the lookup is
//       therefore reported, and a change before it is part of what the lookup found.
//   (2) Only names on the way to rule files count; events for other names are kNothing.
//   (3) If the kernel has dropped events, Drain reports a change.
class DirectoryWatch {
 public:
  // Returns an error if inotify is not available; the error says which limit to raise.
  static Result<std::unique_ptr<DirectoryWatch>> Create(std::vector<std::string> paths);

  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;
  ~DirectoryWatch() = default;

  // Returns the descriptor to poll: it becomes readable when there are events to drain.
  [[nodiscard]] int descriptor() const { return inotify_.get(); }

  // Returns what has happened since the last call, and resolves the paths again after a change.
  // Never blocks.
  Noticed Drain();

  // Returns what could not be watched and why, or an empty text. Changes there are not reported.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  // The names that count in a directory.
  struct Watched {
    std::set<std::string> names;
    bool rule_files = false;  // whether all of its rule files count, too
  };
  using WatchedById = std::map<int, Watched>;  // by watch descriptor

  DirectoryWatch(Descriptor inotify, std::vector<std::string> paths);

  void Follow();
  void FollowLinksIn(const std::string& directory);
  // Resolves the names one by one, as the kernel does, and watches every step. Returns the
  // directory that the path leads to, or nothing if it leads elsewhere.
  std::optional<std::string> LookUp(std::string directory, std::vector<std::string> names);
  void WatchName(const std::string& directory, const std::string& name, std::uint32_t events);
  Watched* Watch(const std::string& directory, std::uint32_t events);
  void NoteFault(const std::string& path, int failure);

  // Returns whether the event concerns rule files.
  bool Note(const inotify_event& event, std::string_view name);

  Descriptor inotify_;
  std::vector<std::string> paths_;
  WatchedById watched_;
  WatchedById following_;                             // collected by Follow, which then swaps it in
  std::set<std::pair<int, std::string>> unfinished_;  // written to and not closed yet
  std::string fault_;
};

}  // namespace sluice
