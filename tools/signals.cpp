// Signals of a run: the first INT or TERM asks for the stop, the second ends the process at once.
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
std::atomic<bool> snapshot_requested{false};

void on_end(int) {
  if (interrupted_by_signal.exchange(true)) ::_exit(kInterrupted);
  stop_of_process.load()->request();
}

void on_snapshot(int) { snapshot_requested.store(true); }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Signals::Signals(net::Stop& stop) {
  stop_of_process.store(&stop);
  handle(SIGINT, on_end);
  handle(SIGTERM, on_end);
  handle(SIGUSR1, on_snapshot);
  handle(SIGPIPE, SIG_IGN);
  // Let in by sleep_until() alone: one that comes between two sleeps ends the next.
  sigset_t snapshot;
  sigemptyset(&snapshot);
  sigaddset(&snapshot, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &snapshot, nullptr);
}

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
