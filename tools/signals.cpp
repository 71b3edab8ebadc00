// Signals of a run: INT, TERM and HUP ask for the stop, a second INT or TERM ends at once.
#include "signals.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "options.h"

namespace wiremark::tools {

namespace {

std::atomic<net::Stop*> stop_of_process{nullptr};
std::atomic<bool> interrupted_by_signal{false};
std::atomic<bool> told_to_end{false};
std::atomic<bool> snapshot_requested{false};

// A terminal that closes causes two: one from its shell, one from the kernel when the shell ends.
void on_hangup(int) {
  interrupted_by_signal.store(true);
  if (net::Stop* stop = stop_of_process.load()) stop->request();
}

void on_end(int signal) {
  if (told_to_end.exchange(true)) ::_exit(kInterrupted);
  on_hangup(signal);
}

void on_snapshot(int) { snapshot_requested.store(true); }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

bool ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals(net::Stop& stop) {
  stop_of_process.store(&stop);
  handle(SIGINT, on_end);
  handle(SIGTERM, on_end);
  if (!ignored(SIGHUP)) handle(SIGHUP, on_hangup);  // nohup(1) ignores it.
  handle(SIGUSR1, on_snapshot);
  handle(SIGPIPE, SIG_IGN);
  // Only unblocked within sleep_until(): one that comes between two sleeps ends the next.
  sigset_t snapshot;
  sigemptyset(&snapshot);
  sigaddset(&snapshot, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &snapshot, nullptr);
}

Signals::~Signals() { stop_of_process.store(nullptr); }

bool Signals::interrupted() const noexcept { return interrupted_by_signal.load(); }

bool Signals::take_snapshot_request() noexcept { return snapshot_requested.exchange(false); }

void sleep_until(const net::Stop& stop, const net::Stop& other, Nanoseconds deadline) {
  const Nanoseconds now = now_ns();
  if (deadline <= now || stop.requested() || other.requested()) return;
  pollfd watched[] = {{.fd = stop.fd(), .events = POLLIN, .revents = 0},
                      {.fd = other.fd(), .events = POLLIN, .revents = 0}};
  const timespec timeout = to_timespec(deadline - now);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  sigdelset(&mask, SIGUSR1);
  ::ppoll(watched, std::size(watched), deadline == kNever ? nullptr : &timeout, &mask);
}

}  // namespace wiremark::tools
