// PlotRecorder: keeps of a run what its picture needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/plot.h"
#include "cli/reply.h"
#include "cli/step.h"
#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice::cli {

// Listens to a run and, at its end, works out the picture of it.
//
// Memory: 16 bytes a request, and every step of the first key whole, because its units left are
// sampled in a second pass over them.
//
// Thread safety: none.
class PlotRecorder {
 public:
  void Add(const Step& step, const Reply& reply);

  // Everything the picture shows. `title` is the limit as it was written. Call it once, at the end.
  Result<Plot> Finish(const LimitSpec& spec, std::string title);

 private:
  [[nodiscard]] Time Start() const;
  [[nodiscard]] Time End() const;

  std::vector<Mark> marks_;
  std::vector<Step> first_key_steps_;  // at the times used
  bool several_keys_ = false;
  Time first_{};
  Time last_{};
  Nanos reset_after_{0};  // of the last reply
};

}  // namespace sluice::cli
