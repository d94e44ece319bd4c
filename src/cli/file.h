// Reading files, and replacing a file atomically.
#pragma once

#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice::cli {

// A file that is open for reading. The destructor closes it.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  [[nodiscard]] bool ok() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Returns the reason why the file could not be opened, as text.
  [[nodiscard]] std::string failure() const;

 private:
  int descriptor_;
  int failure_;
};

// Writes the file under a temporary name beside it and renames it into place, so that readers never
// see a partial file and a failure leaves an earlier file unchanged.
Result<Done> WriteFile(const std::string& path, std::string_view text);

}  // namespace sluice::cli
