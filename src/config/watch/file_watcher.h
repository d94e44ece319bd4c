// FileWatcher: reloads files when they change or when a reload is requested.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "config/watch/directory_watch.h"
#include "config/watch/reload_debouncer.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

struct FollowTimes {
  ReloadDelays settle;
  // How often watched files are checked for changes that inotify does not report, such as those
  // made by another machine on a network file system or by mounting over a directory.
  Nanos look_every{std::int64_t{60} * 1'000'000'000};
  // How often files that cannot be watched are checked.
  Nanos look_every_unwatched{std::int64_t{5} * 1'000'000'000};
};

// The callbacks of a FileWatcher, called by Run and NoteWatch.
struct FollowCallbacks {
  std::string_view what;  // the kind of files, for messages: "rule files"
  // Reads the files and applies them if they are valid.
  std::function<LoadOutcome(ReloadCause)> load;
  // Called by NoteWatch, and whenever Run wakes up, with the reason why changes may go unnoticed
  // (empty: they do not) and what is done instead.
  std::function<void(const std::string& fault, std::string_view instead)> note_watch;
};

// Watches files, debounces their changes and calls `load`, all on the thread that calls Run.
//
// Thread safety: RequestReload and Stop from any thread; Run from one thread. Ownership: the clock
// and whatever the callbacks refer to must outlive it.
//
// Invariants: those of ReloadDebouncer, and
//   (1) Requests to reload or to stop are never lost, including those made before Run.
//   (2) A change between the creation of the watch and Run is noticed.
class FileWatcher {
 public:
  // Without a watch (`watch` is an error), polls the files every look_every_unwatched. Returns an
  // error only if the process is out of descriptors.
  static Result<std::unique_ptr<FileWatcher>> Create(FollowCallbacks ports,
                                                     const FollowTimes& times,
                                                     Result<std::unique_ptr<DirectoryWatch>> watch,
                                                     Clock& clock);

  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;
  ~FileWatcher() = default;

  // Watches the files until Stop. Returns an error if the system fails to wait; the files are no
  // longer watched then.
  Result<Done> Run();

  // Reloads the files now, as on SIGHUP. Async-signal-safe.
  void RequestReload();
  // Makes Run return after its current step. Async-signal-safe.
  void Stop();

  // Calls `note_watch` with the current state of the watch.
  void NoteWatch() const;

 private:
  FileWatcher(FollowCallbacks ports, const FollowTimes& times,
              Result<std::unique_ptr<DirectoryWatch>> watch, Descriptor wake, Clock& clock);

  void Wake() const;
  Result<Done> Wait() const;
  void Step();
  void Act(ReloadCause cause);
  [[nodiscard]] Nanos LookEvery() const;

  const FollowCallbacks ports_;
  const FollowTimes times_;
  Clock& clock_;
  Descriptor wake_;  // an eventfd, readable when there is a request
  std::unique_ptr<DirectoryWatch> watch_;
  std::string no_watch_;  // why there is no watch
  ReloadDebouncer debouncer_;
  std::atomic<bool> reload_requested_{false};
  std::atomic<bool> stop_requested_{false};
};

}  // namespace sluice
