#include "config/watch/directory_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "support/rule_folder.h"

namespace sluice::testing {
namespace {

namespace fs = std::filesystem;

class DirectoryWatchTest : public ::testing::Test {
 protected:
  void Watch(std::vector<std::string> paths) {
    auto made = DirectoryWatch::Create(std::move(paths));
    ASSERT_TRUE(made.ok()) << made.error().message;
    watch_ = std::move(made).value();
    EXPECT_EQ(watch_->fault(), "");
    EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
  }

  // inotify queues the event before the system call that caused it returns.
  void ExpectChange() {
    pollfd polled{watch_->descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&polled, 1, 0), 1);
    EXPECT_EQ(watch_->Drain(), Noticed::kChange);
    EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
  }

  // Returns how many directories the kernel watches for this instance.
  [[nodiscard]] int CountWatched() const {
    std::ifstream info("/proc/self/fdinfo/" + std::to_string(watch_->descriptor()));
    int count = 0;
    for (std::string line; std::getline(info, line);) count += line.starts_with("inotify") ? 1 : 0;
    return count;
  }

  [[nodiscard]] std::string At(const std::string& name) const { return folder_.Path(name); }

  RuleFolder folder_;
  std::unique_ptr<DirectoryWatch> watch_;
};

TEST_F(DirectoryWatchTest, ReportsCreatedChangedAndDeletedRuleFiles) {
  Watch({At("")});
  folder_.Write("a.yaml", "1");
  ExpectChange();
  folder_.Write("a.yaml", "2");
  ExpectChange();
  folder_.Replace("a.yaml", "3");
  ExpectChange();
  fs::rename(At("a.yaml"), At("b.yaml"));
  ExpectChange();
  fs::permissions(At("b.yaml"), fs::perms::owner_read);
  ExpectChange();
  fs::remove(At("b.yaml"));
  ExpectChange();
}

// Invariant (2).
TEST_F(DirectoryWatchTest, IgnoresOtherFiles) {
  Watch({At("")});
  folder_.Write("notes.txt", "1");
  folder_.Write(".a.yaml.swp", "1");
  folder_.Write(".a.yaml", "1");
  fs::create_directory(At("more"));
  folder_.Write("more/a.yaml", "1");
  EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
}

TEST_F(DirectoryWatchTest, WatchesFileByItsOwnName) {
  folder_.Write("rules", "1");
  Watch({At("rules")});
  folder_.Write("a.yaml", "1");
  EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
  folder_.Write("rules", "2");
  ExpectChange();
  folder_.Replace("rules", "3");
  ExpectChange();
  folder_.Write("rules", "4");
  ExpectChange();
}

TEST_F(DirectoryWatchTest, ReportsOpenFileAsUnfinishedChange) {
  Watch({At("")});
  std::ofstream file(At("a.yaml"));
  file << "half" << std::flush;
  EXPECT_EQ(watch_->Drain(), Noticed::kUnfinishedChange);
  folder_.Write("b.yaml", "whole");
  EXPECT_EQ(watch_->Drain(), Noticed::kUnfinishedChange);
  file << " and half" << std::flush;
  EXPECT_EQ(watch_->Drain(), Noticed::kUnfinishedChange);
  file.close();
  ExpectChange();
}

TEST_F(DirectoryWatchTest, TreatsDeletedUnfinishedFileAsFinished) {
  Watch({At("")});
  std::ofstream file(At("a.yaml"));
  file << "half" << std::flush;
  EXPECT_EQ(watch_->Drain(), Noticed::kUnfinishedChange);
  fs::remove(At("a.yaml"));
  ExpectChange();
  std::ofstream other(At("b.yaml"));
  other << "half" << std::flush;
  EXPECT_EQ(watch_->Drain(), Noticed::kUnfinishedChange);
  fs::remove_all(At(""));
  ExpectChange();
}

TEST_F(DirectoryWatchTest, ReportsEverySwapOfKubernetesVolume) {
  folder_.Mount("..2026_1", "a.yaml", "1");
  for (const std::string& path : {At(""), At("a.yaml")}) {
    Watch({path});
    for (const int time : {2, 3, 4}) {
      folder_.Mount("..2026_" + std::to_string(time), "a.yaml", "more");
      ExpectChange();
    }
    folder_.Write("..2026_4/a.yaml", "in place, though nobody should");
    ExpectChange();
    folder_.Mount("..2026_1", "a.yaml", "1");
    ExpectChange();
  }
}

TEST_F(DirectoryWatchTest, WatchesTargetOfSymbolicLink) {
  fs::create_directory(At("real"));
  fs::create_directory(At("rules"));
  folder_.Write("real/a", "1");
  fs::create_symlink("../real/a", At("rules/a.yaml"));
  for (const std::string& path : {At("rules"), At("rules/a.yaml")}) {
    Watch({path});
    folder_.Write("real/a", "2");
    ExpectChange();
    folder_.Write("real/b", "2");
    EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
  }
}

TEST_F(DirectoryWatchTest, ReportsSwappedLinkInPath) {
  for (const std::string name : {"v1", "v2"}) {
    fs::create_directories(At(name + "/rules"));
    folder_.Write(name + "/rules/a.yaml", name);
  }
  fs::create_directory_symlink(At("v1"), At("current"));
  Watch({At("current/rules")});
  const int watched = CountWatched();
  EXPECT_GT(watched, 0);
  fs::create_directory_symlink("v2", At("next"));
  EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
  std::ofstream file(At("v1/rules/a.yaml"));
  file << "half" << std::flush;
  EXPECT_EQ(watch_->Drain(), Noticed::kUnfinishedChange);
  fs::rename(At("next"), At("current"));
  ExpectChange();
  EXPECT_EQ(CountWatched(), watched);
  folder_.Write("v1/rules/a.yaml", "old");
  EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
  folder_.Write("v2/rules/a.yaml", "new");
  ExpectChange();
}

TEST_F(DirectoryWatchTest, WatchesRecreatedDirectoryAgain) {
  fs::create_directories(At("etc/rules"));
  Watch({At("etc/rules")});
  for (const std::string& gone : {At("etc/rules"), At("etc")}) {
    fs::remove_all(gone);
    ExpectChange();
    fs::create_directories(At("etc/rules"));
    EXPECT_EQ(watch_->Drain(), Noticed::kChange);
    folder_.Write("etc/rules/a.yaml", "1");
    EXPECT_EQ(watch_->Drain(), Noticed::kChange);
    folder_.Write("etc/rules/a.yaml", "2");
    ExpectChange();
  }
  fs::rename(At("etc/rules"), At("etc/old"));
  ExpectChange();
  folder_.Write("etc/old/a.yaml", "3");
  EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
}

TEST_F(DirectoryWatchTest, ReportsPathThatIsCreatedLater) {
  Watch({At("later/rules/a.yaml")});
  EXPECT_EQ(watch_->fault(), "");
  fs::create_directories(At("later/rules"));
  ExpectChange();
  folder_.Write("later/rules/a.yaml", "1");
  ExpectChange();
}

TEST_F(DirectoryWatchTest, SurvivesCircularLinks) {
  fs::create_symlink("b.yaml", At("a.yaml"));
  fs::create_symlink("a.yaml", At("b.yaml"));
  Watch({At("")});
  fs::remove(At("b.yaml"));
  ExpectChange();
  folder_.Write("b.yaml", "1");
  ExpectChange();
}

TEST_F(DirectoryWatchTest, FollowsRelativePathWithDots) {
  fs::create_directories(At("a/b"));
  const fs::path before = fs::current_path();
  fs::current_path(At("a"));
  Watch({"./b/../..//rules/"});
  fs::create_directory(At("rules"));
  ExpectChange();
  folder_.Write("rules/a.yaml", "1");
  ExpectChange();
  fs::current_path(before);
}

// Invariant (3).
TEST_F(DirectoryWatchTest, ReportsLostEventsAsChange) {
  Watch({At("")});
  int limit = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> limit;
  ASSERT_GT(limit, 0);
  if (limit > 200'000) GTEST_SKIP() << "the queue is too long to fill";
  const std::string names[] = {At("x"), At("y")};
  folder_.Write("x", "1");
  for (int i = 0; i < limit; ++i) fs::rename(names[i % 2], names[(i + 1) % 2]);
  ExpectChange();
  folder_.Write("x", "2");
  EXPECT_EQ(watch_->Drain(), Noticed::kNothing);
}

TEST_F(DirectoryWatchTest, ReturnsHelpfulErrorWithoutInotify) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  const std::vector<std::string> folders = {At("")};
  // Called before the limit is set, because a sanitizer opens files when it first sees an object of
  // a type.
  const std::string words = std::generic_category().message(EMFILE);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto made = DirectoryWatch::Create(folders);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message,
            Concat("cannot watch files: ", words,
                   "; raise fs.inotify.max_user_instances or the open files limit"));
}

TEST_F(DirectoryWatchTest, ReportsFaultUntilDirectoryIsReadable) {
  fs::create_directories(At("closed/rules"));
  fs::permissions(At("closed"), fs::perms::none);
  fs::permissions(At(""), fs::perms::all);
  constexpr uid_t kNobody = 65534;
  const uid_t before = geteuid();
  if (before == 0) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  const auto made = DirectoryWatch::Create({At("closed/rules")});
  ASSERT_EQ(seteuid(before), 0);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value()->fault(), "cannot watch '" + At("closed") + "': Permission denied");
  fs::permissions(At("closed"), fs::perms::owner_all);
  fs::rename(At("closed"), At("open"));
  fs::rename(At("open"), At("closed"));
  EXPECT_EQ(made.value()->Drain(), Noticed::kChange);
  EXPECT_EQ(made.value()->fault(), "");
}

}  // namespace
}  // namespace sluice::testing
