#include "server/signals.h"

#include <chrono>
#include <csignal>

namespace sluice::cli {
namespace {

sigset_t Ours() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

Signals::Signals() {
  const sigset_t set = Ours();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Signals::~Signals() {
  const sigset_t set = Ours();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

Asked Signals::WaitFor(Nanos length) {
  const sigset_t set = Ours();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
  const timespec timeout{seconds.count(), (length - seconds).count()};
  switch (sigtimedwait(&set, nullptr, &timeout)) {
    case SIGHUP:
      return Asked::kReload;
    case SIGTERM:
    case SIGINT:
      return Asked::kEnd;
    default:
      return Asked::kNothing;
  }
}

}  // namespace sluice::cli
