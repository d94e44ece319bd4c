#include "wire/resp/resp_reader.h"

#include <algorithm>

#include "wire/resp/resp_number.h"

namespace sluice {
namespace {

constexpr std::size_t kMinCountBytes = 4;     // *1 CR LF
constexpr std::size_t kMinArgumentBytes = 6;  // $0 CR LF CR LF
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kLineEndBytes = kLineEnd.size();

}  // namespace

RespCommandRead RespReader::Read(std::string_view unread) {
  std::size_t skipped = 0;
  while (arguments_left_ == 0) {
    const std::string_view command = unread.substr(skipped);
    if (command.empty()) return More(0, kMinCountBytes, skipped);
    if (command.starts_with(kLineEnd)) {
      skipped += kLineEndBytes;
      continue;
    }
    if (kLineEnd.starts_with(command)) return More(command.size(), kLineEndBytes, skipped);
    if (command.front() != '*') return Unexpected('*', command.front());
    const RespNumber count = ReadRespNumber(command, 1);
    if (count.state == ReadState::kMore) return More(command.size(), kMinCountBytes, skipped);
    if (count.state == ReadState::kFault || count.value < -1) {
      return Fault("Protocol error: invalid multibulk length");
    }
    if (count.value <= 0) {
      skipped += count.end;
      continue;
    }
    const auto arguments = static_cast<std::size_t>(count.value);
    // Checked in this order, nothing can overflow.
    if (arguments > bounds_.max_arguments ||
        arguments > (bounds_.max_bytes - count.end) / kMinArgumentBytes) {
      return Fault("Protocol error: invalid multibulk length");
    }
    arguments_left_ = arguments;
    begin_ = count.end;
    places_.clear();
  }
  return ReadArguments(unread.substr(skipped), skipped);
}

RespCommandRead RespReader::ReadArguments(std::string_view command, std::size_t skipped) {
  for (; arguments_left_ > 0; --arguments_left_) {
    const std::size_t min_after = (arguments_left_ - 1) * kMinArgumentBytes;
    const std::size_t min_end = begin_ + kMinArgumentBytes + min_after;
    if (begin_ == command.size()) return More(command.size(), min_end, skipped);
    if (command[begin_] != '$') return Unexpected('$', command[begin_]);
    const RespNumber size = ReadRespNumber(command, begin_ + 1);
    if (size.state == ReadState::kMore && command.size() < bounds_.max_bytes) {
      return More(command.size(), min_end, skipped);
    }
    const std::size_t taken = size.end + kLineEndBytes + min_after;
    if (size.state != ReadState::kWhole || size.value < 0 || taken > bounds_.max_bytes ||
        static_cast<std::size_t>(size.value) > bounds_.max_bytes - taken) {
      return Fault("Protocol error: invalid bulk length");
    }
    const std::size_t end = size.end + static_cast<std::size_t>(size.value);
    if (command.size() > end && command[end] != '\r') {
      return Fault("Protocol error: bulk string without CRLF");
    }
    if (command.size() < end + kLineEndBytes) {
      return More(command.size(), end + kLineEndBytes + min_after, skipped);
    }
    if (command[end + 1] != '\n') return Fault("Protocol error: bulk string without CRLF");
    places_.push_back({size.end, end - size.end});
    begin_ = end + kLineEndBytes;
  }
  return Finish(command, skipped);
}

RespCommandRead RespReader::Finish(std::string_view command, std::size_t skipped) {
  arguments_.clear();
  for (const Place& place : places_) {
    arguments_.emplace_back(command.data() + place.begin, place.size);
  }
  return {ReadState::kWhole, skipped + begin_, 0, arguments_, {}};
}

RespCommandRead RespReader::More(std::size_t have, std::size_t need, std::size_t skipped) {
  return {ReadState::kMore, skipped, std::max(need, have + 1) - have, {}, {}};
}

RespCommandRead RespReader::Fault(std::string_view text) {
  return {ReadState::kFault, 0, 0, {}, text};
}

RespCommandRead RespReader::Unexpected(char expected, char got) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(got);
  fault_ = "Protocol error: expected '";
  fault_.append({expected, '\'', ',', ' ', 'g', 'o', 't', ' ', '\''});
  if (byte >= 0x20 && byte < 0x7F) {
    fault_ += got;
  } else {
    fault_.append({'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 0xFU]});
  }
  fault_ += '\'';
  return Fault(fault_);
}

}  // namespace sluice
