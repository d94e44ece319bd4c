#include "cli/check/check_answer.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "console/duration_text.h"
#include "console/json_text.h"
#include "console/table.h"

namespace sluice::cli {
namespace {

std::string Headline(const CheckQuestion& question, const CheckAnswer& answer) {
  const std::string domain = Concat("domain ", Quoted(question.domain), ": ");
  if (LiftsLimits(question.call)) {
    const std::string_view done = question.call == CheckCall::kReset ? "reset" : "refunded";
    if (HasLimit(answer)) return Concat(domain, done);
    return Concat(domain, "no limit applies to these attributes; nothing was ", done);
  }
  if (answer.allowed) {
    return Concat(domain, "allowed",
                  answer.wait > Nanos{0} ? Concat(" after ", DurationText(answer.wait)) : "",
                  HasLimit(answer) ? "" : "; no limit applied");
  }
  if (!answer.retry_after) return Concat(domain, "refused");
  return Concat(domain, "refused; ",
                *answer.retry_after == kNever
                    ? "waiting does not help"
                    : Concat("would pass in ", DurationText(*answer.retry_after)));
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

std::string LengthText(const std::optional<Nanos>& length) {
  if (!length) return "-";
  return *length == kNever ? "never" : DurationText(*length);
}

std::string LeftText(const AnsweredLimit& limit) {
  if (!limit.remaining) return "-";
  return limit.units ? Concat(*limit.remaining, " of ", *limit.units)
                     : std::to_string(*limit.remaining);
}

std::string MillisJson(const std::optional<Nanos>& length) {
  if (!length) return "null";
  if (*length == kNever) return "\"never\"";
  return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(*length).count());
}

std::string NumberJson(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "null";
}

std::string TextJson(const std::string& text) { return text.empty() ? "null" : JsonString(text); }

std::string_view WordFor(bool value) { return value ? "true" : "false"; }

std::string LimitJson(const AnsweredLimit& limit) {
  return Concat(R"({"rule":)", TextJson(limit.rule), R"(,"name":)", TextJson(limit.limit),
                R"(,"mode":)", TextJson(limit.mode), R"(,"allowed":)", WordFor(limit.allowed),
                R"(,"limit":)", NumberJson(limit.units), R"(,"remaining":)",
                NumberJson(limit.remaining), R"(,"retry_after_ms":)", MillisJson(limit.retry_after),
                R"(,"reset_after_ms":)", MillisJson(limit.reset_after), "}");
}

}  // namespace

std::string_view NameOf(CheckCall call) {
  switch (call) {
    case CheckCall::kCheck:
      break;
    case CheckCall::kPeek:
      return "peek";
    case CheckCall::kRefund:
      return "refund";
    case CheckCall::kReset:
      return "reset";
  }
  return "check";
}

bool HasLimit(const CheckAnswer& answer) {
  return std::ranges::any_of(answer.limits, [](const AnsweredLimit& limit) {
    return !limit.rule.empty() || !limit.limit.empty() || limit.units.has_value();
  });
}

std::string CheckText(const CheckQuestion& question, const CheckAnswer& answer, ColorMode ink) {
  using enum Table::Align;
  const Emphasis emphasis = answer.allowed ? Emphasis::kGreen : Emphasis::kRed;
  std::string text = Emphasized(ink, emphasis, Headline(question, answer)) + "\n";
  if (!answer.words.empty()) text += Concat(Printable(answer.words), "\n");
  if (!HasLimit(answer)) return text;
  Table table({{"rule"},
               {"limit"},
               {"mode"},
               {"answer"},
               {"left", kRight},
               {"retry after", kRight},
               {"reset after", kRight}});
  for (const AnsweredLimit& limit : answer.limits) {
    table.Add({OrDash(limit.rule), OrDash(limit.limit), OrDash(limit.mode),
               limit.allowed ? "allowed" : "refused", LeftText(limit),
               LengthText(limit.retry_after), LengthText(limit.reset_after)});
  }
  return Concat(text, "\n", table.ToText(ink));
}

std::string CheckJson(const CheckQuestion& question, const CheckAnswer& answer) {
  std::string limits;
  for (const AnsweredLimit& limit : answer.limits) {
    limits += Concat(limits.empty() ? "" : ",", LimitJson(limit));
  }
  return Concat(R"({"server":)", JsonString(question.server), R"(,"protocol":)",
                JsonString(question.protocol), R"(,"domain":)", JsonString(question.domain),
                R"(,"allowed":)", WordFor(answer.allowed), R"(,"retry_after_ms":)",
                MillisJson(answer.retry_after), R"(,"wait_ms":)", MillisJson(answer.wait),
                R"(,"detail":)", TextJson(answer.words), R"(,"decisions":[)", limits, "]}\n");
}

}  // namespace sluice::cli
