#include "support/redis_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "wire/resp/resp_writer.h"

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
  if (!server->time_.is_usable()) {
    ADD_FAILURE() << "no file for the clock of redis-server";
    return nullptr;
  }
  server->SetTime(Time{std::chrono::hours{24 * 365 * 55}});
  server->process_ = std::make_unique<RedisProcess>(
      std::vector<std::string>{}, RedisProcess::Mode::kServer, server->time_.variables());
  return server->process_->is_running() ? std::move(server) : nullptr;
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
