// Http2Fields: headers as nghttp2 takes them.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/header_list.h"

namespace sluice {

// Names and values are viewed and stay where they are until the stream is closed. A name with
// capitals is copied, since nghttp2 writes it in lower case. Used again and again.
//
// Thread safety: none.
class Http2Fields {
 public:
  void Clear() { all_.clear(); }
  void Add(std::string_view name, std::string_view value);
  void Add(const HeaderList& headers);

  [[nodiscard]] const nghttp2_nv* data() const { return all_.data(); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  std::vector<nghttp2_nv> all_;
};

}  // namespace sluice
