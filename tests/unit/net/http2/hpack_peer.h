// Decodes HPACK with nghttp2, to compare our own implementation with.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

using HpackFields = std::vector<std::pair<std::string, std::string>>;

class HpackPeer {
 public:
  HpackPeer() { nghttp2_hd_inflate_new(&inflater_); }
  HpackPeer(const HpackPeer&) = delete;
  HpackPeer& operator=(const HpackPeer&) = delete;
  ~HpackPeer() { nghttp2_hd_inflate_del(inflater_); }

  // Appends the fields of the block. Returns false if it is malformed.
  bool Read(std::string_view block, HpackFields& fields) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
    std::size_t left = block.size();
    for (;;) {
      nghttp2_nv field;
      int flags = 0;
      const ssize_t taken = nghttp2_hd_inflate_hd2(inflater_, &field, &flags, at, left, 1);
      if (taken < 0) return false;
      at += taken;
      left -= static_cast<std::size_t>(taken);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
        fields.emplace_back(std::string(reinterpret_cast<char*>(field.name), field.namelen),
                            std::string(reinterpret_cast<char*>(field.value), field.valuelen));
      }
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) {
        nghttp2_hd_inflate_end_headers(inflater_);
        return true;
      }
      if (left == 0 && (flags & NGHTTP2_HD_INFLATE_EMIT) == 0) return true;
    }
  }

 private:
  nghttp2_hd_inflater* inflater_ = nullptr;
};

}  // namespace sluice
