// RespExchange: one command of the Redis protocol and its reply.
//
// A RespSession owns the exchanges and passes them to a RespService, on the thread of its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/loop/peer.h"
#include "wire/resp/resp_writer.h"

namespace sluice {

// Copies of the commands that a client has queued since MULTI.
//
// Invariants
//   (1) It holds at most kMaxCommands commands and kMaxBytes bytes of arguments.
struct RespTransaction {
  static constexpr std::size_t kMaxCommands = 1024;
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10U;

  std::string bytes;                  // all arguments, concatenated
  std::vector<std::uint32_t> sizes;   // length of each argument
  std::vector<std::uint32_t> counts;  // number of arguments of each command
  bool is_faulty = false;             // a command could not be queued, so EXEC runs none of them

  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(*this) + bytes.capacity() +
           (sizes.capacity() + counts.capacity()) * sizeof(std::uint32_t);
  }
};

// The state of a client's connection, maintained by the service.
struct RespClient {
  const Peer* peer = nullptr;
  std::uint64_t id = 0;
  RespVersion version = RespVersion::k2;
  std::uint32_t wrong_passwords = 0;
  std::string name;
  std::unique_ptr<RespTransaction> transaction = nullptr;  // null: not between MULTI and EXEC
};

// One command. Its arguments are valid until Serve returns.
//
// Thread safety, ownership and Finish: as Exchange.
class RespExchange {
 public:
  std::span<const std::string_view> arguments;  // the command's name first; never empty
  RespClient* client = nullptr;
  std::string reply;
  bool closes = false;           // the connection closes after this reply
  std::size_t parked_bytes = 0;  // see Exchange

  RespExchange() = default;
  RespExchange(const RespExchange&) = delete;
  RespExchange& operator=(const RespExchange&) = delete;

  virtual void Finish() = 0;

 protected:
  ~RespExchange() = default;
};

// Answers commands. There is one per worker and listener, called only on the worker's thread.
class RespService {
 public:
  RespService() = default;
  RespService(const RespService&) = delete;
  RespService& operator=(const RespService&) = delete;
  virtual ~RespService() = default;

  // Serves commands that one connection received together, as one batch.
  virtual void Serve(std::span<RespExchange* const> batch) = 0;
};

}  // namespace sluice
