#include "doctor/doctor_permissions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/text.h"

namespace sluice::cli {
namespace {

using Kind = StoreUrl::Kind;

// Tries a command without lasting effects. The scratch key holds a string at that point, so
// commands for other types fail with WRONGTYPE, but only after Redis has checked the permission.
struct Trial {
  std::string_view rule;   // the command in ACL syntax, without +
  std::string_view words;  // its arguments; KEY stands for the key
  // Creates a key that would stay, unless the scratch key holds a string.
  bool makes_key = false;
};

// The first command creates the string, and the last two remove it. The others are the commands
// that we send and those that the scripts call.
constexpr std::array kTrials = {
    Trial{"set", "KEY 1 PX 60000"},
    Trial{"ping", ""},
    Trial{"evalsha", "0000000000000000000000000000000000000000 1 KEY"},
    Trial{"script|load", "return(1)"},
    Trial{"time", ""},
    Trial{"get", "KEY"},
    Trial{"pttl", "KEY"},
    Trial{"zadd", "KEY 1 a", true},
    Trial{"zcard", "KEY"},
    Trial{"zcount", "KEY 0 1"},
    Trial{"zrange", "KEY 0 1"},
    Trial{"zrangebyscore", "KEY 0 1"},
    Trial{"zscore", "KEY a"},
    Trial{"zrem", "KEY a"},
    Trial{"zremrangebyrank", "KEY 0 0"},
    Trial{"zremrangebyscore", "KEY 0 0"},
    Trial{"pexpire", "KEY 60000"},
    Trial{"pexpireat", "KEY 1"},
    Trial{"del", "KEY"},
};
constexpr std::array<std::string_view, 1> kDatabaseRules = {"select"};
constexpr std::array<std::string_view, 1> kSentinelRules = {"role"};
constexpr std::array<std::string_view, 2> kClusterRules = {"cluster|slots", "asking"};

// Encodes a command: "script|load" and "return(1)" become SCRIPT LOAD "return(1)".
std::string CommandOf(const Trial& trial, std::string_view key) {
  std::vector<std::string_view> words;
  for (std::string_view text : {trial.rule, trial.words}) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of("| "), text.size());
      words.push_back(text.substr(0, end) == "KEY" ? key : text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  std::string bytes;
  AppendRedisCommand(words, bytes);
  return bytes;
}

void Add(std::span<const std::string_view> rules, std::string& text) {
  for (const std::string_view rule : rules) text += Concat(" +", rule);
}

}  // namespace

// Escapes the characters that are special in a glob pattern.
std::string KeyPattern(std::string_view prefix) {
  std::string pattern = "~";
  for (const char c : prefix) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + '*';
}

std::string AclRules(const StoreUrl& url, std::string_view prefix) {
  std::string text = KeyPattern(prefix);
  for (const Trial& trial : kTrials) text += Concat(" +", trial.rule);
  if (url.database != 0) Add(kDatabaseRules, text);
  if (url.kind == Kind::kSentinel) Add(kSentinelRules, text);
  if (url.kind == Kind::kCluster) Add(kClusterRules, text);
  return text;
}

Permissions FindMissing(const StoreUrl& url, const DecidingServer& server) {
  Permissions missing;
  bool has_text = false;
  const auto is_allowed = [&](const std::string& command, std::string_view rule) {
    const BlockingReply reply = server.talk.AskBytes(command);
    if (reply.error != RedisErrorKind::kNoPermission) return true;
    // The error contains "access" if the permission for the key is missing, not for the command.
    const bool is_key = reply.text().find("access") != std::string_view::npos;
    if (is_key) missing.lacks_keys = true;
    if (!is_key) missing.commands.push_back(rule);
    return false;
  };
  for (const Trial& trial : kTrials) {
    if (trial.makes_key && !has_text) continue;
    const bool allowed = is_allowed(CommandOf(trial, server.scratch_key), trial.rule);
    if (trial.rule == "set") has_text = allowed;
  }
  if (url.kind == Kind::kCluster) {
    for (const std::string_view rule : kClusterRules) is_allowed(CommandOf({rule, ""}, ""), rule);
  }
  return missing;
}

}  // namespace sluice::cli
