// Tests of where snapshots are written and read: links, pipes, temporary files, and paths that
// cannot be written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "store/snapshot_place.h"
#include "unit/limiter/snapshot_folder.h"

namespace sluice::testing {
namespace {

class SnapshotPathTest : public SnapshotFolder {
 protected:
  // Saves a limiter with one key to the path.
  Result<Done> Save(const std::string& path) {
    auto limiter = Make(16 * kSnapshotMebibyte);
    limiter->Check({Add(*limiter, "posts", SpecOf(2, kSnapshotHour)), "k"});
    return limiter->SaveSnapshot(path);
  }
  std::string ErrorOfRestore(const std::string& path) {
    const auto restored = Make(16 * kSnapshotMebibyte)->RestoreSnapshot(path);
    return restored.ok() ? "" : restored.error().message;
  }
  static std::string ErrorOfCheck(const std::string& path) {
    const auto checked = CheckSnapshotPath(path);
    return checked.ok() ? "" : checked.error().message;
  }
  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(SnapshotPathTest, SavingFollowsNoSymbolicLink) {
  const std::string victim = folder_ + "/victim";
  Write(victim, "precious");
  std::filesystem::create_symlink(victim, Path() + ".new");
  std::filesystem::create_symlink(victim, Path());
  ASSERT_TRUE(Save(Path()).ok());
  EXPECT_EQ(Read(victim), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(Path() + ".new")) << "it is somebody else's";
  EXPECT_FALSE(std::filesystem::is_symlink(Path())) << "the link was replaced";
  EXPECT_EQ(ErrorOfRestore(Path()), "");
}

TEST_F(SnapshotPathTest, FileIsReadableByItsOwnerOnly) {
  const mode_t before = umask(0);
  ASSERT_TRUE(Save(Path()).ok());
  umask(before);
  struct stat found {};
  ASSERT_EQ(stat(Path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(SnapshotPathTest, RestoringFollowsNoSymbolicLink) {
  ASSERT_TRUE(Save(Path()).ok());
  const std::string link = folder_ + "/link";
  std::filesystem::create_symlink(Path(), link);
  EXPECT_EQ(ErrorOfRestore(link), "'" + link + "' is a symbolic link; expected a regular file");
}

// Opening a pipe without a writer would block forever.
TEST_F(SnapshotPathTest, RejectsPipesDevicesAndFolders) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ErrorOfRestore(pipe), "'" + pipe + "' is not a regular file");
  EXPECT_EQ(ErrorOfRestore("/dev/zero"), "'/dev/zero' is not a regular file");
  EXPECT_EQ(ErrorOfRestore(folder_), "'" + folder_ + "' is not a regular file");
}

TEST_F(SnapshotPathTest, RejectsAFileThatOthersMayWriteTo) {
  ASSERT_TRUE(Save(Path()).ok());
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    ASSERT_EQ(chmod(Path().c_str(), mode), 0);
    EXPECT_EQ(ErrorOfRestore(Path()),
              "'" + Path() + "' is writable by group or others; expected mode 0600")
        << mode;
  }
  ASSERT_EQ(chmod(Path().c_str(), 0644), 0);
  EXPECT_EQ(ErrorOfRestore(Path()), "") << "others may read it";
}

// Root can change the owner of a file, and can assume another user's id for a while.
TEST_F(SnapshotPathTest, RejectsAFileOfAnotherUser) {
  constexpr uid_t kOther = 65534;
  constexpr uid_t kThird = 65533;
  if (geteuid() != 0) return;  // RejectsAFileThatOthersMayWriteTo covers such users
  ASSERT_TRUE(Save(Path()).ok());
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  ASSERT_EQ(chmod(Path().c_str(), 0644), 0);
  ASSERT_EQ(chown(Path().c_str(), kOther, kOther), 0);
  const std::string belongs = "'" + Path() + "' belongs to uid 65534; expected uid ";
  EXPECT_EQ(ErrorOfRestore(Path()), belongs + "0, that of this process, or root");
  ASSERT_EQ(seteuid(kThird), 0);
  const std::string of_third = ErrorOfRestore(Path());
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(of_third, belongs + "65533, that of this process, or root");
  ASSERT_EQ(chown(Path().c_str(), 0, 0), 0);
  ASSERT_EQ(seteuid(kThird), 0);
  const std::string of_root = ErrorOfRestore(Path());
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(of_root, "") << "root's own is as good";
}

// Reading a sparse file of a terabyte would take hours.
TEST_F(SnapshotPathTest, DoesNotReadAFileLargerThanTheMemory) {
  Write(Path(), "sluice snapshot\n");
  ASSERT_EQ(truncate(Path().c_str(), off_t{1} << 40U), 0);
  EXPECT_EQ(ErrorOfRestore(Path()),
            "'" + Path() +
                "' has 1099511627776 bytes, more than the states of this memory limit can take; "
                "expected a larger memory limit");
}

TEST_F(SnapshotPathTest, DetectsUnwritablePathBeforeSaving) {
  EXPECT_EQ(ErrorOfCheck(Path()), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "nothing is left behind";
  const std::string missing = folder_ + "/missing/states";
  EXPECT_EQ(ErrorOfCheck(missing),
            "cannot write a snapshot to '" + missing + "': No such file or directory");
  EXPECT_EQ(ErrorOfCheck(folder_ + "/"),
            "cannot write a snapshot to '" + folder_ + "/': it names a directory");
  EXPECT_EQ(ErrorOfCheck(folder_),
            "cannot write a snapshot to '" + folder_ + "': it is not a regular file");
  std::filesystem::create_symlink("/dev/null", Path());
  EXPECT_EQ(ErrorOfCheck(Path()), "cannot write a snapshot to '" + Path() +
                                      "': it is a symbolic link; expected a regular file");
  EXPECT_EQ(ErrorOfCheck("/proc/states"),
            "cannot write a snapshot to '/proc/states': No such file or directory");
}

TEST_F(SnapshotPathTest, RemovesTemporaryFilesOfACrash) {
  const std::string stale = Path() + ".new-0123456789abcdef";
  Write(stale, "half of it");
  ASSERT_EQ(ErrorOfCheck(Path()), "");
  EXPECT_FALSE(std::filesystem::exists(stale));
}

TEST_F(SnapshotPathTest, RemovesOnlyTemporaryFilesOfThisSnapshot) {
  const std::string target = folder_ + "/target";
  for (const char* const name :
       {"states.new", "states.new-0123456789abcdeg", "states.new-0123", "target",
        "states.new-0123456789abcdef0", "other.new-0123456789abcdef"}) {
    Write(folder_ + "/" + name, "kept");
  }
  std::filesystem::create_symlink(target, Path() + ".new-1111111111111111");
  ASSERT_EQ(mkfifo((Path() + ".new-2222222222222222").c_str(), 0600), 0);
  ASSERT_EQ(ErrorOfCheck(Path()), "");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    (void)entry;
    ++files;
  }
  EXPECT_EQ(files, 8);
  EXPECT_EQ(Read(target), "kept");
}

// An attacker who predicts the name gains nothing.
TEST_F(SnapshotPathTest, DoesNotFollowALinkInPlaceOfTheTemporaryFile) {
  const std::string victim = folder_ + "/victim";
  Write(victim, "precious");
  std::string first;
  { const FileHandle file = MakeTemporary(SnapshotPlace::Open(Path()), first); }
  std::filesystem::remove(folder_ + "/" + first);
  std::filesystem::create_symlink(victim, folder_ + "/" + first);
  ASSERT_TRUE(Save(Path()).ok());
  EXPECT_EQ(Read(victim), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ + "/" + first));
  EXPECT_EQ(ErrorOfRestore(Path()), "");
}

// Another process may be writing its states to the same path.
TEST_F(SnapshotPathTest, KeepsATemporaryFileThatIsBeingWritten) {
  const SnapshotPlace place = SnapshotPlace::Open(Path());
  std::string name;
  {
    const FileHandle file = MakeTemporary(place, name);
    ASSERT_TRUE(file.ok());
    RemoveStaleTemporaries(place);
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/" + name));
  }
  RemoveStaleTemporaries(place);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/" + name));
}

}  // namespace
}  // namespace sluice::testing
