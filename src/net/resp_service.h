// RespExchange: one command of the Redis protocol and the reply to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/peer.h"
#include "wire/resp_writer.h"

namespace sluice {

// The commands that a client has queued since MULTI, one after another, copied.
//
// Invariants: at most kMaxCommands of them and kMaxBytes of arguments.
struct RespTransaction {
  static constexpr std::size_t kMaxCommands = 1024;
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10U;

  std::string bytes;                  // of all arguments
  std::vector<std::uint32_t> sizes;   // of each argument
  std::vector<std::uint32_t> counts;  // of arguments, one a command
  bool is_faulty = false;             // a command could not be queued, so EXEC runs none of them

  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(*this) + bytes.capacity() +
           (sizes.capacity() + counts.capacity()) * sizeof(std::uint32_t);
  }
};

// What a connection remembers of its client. The service keeps it up to date.
struct RespClient {
  const Peer* peer = nullptr;
  std::uint64_t id = 0;
  RespVersion version = RespVersion::k2;
  std::uint32_t wrong_passwords = 0;
  std::string name;
  std::unique_ptr<RespTransaction> transaction = nullptr;  // null: not between MULTI and EXEC
};

// One command. Its arguments view memory that stays until Serve returns.
//
// Thread safety, ownership and Finish: as Exchange.
class RespExchange {
 public:
  std::span<const std::string_view> arguments;  // the command's name first; never empty
  RespClient* client = nullptr;
  std::string reply;
  bool closes = false;  // the connection closes after this reply
  // As that of Exchange.
  std::size_t parked_bytes = 0;

  RespExchange() = default;
  RespExchange(const RespExchange&) = delete;
  RespExchange& operator=(const RespExchange&) = delete;

  virtual void Finish() = 0;

 protected:
  ~RespExchange() = default;
};

// What answers commands. One for each worker, called on its thread alone.
class RespService {
 public:
  RespService() = default;
  RespService(const RespService&) = delete;
  RespService& operator=(const RespService&) = delete;
  virtual ~RespService() = default;

  // All commands that a connection read at once, to be decided as one batch.
  virtual void Serve(std::span<RespExchange* const> batch) = 0;
};

}  // namespace sluice
