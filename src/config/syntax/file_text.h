// ReadFileText: reads a whole file.
#pragma once

#include <string>

#include "sluice/result.h"

namespace sluice {

// Returns the content of a file. Errors do not contain the path. A file that exceeds the maximum
// size of YAML and JSON texts is an error; it is read only until that is known.
Result<std::string> ReadFileText(const std::string& path);

// Returns "cannot be read: No such file or directory" for an errno.
Error CannotRead(int failure);

}  // namespace sluice
