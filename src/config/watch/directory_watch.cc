#include "config/watch/directory_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "config/rules/rule_files.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// Names that are created, deleted or replaced.
constexpr std::uint32_t kNames = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
// Also changes of the contents and permissions of files.
constexpr std::uint32_t kContents = kNames | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB;

// The number of symbolic links that Linux follows in one path lookup.
constexpr int kMaxLinks = 40;

// Bounds one Drain, so that constant writes cannot keep it busy; the next call reads the rest.
constexpr int kMaxReads = 64;

std::string Words(int failure) { return std::generic_category().message(failure); }

std::vector<std::string> NamesOf(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t size = std::min(path.find('/'), path.size());
    if (size > 0) names.emplace_back(path.substr(0, size));
    path.remove_prefix(std::min(size + 1, path.size()));
  }
  return names;
}

std::string StartOf(std::string_view path) { return path.starts_with('/') ? "/" : "."; }

std::string Join(const std::string& directory, const std::string& name) {
  return Concat(directory, directory.ends_with('/') ? "" : "/", name);
}

}  // namespace

Result<std::unique_ptr<DirectoryWatch>> DirectoryWatch::Create(std::vector<std::string> paths) {
  Descriptor inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify.ok()) {
    const int failure = errno;
    const bool full = failure == EMFILE;
    return Error{
        Concat("cannot watch files: ", Words(failure),
               full ? "; raise fs.inotify.max_user_instances or the open files limit" : "")};
  }
  std::unique_ptr<DirectoryWatch> watch(new DirectoryWatch(std::move(inotify), std::move(paths)));
  watch->Follow();
  return watch;
}

DirectoryWatch::DirectoryWatch(Descriptor inotify, std::vector<std::string> paths)
    : inotify_(std::move(inotify)), paths_(std::move(paths)) {}

void DirectoryWatch::NoteFault(const std::string& path, int failure) {
  // A missing path is no fault: it can only appear through a change in a directory that is watched.
  if (failure == ENOENT || failure == ENOTDIR || !fault_.empty()) return;
  fault_ = Concat("cannot watch ", Quoted(path), ": ", Words(failure),
                  failure == ENOSPC ? "; raise fs.inotify.max_user_watches" : "");
}

DirectoryWatch::Watched* DirectoryWatch::Watch(const std::string& directory, std::uint32_t events) {
  const int id = ::inotify_add_watch(inotify_.get(), directory.c_str(), events | IN_MASK_ADD);
  if (id >= 0) return &following_[id];
  NoteFault(directory, errno);
  return nullptr;
}

void DirectoryWatch::WatchName(const std::string& directory, const std::string& name,
                               std::uint32_t events) {
  if (Watched* const watched = Watch(directory, events)) watched->names.insert(name);
}

std::optional<std::string> DirectoryWatch::LookUp(std::string directory,
                                                  std::vector<std::string> names) {
  std::vector<std::string> left(names.rbegin(), names.rend());  // the next name is the last
  for (int links = 0; !left.empty() && links <= kMaxLinks;) {
    const std::string name = std::move(left.back());
    left.pop_back();
    const std::string path = Join(directory, name);
    if (name != "." && name != "..") WatchName(directory, name, kNames);
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
      NoteFault(path, errno);
      return std::nullopt;
    }
    if (S_ISLNK(found.st_mode)) {
      std::error_code gone;
      const std::string target = fs::read_symlink(path, gone);
      if (gone) return std::nullopt;  // the link was replaced, which raises an event
      const std::vector<std::string> more = NamesOf(target);
      left.insert(left.end(), more.rbegin(), more.rend());
      if (target.starts_with('/')) directory = "/";
      ++links;
    } else if (left.empty() && !S_ISDIR(found.st_mode)) {
      WatchName(directory, name, kContents);
      return std::nullopt;
    } else {
      directory = path;
    }
  }
  if (!left.empty()) return std::nullopt;
  return directory;
}

void DirectoryWatch::FollowLinksIn(const std::string& directory) {
  if (Watched* const watched = Watch(directory, kContents)) watched->rule_files = true;
  std::error_code error;
  for (auto at = fs::directory_iterator(directory, error); !error && at != fs::end(at);
       at.increment(error)) {
    const std::string name = at->path().filename();
    std::error_code ignored;
    if (IsRuleFileName(name) && at->is_symlink(ignored)) LookUp(directory, {name});
  }
  if (error) NoteFault(directory, error.value());
}

void DirectoryWatch::Follow() {
  fault_.clear();
  following_.clear();
  for (const std::string& path : paths_) {
    const std::optional<std::string> directory = LookUp(StartOf(path), NamesOf(path));
    if (directory) FollowLinksIn(*directory);
  }
  std::swap(watched_, following_);
  for (const auto& [id, before] : following_) {
    if (watched_.contains(id)) continue;
    ::inotify_rm_watch(inotify_.get(), id);  // fails if the directory is gone
  }
  std::erase_if(unfinished_, [this](const auto& each) { return !watched_.contains(each.first); });
}

bool DirectoryWatch::Note(const inotify_event& event, std::string_view name) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    unfinished_.clear();
    return true;
  }
  const auto found = watched_.find(event.wd);
  if (found == watched_.end()) return false;  // a directory that is no longer watched
  if (name.empty()) return true;              // the event is about the directory itself
  const Watched& watched = found->second;
  std::string file(name);
  if (!watched.names.contains(file) && !(watched.rule_files && IsRuleFileName(file))) return false;
  if ((event.mask & IN_MODIFY) != 0) {
    unfinished_.emplace(event.wd, std::move(file));
  } else if ((event.mask & IN_ATTRIB) == 0) {
    unfinished_.erase({event.wd, std::move(file)});
  }
  return true;
}

Noticed DirectoryWatch::Drain() {
  bool changed = false;
  std::array<char, 64 * (sizeof(inotify_event) + NAME_MAX + 1)> events;
  for (int i = 0; i < kMaxReads; ++i) {
    const ssize_t size = ::read(inotify_.get(), events.data(), events.size());
    if (size <= 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, events.data() + at, sizeof(event));
      at += sizeof(event);
      // The kernel pads the name with null bytes.
      const std::string_view name(events.data() + at, ::strnlen(events.data() + at, event.len));
      at += event.len;
      changed = Note(event, name) || changed;
    }
  }
  if (!changed) return Noticed::kNothing;
  Follow();
  return unfinished_.empty() ? Noticed::kChange : Noticed::kUnfinishedChange;
}

}  // namespace sluice
