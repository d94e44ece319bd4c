// Replay: runs a fuzz target once on each input of its corpus. Needs no fuzzer, so every build can
// run it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::uint8_t> ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// The argument may also be a single file instead of the corpus folder.
int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: " << arguments[0] << " CORPUS\n";
    return 2;
  }
  const fs::path path = arguments[1];
  const std::vector<fs::path> files =
      fs::is_directory(path) ? FilesIn(path) : std::vector<fs::path>{path};
  for (const fs::path& file : files) {
    std::cout << file.filename().string() << std::endl;
    const std::vector<std::uint8_t> bytes = ReadAll(file);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  if (files.empty()) std::cerr << path << " has no inputs\n";
  return files.empty() ? 1 : 0;
}
