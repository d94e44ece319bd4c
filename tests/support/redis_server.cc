#include "support/redis_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "wire/resp_writer.h"

namespace sluice::testing {
namespace {

int Connect(const std::string& path) {
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy_n(path.begin(), std::min(path.size(), sizeof(address.sun_path) - 1), address.sun_path);
  if (connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return made;
  close(made);
  return -1;
}

}  // namespace

std::unique_ptr<RedisServer> RedisServer::Start() {
  std::unique_ptr<RedisServer> server(new RedisServer);
  if (!server->MakeClock()) {
    ADD_FAILURE() << "no file for the clock of redis-server";
    return nullptr;
  }
  server->process_ = std::make_unique<RedisProcess>(
      std::vector<std::string>{}, RedisProcess::Mode::kServer,
      std::vector<std::string>{"SLUICE_REDIS_CLOCK=" + server->clock_path_,
                               "LD_PRELOAD=" SLUICE_REDIS_CLOCK_SHIM});
  return server->process_->is_running() ? std::move(server) : nullptr;
}

RedisServer::~RedisServer() {
  process_.reset();
  if (clock_ != nullptr) munmap(clock_, sizeof(*clock_));
  if (!clock_path_.empty()) unlink(clock_path_.c_str());
}

bool RedisServer::MakeClock() {
  clock_path_ = (std::filesystem::temp_directory_path() / "sluice-clock-XXXXXX").string();
  const int file = mkostemp(clock_path_.data(), O_CLOEXEC);
  if (file < 0 || ftruncate(file, sizeof(*clock_)) != 0) return false;
  void* mapped = mmap(nullptr, sizeof(*clock_), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return false;
  clock_ = static_cast<std::atomic<std::int64_t>*>(mapped);
  SetTime(Time{std::chrono::hours{24 * 365 * 55}});
  return true;
}

void RedisServer::SetTime(Time now) {
  clock_->store(std::chrono::floor<std::chrono::microseconds>(now).time_since_epoch().count());
}

RedisClient::RedisClient(const std::string& socket_path) : socket_(Connect(socket_path)) {}

RedisClient::~RedisClient() {
  if (socket_ >= 0) close(socket_);
}

std::span<const RespNode> RedisClient::Ask(std::string_view bytes) {
  received_.erase(0, consumed_);
  consumed_ = 0;
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      ADD_FAILURE() << "redis-server went away";
      return {};
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  while (true) {
    const RespValueRead read = reader_.Read(received_);
    if (read.state == ReadState::kWhole) {
      consumed_ = read.consumed;
      return read.nodes;
    }
    std::array<char, 65536> room;
    const ssize_t got =
        read.state == ReadState::kMore ? recv(socket_, room.data(), room.size(), 0) : -1;
    if (got <= 0) {
      ADD_FAILURE() << "redis-server went away, or answered no RESP";
      return {};
    }
    received_.append(room.data(), static_cast<std::size_t>(got));
  }
}

std::span<const RespNode> RedisClient::Command(std::initializer_list<std::string_view> words) {
  std::string bytes;
  RespWriter writer(RespVersion::k2, bytes);
  writer.ArrayHeader(words.size());
  for (const std::string_view word : words) writer.Bulk(word);
  return Ask(bytes);
}

std::int64_t RedisClient::Number(std::initializer_list<std::string_view> words) {
  const auto nodes = Command(words);
  if (nodes.empty() || nodes[0].type != RespType::kInteger) {
    ADD_FAILURE() << "no number: " << (nodes.empty() ? "" : nodes[0].text);
    return 0;
  }
  return nodes[0].integer;
}

std::string RedisClient::Text(std::initializer_list<std::string_view> words) {
  const auto nodes = Command(words);
  return nodes.empty() ? "" : std::string(nodes[0].text);
}

}  // namespace sluice::testing
