// What nghttp2 calls.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>

#include "net/http2_session.h"

namespace sluice {

// The frames of a session as they come and go. `user` is the Http2Session.
struct Http2Session::Callbacks {
  // The caller frees it.
  static nghttp2_session_callbacks* Make();

  // Hands on more of a reply's body, whose stream `source` tells.
  static ssize_t Read(nghttp2_session* session, std::int32_t id, std::uint8_t* out,
                      std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                      void* user);

 private:
  static Http2Session& Self(void* user);
  static Http2Stream* Find(nghttp2_session* session, std::int32_t id);
  static bool BeginsRequest(const nghttp2_frame* frame);
  static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user);
  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame,
                      const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                      std::size_t value_size, std::uint8_t flags, void* user);
  static int OnData(nghttp2_session* session, std::uint8_t flags, std::int32_t id,
                    const std::uint8_t* bytes, std::size_t size, void* user);
  static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* user);
  static int OnClose(nghttp2_session* session, std::int32_t id, std::uint32_t error, void* user);
  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame, void* user);
};

}  // namespace sluice
