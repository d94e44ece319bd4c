#include "net/http1/http_status.h"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

struct Line {
  int status = 0;
  std::string_view text;
};

// Sorted by status.
constexpr std::array kLines = {
    Line{100, "HTTP/1.1 100 Continue\r\n"},
    Line{200, "HTTP/1.1 200 OK\r\n"},
    Line{202, "HTTP/1.1 202 Accepted\r\n"},
    Line{400, "HTTP/1.1 400 Bad Request\r\n"},
    Line{401, "HTTP/1.1 401 Unauthorized\r\n"},
    Line{403, "HTTP/1.1 403 Forbidden\r\n"},
    Line{404, "HTTP/1.1 404 Not Found\r\n"},
    Line{405, "HTTP/1.1 405 Method Not Allowed\r\n"},
    Line{408, "HTTP/1.1 408 Request Timeout\r\n"},
    Line{413, "HTTP/1.1 413 Content Too Large\r\n"},
    Line{414, "HTTP/1.1 414 URI Too Long\r\n"},
    Line{415, "HTTP/1.1 415 Unsupported Media Type\r\n"},
    Line{429, "HTTP/1.1 429 Too Many Requests\r\n"},
    Line{431, "HTTP/1.1 431 Request Header Fields Too Large\r\n"},
    Line{500, "HTTP/1.1 500 Internal Server Error\r\n"},
    Line{501, "HTTP/1.1 501 Not Implemented\r\n"},
    Line{503, "HTTP/1.1 503 Service Unavailable\r\n"},
    Line{505, "HTTP/1.1 505 HTTP Version Not Supported\r\n"},
};

// A status line without a reason phrase. Rules may choose any status from 400 to 599, including
// those that are not in kLines.
struct Numbered {
  std::array<char, 15> text{};  // "HTTP/1.1 4xx \r\n"
};

constexpr int kNumberedFirst = 100;
constexpr int kNumberedLast = 599;

constexpr auto MakeNumbered() {
  std::array<Numbered, kNumberedLast - kNumberedFirst + 1> all{};
  for (int status = kNumberedFirst; status <= kNumberedLast; ++status) {
    Numbered& each = all[static_cast<std::size_t>(status - kNumberedFirst)];
    std::ranges::copy(std::string_view("HTTP/1.1 ... \r\n"), each.text.begin());
    each.text[9] = static_cast<char>('0' + status / 100);
    each.text[10] = static_cast<char>('0' + status / 10 % 10);
    each.text[11] = static_cast<char>('0' + status % 10);
  }
  return all;
}

constexpr auto kNumbered = MakeNumbered();

}  // namespace

std::string_view StatusLine(int status) {
  const auto* found = std::ranges::lower_bound(kLines, status, {}, &Line::status);
  if (found != kLines.end() && found->status == status) return found->text;
  const Numbered& numbered = kNumbered[static_cast<std::size_t>(status - kNumberedFirst)];
  return {numbered.text.data(), numbered.text.size()};
}

}  // namespace sluice
