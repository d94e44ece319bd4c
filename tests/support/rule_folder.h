// RuleFolder: a temporary folder for the rule files of a test. RuleEventLog: records rule events
// and waits for them.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "config/watch/rule_status.h"

namespace sluice::testing {

// Thread safety: none.
class RuleFolder {
 public:
  RuleFolder() {
    std::string name = std::filesystem::temp_directory_path() / "sluice_rules_XXXXXX";
    path_ = mkdtemp(name.data()) == nullptr ? "" : name;
  }
  RuleFolder(const RuleFolder&) = delete;
  RuleFolder& operator=(const RuleFolder&) = delete;
  ~RuleFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string Path(const std::string& name = "") const { return path_ / name; }

  // Writes the file in place, as some editors do.
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return Path(name);
  }
  // Writes the file under another name and renames it over the old one.
  void Replace(const std::string& name, const std::string& text) const {
    Write(name + ".new", text);
    std::filesystem::rename(path_ / (name + ".new"), path_ / name);
  }
  // Writes the file as Kubernetes does: the files are in a directory named after the time, the link
  // ..data points to it and is swapped, each file is a link through ..data, and the previous
  // directory is removed.
  void Mount(const std::string& time, const std::string& name, const std::string& text) const {
    namespace fs = std::filesystem;
    const fs::path before =
        fs::is_symlink(path_ / "..data") ? fs::read_symlink(path_ / "..data") : fs::path();
    fs::create_directory(path_ / time);
    Write(time + "/" + name, text);
    fs::create_symlink(time, path_ / "..data_tmp");
    fs::rename(path_ / "..data_tmp", path_ / "..data");
    if (!fs::is_symlink(path_ / name)) fs::create_symlink("..data/" + name, path_ / name);
    if (!before.empty()) fs::remove_all(path_ / before);
  }

 private:
  std::filesystem::path path_;
};

// Thread safety: every method may be called from any thread.
class RuleEventLog {
 public:
  using Kind = RuleEvent::Kind;

  void Add(const RuleEvent& event) {
    const std::lock_guard guard(mutex_);
    events_.push_back(event);
    added_.notify_all();
  }

  [[nodiscard]] std::size_t Count(Kind kind) const {
    const std::lock_guard guard(mutex_);
    return CountLocked(kind);
  }
  [[nodiscard]] std::string LastText() const {
    const std::lock_guard guard(mutex_);
    return events_.empty() ? "" : events_.back().text;
  }

  // Returns whether there are `count` events of the kind, now or before the timeout.
  [[nodiscard]] bool Await(Kind kind, std::size_t count,
                           std::chrono::milliseconds patience = std::chrono::seconds{30}) {
    std::unique_lock lock(mutex_);
    return added_.wait_for(lock, patience, [&] { return CountLocked(kind) >= count; });
  }

 private:
  [[nodiscard]] std::size_t CountLocked(Kind kind) const {
    std::size_t count = 0;
    for (const RuleEvent& event : events_) count += event.kind == kind ? 1U : 0U;
    return count;
  }

  mutable std::mutex mutex_;
  std::condition_variable added_;
  std::vector<RuleEvent> events_;
};

}  // namespace sluice::testing
