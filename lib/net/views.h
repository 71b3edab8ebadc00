// What a handler sees of a backend: the endpoints it can serve, and no others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/concepts.h"

namespace wiremark::net {

/// The loop, its clock and its counts. A view is one reference and forwards; it lives as long as
/// the backend that it is made of.
template <class Backend>
class ReactorView {
 public:
  explicit ReactorView(Backend& backend) noexcept : backend_(backend) {}
  ReactorView(const ReactorView&) = delete;
  ReactorView& operator=(const ReactorView&) = delete;

  static constexpr std::string_view name() noexcept { return Backend::kName; }
  Nanoseconds now() const noexcept { return backend_.now(); }
  Nanoseconds woke() const noexcept { return backend_.woke(); }
  Nanoseconds heard() const noexcept { return backend_.heard(); }
  Gap gap() const noexcept { return backend_.gap(); }
  Nanoseconds taken_until() const noexcept { return backend_.taken_until(); }
  Nanoseconds received() const noexcept { return backend_.received(); }
  const ReactorStats& stats() const noexcept { return backend_.stats(); }
  std::size_t connections() const noexcept { return backend_.connections(); }
  std::vector<std::string> describe() const { return backend_.describe(); }

 protected:
  Backend& backend_;
};

/// What StreamsOf and ServerOf share; they differ in run().
template <class Backend>
class StreamsView : public ReactorView<Backend> {
 public:
  using ReactorView<Backend>::ReactorView;

  Result<Address> listen(const Address& at, const ListenOptions& options) {
    return backend_.listen(at, options);
  }
  Result<Conn*> connect(const Address& to, const ConnectOptions& options, void* user) {
    return backend_.connect(to, options, user);
  }
  void flush(Conn& conn) { backend_.flush(conn); }
  Handed handed(const Conn& conn) const { return backend_.handed(conn); }
  std::size_t unacknowledged(const Conn& conn) const { return backend_.unacknowledged(conn); }
  void close(Conn& conn, int error = 0) { backend_.close(conn, error); }
  void resume(Conn& conn) { backend_.resume(conn); }
  Fd release(Conn& conn) { return backend_.release(conn); }
  template <class F>
  void for_each(F&& visit) {
    backend_.for_each(visit);
  }

 protected:
  using ReactorView<Backend>::backend_;
};

/// Stream connections.
template <class Backend>
class StreamsOf : public StreamsView<Backend> {
 public:
  using StreamsView<Backend>::StreamsView;

  template <StreamHandler H>
  Result<> run(H& handler, const Stop& stop) {
    return this->backend_.run(handler, stop);
  }
};

/// Stream connections, and bound UDP sockets: a handler answers both.
template <class Backend>
class ServerOf : public StreamsView<Backend> {
 public:
  using StreamsView<Backend>::StreamsView;

  Result<Address> bind(const Address& at, const ListenOptions& options) {
    return this->backend_.bind(at, options);
  }
  std::uint64_t datagrams_dropped() const { return this->backend_.datagrams_dropped(); }

  template <class H>
    requires StreamHandler<H> && DatagramServer<H>
  Result<> run(H& handler, const Stop& stop) {
    return this->backend_.run(handler, stop);
  }
};

/// Datagrams over connected sockets.
template <class Backend>
class DatagramsOf : public ReactorView<Backend> {
 public:
  using ReactorView<Backend>::ReactorView;

  Result<DatagramConn*> connect(const Address& to, const ConnectOptions& options, void* user) {
    return backend_.connect_datagrams(to, options, user);
  }
  int send(DatagramConn& conn, Bytes head, Bytes body) { return backend_.send(conn, head, body); }
  std::uint64_t datagrams_dropped() const { return backend_.datagrams_dropped(); }
  template <class F>
  void for_each(F&& visit) {
    backend_.for_each_datagram_conn(visit);
  }

  template <DatagramClient H>
  Result<> run(H& handler, const Stop& stop) {
    return backend_.run(handler, stop);
  }

 private:
  using ReactorView<Backend>::backend_;
};

}  // namespace wiremark::net
