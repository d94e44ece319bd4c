// ReadFileText: what a file holds.
#pragma once

#include <string>

#include "sluice/result.h"

namespace sluice {

// Up to one byte more than the readers of YAML and JSON take, or somewhat more, so that a huge file
// is refused by them and takes no memory here.
Result<std::string> ReadFileText(const std::string& path);

// "cannot read 'rules.yaml': No such file or directory", of an errno.
Error CannotRead(const std::string& path, int failure);

}  // namespace sluice
