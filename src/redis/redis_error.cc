#include "redis/redis_error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "base/utf8.h"
#include "redis/redis_slot.h"

namespace sluice {
namespace {

struct Code {
  std::string_view word;
  RedisErrorKind kind;
};

constexpr std::array kCodes = {
    Code{"MOVED", RedisErrorKind::kMoved},
    Code{"ASK", RedisErrorKind::kAsk},
    Code{"TRYAGAIN", RedisErrorKind::kTryAgain},
    Code{"CLUSTERDOWN", RedisErrorKind::kClusterDown},
    Code{"CROSSSLOT", RedisErrorKind::kCrossSlot},
    Code{"READONLY", RedisErrorKind::kReadOnly},
    Code{"LOADING", RedisErrorKind::kLoading},
    Code{"MASTERDOWN", RedisErrorKind::kMasterDown},
    Code{"BUSY", RedisErrorKind::kBusy},
    Code{"OOM", RedisErrorKind::kOutOfMemory},
    Code{"MISCONF", RedisErrorKind::kMisconfigured},
    Code{"NOREPLICAS", RedisErrorKind::kNoReplicas},
    Code{"NOAUTH", RedisErrorKind::kNoAuth},
    Code{"WRONGPASS", RedisErrorKind::kWrongPassword},
    Code{"NOPERM", RedisErrorKind::kNoPermission},
    Code{"NOSCRIPT", RedisErrorKind::kNoScript},
    Code{"NOPROTO", RedisErrorKind::kNoProtocol},
};

// Indexed by RedisErrorKind.
constexpr std::array<std::string_view, kRedisErrorKinds> kNames = {
    "none",          "moved",         "ask",         "try_again",       "cluster_down",
    "cross_slot",    "read_only",     "loading",     "master_down",     "busy",
    "out_of_memory", "misconfigured", "no_replicas", "no_auth",         "wrong_password",
    "no_permission", "no_script",     "no_protocol", "unknown_command", "other",
};

constexpr std::string_view kUnknown = "ERR unknown command";
// Redis 6.2: "ERR Error running script (call to f_SHA): @user_script:1: -OOM command not ..."
constexpr std::string_view kOfScript = "ERR Error running script";

std::string_view TakeWord(std::string_view& text) {
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return word;
}

std::optional<std::uint16_t> ReadNumber(std::string_view text) {
  std::uint16_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Parses text such as "3999 127.0.0.1:6381". An IPv6 address has no brackets.
RedisError ReadRedirect(RedisErrorKind kind, std::string_view text) {
  const std::optional<std::uint16_t> slot = ReadNumber(TakeWord(text));
  const std::string_view place = TakeWord(text);
  const std::size_t colon = place.rfind(':');
  if (!slot || *slot >= kRedisSlots || colon == std::string_view::npos) return {};
  const std::optional<std::uint16_t> port = ReadNumber(place.substr(colon + 1));
  if (!port) return {};
  const std::string_view host = place.substr(0, colon);
  // "?" means that the node does not know the other node's name.
  if (host == "?") return {kind, *slot, {}, 0};
  return {kind, *slot, host, *port};
}

std::string_view WithoutScript(std::string_view text) {
  if (!text.starts_with(kOfScript)) return text;
  constexpr std::string_view kMark = ": -";
  const std::size_t mark = text.find(kMark);
  return mark == std::string_view::npos ? text : text.substr(mark + kMark.size());
}

}  // namespace

RedisError ReadRedisError(std::string_view text) {
  text = WithoutScript(text);
  if (text.starts_with(kUnknown)) return {.kind = RedisErrorKind::kUnknownCommand};
  const std::string_view word = TakeWord(text);
  for (const Code& code : kCodes) {
    if (code.word != word) continue;
    const bool is_redirect =
        code.kind == RedisErrorKind::kMoved || code.kind == RedisErrorKind::kAsk;
    return is_redirect ? ReadRedirect(code.kind, text) : RedisError{.kind = code.kind};
  }
  return {};
}

std::string HidePassword(std::string text, std::string_view password) {
  constexpr std::string_view kHidden = "(secret)";
  if (password.empty()) return text;
  for (std::size_t at = 0; (at = text.find(password, at)) != std::string::npos;) {
    text.replace(at, password.size(), kHidden);
    at += kHidden.size();
  }
  return text;
}

std::string ServerWords(std::string_view text, std::string_view password) {
  constexpr std::size_t kMaxBytes = 200;
  std::string words = HidePassword(std::string(text), password);
  words.resize(words.find_last_not_of(". ") + 1);
  std::size_t size = std::min(words.size(), kMaxBytes);
  if (size == words.size()) return Printable(words);
  while (size > 0 && IsUtf8Continuation(words[size])) --size;
  words.resize(size);
  return Printable(words) + "...";
}

std::string_view NameOf(RedisErrorKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

}  // namespace sluice
