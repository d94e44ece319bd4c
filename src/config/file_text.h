// ReadFileText: what a file holds.
#pragma once

#include <string>

#include "sluice/result.h"

namespace sluice {

// The errors do not say the path. A file with more bytes than the readers of YAML and JSON take is
// one, and no more of it is read than shows that.
Result<std::string> ReadFileText(const std::string& path);

// "cannot be read: No such file or directory", of an errno.
Error CannotRead(int failure);

}  // namespace sluice
