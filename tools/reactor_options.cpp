// Flags of the reactor and its sockets, the same for every tool that runs loops.
#include "reactor_options.h"

#include <fmt/format.h>

#include <bit>

#include "base/units.h"
#include "printing.h"

namespace wiremark::tools {

namespace {

Result<int> parse_socket_buffer(const std::string& text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (*size == 0 || *size > 1 << 30)
    return failed("'" + text + "' is not a size from 1 to 1024M", {}, 0);
  return static_cast<int>(*size);
}

Result<unsigned> parse_buffers(const std::string& text) {
  const auto count = parse_whole(text, 1);
  if (!count) return count;
  if (!std::has_single_bit(*count) || *count > 32'768) {
    return failed("'" + text + "' is not a power of two from 1 to 32768", {}, 0);
  }
  return count;
}

Result<std::size_t> parse_read_size(const std::string& text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (*size < 64 || *size > 16 << 20)
    return failed("'" + text + "' is not a size from 64 to 16M", {}, 0);
  return static_cast<std::size_t>(*size);
}

Result<bool> parse_offload(const std::string& text) {
  if (text == "auto" || text == "off") return text == "auto";
  return failed("'" + text + "' is not auto or off", {}, 0);
}

}  // namespace

void add(CommandLine& line, BackendOptions& options) {
  const auto socket_buffer = [](const std::string& text) { return parse_socket_buffer(text); };
  line.add(
      "-b,--backend", options.backend, "NAME",
      [](const std::string& text) { return net::parse_backend(text); },
      "auto, epoll, uring or xdp; auto prefers io_uring and says when it cannot; xdp is AF_XDP, "
      "for udp: addresses beyond loopback (auto)");
  line.add(
      "--wait", options.reactor.wait, "HOW",
      [](const std::string& text) { return net::WaitPolicy::parse(text); },
      "block, spin, adaptive[:TIME] or batch[:TIME]: sleep for the next event, never sleep, spin "
      "up to TIME (50us) while it pays, or let events gather for TIME (1ms) (block)");
  line.add(
      "--buffers", options.reactor.buffers, "N",
      [](const std::string& text) { return parse_buffers(text); },
      "uring: receive buffers at most, a power of two (1024)");
  line.add(
      "--buffer-size", options.reactor.buffer_size, "SIZE",
      [](const std::string& text) { return parse_read_size(text); },
      "uring: bytes of one receive buffer (32k)");
  line.add(
      "--read-size", options.reactor.read_size, "SIZE",
      [](const std::string& text) { return parse_read_size(text); },
      "epoll: bytes asked of one read; behind a full one 8 times as many, to 512k (64k)");
  line.add(
      "--uring", options.reactor.uring, "KEYS",
      [](const std::string& text) { return net::UringOptions::parse(text); },
      "uring: direct, bundle, nominwait, sqpoll[=TIME], napi[=TIME], zc[=SIZE], with commas; what "
      "each did is in the result (none)");
  line.add(
      "--udp-offload", options.reactor.udp_offload, "HOW",
      [](const std::string& text) { return parse_offload(text); },
      "udp: auto or off: datagrams of one peer that wait together pass the kernel together, GSO "
      "and GRO, a few only while that is no slower; the result says how many did (auto)");
  line.add_flag("--realtime", options.realtime,
                "Loops run before all ordinary threads: SCHED_FIFO, which needs CAP_SYS_NICE or "
                "'ulimit -r' (off)");
  line.add(
      "--xdp", options.reactor.xdp, "MODE",
      [](const std::string& text) { return net::parse_xdp_mode(text); },
      "xdp: auto, native or generic: where the kernel runs its program, in the driver or behind it "
      "(auto)");
  line.add("--sndbuf", options.socket.send_buffer, "SIZE", socket_buffer,
           "SO_SNDBUF of each socket (kernel's choice)");
  line.add("--rcvbuf", options.socket.receive_buffer, "SIZE", socket_buffer,
           "SO_RCVBUF of each socket (kernel's choice)");
  line.check([&options]() -> Result<> {
    if (options.backend != net::Backend::xdp && options.reactor.xdp != net::XdpMode::automatic)
      return failed("--xdp: is for --backend xdp", {}, 0);
    if (options.backend == net::Backend::xdp && options.reactor.uring.any())
      return failed("--uring: is for io_uring, and --backend is xdp", {}, 0);
    if (options.backend == net::Backend::epoll && options.reactor.uring.any())
      return failed("--uring: is for io_uring, and --backend is epoll", {}, 0);
    if (options.realtime && options.reactor.wait.mode == net::WaitPolicy::Mode::spin)
      return failed(
          "--realtime: a loop that never sleeps, as with --wait spin, would leave its processor to "
          "nobody",
          {}, 0);
    return {};
  });
}

Result<net::Backend> usable_backend(const std::string& tool, const BackendOptions& options,
                                    bool quiet) {
  const auto choice = net::choose_backend(options.backend);
  if (!choice) return std::unexpected(choice.error());
  if (!choice->note.empty() && !quiet) print_err("{}: {}\n", tool, choice->note);
  return choice->backend;
}

}  // namespace wiremark::tools
