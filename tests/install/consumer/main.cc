// A program outside the project: two of 2/m pass, the third is refused.
#include "sluice/limiter.h"

int main() {
  auto limiter = sluice::Limiter::Create({});
  if (!limiter.ok()) return 1;
  auto posts = limiter.value()->Add("posts", "2/m");
  if (!posts.ok()) return 2;
  const sluice::Charge charge{posts.value(), "user 42"};
  const bool first = limiter.value()->Check(charge).allowed;
  const bool second = limiter.value()->Check(charge).allowed;
  const bool third = limiter.value()->Check(charge).allowed;
  return first && second && !third ? 0 : 3;
}
