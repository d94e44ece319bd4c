#include "frontend/http/check_request.h"

#include <array>
#include <cstddef>
#include <optional>

#include "base/decimal.h"
#include "base/spelling.h"
#include "base/text.h"
#include "core/limit/rate.h"

namespace sluice {
namespace {

constexpr std::string_view kDomain = "domain";
constexpr std::string_view kAttributes = "attributes";
constexpr std::string_view kCost = "cost";
constexpr std::string_view kChecks = "checks";

// The fields of one check, and last the field that is allowed only at the top.
constexpr std::array kFields = {kDomain, kAttributes, kCost, kChecks};
constexpr std::span kFieldsOfItems = std::span(kFields).first<3>();

bool IsCheckField(std::string_view field) {
  return field == kDomain || field == kAttributes || field == kCost;
}

std::string UnknownField(std::string_view field, std::span<const std::string_view> known) {
  return Concat("unknown field ", Quoted(field), Suggestion(field, known));
}

void BeginCheck(LimiterChecks& all) {
  LimiterCheck& check = all.checks.emplace_back();
  check.first = static_cast<std::uint32_t>(all.attributes.size());
}

}  // namespace

bool CheckRequestReader::Read(std::string_view body, CheckRequest& request) {
  request.form = CheckRequest::Form::kOne;
  request.all.checks.clear();
  request.all.attributes.clear();
  json_.Begin(body);
  return ReadWhole(request) && json_.ReadEnd();
}

bool CheckRequestReader::ReadWhole(CheckRequest& request) {
  LimiterChecks& all = request.all;
  if (!json_.OpenMap()) return false;
  while (const std::optional<std::string_view> field = json_.NextKey()) {
    if (!ReadTopField(*field, request)) return false;
  }
  if (!json_.ok()) return false;
  if (request.form == CheckRequest::Form::kList) return true;
  return all.checks.empty() ? json_.FailMissing(kDomain) : EndCheck(all.checks.back());
}

bool CheckRequestReader::ReadTopField(std::string_view field, CheckRequest& request) {
  LimiterChecks& all = request.all;
  const bool is_list = field == kChecks;
  if (!is_list && !IsCheckField(field)) return json_.Fail(UnknownField(field, kFields));
  const bool has_check = !all.checks.empty();
  if (request.form == CheckRequest::Form::kList || (is_list && has_check)) {
    return json_.Fail("'checks' stands alone; what a check has goes into the list");
  }
  if (is_list) {
    request.form = CheckRequest::Form::kList;
    return ReadList(all);
  }
  if (!has_check) BeginCheck(all);
  return ReadField(field, all);
}

bool CheckRequestReader::ReadList(LimiterChecks& all) {
  if (!json_.OpenList()) return false;
  while (json_.NextItem()) {
    if (all.checks.size() == bounds_.max_checks) {
      return json_.Fail(Concat("more than ", bounds_.max_checks, " checks"));
    }
    if (!ReadItem(all)) return false;
  }
  return json_.ok();
}

bool CheckRequestReader::ReadItem(LimiterChecks& all) {
  if (!json_.OpenMap()) return false;
  BeginCheck(all);
  while (const std::optional<std::string_view> field = json_.NextKey()) {
    if (!IsCheckField(*field)) return json_.Fail(UnknownField(*field, kFieldsOfItems));
    if (!ReadField(*field, all)) return false;
  }
  return json_.ok() && EndCheck(all.checks.back());
}

bool CheckRequestReader::ReadField(std::string_view field, LimiterChecks& all) {
  LimiterCheck& check = all.checks.back();
  if (field == kAttributes) return ReadAttributes(all);
  if (field == kCost) {
    const std::optional<std::int64_t> cost = json_.ReadWhole(kMaxUnits);
    if (cost) check.cost = Cost{*cost};
    return cost.has_value();
  }
  const std::optional<std::string_view> domain = json_.ReadString();
  if (!domain) return false;
  if (domain->empty()) return json_.Fail("expected the name of a domain, found ''");
  check.domain = *domain;
  return true;
}

bool CheckRequestReader::ReadAttributes(LimiterChecks& all) {
  if (!json_.OpenMap()) return false;
  std::size_t names = 0;  // including attributes that are null
  while (const std::optional<std::string_view> name = json_.NextKey()) {
    if (++names > bounds_.max_attributes) {
      return json_.Fail(Concat("more than ", bounds_.max_attributes, " attributes"));
    }
    if (name->empty()) return json_.Fail("expected the name of an attribute, found ''");
    if (!ReadAttribute(*name, all)) return false;
  }
  return json_.ok();
}

bool CheckRequestReader::ReadAttribute(std::string_view name, LimiterChecks& all) {
  const std::optional<JsonKind> kind = json_.Peek();
  if (!kind) return false;
  std::optional<std::string_view> value;
  switch (*kind) {
    case JsonKind::kString:
      value = json_.ReadString();
      break;
    case JsonKind::kNumber:
      value = json_.ReadInteger();
      break;
    case JsonKind::kBoolean:
      if (const std::optional<bool> read = json_.ReadBoolean()) value = *read ? "true" : "false";
      break;
    case JsonKind::kNull:
      return json_.ReadNull();
    case JsonKind::kList:
    case JsonKind::kMap:
      return json_.Fail("expected a string, a whole number, a boolean or null");
  }
  if (!value) return false;
  all.attributes.push_back({name, *value});
  ++all.checks.back().count;
  return true;
}

bool CheckRequestReader::EndCheck(const LimiterCheck& check) {
  return !check.domain.empty() || json_.FailMissing(kDomain);
}

}  // namespace sluice
