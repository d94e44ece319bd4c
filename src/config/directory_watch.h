// DirectoryWatch: says when rule files may have changed.
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

#include "config/descriptor.h"
#include "sluice/result.h"

struct inotify_event;

namespace sluice {

// What has happened to the files since the last look.
enum class Noticed : std::uint8_t {
  kNothing,
  kChange,
  kUnfinishedChange,  // somebody has written to a file and not closed it yet
};

// Watches the directories in which a lookup of the given paths finds its next step, by inotify: all
// that lead to a file or to a directory of rule files, through symbolic links, and through those
// that are rule files of a directory. So it sees a file edited in place or renamed over, a link
// swapped at any step (Kubernetes: ..data), and a directory that goes away and comes back.
//
// What it says is a hint to read the files again: it may speak of a change where there was none.
//
// Thread safety: none. Ownership: its own descriptor.
//
// Invariants
//   (1) A directory is watched before a name is looked up in it, so a change after the lookup is
//       noticed and one before it has been seen.
//   (2) Only names on the way to rule files count; whatever else happens beside them is kNothing.
//   (3) When the system has lost events, that is a change.
class DirectoryWatch {
 public:
  // An error where there is no inotify; it says what could be done about that.
  static Result<std::unique_ptr<DirectoryWatch>> Create(std::vector<std::string> paths);

  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;
  ~DirectoryWatch() = default;

  // To poll: becomes readable when there may be something to notice.
  [[nodiscard]] int descriptor() const { return inotify_.get(); }

  // What happened since the last call. Follows the paths anew after a change. Never blocks.
  Noticed Drain();

  // What could not be watched and why; empty if nothing. Changes there go unnoticed.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  // What counts in one directory.
  struct Watched {
    std::set<std::string> names;
    bool rule_files = false;  // all of its rule files
  };
  using WatchedById = std::map<int, Watched>;  // by watch descriptor

  DirectoryWatch(Descriptor inotify, std::vector<std::string> paths);

  void Follow();
  void FollowLinksIn(const std::string& directory);
  // Looks up one name after the other, as the system does, and watches the way. The directory it
  // ends in, if it is one.
  std::optional<std::string> LookUp(std::string directory, std::vector<std::string> names);
  void WatchName(const std::string& directory, const std::string& name, std::uint32_t events);
  Watched* Watch(const std::string& directory, std::uint32_t events);
  void NoteFault(const std::string& path, int failure);

  // Whether the event is about rule files.
  bool Note(const inotify_event& event, std::string_view name);

  Descriptor inotify_;
  std::vector<std::string> paths_;
  WatchedById watched_;
  WatchedById following_;                             // what Follow has found so far
  std::set<std::pair<int, std::string>> unfinished_;  // written to and not closed
  std::string fault_;
};

}  // namespace sluice
