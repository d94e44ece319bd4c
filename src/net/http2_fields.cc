#include "net/http2_fields.h"

#include <algorithm>
#include <cstdint>

namespace sluice {
namespace {

std::uint8_t* Bytes(std::string_view text) {
  // nghttp2 takes what it does not change by a pointer to what could be.
  return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
}

}  // namespace

void Http2Fields::Add(std::string_view name, std::string_view value) {
  const bool lower =
      std::ranges::none_of(name, [](char byte) { return byte >= 'A' && byte <= 'Z'; });
  const int name_flag = lower ? NGHTTP2_NV_FLAG_NO_COPY_NAME : NGHTTP2_NV_FLAG_NONE;
  all_.push_back({Bytes(name), Bytes(value), name.size(), value.size(),
                  static_cast<std::uint8_t>(name_flag | NGHTTP2_NV_FLAG_NO_COPY_VALUE)});
}

void Http2Fields::Add(const HeaderList& headers) {
  for (std::size_t i = 0; i < headers.size(); ++i) Add(headers[i].name, headers[i].value);
}

}  // namespace sluice
