#include "rules/diff/rule_change.h"

#include "base/text.h"

namespace sluice {
namespace {

std::string_view SentenceFor(StateEffect effect) {
  switch (effect) {
    case StateEffect::kNone:
      return "";
    case StateEffect::kStay:
      return "; states stay";
    case StateEffect::kCarryOver:
      return "; used units carry over";
    case StateEffect::kBookedStays:
      return "; what is booked stays booked";
    case StateEffect::kPermitsStay:
      return "; permits stay held";
    case StateEffect::kPartly:
      return "; used units carry over where the key stays";
    case StateEffect::kByValue:
      return "; a key goes on with the state its values had before";
    case StateEffect::kAfresh:
      return "; states start afresh";
    case StateEffect::kUnused:
      return "; its states are no longer used";
  }
  return "";
}

}  // namespace

std::string Describe(const RuleChange& change) {
  return Concat(Printable(change.domain), ": ", change.sentence, SentenceFor(change.effect));
}

void SubjectChanges::Changed(std::string_view words, StateEffect effect) {
  Add(ChangeKind::kChanged, Concat(": ", words), effect);
}

void SubjectChanges::Moved(std::string_view words) {
  Add(ChangeKind::kMoved, Concat(" ", words), StateEffect::kNone);
}

void SubjectChanges::Add(ChangeKind kind, std::string_view words, StateEffect effect) {
  changes_.push_back({.domain = subject_.domain,
                      .subject = subject_.subject,
                      .name = subject_.name,
                      .kind = kind,
                      .sentence = Concat(subject_.label, words),
                      .effect = effect});
}

}  // namespace sluice
