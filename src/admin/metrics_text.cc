#include "admin/metrics_text.h"

#include "core/text.h"

namespace sluice {
namespace {

void AppendEscaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

}  // namespace

void MetricsText::Begin(std::string_view name, MetricKind kind, std::string_view help) {
  name_ = name;
  out_ += Concat("# HELP ", name, " ", help, "\n# TYPE ", name,
                 kind == MetricKind::kCounter ? " counter\n" : " gauge\n");
}

void MetricsText::Sample(std::initializer_list<Label> labels, std::int64_t value) {
  out_ += name_;
  char before = '{';
  for (const auto& [label, text] : labels) {
    out_ += before;
    out_.append(label).append("=\"");
    AppendEscaped(text, out_);
    out_ += '"';
    before = ',';
  }
  if (before == ',') out_ += '}';
  out_ += Concat(" ", value, "\n");
}

}  // namespace sluice
