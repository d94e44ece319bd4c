#include "cli/rules/explained_request.h"

#include <utility>

#include "gate/gate_session.h"
#include "gate/headers.h"
#include "simulate/replay.h"
#include "store/memory_store.h"

namespace sluice::cli {

Result<ExplainedRequest> ExplainRequest(std::shared_ptr<const RuleSet> rules,
                                        const ExplainQuestion& question, Time now) {
  // The seed is fixed, so that the same question always gets the same answer. It need not be
  // secret.
  Result<std::unique_ptr<MemoryStore>> store = MemoryStore::Create({});
  if (!store) return store.error();
  StepClock clock;
  clock.Set(now);
  Gate gate(*store.value(), clock);
  gate.ReportGrowth(SaysGrowth(question.profile));
  const Result<Done> used = gate.Use(rules);
  if (!used) return used.error();

  ExplainedRequest answer;
  answer.domain = rules->Find(question.domain);
  answer.rules = std::move(rules);
  answer.question = question;
  // Entries of a descriptor may repeat a key.
  const bool has_entries = !answer.domain->spec().descriptors.empty();
  const Repeats repeats = has_entries ? Repeats::kFirstCounts : Repeats::kRefused;
  answer.why = Explain(*answer.domain, {question.attributes, question.strict_path, repeats});
  const AttributeSet set{.attributes = question.attributes,
                         .cost = question.cost,
                         .strict_path = question.strict_path,
                         .repeats = repeats};
  GateSession session(gate);
  session.Enforce(GateSession::ShareKeys::kAll);
  session.Decide({question.domain, {&set, 1}}, answer.verdict);
  WriteHeaders({.profile = question.profile}, answer.verdict, answer.headers);
  return answer;
}

}  // namespace sluice::cli
