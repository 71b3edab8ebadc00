// The tables of an interval, of its buckets and of the packets that runs count too.
#pragma once

#include "measure/coarse_histogram.h"
#include "report/result.h"
#include "report/shape.h"

namespace wiremark::report {

constexpr auto fields(Of<Packets>) {
  return table("packets",
               "TCP segments of our connections as the kernel counts them, acknowledgements and "
               "retransmissions among them; data_ is the part that carried bytes.",
               field("in", &Packets::in, kCounted, "", {.column = "packets_in"}),
               field("out", &Packets::out, kCounted, "", {.column = "packets_out"}),
               field("data_in", &Packets::data_in, kCounted, "", {.column = "data_packets_in"}),
               field("data_out", &Packets::data_out, kCounted, "", {.column = "data_packets_out"}));
}

constexpr auto fields(Of<CoarseBucket>) {
  return row_table(
      "coarse_bucket",
      "Index and count. Index i below 16 holds the value i; above, with e = i / 8 - 1, "
      "the 2^e values from (i - 8 e) 2^e on: 8 buckets for each power of two.",
      field("index", &CoarseBucket::index, Unit::count, "",
            {.max = measure::CoarseHistogram::kBuckets - 1}),
      field("count", &CoarseBucket::count, Unit::count, "", {.min = 1}));
}

constexpr auto fields(Of<Interval>) {
  using I = Interval;
  return table(
      "interval", "", field("start_s", &I::start_s, Unit::seconds),
      field("seconds", &I::seconds, Unit::seconds), field("connections", &I::connections, kCounted),
      field("messages", &I::messages, kCounted),
      made("qps", Unit::per_second, [](const I& interval) { return interval.qps(); }),
      field("bytes_in", &I::bytes_in, {Unit::bytes, Add::sum}),
      field("bytes_out", &I::bytes_out, {Unit::bytes, Add::sum}),
      field("packets", &I::packets, "null where nothing is TCP.", {.null = true}),
      field("errors", &I::errors, kCounted),
      field("p50_ns", &I::p50_ns, Unit::ns,
            "null where nothing was answered in it, as the next three.",
            {.most = "p99_ns", .null = true}),
      field("p99_ns", &I::p99_ns, Unit::ns, "", {.most = "p999_ns", .null = true}),
      field("p999_ns", &I::p999_ns, Unit::ns, "", {.null = true}),
      field("max_ns", &I::max_ns, {Unit::ns, Add::largest}, "", {.null = true}),
      field("oldest_ns", &I::oldest_ns, {Unit::ns, Add::largest},
            "netload: how long the message has waited at its end that waits longest, "
            "since its planned time; absent where none waits."),
      field("user_s", &I::user_s, {Unit::seconds, Add::sum}),
      field("sys_s", &I::sys_s, {Unit::seconds, Add::sum}),
      field("rss_bytes", &I::rss_bytes, {Unit::bytes, Add::sum}),
      field("buckets", &I::buckets,
            "Every non-empty bucket of the latency, coarser than those of the whole run."));
}

constexpr auto fields(Of<IntervalLine>) {
  return table("interval_line", "", constant("schema", kIntervalSchema),
               field("", &IntervalLine::interval));
}

}  // namespace wiremark::report
