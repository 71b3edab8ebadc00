// Writes a page of each kind into the folder that is named, for other programs to look at.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <variant>

#include "report/html.h"
#include "report/json.h"
#include "report/study.h"
#include "report/verdict.h"
#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::report;

namespace {

std::string folder;

void write_page(const std::string& name, const std::string& page) {
  std::ofstream(folder + "/" + name + ".html") << page;
}

// As wide and ragged as latencies can be: from 1 us to 16 s, with gaps that no shape can skip.
std::vector<CoarseBucket> wide_buckets(std::size_t seed) {
  std::vector<CoarseBucket> buckets;
  for (std::size_t index = 64; index < 256; index += 1 + (index * 7 + seed) % 3)
    buckets.push_back({index, 1 + (index * 31 + seed * 17) % 900});
  return buckets;
}

// A minute and more of `count` intervals, with a stall in the middle.
RunResult long_run(std::size_t count) {
  RunResult run = sample_result();
  const Interval one = run.intervals.front();
  run.intervals.clear();
  for (std::size_t i = 0; i < count; ++i) {
    Interval next = one;
    next.start_s = static_cast<double>(i);
    next.errors = i % 7 == 0 ? 3 : 0;
    next.buckets = wide_buckets(i);
    if (i > count / 2 && i < count / 2 + count / 10) *next.max_ns *= 100;
    run.intervals.push_back(next);
  }
  run.totals.seconds = static_cast<double>(count);
  pass_verdict(run);
  return run;
}

RunResult hostile() {
  RunResult run = long_run(20);
  run.host.cpu = "</p><script>document.title = 'attacked'</script><svg onload=\"alert(1)\">";
  run.argv = {"netload", "--name=\"'><img src=x onerror=alert(2)>", "\xFF\x01"};
  run.path.active = "<b>&amp;</b> uring with a name that is far too long for its place";
  run.warnings.push_back("<style>body{display:none}</style>");
  run.verdict->reasons.push_back(run.warnings.back());
  return run;
}

CodecTable codec_rows() {
  CodecTable codecs;
  codecs.run = sample_result();
  codecs.run.tool = "codecbench";
  double ns = 3;
  for (const char* op : {"encode", "decode"}) {
    for (const char* format : {"bytes", "json", "protobuf", "flatbuffers", "y3"}) {
      for (const char* implementation : {"own", "libprotobuf", "simdjson ondemand"}) {
        Cell cell;
        cell.name = {.workload = "packet",
                     .shape = "",
                     .format = format,
                     .implementation = implementation,
                     .op = op,
                     .labels = {}};
        ns *= 1.4;
        cell.figures.batches = 1'000;
        cell.figures.ns_min = ns * 0.9;
        cell.figures.ns_p50 = ns;
        cell.figures.ns_p99 = ns * 1.5;
        cell.figures.spread_pct = std::string(format) == "json" ? 12 : 2;
        cell.figures.wire_bytes = 100;
        codecs.cells.push_back(cell);
      }
    }
  }
  Cell refused = codecs.cells.back();
  refused.name.format = "json";
  refused.name.implementation = "<b>";
  refused.figures = {};
  refused.refused = "it gave other values than it took";
  codecs.cells.push_back(refused);
  codecs.published = {{"ns to take a value", "3 pairs", 610, 610, 31},
                      {"ns to take a value", "63 pairs", 2'077, 2'077, 60, 50, 70},
                      {"times faster", "over all", 3.3, 20.7},
                      {"bytes left", "none", 0, 0, 0}};
  return codecs;
}

// More rows than any run of codecbench has, none of them steady.
CodecTable all_codec_rows() {
  CodecTable codecs = codec_rows();
  const std::vector<Cell> some = codecs.cells;
  for (std::size_t size = 1; size < 24; ++size) {
    for (Cell cell : some) {
      cell.name.size = size;
      cell.figures.spread_pct = 50;
      codecs.cells.push_back(cell);
    }
  }
  return codecs;
}

void write_runs(std::size_t count) {
  std::vector<RunResult> runs(count, long_run(600));
  std::vector<NamedRun> named;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 2 == 1) runs[i].verdict = Verdict{{"the machine was not idle"}};
    named.push_back({"a run with a name " + std::to_string(i), &runs[i]});
  }
  write_page("runs", html_page(named));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  write_page("run", html_page(long_run(60)));
  write_page("hour", html_page(long_run(3'600)));
  RunResult before = long_run(30);
  for (Interval& interval : before.intervals) interval.buckets.reset();
  write_page("without_buckets", html_page(before));
  write_page("datagrams", html_page(sample_of_datagrams()));
  write_page("empty", html_page(RunResult{}));
  write_page("hostile", html_page(hostile()));
  write_page("codecs", html_page(codec_rows()));
  write_runs(kRunsOfPage);
  write_page("all_codecs", html_page(all_codec_rows()));
  for (const std::string name :
       {"comparison", "find_max", "bypass", "staged_server", "experiment"}) {
    std::ostringstream text;
    text << std::ifstream(std::string(DOCUMENTS "/") + name + ".json").rdbuf();
    const auto document = parse_document(text.str());
    if (!document) {
      std::cerr << name << ": " << document.error().message() << '\n';
      return 1;
    }
    write_page(name, std::visit([](const auto& each) { return html_page(each); }, *document));
  }
}
