// What the servers for other load generators share: a command line, one reactor, and their end.
#include "peers/solo_server.h"

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace wiremark::peers {

std::map<std::string, std::string> parse_options(int argc, char** argv, const char* usage,
                                                 std::map<std::string, std::string> defaults) {
  for (int i = 1; i < argc; i += 2) {
    const auto option = defaults.find(argv[i]);
    if (option == defaults.end() || i + 1 == argc) {
      std::fprintf(stderr, "usage: %s\n", usage);
      std::exit(2);
    }
    option->second = argv[i + 1];
  }
  return defaults;
}

net::Stop& stop_by_signal() {
  static net::Stop stop;
  for (const int signal : {SIGTERM, SIGINT}) ::signal(signal, [](int) { stop.request(); });
  ::signal(SIGPIPE, SIG_IGN);
  return stop;
}

Result<> write_port(const std::string& file, const net::Address& address) {
  const std::string partial = file + ".partial";
  std::ofstream out(partial);
  out << address.port() << '\n';
  out.close();
  if (!out || ::rename(partial.c_str(), file.c_str()) != 0) return failed("write", file);
  return {};
}

}  // namespace wiremark::peers
