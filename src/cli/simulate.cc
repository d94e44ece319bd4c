#include "cli/simulate.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/value.h"
#include "cli/file.h"
#include "cli/flags.h"
#include "simulate/compare.h"
#include "simulate/limit_text.h"
#include "simulate/line_source.h"
#include "simulate/plot.h"
#include "simulate/plot_recorder.h"
#include "simulate/replay.h"
#include "simulate/reply.h"
#include "simulate/step.h"
#include "simulate/tally.h"

namespace sluice::cli {
namespace {

constexpr std::array kFlags = {
    Flag{"--limit", FlagValues::kOne, "LIMIT", "100/m"},
    Flag{"--trace", FlagValues::kOne, "FILE", "day.jsonl"},
    Flag{"--plot", FlagValues::kOne, "FILE.svg", "day.svg"},
    Flag{"--key", FlagValues::kOne, "KEY", "user-1"},
    Flag{"--compare", FlagValues::kSeveral, "LIMIT...", "100/m 2/s"},
    Flag{"-o", FlagValues::kOne, "table|json", "json"},
    Flag{"--help", FlagValues::kNone},
};

// One limit of a run, and the records of its replies.
struct Course {
  WrittenLimit limit;
  std::unique_ptr<Replay> replay;
  Tally tally;
  PlotRecorder recorder = {};
};

Result<Course> MakeCourse(std::string_view flag, std::string_view text) {
  Result<WrittenLimit> limit = ReadLimitText(text);
  if (!limit) return Error{std::string(flag) + ": " + limit.error().message};
  Result<std::unique_ptr<Replay>> replay = Replay::Create(limit.value().spec);
  if (!replay) return Error{std::string(flag) + ": " + replay.error().message};
  const std::optional<Rate>& rate = limit.value().spec.rate;
  Tally tally(rate ? std::optional<Nanos>(rate->period) : std::nullopt);
  return Course{std::move(limit).value(), std::move(replay).value(), std::move(tally)};
}

// The run that the flags ask for.
struct Request {
  std::vector<Course> courses;  // at least one
  bool compare = false;
  bool as_json = false;
  std::string trace;               // empty: standard input
  std::string plot;                // empty: none
  std::optional<std::string> key;  // the key to plot; none: the key that is refused most often
};

// Plots are always SVG, so a name with another extension would be misleading.
bool IsSvgName(std::string_view name) {
  constexpr std::string_view kEnd = ".svg";
  return name.size() > kEnd.size() && EqualsLower(name.substr(name.size() - kEnd.size()), kEnd);
}

Result<Done> CheckTogether(const GivenFlags& given) {
  const bool compare = given.Has("--compare");
  if (!compare && !given.Has("--limit")) {
    return Error{"expected --limit LIMIT, for example --limit 100/m"};
  }
  const std::string_view plot = given.ValueOr("--plot", "");
  if (given.Has("--plot") && !IsSvgName(plot)) {
    return Error{"--plot writes SVG; expected a name that ends in .svg, found " + Quoted(plot)};
  }
  if (given.Has("--key") && !given.Has("--plot")) {
    return Error{"--key is whose units --plot draws; give --plot FILE.svg too"};
  }
  if (!compare && given.Has("-o")) {
    return Error{"-o is the form of the table of --compare; replies are always JSON lines"};
  }
  const std::string_view form = given.ValueOr("-o", "table");
  if (form != "table" && form != "json") {
    return Error{"-o: expected table or json, not " + Quoted(form)};
  }
  return Done{};
}

Result<Request> ReadRequest(const GivenFlags& given) {
  const Result<Done> together = CheckTogether(given);
  if (!together) return together.error();
  Request request;
  request.compare = given.Has("--compare");
  request.as_json = given.ValueOr("-o", "table") == "json";
  request.plot = given.ValueOr("--plot", "");
  if (given.Has("--key")) request.key = given.ValueOr("--key", "");
  const std::string_view trace = given.ValueOr("--trace", "-");
  if (trace != "-") request.trace = trace;

  std::vector<std::pair<std::string_view, std::string_view>> texts;
  if (given.Has("--limit")) texts.emplace_back("--limit", given.ValueOr("--limit", ""));
  for (const std::string_view text : given.Values("--compare")) {
    texts.emplace_back("--compare", text);
  }
  for (const auto& [flag, text] : texts) {
    Result<Course> course = MakeCourse(flag, text);
    if (!course) return course.error();
    request.courses.push_back(std::move(course).value());
  }
  return request;
}

// One run of the command, after its flags have been read.
class Simulation {
 public:
  Simulation(Request request, Console& console)
      : request_(std::move(request)), console_(console), recording_(!request_.plot.empty()) {}

