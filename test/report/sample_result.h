// A result with every part filled in, as a run of netload would leave it.
#pragma once

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/result.h"

namespace wiremark::report {

inline RunResult sample_result() {
  measure::Histogram latency;
  for (Nanoseconds us = 1; us <= 200'000; ++us) latency.record(40'000 + us * us % 90'000);
  measure::Histogram single, even;
  single.record(120'000);
  even.record_many(30'000, latency.count());

  RunResult result;
  result.tool = "netload";
  result.version = "0.1.0";
  result.argv = {"netload", "-c", "100", "-r", "200"};
  result.started = "2026-11-21T02:18:25Z";
  result.measured_from = 1'795'227'505.5;
  result.host.system = "Linux";
  result.host.kernel = "6.1.0";
  result.host.architecture = "x86_64";
  result.host.cpu = "Example 9000";
  result.host.cores_allowed = 2;
  result.host.cores_online = 2;
  result.host.memory_bytes = 8ULL << 30;
  result.host.nofile_soft = 1'024;
  result.host.nofile_hard = measure::kUnlimited;
  result.host.memlock_bytes = 8 << 20;
  result.host.clocksource = "tsc";
  result.host.compiler = "g++ 12.2.0";
  result.host.build.emplace();
  result.host.build->optimization = "3";
  result.host.libraries = {"glibc 2.36"};
  result.host.wake_cost_ns = 20'000;
  result.host.wake_crosses_cores = true;
  result.host.evidence = {"fast clock: yes, tsc: 18 ns a read"};
  result.config = {{"connections", "100"}, {"rate", "200"}};
  result.path = {"auto", "uring", {"multishot receive: active"}};
  result.totals = {.connections = 100,
                   .connections_asked = 100,
                   .opened_again = 250,
                   .messages = 200'000,
                   .bytes_in = 102'400'000,
                   .bytes_out = 102'400'000,
                   .packets = Packets{390'000, 200'400, 200'000, 200'100},
                   .seconds = 10,
                   .drain = Drain{.seconds = 0.0625, .messages = 64},
                   .errors = {{"timeout", 0}}};
  result.latency = summarize(latency, "schedule");
  result.service = summarize(even, "readable");
  result.least = result.latency;
  result.lateness = summarize(even, "schedule");
  result.connect = summarize(single, "connect");
  result.cpu = {1.25, 3.75, 1, 10, 0.0078125, 0.5, 0.0625, 0.015625};
  result.server_cpu = CpuShare{0.5, 1.5, 1, 10, 0.03125, 0.25, 0.0078125, 0.0625};
  result.server = "socat (81), and 100 started by it";
  result.machine = {38.5, 12.25, 0};
  result.core_distance = {62, 64};
  result.rss_bytes = 6'000'000;
  result.server_rss_bytes = 4'000'000;
  result.stages = Stages{summarize(single, "walk"),
                         {.looks = 100, .mean = 92.5, .p50 = 0, .p99 = 460, .max = 2'048},
                         {.looks = 100, .mean = 0.5, .p50 = 0, .p99 = 0, .max = 50}};
  result.outcome =
      Outcome{.planned = 200'000, .sent = 200'000, .answered = 200'000, .repeated = 12};
  result.answers = {{"200", 199'000}, {"404", 1'000}};
  result.loop = Loop{.gap_max = 2'500'000, .held_up_s = 0.0125};
  result.server_loop = ServerLoop{.gap_max = 1'250'000, .held_up_s = 0.005, .away_s = 0.0005};
  result.wait = ProcessorWait{
      .run_delay_s = 0.015, .slices = 4'000, .throttled = Throttled{"/user.slice/job", 0, 0}};
  result.server_wait = ProcessorWait{.run_delay_s = 0.0125, .slices = 3'500};
  result.pacing = Pacing{.behind = 12, .overdue = 0};
  result.other_clients = OtherClients{.connections = 3, .segments = 24, .seconds = 12};
  result.intervals = {{.start_s = 0,
                       .seconds = 1,
                       .connections = 100,
                       .messages = 20'000,
                       .bytes_in = 10'240'000,
                       .bytes_out = 10'240'000,
                       .packets = Packets{39'000, 20'040, 20'000, 20'010},
                       .p50_ns = 84'000,
                       .p99_ns = 129'000,
                       .p999_ns = 130'000,
                       .max_ns = 131'000,
                       .oldest_ns = 90'000,
                       .user_s = 0.125,
                       .sys_s = 0.375,
                       .rss_bytes = 5'000'000,
                       .buckets = {{{114, 12'000}, {119, 8'000}}}}};
  result.checks = {{"verify", true, "200,000 replies"}};
  for (LatencySummary* each : {&result.latency, &*result.service, &*result.least, &*result.lateness,
                               &*result.connect, &result.stages->tick})
    each->unanswered = 0;
  return result;
}

/// The same over UDP, in a closed loop.
inline RunResult sample_of_datagrams() {
  RunResult result = sample_result();
  result.pacing.reset();
  result.other_clients.reset();
  result.answers.reset();
  result.generators = {{.name = "rank 0",
                        .host = "one 10.0.0.1",
                        .lost = "",
                        .verdict = "VALID",
                        .messages = 4'000,
                        .began_s = 0.25,
                        .us_cpu_per_message = 2.5,
                        .clock_ahead_us = -1.5}};
  result.totals.packets.reset();
  result.totals.datagrams = Datagrams{200'013, 202'000, 7, 11};
  result.outcome =
      Outcome{.planned = 202'007, .sent = 202'007, .answered = 200'000, .lost = 2'007, .late = 4};
  result.latency.unanswered = result.outcome->lost;
  result.latency = remade(result.latency);
  result.service.reset();
  result.lateness.reset();
  result.delivery = Delivery{.reordered = 5, .duplicated = 3, .wrong = 6, .without_ids = false};
  return result;
}

/// A document of now as it was before histograms had runs, when its results were wiremark.result/2.
inline nlohmann::json with_buckets(nlohmann::json document) {
  if (!document.is_structured()) return document;
  for (auto& part : document) part = with_buckets(part);
  if (document.is_array()) return document;
  if (document.value("schema", nlohmann::json()) == "wiremark.result/3")
    document["schema"] = "wiremark.result/2";
  if (!document.contains("runs") || !document.contains("significant_digits")) return document;
  nlohmann::json counts = nlohmann::json::array();
  for (const auto& run : document["runs"]) {
    for (std::size_t i = 1; i < run.size(); ++i)
      counts.push_back({run[0].get<std::size_t>() + i - 1, run[i]});
  }
  document.erase("runs");
  document["counts"] = std::move(counts);
  return document;
}

/// A document that is a result.
inline Result<RunResult> parse_result(std::string_view text) {
  auto document = parse_document(text);
  if (!document) return std::unexpected(document.error());
  return std::get<RunResult>(std::move(*document));
}

}  // namespace wiremark::report
