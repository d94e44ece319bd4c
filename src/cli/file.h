// Files: reading one, and writing one whole.
#pragma once

#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice::cli {

// A file open for reading, closed at the end of its life.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  [[nodiscard]] bool ok() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Why it could not be opened, in words.
  [[nodiscard]] std::string failure() const;

 private:
  int descriptor_;
  int failure_;
};

// Writes the file under a temporary name beside it and renames it into place, so that nobody ever
// sees half of it and a failure leaves an earlier one as it was.
Result<Done> WriteFile(const std::string& path, std::string_view text);

}  // namespace sluice::cli
