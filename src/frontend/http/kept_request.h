// KeptRequest: a copy of an HTTP request that is answered later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/header_list.h"
#include "net/http1/exchange.h"

namespace sluice {

// The views of a request are valid only while it is served; this owns a copy of the bytes. Objects
// are meant to be reused.
//
// Thread safety: none. Ownership: owns the bytes. The peer belongs to the connection, which
// outlives the unfinished exchange.
class KeptRequest {
 public:
  void Keep(const HttpRequest& request) {
    std::size_t size = request.method.size() + request.target.size() + request.authority.size() +
                       request.body.size();
    for (const Header& header : request.headers) size += header.name.size() + header.value.size();
    bytes_.clear();
    bytes_.reserve(size);  // views must stay valid
    headers_.clear();
    for (const Header& header : request.headers) {
      headers_.push_back({Copy(header.name), Copy(header.value)});
    }
    request_ = request;
    request_.method = Copy(request.method);
    request_.target = Copy(request.target);
    request_.authority = Copy(request.authority);
    request_.body = Copy(request.body);
    request_.headers = headers_;
  }

  [[nodiscard]] const HttpRequest& request() const { return request_; }
  [[nodiscard]] std::size_t bytes_kept() const { return bytes_.capacity(); }

 private:
  std::string_view Copy(std::string_view part) {
    const std::size_t begin = bytes_.size();
    bytes_ += part;
    return std::string_view(bytes_).substr(begin);
  }

  std::string bytes_;
  std::vector<Header> headers_;
  HttpRequest request_;
};

}  // namespace sluice
