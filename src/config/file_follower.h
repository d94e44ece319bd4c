// FileFollower: has files read again whenever they change or somebody asks.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "config/descriptor.h"
#include "config/directory_watch.h"
#include "config/settle.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

struct FollowTimes {
  SettleTimes settle;
  // How often the files are read in case of a change that the watch did not see: one made by
  // another machine on a network file system, a directory mounted over.
  Nanos look_every{std::int64_t{60} * 1'000'000'000};
  // The same where they cannot be watched.
  Nanos look_every_unwatched{std::int64_t{5} * 1'000'000'000};
};

// What a follower works with.
struct FollowPorts {
  std::string_view what;  // is followed, for messages: "rule files"
  // Reads the files and puts in force what they say, or not.
  std::function<LoadOutcome(ReloadCause)> load;
  // Told again and again why changes may go unnoticed (empty: they do not), and what is done
  // instead.
  std::function<void(const std::string& fault, std::string_view instead)> note_watch;
};

// Everything happens on the one thread that calls Run.
//
// Thread safety: RequestReload and Stop from any thread; Run from one thread. Ownership: the clock
// and what the ports refer to outlive it.
//
// Invariants: those of Settle, and
//   (1) A request to reload and one to stop are never lost, also those made before Run.
//   (2) A change between the making of the watch and Run is noticed.
class FileFollower {
 public:
  // Without a watch the files are read from time to time. An error only where the process has no
  // descriptor left.
  static Result<std::unique_ptr<FileFollower>> Create(FollowPorts ports, const FollowTimes& times,
                                                      Result<std::unique_ptr<DirectoryWatch>> watch,
                                                      Clock& clock);

  FileFollower(const FileFollower&) = delete;
  FileFollower& operator=(const FileFollower&) = delete;
  ~FileFollower() = default;

  // Follows the files until Stop. An error where the system cannot wait any more; nothing follows
  // the files then.
  Result<Done> Run();

  // Reads the files now, as on SIGHUP. Also from a signal handler.
  void RequestReload();
  // Ends Run after what it is doing. Also from a signal handler.
  void Stop();

  // Tells `note_watch` what is known.
  void NoteWatch() const;

 private:
  FileFollower(FollowPorts ports, const FollowTimes& times,
               Result<std::unique_ptr<DirectoryWatch>> watch, Descriptor wake, Clock& clock);

  void Wake() const;
  Result<Done> Wait() const;
  void Step();
  void Act(ReloadCause cause);
  [[nodiscard]] Nanos LookEvery() const;

  const FollowPorts ports_;
  const FollowTimes times_;
  Clock& clock_;
  Descriptor wake_;  // an eventfd: readable when there is a request
  std::unique_ptr<DirectoryWatch> watch_;
  std::string no_watch_;  // why there is none
  Settle settle_;
  std::atomic<bool> reload_requested_{false};
  std::atomic<bool> stop_requested_{false};
};

}  // namespace sluice
