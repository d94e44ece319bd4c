// Tests that no application reads an accepted path in a third way: with any subset of the
// leniencies its reading is either the strict or the lenient form.
#include "support/path_readings.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "support/random.h"
#include "wire/target.h"

namespace sluice::testing {
namespace {

bool IsAccepted(std::string_view path) {
  PathScratch scratch;
  return std::holds_alternative<PathForms>(NormalPath(path, scratch));
}

// Returns whether the path may contain "..". These tests never write %2E.
bool HasDots(std::string_view path) {
  return path.find("..") != std::string_view::npos || path.find("%2e") != std::string_view::npos;
}

// Returns a leniency with which the path is read in a third way, or null if there is none.
const PathLeniency* FindThirdReading(std::string_view path, const PathReading& strict,
                                     const PathReading& lenient) {
  for (const PathLeniency& leniency : AllPathLeniencies()) {
    const PathReading reading = ReadPath(path, leniency);
    if (reading != strict && reading != lenient) return &leniency;
  }
  return nullptr;
}

std::string Describe(const PathLeniency& leniency) {
  std::string text = "read with";
  if (leniency.decodes_slash) text += " %2F decoded,";
  if (leniency.decodes_backslash) text += " %5C decoded,";
  if (leniency.backslash_is_slash) text += " backslashes as slashes,";
  if (leniency.ends_at_query) text += " the end at an escaped ? or #,";
  using enum PathLeniency::Parameters;
  if (leniency.parameters == kCutBeforeDecoding) text += " parameters cut before decoding,";
  if (leniency.parameters == kCutAfterDecoding) text += " parameters cut after decoding,";
  return text + (leniency.resolves_dots_first ? " dots resolved first" : " dots resolved last");
}

// The lenient form is by definition the reading with all leniencies at once.
constexpr PathLeniency kAll = {.decodes_slash = true,
                               .decodes_backslash = true,
                               .backslash_is_slash = true,
                               .ends_at_query = true,
                               .parameters = PathLeniency::Parameters::kCutAfterDecoding};

void CheckPath(const std::string& path) {
  PathScratch scratch;
  const auto result = NormalPath(path, scratch);
  const PathReading strict = ReadPath(path, {});
  const PathReading lenient = ReadPath(path, kAll);
  if (const auto* const forms = std::get_if<PathForms>(&result)) {
    ASSERT_EQ(ReadingOfStrict(forms->strict), strict) << path;
    ASSERT_EQ(ReadingOfLenient(forms->lenient), lenient) << path;
    const PathLeniency* const third = FindThirdReading(path, strict, lenient);
    ASSERT_EQ(third, nullptr) << path << " " << Describe(*third);
    return;
  }
  // Paths with ".." beside anything that applications read differently are always refused, because
  // clients resolve ".." before they send a path.
  if (HasDots(path)) return;
  ASSERT_NE(FindThirdReading(path, strict, lenient), nullptr) << path;
}

constexpr std::array<std::string_view, 11> kPieces = {"/",   "a",  "..",  ".",   ";",  "%2F",
                                                      "%5C", "\\", "%3B", "%3F", "%20"};

TEST(PathReadingsTest, ShortPathsHaveTwoReadingsOrAreRefused) {
  constexpr int kLength = 5;
  std::size_t paths = 1;
  for (int i = 0; i < kLength; ++i) paths *= kPieces.size();
  for (std::size_t i = 0; i < paths; ++i) {
    std::string path = "/";
    for (std::size_t rest = i, piece = 0; piece < kLength; ++piece, rest /= kPieces.size()) {
      path += kPieces[rest % kPieces.size()];
    }
    CheckPath(path);
    if (HasFatalFailure()) return;
  }
}

TEST(PathReadingsTest, LongerPathsHaveTwoReadingsOrAreRefused) {
  constexpr std::array<std::string_view, 12> kOthers = {"%2e", "%2f", "%23", "%3b", "%c3", "b",
                                                        "/",   "/",   "/a/", "/a",  "#",   "%25"};
  ForEachSeed(60, [&](Random& random) {
    // The path is made of few kinds of pieces, so that many paths are accepted.
    std::array<std::string_view, 3> chosen;
    for (std::string_view& piece : chosen) {
      piece = kPieces[static_cast<std::size_t>(random.Between(0, kPieces.size() - 1))];
    }
    for (int i = 0; i < 100; ++i) {
      std::string path = "/";
      for (std::int64_t left = random.Between(1, 12); left > 0; --left) {
        path += random.OneIn(2) ? chosen[static_cast<std::size_t>(random.Between(0, 2))]
                                : kOthers[static_cast<std::size_t>(random.Between(0, 11))];
      }
      const std::size_t fragment = path.find('#');
      if (fragment != std::string::npos) path.resize(fragment + 1);
      CheckPath(path);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(PathReadingsTest, AcceptsPathsThatClientsSend) {
  for (const char* path : {"/a;v=1/b",
                           "/a%2Fb",
                           "/a/../b",
                           "/a/%2e%2e/b",
                           "/a;v=1/b;w=2;x=3/",
                           "/a%2Fb%2fc/d%2F",
                           "/https%3A%2F%2Fexample.org%2Fx",
                           "/%40scope%2Fname",
                           "/my%20folder%2Fmy%20file.txt",
                           "/a%5Cb%5Cc",
                           "/a\\b",
                           "/what%3F",
                           "/c%23",
                           "/c%23/src%2Fmain",
                           "/a;jsessionid=1",
                           "/a;b=%3B",
                           "/%3B%3b",
                           "/caf%C3%A9%2Fx",
                           "/100%25%2F",
                           "/./a;b",
                           "/a//b%2F%2Fc"}) {
    EXPECT_TRUE(IsAccepted(path)) << path;
  }
}

}  // namespace
}  // namespace sluice::testing
