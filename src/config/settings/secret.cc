#include "config/settings/secret.h"

#include <ostream>

namespace sluice {

std::ostream& operator<<(std::ostream& out, const Secret&) { return out << kHiddenSecret; }

}  // namespace sluice
