// The paths of gRPC: "/package.Service/Method".
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sluice {

// Returns whether one of the methods, keyed by path, belongs to the service that `target` names.
template <typename Method>
bool HasServiceOf(const std::map<std::string, Method, std::less<>>& methods,
                  std::string_view target) {
  const std::string_view service = target.substr(0, target.find('/', 1) + 1);
  if (service.empty()) return false;
  const auto first = methods.lower_bound(service);
  return first != methods.end() && first->first.starts_with(service);
}

}  // namespace sluice
