// WritingListener: records the answers it receives as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "load/load_session.h"

namespace sluice {

class WritingListener final : public LoadSession::Listener {
 public:
  void OnAnswer(Answer answer, Time intended, std::string_view cause) override {
    std::string text = std::to_string(intended.time_since_epoch().count());
    if (answer == Answer::kAllowed) text += " allowed";
    if (answer == Answer::kRefused) text += " refused";
    if (answer == Answer::kNotTaken) text += " not taken";
    if (answer == Answer::kError) text += " error";
    if (!cause.empty()) text += ": " + std::string(cause);
    heard.push_back(text);
  }

  std::vector<std::string> heard;
};

using Heard = std::vector<std::string>;

// Converts a request number to a due time, which identifies the request in the recorded text.
inline Time At(int number) { return Time{Nanos{number}}; }

}  // namespace sluice
