// The exporters: complete, well formed, and readable.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "report/csv.h"
#include "report/folding.h"
#include "report/html.h"
#include "report/interval.h"
#include "report/json.h"
#include "report/text.h"
#include "sample_result.h"
#include "unfolded.h"

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;
using nlohmann::json;

namespace {

// Splits rows as RFC 4180 has them.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '"' && inside && text[at + 1] == '"') {
      rows.back().back() += text[++at];
    } else if (character == '"') {
      inside = !inside;
    } else if (character == ',' && !inside) {
      rows.back().emplace_back();
    } else if (character == '\n' && !inside) {
      rows.push_back({""});
    } else {
      rows.back().back() += character;
    }
  }
  rows.pop_back();
  return rows;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A file in the temporary folder that is gone afterwards.
struct TemporaryFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("wiremark-export-" + std::to_string(::getpid()) + ".csv");
  TemporaryFile() { std::filesystem::remove(path); }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("reasons that a document does not have among its warnings are told all the same") {
  RunResult result = sample_result();
  result.verdict = Verdict{{"the first reason", "the second reason"}};
  result.warnings = {"the first reason"};
  CHECK(result.notes().empty());
  const std::string text = text_report(result);
  CHECK(text.find("the second reason") != std::string::npos);
  CHECK(text.find("warning:") == std::string::npos);
  CHECK(html_page(result).find("the second reason") != std::string::npos);
  result.warnings = {"the first reason", "the second reason", "a note"};
  CHECK(result.notes().size() == 1);
  CHECK(text_report(result).find("warning: a note") != std::string::npos);
}

