// RespFixture: a connection of RESP over a gate, as bytes, with a fake clock.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "frontend/resp/resp_front.h"
#include "net/resp/resp_session.h"
#include "unit/gate/gate_fixture.h"

namespace sluice::testing {

class RespFixture : public GateFixture {
 protected:
  RespFixture() { Use({}); }

  // Encodes the command with these words.
  static std::string Command(const std::vector<std::string>& words) {
    std::string bytes = Concat("*", words.size(), "\r\n");
    for (const std::string& word : words) bytes += Concat("$", word.size(), "\r\n", word, "\r\n");
    return bytes;
  }
  // Splits a line into words.
  static std::vector<std::string> Words(std::string_view line) {
    std::vector<std::string> words;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      if (end > 0) words.emplace_back(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
  }

  // Returns the reply to the bytes, with line ends shown as '|'. Takes all of the output, like a
  // peer that reads, so that a paused session continues.
  std::string Send(std::string_view bytes) {
    unread_.append(bytes);
    std::string said;
    do {
      unread_.erase(0, resp_.Receive(unread_));
      said += std::exchange(resp_.output, {});
    } while (resp_.paused());
    std::string shown;
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (said.compare(i, 2, "\r\n") == 0) {
        shown += '|';
        ++i;
      } else {
        shown += said[i];
      }
    }
    return shown;
  }
  std::string Say(std::string_view line) { return Send(Command(Words(line))); }

  // Returns the five integers of CL.THROTTLE, or the error.
  std::string Throttle(std::string_view line) {
    const std::string said = Say(Concat("CL.THROTTLE ", line));
    if (!said.starts_with("*5|:")) return said;
    std::string numbers;
    for (const char c : said.substr(4, said.size() - 5)) {
      if (c == '|') {
        numbers += ' ';
      } else if (c != ':') {
        numbers += c;
      }
    }
    return numbers;
  }

  Callers callers_;
  RespClientIds ids_;
  Peer peer_{"192.0.2.1", 4711, {}};
  FrontMeter meter_;
  RespFront front_{{gate_, {}, callers_, ids_, "1.2.3", clock_, meter_}};
  RespSession resp_{front_, peer_, {}};
  std::string unread_;
};

}  // namespace sluice::testing
