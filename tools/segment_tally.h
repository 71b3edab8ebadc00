// The TCP segments of one thread's connections: counted by that thread, read by the control thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "net/concepts.h"
#include "net/datagram.h"
#include "net/socket.h"
#include "report/result.h"

namespace wiremark::tools {

/// The kernel is asked when a connection closes, and for all that live at the moments agreed on: at
/// the start and the end of what is measured, and before each live line. Nothing is asked between.
/// Written by one worker, whose turns call turn(); the rest is for the control thread.
class SegmentTally {
 public:
  /// Lets the worker count at `first` and then every `step`, 0 for once, and besides at `end`.
  /// Called before the worker starts or while it is known to take turns, since nothing wakes it.
  void schedule(Nanoseconds first, Nanoseconds step, Nanoseconds end) noexcept;

  /// How many of those moments have been counted.
  std::uint64_t rounds() const noexcept { return rounds_.load(std::memory_order_acquire); }

  /// Adds what was counted last; false when it was nothing but sockets that are not TCP.
  bool add_to(report::Packets& packets) const noexcept { return add(packets, last_); }
  /// Adds what was counted at the first moment of schedule(), however much has been counted since.
  bool add_first_to(report::Packets& packets) const noexcept { return add(packets, first_); }
  /// Adds what was counted at the end of schedule(), or last where that never came.
  bool add_end_to(report::Packets& packets) const noexcept {
    return add(packets, has_end_.load(std::memory_order_acquire) ? end_ : last_);
  }

  /// For the worker: a connection is about to close.
  void closed(int fd) noexcept { note(fd, closed_); }

  /// For the worker: counts when it is time; returns when it is next. The owner, a reactor or what
  /// else has a for_each, shows what lives and has an fd.
  template <class Owner>
  Nanoseconds turn(Nanoseconds now, Owner& owner) {
    const Nanoseconds due = due_.load(std::memory_order_acquire);
    if (now < due) [[likely]]
      return due;
    return count_due(now, owner);
  }

  /// For the worker: counts now, at its end or for as many moments as have `passed`.
  template <class Owner>
  void count(Owner& owner, std::uint64_t passed = 1, bool first = false) {
    const net::Segments all = counted(owner);
    if (first) keep(all, first_);
    keep(all, last_);
    rounds_.fetch_add(passed, std::memory_order_release);
  }

 private:
  template <class Owner>
  [[gnu::noinline]] Nanoseconds count_due(Nanoseconds now, Owner& owner) {
    if (now >= end_at_.load(std::memory_order_relaxed)) {
      end_at_.store(kNever, std::memory_order_relaxed);
      keep(counted(owner), end_);
      has_end_.store(true, std::memory_order_release);
    }
    const Nanoseconds next = round(now, owner);
    const Nanoseconds soonest = std::min(next, end_at_.load(std::memory_order_relaxed));
    due_.store(soonest, std::memory_order_relaxed);
    return soonest;
  }

  // Counts what is due of first and step; returns when they are due next.
  template <class Owner>
  Nanoseconds round(Nanoseconds now, Owner& owner) {
    const Nanoseconds due = round_at_.load(std::memory_order_relaxed);
    if (now < due) return due;
    const Nanoseconds step = step_.load(std::memory_order_relaxed);
    const Nanoseconds passed = step > 0 ? (now - due) / step + 1 : 1;
    const Nanoseconds next = step > 0 ? due + step * passed : kNever;
    round_at_.store(next, std::memory_order_relaxed);
    count(owner, static_cast<std::uint64_t>(passed), is_first_.exchange(false));
    return next;
  }

  template <class Owner>
  net::Segments counted(Owner& owner) {
    net::Segments all = closed_;
    owner.for_each([&](const auto& one) { note(one.fd, all); });
    return all;
  }

  void note(int fd, net::Segments& sum) noexcept;
  struct Kept {
    std::atomic<std::uint64_t> in{0}, out{0}, data_in{0}, data_out{0};
    std::atomic<bool> known{true};
  };

  void keep(const net::Segments& all, Kept& kept) const noexcept;
  static bool add(report::Packets& packets, const Kept& kept) noexcept;

  net::Segments closed_;
  bool tcp_ = false;
  bool other_ = false;

  std::atomic<Nanoseconds> due_{kNever};  // The sooner of the next two.
  std::atomic<Nanoseconds> round_at_{kNever};
  std::atomic<Nanoseconds> end_at_{kNever};
  std::atomic<Nanoseconds> step_{0};
  std::atomic<std::uint64_t> rounds_{0};
  std::atomic<bool> is_first_{true};  // The next count is that of schedule().
  Kept first_;
  Kept last_;
  Kept end_;
  std::atomic<bool> has_end_{false};
};

/// A handler that counts the segments of the connections of another.
template <net::Reactor Reactor, net::Handler H>
class SegmentCounting {
 public:
  SegmentCounting(Reactor& reactor, H& handler, SegmentTally& tally)
      : reactor_(reactor), handler_(handler), tally_(tally) {}

  void on_open(net::Conn& conn)
    requires net::StreamHandler<H>
  {
    handler_.on_open(conn);
  }
  std::size_t on_data(net::Conn& conn, Bytes bytes)
    requires net::StreamHandler<H>
  {
    return handler_.on_data(conn, bytes);
  }
  void on_moved(net::Conn& conn, std::size_t size)
    requires net::EchoHandler<H>
  {
    handler_.on_moved(conn, size);
  }
  void on_close(net::Conn& conn, int error)
    requires net::StreamHandler<H>
  {
    tally_.closed(conn.fd);
    handler_.on_close(conn, error);
  }
  std::optional<Bytes> on_datagram(Bytes bytes)
    requires net::DatagramServer<H>
  {
    return handler_.on_datagram(bytes);
  }
  void on_datagram(net::DatagramConn& conn, Bytes bytes)
    requires net::DatagramClient<H>
  {
    handler_.on_datagram(conn, bytes);
  }
  void on_datagram_error(net::DatagramConn& conn, int error)
    requires net::DatagramClient<H>
  {
    handler_.on_datagram_error(conn, error);
  }
  Nanoseconds on_turn(Nanoseconds now) {
    const Nanoseconds next = handler_.on_turn(now);
    return std::min(next, tally_.turn(now, reactor_));
  }

 private:
  Reactor& reactor_;
  H& handler_;
  SegmentTally& tally_;
};

/// The tallies of all threads of a tool.
class SegmentTallies {
 public:
  explicit SegmentTallies(std::size_t threads);

  SegmentTally& operator[](std::size_t thread) { return *tallies_[thread]; }

  void schedule(Nanoseconds first, Nanoseconds step, Nanoseconds end = kNever) noexcept;

  /// Waits until every thread has counted once more than at the last call, up to 100 ms: a thread
  /// may be busy. What it had counted before stands in the sum then.
  void await_round() noexcept;

  /// What was counted last; none where no socket is TCP.
  std::optional<report::Packets> packets() const noexcept;
  /// What was counted at the first moment of schedule(): a short run may be over when it is asked.
  std::optional<report::Packets> first_packets() const noexcept;
  /// What was counted at the end of schedule(), or last where that never came.
  std::optional<report::Packets> end_packets() const noexcept;

 private:
  using Add = bool (SegmentTally::*)(report::Packets&) const noexcept;

  std::optional<report::Packets> sum(Add add) const noexcept;

  std::vector<std::unique_ptr<SegmentTally>> tallies_;
  std::uint64_t rounds_ = 0;
};

}  // namespace wiremark::tools
