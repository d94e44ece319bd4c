#include "cli/command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/file.h"
#include "cli/simulate.h"

namespace sluice::cli {
namespace {

std::string Contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A folder that is deleted after the test.
class Folder {
 public:
  Folder() {
    std::string pattern = ::testing::TempDir() + "sluice_cli_XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    for (const char* name : {"in", "out", "err", "file"}) ::unlink(Path(name).c_str());
    ::rmdir(path_.c_str());
  }

  [[nodiscard]] std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome RunWith(const std::vector<std::string_view>& args, std::string_view input = "") {
  const Folder folder;
  EXPECT_TRUE(WriteFile(folder.Path("in"), input).ok());
  const OpenFile in(folder.Path("in"));
  const int out = ::open(folder.Path("out").c_str(), O_WRONLY | O_CREAT, 0600);
  const int err = ::open(folder.Path("err").c_str(), O_WRONLY | O_CREAT, 0600);
  Output out_writer(out);
  Output err_writer(err);
  Console console{in.descriptor(), out_writer, err_writer};
  Outcome outcome;
  outcome.code = RunCommand(args, console);
  out_writer.Flush();
  err_writer.Flush();
  ::close(out);
  ::close(err);
  outcome.out = Contents(folder.Path("out"));
  outcome.err = Contents(folder.Path("err"));
  return outcome;
}

TEST(CommandTest, HelpNamesTheCommands) {
  for (const std::string_view word : {"help", "--help", "-h"}) {
    const Outcome outcome = RunWith({word});
    EXPECT_EQ(outcome.code, kExitOk);
    EXPECT_NE(outcome.out.find("simulate"), std::string::npos);
    EXPECT_EQ(outcome.err, "");
  }
  for (const std::string_view word : {"help", "--help", "-h"}) {
    EXPECT_EQ(RunWith({"help", word}).out, RunWith({"help"}).out);
    EXPECT_EQ(RunWith({"-h", word}).out, RunWith({"help"}).out);
  }
  EXPECT_EQ(RunWith({"help", "simulate"}).out, SimulateHelp());
  EXPECT_EQ(RunWith({"simulate", "--help"}).out, SimulateHelp());
}

TEST(CommandTest, EveryCommandHasTheShortFormOfHelp) {
  for (const std::string_view name : {"serve", "check", "peek", "refund", "reset", "bench",
                                      "doctor", "simulate", "rules", "explain"}) {
    const Outcome outcome = RunWith({name, "-h"});
    EXPECT_EQ(outcome.code, kExitOk) << name;
    EXPECT_EQ(outcome.out, RunWith({name, "--help"}).out) << name;
    EXPECT_EQ(outcome.err, "") << name;
  }
  for (const std::string_view name : {"check", "show", "diff", "schema"}) {
    EXPECT_EQ(RunWith({"rules", name, "-h"}).out, RunWith({"rules", name, "--help"}).out) << name;
  }
}

TEST(CommandTest, ShowsHelpAsErrorWithoutCommand) {
  const Outcome outcome = RunWith({});
  EXPECT_EQ(outcome.code, kExitBadInput);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, RunWith({"help"}).out);
}

TEST(CommandTest, SuggestsNearestCommand) {
  const Outcome outcome = RunWith({"simulat"});
  EXPECT_EQ(outcome.code, kExitBadInput);
  EXPECT_TRUE(
      outcome.err.starts_with("sluice: unknown command 'simulat'; did you mean 'simulate'?\n"));
  EXPECT_NE(RunWith({"--verison"}).err.find("did you mean '--version'?"), std::string::npos);
}

TEST(CommandTest, HelpOfSimulateShowsEveryFlag) {
  for (const std::string_view flag :
       {"--limit", "--trace", "--plot", "--compare", "-o", "--help"}) {
    EXPECT_NE(SimulateHelp().find(flag), std::string_view::npos) << flag;
  }
}

TEST(CommandTest, WritesRepliesBeforeBadLine) {
  const Outcome outcome =
      RunWith({"simulate", "--limit", "1/s"}, "{\"t\":0}\n\n{\"t\":}\n{\"t\":1}\n");
  EXPECT_EQ(outcome.code, kExitBadInput);
  EXPECT_EQ(outcome.out,
            "{\"t\":0,\"op\":\"check\",\"allowed\":true,\"limit\":1,\"remaining\":0,"
            "\"retry_after\":null,\"reset_after\":1000000000,\"wait\":0}\n");
  EXPECT_TRUE(outcome.err.starts_with("sluice simulate: line 3: column 6: ")) << outcome.err;
}

TEST(FileTest, ReplacesWholeFileOrNothing) {
  const Folder folder;
  const std::string path = folder.Path("file");
  EXPECT_TRUE(WriteFile(path, "a longer first text").ok());
  EXPECT_TRUE(WriteFile(path, "second").ok());
  EXPECT_EQ(Contents(path), "second");
  const Result<Done> failed = WriteFile(folder.Path("no/such/folder"), "x");
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("No such file or directory"), std::string::npos);
}

TEST(OutputTest, KeepsFailureAndStopsWriting) {
  Output output(-1);
  output.Write("text");
  EXPECT_TRUE(output.ok());
  output.Flush();
  EXPECT_FALSE(output.ok());
  EXPECT_EQ(output.failure(), EBADF);
}

}  // namespace
}  // namespace sluice::cli
