// Fails for an include that breaks the layers, and for a clock read in code that must ask the
// reactor for the time. The tables below say who may do what.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <string>

namespace {

// A header that matches `header` may be included by files whose path matches `home` only.
const struct {
  std::regex header, home;
} kRules[] = {
    {std::regex("net/.*"),
     std::regex("(lib/(net|load)|tools|test)/.*|lib/bench/(bench.h|codecs.cpp)")},
    {std::regex("probe/.*"), std::regex("(lib/(probe|net)|tools|test)/.*")},
    {std::regex("wire/.*"), std::regex("(lib/(wire|load|bench)|tools|test)/.*")},
    // The parts of a format are for itself, the list of formats, codecbench and tests.
    {std::regex("wire/bytes/.*"),
     std::regex("lib/wire/(bytes/.*|codecs.h)|(tools/codecbench|test)/.*")},
    {std::regex("wire/protobuf/.*"),
     std::regex("lib/wire/(protobuf/.*|codecs.h)|(tools/codecbench|test)/.*")},
    {std::regex("wire/json/.*"),
     std::regex("lib/wire/(json/.*|codecs.h)|(tools/codecbench|test)/.*")},
    {std::regex("wire/flatbuffers/.*"),
     std::regex("lib/wire/(flatbuffers/.*|codecs.h)|(tools/codecbench|test)/.*")},
    {std::regex("wire/y3/.*"), std::regex("lib/wire/(y3/.*|codecs.h)|(tools/codecbench|test)/.*")},
    {std::regex("measure/.*"), std::regex("(lib/(measure|load|probe|report|bench)|tools|test)/.*")},
    {std::regex("picture/.*"), std::regex("(lib/(picture|report/html)|test)/.*")},
    // How a page is made is known to the pages; who wants one includes report/html.h.
    {std::regex("report/html/.*"), std::regex("(lib/report/html|test)/.*")},
    {std::regex("report/.*"), std::regex("(lib/report|tools|test)/.*")},
    {std::regex("bench/.*"), std::regex("(lib/bench|tools/codecbench|test)/.*")},
    {std::regex("load/.*"), std::regex("(lib/load|tools/netload|test)/.*")},
    {std::regex("(tools|test|doctest)/.*"), std::regex("(tools|test)/.*")},
    {std::regex("liburing.*"), std::regex("lib/net/uring.*|test/peers/floor_(client_)?uring.cpp")},
    // Beside liburing, which has its own copy, it does not compile.
    {std::regex("linux/io_uring.h"), std::regex("lib/probe/(small_ring.h|uring.cpp)|test/.*")},
    {std::regex("simdjson.*"), std::regex("(lib/wire/json|tools/codecbench/rivals)/.*")},
    {std::regex("(flatbuffers/|google/protobuf/|jansson|yyjson|rapidjson|upb/).*"),
     std::regex("tools/codecbench/rivals/.*")},
    {std::regex("mpi.h"), std::regex("tools/netload-mpi/ranks.cpp")},
    {std::regex("zlib.h"), std::regex("lib/report/hdr.*")},
    {std::regex("CLI/.*"), std::regex("tools/(command_line|completion).cpp")},
    {std::regex("fmt/.*"),
     std::regex("(tools|lib/(measure|picture|probe|report|load|bench)|test)/.*|lib/"
                "wire/(contents|describe).cpp")},
    {std::regex("nlohmann/.*"),
     std::regex("lib/report/(document|shape|upgrade).h|(tools/codecbench/rivals|test)/.*")},
};

// A line of a file whose path matches `room` may match `text` in `home` only. Comments don't count.
const struct {
  std::regex room, text, home;
} kTextRules[] = {
    {std::regex("lib/(net|load)/.*"),
     std::regex(".*(\\bnow_ns\\(|clock_gettime|steady_clock|system_clock).*"),
     std::regex("lib/net/(epoll_reactor|uring_reactor|uring|receive_clock|xdp/reactor)[.].*")},
};

int broken_texts(const std::string& path, const std::string& line) {
  const std::string code = line.substr(0, line.find("//"));
  int broken = 0;
  for (const auto& rule : kTextRules) {
    if (!std::regex_match(path, rule.room) || std::regex_match(path, rule.home)) continue;
    if (!std::regex_match(code, rule.text)) continue;
    std::cerr << path << " must not read a clock: " << line << '\n';
    ++broken;
  }
  return broken;
}

}  // namespace

// Takes the source directory; returns whether a rule is broken.
int main(int, char** argv) {
  const std::filesystem::path root = argv[1];
  const std::regex include(R"(\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
  int checked = 0, broken = 0;
  for (const char* room : {"lib", "tools", "test"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      const std::string path = entry.path().lexically_relative(root).string();
      std::ifstream file(entry.path());
      std::smatch match;
      for (std::string line; std::getline(file, line);) {
        broken += broken_texts(path, line);
        if (!std::regex_match(line, match, include)) continue;
        ++checked;
        for (const auto& rule : kRules) {
          if (!std::regex_match(match[1].str(), rule.header) || std::regex_match(path, rule.home))
            continue;
          std::cerr << path << " must not include " << match[1] << '\n';
          ++broken;
        }
      }
    }
  }
  std::cout << checked << " includes read, " << broken << " lines break the rules\n";
  return checked == 0 || broken > 0;
}
