// HTTP server with one fixed answer of 512 bytes, on our reactors: load generators that speak
// nothing else get from it what netload gets from netecho.
#include <cstdio>
#include <string>

#include "peers/solo_server.h"

using namespace wiremark;

namespace {

constexpr const char* kUsage = "http_server --port-file FILE [--backend auto|epoll|uring]";
constexpr std::size_t kAnswerSize = 512;

// With its header. The length takes three digits whatever the rest is.
std::string make_answer() {
  const auto header = [](std::size_t length) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
           std::to_string(length) + "\r\n\r\n";
  };
  const std::size_t length = kAnswerSize - header(100).size();
  return header(length) + std::string(length, 'x');
}

// Answers each request, which ends with its header: none that it is sent has a body.
struct HttpAnswers {
  const std::string answer = make_answer();

  void on_open(net::Conn&) {}

  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    constexpr std::string_view kEnd = "\r\n\r\n";
    const std::string_view text = as_text(bytes);
    std::size_t used = 0;
    for (std::size_t end; (end = text.find(kEnd, used)) != text.npos; used = end + kEnd.size())
      conn.lend(as_bytes(answer));
    return used;
  }

  void on_close(net::Conn&, int) {}

  Nanoseconds on_turn(Nanoseconds) { return kNever; }
};

}  // namespace

int main(int argc, char** argv) {
  auto options = peers::parse_options(argc, argv, kUsage,
                                      {{"--port-file", "/dev/null"}, {"--backend", "auto"}});
  HttpAnswers answers;
  const auto served =
      peers::serve_alone(options["--backend"], "127.0.0.1:0", options["--port-file"],
                         [&](auto& reactor, const net::Stop& stop) { reactor.run(answers, stop); });
  if (served) return 0;
  std::fprintf(stderr, "http_server: %s\n", served.error().message().c_str());
  return 3;
}