TEST_CASE("of many kinds the most frequent are told, and the sum of the others") {
  KindCounts counts = {{"timeout", 2}, {"none", 0}, {"reset", 1}};
  CHECK(counts_text(counts) == "timeout 2, reset 1");
  CHECK(counts_text({}).empty());
  for (std::uint64_t i = 0; i < 6; ++i) counts.emplace_back("E" + std::to_string(i), 10 + i);
  CHECK(counts_text(counts) == "timeout 2, reset 1, E0 10, E1 11, E2 12, E3 13, E4 14, E5 15");
  counts.emplace_back(kOtherErrors, 3'000);
  CHECK(counts_text(counts).ends_with("E5 15 and 3,000 of other kinds"));
  counts.emplace_back("refused", 7);
  CHECK(counts_text(counts) ==
        "E5 15, E4 14, E3 13, E2 12, E1 11, E0 10, refused 7, timeout 2 and 3,001 of other kinds");
  CHECK(counts_text({{kOtherErrors, 9}}) == "9 of other kinds");
}

TEST_CASE("the schemas of the tree are those of the tables") {
  for (const std::string name :
       {"result", "interval", "comparison", "find-max", "bypass", "codecs", "experiment"}) {
    // To write it anew: build/test/report/print_report schema NAME > schemas/NAME.schema.json
    CAPTURE(name);
    CHECK(text_of(std::string(SCHEMAS) + "/" + name + ".schema.json") == json_schema(name));
  }
}

TEST_CASE("the document keeps figures and order") {
  const std::string text = json_document(sample_result());
  CHECK(text.starts_with("{\n  \"schema\": \"wiremark.result/3\",\n  \"tool\": \"netload\""));
  CHECK(text.ends_with("\n}\n"));
  const json document = json::parse(text);
  CHECK(document["host"]["limits"]["nofile_hard"].is_null());
  CHECK(document["host"]["limits"]["nofile_soft"] == 1'024);
  CHECK(document["totals"]["qps"] == 20'000);
  CHECK(document["totals"]["errors"] == json{{"timeout", 0}});
  CHECK(document["cpu"]["process"]["pct"] == 50);
  CHECK(document["us_cpu_per_message"] == 25);
  CHECK(document["server_us_cpu_per_message"] == 10);
  CHECK(document["latency_ns"]["from"] == "schedule");
  CHECK(document["latency_ns"]["percentiles"][0][0] == 50);
  CHECK(document["outcome"]["planned"] == 200'000);
  CHECK(document["pacing"] == json{{"behind", 12}, {"overdue", 0}});
  CHECK(document["totals"]["packets"] ==
        json{{"in", 390'000}, {"out", 200'400}, {"data_in", 200'000}, {"data_out", 200'100}});
  CHECK(document["intervals"][0]["packets"]["out"] == 20'040);
  CHECK(document["stages"]["tick_ns"]["max"] == 120'000);
  CHECK(document["stages"]["backlog_found_bytes"]["p99"] == 460);
  CHECK(document["stages"]["backlog_left_bytes"]["max"] == 50);
  CHECK(document["intervals"][0]["rss_bytes"] == 5'000'000);
}

TEST_CASE("the histogram in the document is the whole histogram") {
  const RunResult result = sample_result();
  const json written = json::parse(json_document(result))["latency_ns"];
  Histogram histogram;
  for (const json& run : written["histogram"]["runs"]) {
    for (std::size_t i = 1; i < run.size(); ++i)
      REQUIRE(histogram.restore(run[0].get<std::size_t>() + i - 1, run[i]));
  }
  histogram.restore_bounds(written["min"], written["max"], written["clamped"]);
  const Histogram original = restore(result.latency).value();
  CHECK(histogram.count() == original.count());
  CHECK(histogram.min() == original.min());
  CHECK(histogram.max() == original.max());
  CHECK(histogram.percentile(99.9) == original.percentile(99.9));
}

TEST_CASE("what a run does not have is left out of the document") {
  RunResult result = sample_result();
  result.server_cpu.reset();
  result.server.reset();
  result.server_rss_bytes.reset();
  result.outcome.reset();
  result.pacing.reset();
  result.connect.reset();
  result.totals.packets.reset();
  result.stages.reset();
  const json document = json::parse(json_document(result));
  CHECK_FALSE(document.contains("server_us_cpu_per_message"));
  CHECK_FALSE(document["cpu"].contains("server"));
  CHECK_FALSE(document["rss_bytes"].contains("server"));
  CHECK_FALSE(document.contains("outcome"));
  CHECK_FALSE(document.contains("pacing"));
  CHECK_FALSE(document.contains("connect_ns"));
  CHECK(document["totals"]["packets"].is_null());
  CHECK_FALSE(document.contains("stages"));
}

TEST_CASE("a drain is told where it says something, and is in no rate") {
  RunResult result = sample_result();
  CHECK(text_report(result).find("\n  drain") == std::string::npos);
  result.totals.drain = Drain{.seconds = 3.88, .messages = 20};
  const std::string text = text_report(result);
  CHECK(text.find("20.0 k qps   200,000 messages\n"
                  "  drain       20 messages answered in the 3.88 s after it, in no rate\n") !=
        std::string::npos);
  const json document = json::parse(json_document(result));
  CHECK(document["totals"]["qps"] == 20'000);
  CHECK(document["totals"]["drain"] == json{{"seconds", 3.88}, {"messages", 20}});
}

TEST_CASE("datagrams stand in every output, where there were any") {
  const RunResult result = sample_of_datagrams();
  const json document = json::parse(json_document(result));
  CHECK(document["totals"]["datagrams"] ==
        json{{"in", 200'013}, {"out", 202'000}, {"unsent", 7}, {"dropped", 11}});
  CHECK(document["outcome"] == json{{"planned", 202'007},
                                    {"sent", 202'007},
                                    {"answered", 200'000},
                                    {"lost", 2'007},
                                    {"late", 4},
                                    {"unsent", 0}});
  CHECK(document["delivery"] ==
        json{{"reordered", 5}, {"duplicated", 3}, {"wrong", 6}, {"without_ids", false}});
  const auto rows =
      parse_csv(csv_header(shape_of(result)) + csv_rows(result) + csv_rows(sample_result()));
  const auto at = [&](std::size_t row, const char* name) {
    return rows[row][static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin())];
  };
  CHECK(at(1, "datagrams_in") == "200013");
  CHECK(at(1, "datagrams_dropped") == "11");
  CHECK(at(1, "outcome_lost") == "2007");
  CHECK(at(1, "outcome_late") == "4");
  CHECK(at(1, "pacing_behind").empty());
  CHECK(at(1, "delivery_wrong") == "6");
  CHECK(at(2, "datagrams_in").empty());
  CHECK(at(2, "outcome_sent") == "200000");
  CHECK(at(2, "pacing_behind") == "12");
  CHECK(at(2, "delivery_wrong").empty());
  const std::string text = unfolded(text_report(result));
  for (const char* part : {"200,013 in 202,000 out (7 unsent, 11 dropped)",
                           "202,007 planned and sent, 200,000 answered, 2,007 lost, 4 of them late",
                           "5 reordered, 3 duplicated, 6 wrong"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  CHECK(text.find("packets") == std::string::npos);
  const std::string other = text_report(sample_result());
  CHECK(other.find("datagrams") == std::string::npos);
  const json plain = json::parse(json_document(sample_result()));
  CHECK_FALSE(plain.contains("delivery"));
  CHECK_FALSE(plain["totals"].contains("datagrams"));
}

TEST_CASE("text that is no UTF-8 does not break the document") {
  RunResult result = sample_result();
  result.argv = {"netload", "unix:/tmp/\xff"};
  CHECK(json::parse(json_document(result))["argv"][1] == "unix:/tmp/\xef\xbf\xbd");
}

TEST_CASE("an interval is one line of JSON") {
  const std::string line = json_line(IntervalLine{sample_result().intervals.front()});
  CHECK(std::ranges::count(line, '\n') == 1);
  CHECK(line.ends_with('\n'));
  CHECK(json::parse(line)["qps"] == 20'000);
}

TEST_CASE("a row has the header's columns, whatever stands in it") {
  RunResult result = sample_result();
  result.host.cpu = "a \"fast\", new one";
  result.warnings = {"first\nline", "second"};
  const auto rows = parse_csv(csv_header(shape_of(result)) + csv_rows(result));
  REQUIRE(rows.size() == 2);
  REQUIRE(rows[0].size() == rows[1].size());
  const auto at = [&](const char* name) {
    const auto column = std::ranges::find(rows[0], name) - rows[0].begin();
    REQUIRE(static_cast<std::size_t>(column) < rows[0].size());
    return rows[1][static_cast<std::size_t>(column)];
  };
  CHECK(at("cpu") == "a \"fast\", new one");
  CHECK(at("warnings") == "first\nline; second");
  CHECK(at("config") == "connections=100 rate=200");
  CHECK(at("qps") == "20000");
  CHECK(at("server_cpu_us_per_message") == "10");
  CHECK(at("packets_in") == "390000");
  CHECK(at("tick_ns_max") == "120000");
  CHECK(at("backlog_found_bytes_p99") == "460");
  CHECK(at("data_packets_out") == "200100");
  CHECK(at("latency_ns_p50") == std::to_string(restore(result.latency)->percentile(50)));
  const auto bare = parse_csv(csv_rows(RunResult()));
  CHECK(bare[0].size() == rows[0].size());
  CHECK(at("verdict").empty());
  result.verdict = Verdict{};
  CHECK(csv_rows(result).find(",VALID,,") != std::string::npos);
  result.verdict->reasons = {"late", "stolen"};
  CHECK(csv_rows(result).find(",INVALID,,late; stolen,") != std::string::npos);
}

TEST_CASE("rows are appended below one header, also by several at once") {
  const TemporaryFile file;
  const RunResult result = sample_result();
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&] {
      for (int row = 0; row < 5; ++row) CHECK(append_csv(file.path, result).has_value());
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto rows = parse_csv(text_of(file.path));
  CHECK(rows.size() == 21);
  CHECK(rows[0][0] == "tool");
  CHECK(std::ranges::count(rows, rows[0]) == 1);
}

TEST_CASE("a row is not put under the names of other columns") {
  const TemporaryFile file;
  std::ofstream(file.path) << "started,tool\n2026-11-21T02:18:25Z,netload\n";
  const auto written = append_csv(file.path, sample_result());
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().message() ==
        file.path.string() + " has other columns than this version: name a new file");
}

TEST_CASE("a row that cannot be written says where") {
  const auto written = append_csv("/nonexistent/results.csv", sample_result());
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().message() ==
        "open /nonexistent/results.csv (the folder must be there): No such file or directory");
}

TEST_CASE("the report names every figure and fits 80 columns") {
  RunResult result = sample_result();
  result.warnings = {"the generator was slow", "do not believe this"};
  result.verdict = Verdict{{"the generator was slow"}};
  result.totals.errors = {{"timeout", 3}, {"reset", 0}, {"connect refused", 1'200}};
  const std::string text = text_report(result);
  for (const char* part : {"netload 0.1.0, uring, 100 connections, 10.0 s",
                           "20.0 k qps",
                           "200,000 messages",
                           "9.77 MiB/s in",
                           "39.0 k/s in   20.0 k/s out  (data 20.0 k/s in, 20.0 k/s out)",
                           "p99.99",
                           "schedule",
                           "service",
                           "lateness",
                           "tick",
                           "found by a tick in a connection: p50 0 B, p99 460 B, max 2.00 KiB",
                           "left by a tick in a connection: p50 0 B, p99 0 B, max 50 B",
                           "connect",
                           "25.0 us",
                           "10.0 us",
                           "3.81 MiB",
                           "38.5 % busy",
                           "outcome     200,000 planned, sent and answered, 12 sent once more\n",
                           "pacing      12 sent over 10.0 ms behind their time\n",
                           "timeout 3, connect refused 1,200",
                           "verify passed: 200,000 replies",
                           "auto asked for, uring active",
                           "multishot receive: active",
                           "Linux 6.1.0 x86_64, Example 9000, 2 cores, cross-core wake 20.0 us"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find("reset") == std::string::npos);
  CHECK(text.starts_with("INVALID: netload 0.1.0, uring"));
  CHECK(text.find("\n  the generator was slow\n") < text.find("throughput"));
  CHECK(text.find("warning: the generator was slow") == std::string::npos);
  CHECK(text.ends_with("warning: do not believe this\n"));
  std::istringstream lines(text + text_line(result.intervals.front()));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= kTextColumns);
    CHECK_FALSE(line.ends_with(' '));
  }
}

TEST_CASE("an outcome is told in one line, which names every part that is not empty") {
  const auto told = [](const Outcome& outcome) {
    RunResult result;
    result.outcome = outcome;
    const std::string text = text_report(result);
    const std::size_t at = text.find("  outcome     ") + 14;
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK(told({}) == "nothing was planned or sent");
  CHECK(told({1, 1, 1, 0, 0, 0}) == "1 planned, sent and answered");
  CHECK(told({3'000'000, 3'000'000, 3'000'000, 0, 0, 0}) == "3,000,000 planned, sent and answered");
  CHECK(told({10, 10, 8, 2, 0, 0}) == "10 planned and sent, 8 answered, 2 lost");
  CHECK(told({10, 10, 0, 10, 1, 0}) == "10 planned and sent, 10 lost, 1 of them late");
  CHECK(told({10, 7, 7, 0, 0, 3}) == "10 planned, 7 sent, 3 unsent, 7 answered");
  CHECK(told({10, 0, 0, 0, 0, 10}) == "10 planned, 10 unsent");
  CHECK(told({3, 3, 3, 0, 0, 0, 2}) == "3 planned, sent and answered, 2 sent once more");
  CHECK(told({10, 10, 8, 2, 0, 0, 4}) ==
        "10 planned and sent, 8 answered, 2 lost, 4 sent once more");
  CHECK(told({10, 7, 4, 3, 2, 3}) ==
        "10 planned, 7 sent, 3 unsent, 4 answered, 3 lost, 2 of them late");
}

TEST_CASE("pacing is told in one sentence") {
  const auto tells = [](const Pacing& pacing, const char* line) {
    RunResult result;
    result.pacing = pacing;
    return unfolded(text_report(result)).find(std::string(" pacing ") + line + " errors") !=
           std::string::npos;
  };
  CHECK(tells({0, 0}, "none sent over 10.0 ms behind its time"));
  CHECK(tells({1, 0}, "1 sent over 10.0 ms behind its time"));
  CHECK(tells({1'200, 168},
              "1,200 sent over 10.0 ms behind their time, 168 overdue in the generator"));
}

TEST_CASE("a live line has both directions and the memory") {
  Interval interval = sample_result().intervals.front();
  const std::string line = text_line(interval);
  for (const char* part :
       {"9.77 MiB/s in", "9.77 MiB/s out", "packets 39.0 k/s in", "20.0 k/s out", "rss 4.77 MiB"}) {
    CAPTURE(part);
    CHECK(line.find(part) != std::string::npos);
  }
  interval.packets.reset();
  CHECK(text_line(interval).find("packets") == std::string::npos);
}

TEST_CASE("no answers have no latency, in a line and in its document, and say since when") {
  const measure::Histogram before = [] {
    measure::Histogram some;
    some.record(kMillisecond);
    return some;
  }();
  Snapshot first, second;
  first.latency = second.latency = before;
  first.at = kSecond;
  second.at = 2 * kSecond;
  second.oldest = 2'600 * kMillisecond;
  const Interval interval = between(first, second, 0);
  const std::string text = text_line(interval);
  CAPTURE(text);
  CHECK(text.find("p50       - p99       - max       - cpu") != std::string::npos);
  CHECK(text.find("a message has waited 2.60 s for its answer") != std::string::npos);
  CHECK(text.find("0 ns") == std::string::npos);
  const json document = json::parse(json_line(IntervalLine{interval}));
  for (const char* name : {"p50_ns", "p99_ns", "p999_ns", "max_ns"})
    CHECK(document.at(name).is_null());
  CHECK(document["oldest_ns"] == 2'600'000'000);
  RunResult result = sample_result();
  result.intervals = {interval};
  CHECK(parse_result(json_document(result)).has_value());
  // One that waits no longer than others took goes without saying.
  second.latency.record(3 * kSecond);
  CHECK(text_line(between(first, second, 0)).find("waited") == std::string::npos);
}

TEST_CASE("a run without answers has no latency in any form, and old ones with zeros are read") {
  RunResult result = sample_result();
  result.latency = summarize(Histogram(), "schedule", kPercentiles, 0);
  const json document = json::parse(json_document(result));
  CHECK(document["latency_ns"]["percentiles"].empty());
  for (const char* name : {"min", "mean", "max", "stddev"})
    CHECK(document["latency_ns"].at(name).is_null());
  CHECK(parse_result(document.dump()).has_value());
  json old = document;
  for (const char* name : {"min", "mean", "max", "stddev"}) old["latency_ns"][name] = 0;
  old["latency_ns"]["percentiles"] = {{50, 0}, {99, 0}};
  CHECK(parse_result(old.dump()).has_value());
  const auto rows = parse_csv(csv_header(shape_of(result)) + csv_rows(result));
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    const std::string& name = rows[0][i];
    if (name.starts_with("latency_ns_")) CHECK_MESSAGE(rows[1][i].empty(), name);
  }
}

TEST_CASE(
    "where messages were lost no form has a mean or a maximum, and old ones with both are read") {
  Histogram answered;
  for (Nanoseconds us = 1; us <= 180; ++us) answered.record(us * kMicrosecond);
  RunResult result = sample_result();
  result.latency = summarize(answered, "schedule", kPercentiles, 40);
  const json document = json::parse(json_document(result));
  json old = document;
  for (const auto& [name, of_answered] : {std::pair("mean", answered.mean()),
                                          {"stddev", answered.stddev()},
                                          {"max", static_cast<double>(answered.max())}}) {
    CHECK(document["latency_ns"].at(name).is_null());
    old["latency_ns"][name] = of_answered;
  }
  const auto read = parse_result(old.dump());
  REQUIRE(read.has_value());
  CHECK(json::parse(json_document(*read)) == document);
  const auto rows = parse_csv(csv_header(shape_of(result)) + csv_rows(result));
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    const std::string& name = rows[0][i];
    const bool whole = name == "latency_ns_mean" || name == "latency_ns_max" ||
                       name == "latency_ns_stddev" || name == "latency_ns_p99";
    if (whole) CHECK_MESSAGE(rows[1][i].empty(), name);
    if (name == "latency_ns_min") CHECK(rows[1][i] == "1000");
  }
  CHECK(html_page(result).find(">180 us<") == std::string::npos);
}

TEST_CASE("opening and closing stand beside the measured part, where they matter") {
  RunResult result = sample_result();
  const std::string text = text_report(result);
  CAPTURE(text);
  CHECK(text.find("  of          socat (81), and 100 started by it\n"
                  "  besides     netload: opening 7.81 ms, warm-up 500 ms, drain 62.5 ms, closing\n"
                  "              15.6 ms\n"
                  "              server: opening 31.2 ms, warm-up 250 ms, drain 7.81 ms, closing\n"
                  "              62.5 ms\n") != std::string::npos);
  const json cpu = json::parse(json_document(result))["cpu"];
  CHECK(cpu["process"]["opening_s"] == 0.0078125);
  CHECK(cpu["server"]["closing_s"] == 0.0625);
  result.cpu.warmup_s = result.cpu.drain_s = 0;
  result.server_cpu->warmup_s = result.server_cpu->drain_s = std::nullopt;
  result.cpu.opening_s = result.cpu.closing_s = 0.001;
  CHECK(text_report(result).find("netload: opening") == std::string::npos);
  CHECK(text_report(result).find("server: opening 31.2 ms, closing 62.5 ms") != std::string::npos);
  result.server_parts_unknown = UnknownParts{{"warmup_s", "it ran on"}, {"drain_s", "it ran on"}};
  CHECK(text_report(result).find("server: opening 31.2 ms, closing 62.5 ms\n"
                                 "              server: unknown: warm-up, drain (it ran on)\n") !=
        std::string::npos);
  const json server = json::parse(json_document(result))["cpu"]["server"];
  CHECK(server["parts_unknown"] == json{{"warmup_s", "it ran on"}, {"drain_s", "it ran on"}});
  CHECK(parse_result(json_document(result))->server_parts_unknown == result.server_parts_unknown);
  result.server_cpu->opening_s = result.server_cpu->closing_s = std::nullopt;
  result.server_parts_unknown = UnknownParts{{"drain_s", "it ended"}, {"closing_s", "it ran on"}};
  CHECK(text_report(result).find(
            "  besides     server: unknown: drain (it ended), closing (it ran on)\n") !=
        std::string::npos);
  CHECK(text_report(result).find("  in it       250 connections opened again\n") !=
        std::string::npos);
  result.totals.opened_again = 0;
  CHECK(text_report(result).find("opened again") == std::string::npos);
}

TEST_CASE("a server of which nothing is known says why, and has no figure") {
  RunResult result = sample_result();
  result.server_cpu.reset();
  result.server.reset();
  result.server_unknown = "its socket belongs to user nobody";
  const std::string text = text_report(result);
  CHECK(text.find("  server      unknown: its socket belongs to user nobody\n") !=
        std::string::npos);
  const json document = json::parse(json_document(result));
  CHECK(document["cpu"]["server"] == json{{"unknown", "its socket belongs to user nobody"}});
  CHECK_FALSE(document.contains("server_us_cpu_per_message"));
  CHECK(parse_result(document.dump())->server_unknown == result.server_unknown);
}

TEST_CASE("a live line keeps to 80 columns, whatever the figures") {
  Interval interval = sample_result().intervals.front();
  interval.start_s = 86'000;
  interval.seconds = 1;
  interval.connections = 100'000;
  interval.messages = 1'234'567;
  interval.bytes_in = interval.bytes_out = std::uint64_t{1'000} << 20;
  interval.packets = Packets{1'234'567, 1'234'567, 1'234'567, 1'234'567};
  interval.p50_ns = interval.p99_ns = interval.max_ns = 12'345'678;
  interval.user_s = 12.345;
  interval.rss_bytes = std::uint64_t{1'000} << 20;
  interval.errors = 1'000'000'000;
  interval.oldest_ns = 86'000 * kSecond;
  std::istringstream lines(text_line(interval));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("a report of nothing still reads as one") {
  const std::string text = text_report(RunResult());
  CHECK(text.find("0 qps") != std::string::npos);
  CHECK(text.find("none") != std::string::npos);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("inf") == std::string::npos);
}