  // Reads the trace to its end or to the first invalid line.
  Result<Done> Read(int descriptor) {
    LineSource lines(descriptor, [this] { console_.out.Flush(); });
    while (true) {
      const Result<std::optional<std::string_view>> line = lines.Next();
      if (!line) return AtLine(lines, line.error());
      if (!line.value()) return Done{};
      if (line.value()->find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const Result<Step> step = ReadStep(*line.value());
      if (!step) return AtLine(lines, step.error());
      const Result<Done> taken = Take(step.value());
      if (!taken) return AtLine(lines, taken.error());
      // The reader has closed the output, or the disk is full, so continuing is pointless.
      if (!console_.out.ok()) return Done{};
    }
  }

  // Writes the results after the last step. Returns the exit code.
  int Finish() {
    if (request_.compare) WriteComparison();
    WarnOfOverflow();
    if (!recording_) return kExitOk;
    const Result<std::vector<Plot>> plots = MakePlots();
    const Result<Done> written =
        plots ? WriteFile(request_.plot, DrawPlots(plots.value())) : plots.error();
    if (written) return kExitOk;
    console_.err.Write("sluice simulate: --plot: " + written.error().message + "\n");
    return kExitFailed;
  }

 private:
  static Error AtLine(const LineSource& lines, const Error& error) {
    return Error{"line " + std::to_string(lines.number()) + ": " + error.message};
  }

  Result<Done> Take(const Step& step) {
    for (Course& course : request_.courses) {
      const Result<Reply> reply = course.replay->Apply(step);
      if (!reply) {
        return request_.compare ? Error{course.limit.title + ": " + reply.error().message}
                                : reply.error();
      }
      if (request_.compare) {
        course.tally.Add(step, reply.value());
      } else {
        reply_text_.clear();
        AppendReply(reply.value(), reply_text_);
        console_.out.Write(reply_text_);
      }
      if (!recording_) continue;
      course.recorder.Add(step, reply.value());
      if (&course == &request_.courses.front()) steps_.Add(step, reply.value().t);
    }
    return Done{};
  }

  // Plots the same key under every limit, so that the limits can be compared.
  Result<std::vector<Plot>> MakePlots() {
    RefusalCounts refused;
    for (const Course& course : request_.courses) {
      for (const auto& [key, count] : course.recorder.refused()) refused[key] += count;
    }
    const std::string key = request_.key.value_or(MostRefusedKey(refused, steps_));
    if (request_.key && !steps_.Has(key)) return Error{"no step has the key " + Quoted(key)};
    std::vector<Plot> plots;
    for (Course& course : request_.courses) {
      const WrittenLimit& limit = course.limit;
      Result<Plot> plot = course.recorder.Finish(limit.spec, limit.title, steps_, key);
      if (!plot) return plot.error();
      plots.push_back(std::move(plot).value());
    }
    return plots;
  }

  void WriteComparison() {
    std::vector<ComparedLimit> rows;
    for (Course& course : request_.courses) {
      rows.push_back({course.limit.title, course.limit.text, std::move(course.tally)});
    }
    console_.out.Write(request_.as_json ? CompareJson(rows)
                                        : CompareTable(rows, console_.out.ink()));
  }

  void WarnOfOverflow() {
    for (const Course& course : request_.courses) {
      if (!course.replay->overflowed()) continue;
      console_.err.Write("sluice simulate: " + course.limit.title +
                         ": warning: more keys than fit in memory; some of them shared their "
                         "units and may have been refused too early\n");
    }
  }

  Request request_;
  Console& console_;
  bool recording_;
  PlotSteps steps_;  // recorded for the plot
  std::string reply_text_;
};

int Fail(Console& console, const std::string& message, int code) {
  // Replies that precede the error are written before it.
  console.out.Flush();
  console.err.Write("sluice simulate: " + message + "\n");
  return code;
}

int RunOn(Request request, Console& console) {
  const std::string trace = request.trace;
  Simulation simulation(std::move(request), console);
  Result<Done> read = Done{};
  if (trace.empty()) {
    read = simulation.Read(console.input);
  } else {
    const OpenFile file(trace);
    if (!file.ok()) {
      return Fail(console, "--trace: cannot open " + Quoted(trace) + ": " + file.failure(),
                  kExitBadInput);
    }
    read = simulation.Read(file.descriptor());
  }
  if (!read) return Fail(console, read.error().message, kExitBadInput);
  return simulation.Finish();
}

}  // namespace

int RunSimulate(std::span<const std::string_view> args, Console& console) {
  const Result<GivenFlags> given = ReadFlags(kFlags, args);
  if (!given) {
    return Fail(console, given.error().message + "\nRun 'sluice simulate --help' to learn more.",
                kExitBadInput);
  }
  if (given.value().Has("--help")) {
    console.out.Write(SimulateHelp());
    return kExitOk;
  }
  Result<Request> request = ReadRequest(given.value());
  if (!request) return Fail(console, request.error().message, kExitBadInput);
  return RunOn(std::move(request).value(), console);
}

}  // namespace sluice::cli
