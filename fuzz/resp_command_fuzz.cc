// Fuzzes the reader of RESP commands: the result does not depend on how the bytes are split, and
// reads the same after it is written.
//
// The first byte chooses the size of the parts; the rest is what a client sends.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/must.h"
#include "wire/resp/resp_reader.h"
#include "wire/resp/resp_writer.h"

namespace sluice::fuzz {
namespace {

constexpr RespCommandBounds kBounds{.max_arguments = 64, .max_bytes = 1024};

struct Session {
  std::vector<std::vector<std::string>> commands;
  std::string fault;
  std::size_t left = 0;

  friend bool operator==(const Session&, const Session&) = default;
};

void MustBeLine(std::string_view fault) {
  Must(fault.starts_with("Protocol error: "), "a fault says that it is one");
  const bool is_printable =
      std::all_of(fault.begin(), fault.end(), [](char c) { return c >= ' ' && c <= '~'; });
  Must(is_printable, "a fault is a line of ASCII");
}

// Reads all complete commands and removes them from the unread bytes. Returns false after an error.
bool ReadAll(RespReader& reader, std::vector<char>& unread, Session& session) {
  for (;;) {
    const RespCommandRead read = reader.Read({unread.data(), unread.size()});
    Must(read.consumed <= unread.size(), "no more is consumed than is there");
    if (read.state == ReadState::kFault) {
      MustBeLine(read.fault);
      session.fault = read.fault;
      return false;
    }
    if (read.state == ReadState::kWhole) {
      Must(!read.arguments.empty(), "a command has a name");
      Must(read.arguments.size() <= kBounds.max_arguments, "a command is within its bounds");
      session.commands.emplace_back(read.arguments.begin(), read.arguments.end());
    }
    const std::size_t left = unread.size() - read.consumed;
    // Moved to a new allocation of the exact size, so that sanitizers detect views of the old one.
    unread = std::vector<char>(unread.end() - static_cast<std::ptrdiff_t>(left), unread.end());
    if (read.state == ReadState::kWhole) continue;
    Must(read.missing > 0 && left + read.missing <= kBounds.max_bytes,
         "what is missing is within the bounds");
    return true;
  }
}

Session Feed(std::string_view bytes, std::size_t part) {
  Session session;
  RespReader reader(kBounds);
  std::vector<char> unread;
  while (!bytes.empty()) {
    const std::string_view next = bytes.substr(0, part);
    bytes.remove_prefix(next.size());
    unread.insert(unread.end(), next.begin(), next.end());
    if (!ReadAll(reader, unread, session)) return session;
  }
  session.left = unread.size();
  return session;
}

void Run(std::string_view bytes, std::size_t part) {
  const Session whole = Feed(bytes, bytes.size());
  Must(Feed(bytes, part) == whole, "what is read does not depend on the parts");
  std::string written;
  RespWriter writer(RespVersion::k2, written);
  for (const auto& command : whole.commands) {
    writer.ArrayHeader(command.size());
    for (const std::string& argument : command) writer.Bulk(argument);
  }
  Must(Feed(written, written.size()).commands == whole.commands, "what is written reads back");
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string bytes(data + 1, data + size);
  sluice::fuzz::Run(bytes, data[0] % 32 + 1U);
  return 0;
}
