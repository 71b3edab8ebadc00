// Echo server that notes when every connection and every message came: the schedule of a load
// generator, as its server sees it.
#include <charconv>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "peers/solo_server.h"

using namespace wiremark;

namespace {

constexpr const char* kUsage =
    "witness --port-file FILE --size BYTES --log FILE [--listen ADDRESS] "
    "[--backend auto|epoll|uring] [--answer echo|sockperf]";
// Two million are 20 s of 100,000 a second: none is moved while it is being measured.
constexpr std::size_t kArrivalsExpected = 2'000'000;

// As it is written to the log.
struct Arrival {
  Nanoseconds at;
  std::uint32_t connection;
  std::uint32_t messages;  // That came at once.
};

class Witness {
 public:
  Witness(std::size_t size, bool sockperf) : size_(size), sockperf_(sockperf) {
    arrivals_.reserve(kArrivalsExpected);
  }

  void on_open(net::Conn& conn) {
    conn.user = reinterpret_cast<void*>(opened_.size());
    opened_.push_back(now_ns());
  }

  // Whole messages only: the rest comes again.
  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    const std::size_t messages = bytes.size() / size_;
    if (messages == 0) return 0;
    arrivals_.push_back({now_ns(),
                         static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(conn.user)),
                         static_cast<std::uint32_t>(messages)});
    bytes = bytes.first(messages * size_);
    if (sockperf_)
      answer_as_sockperf(conn, bytes);
    else
      conn.lend(bytes);
    return bytes.size();
  }

  void on_close(net::Conn&, int) {}

  Nanoseconds on_turn(Nanoseconds) { return kNever; }

  bool write(const std::string& file) const {
    std::ofstream opened(file + ".opened", std::ios::binary);
    opened.write(reinterpret_cast<const char*>(opened_.data()),
                 static_cast<std::streamsize>(opened_.size() * sizeof opened_[0]));
    std::ofstream arrived(file + ".arrived", std::ios::binary);
    arrived.write(reinterpret_cast<const char*>(arrivals_.data()),
                  static_cast<std::streamsize>(arrivals_.size() * sizeof arrivals_[0]));
    opened.close();
    arrived.close();
    return opened && arrived;
  }

 private:
  // sockperf takes only replies without its own mark: the lowest bit of the flags, two bytes from
  // byte 8 on.
  void answer_as_sockperf(net::Conn& conn, Bytes bytes) {
    constexpr std::size_t kFlagsEnd = 9;
    answer_.assign(bytes.begin(), bytes.end());
    for (std::size_t at = kFlagsEnd; at < answer_.size(); at += size_)
      answer_[at] &= std::byte{0xFE};
    conn.append(answer_);
  }

  std::size_t size_;
  bool sockperf_;
  std::vector<Nanoseconds> opened_;
  std::vector<Arrival> arrivals_;
  std::vector<std::byte> answer_;
};

}  // namespace

int main(int argc, char** argv) {
  auto options = peers::parse_options(argc, argv, kUsage,
                                      {{"--port-file", "/dev/null"},
                                       {"--size", ""},
                                       {"--log", ""},
                                       {"--listen", "127.0.0.1:0"},
                                       {"--backend", "auto"},
                                       {"--answer", "echo"}});
  const std::string& text = options["--size"];
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool sockperf = options["--answer"] == "sockperf";
  if (error != std::errc{} || end != text.data() + text.size() || size < (sockperf ? 14 : 1) ||
      options["--log"].empty() || (!sockperf && options["--answer"] != "echo")) {
    std::fprintf(stderr, "usage: %s\n", kUsage);
    return 2;
  }
  Witness witness(size, sockperf);
  const auto served =
      peers::serve_alone(options["--backend"], options["--listen"], options["--port-file"],
                         [&](auto& reactor, const net::Stop& stop) { reactor.run(witness, stop); });
  if (!served) {
    std::fprintf(stderr, "witness: %s\n", served.error().message().c_str());
    return 3;
  }
  if (witness.write(options["--log"])) return 0;
  std::fprintf(stderr, "witness: cannot write %s\n", options["--log"].c_str());
  return 3;
}
