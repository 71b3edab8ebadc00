// The table of a result: each figure's name, unit, rule of addition and meaning, once.
#pragma once

#include <array>

#include "report/fields.h"
#include "report/result.h"

namespace wiremark::report {

constexpr std::array<const char*, 3> names_of(Of<Role>) { return {"generator", "server", "bench"}; }

constexpr auto fields(Of<measure::BuildInfo>) {
  using measure::BuildInfo;
  return table("build", "What changes the speed of the program that measured.",
               field("optimization", &BuildInfo::optimization, "What stands behind -O."),
               field("instructions", &BuildInfo::instructions, "The oldest processor it runs on."),
               field("asserts", &BuildInfo::asserts, "NDEBUG is not defined."),
               field("library_asserts", &BuildInfo::library_asserts,
                     "_GLIBCXX_ASSERTIONS, _GLIBCXX_DEBUG or hardened libc++."),
               field("link_time", &BuildInfo::link_time, "-flto."),
               field("coverage", &BuildInfo::coverage),
               field("profile", &BuildInfo::profile, "generate or use where there is one."),
               field("sanitizers", &BuildInfo::sanitizers),
               field("arguments", &BuildInfo::arguments, "What else was given, such as CXXFLAGS."));
}

constexpr auto fields(Of<measure::Machine>) {
  using measure::Machine;
  return table(
      "host", "", field("system", &Machine::system), field("kernel", &Machine::kernel),
      field("architecture", &Machine::architecture), field("cpu", &Machine::cpu),
      field("cores", &Machine::cores_allowed, Unit::count, Add::parts,
            "Those the process may use."),
      field("cores_online", &Machine::cores_online, Unit::count, Add::parts),
      field("memory_bytes", &Machine::memory_bytes, Unit::bytes, Add::parts),
      group("limits", field("nofile_soft", &Machine::nofile_soft, Unit::limit, Add::parts),
            field("nofile_hard", &Machine::nofile_hard, Unit::limit, Add::parts),
            field("memlock_bytes", &Machine::memlock_bytes, Unit::limit, Add::parts)),
      field("hypervisor", &Machine::hypervisor, "Empty on bare metal."),
      field("clocksource", &Machine::clocksource), field("compiler", &Machine::compiler),
      field("build", &Machine::build), field("libraries", &Machine::libraries),
      field("wake_cost_ns", &Machine::wake_cost_ns, Unit::ns, Add::parts, "0 when not measured."),
      field("wake_crosses_cores", &Machine::wake_crosses_cores));
}

constexpr auto fields(Of<Path>) {
  return table("path", "What was asked for by name, what runs, and how we know.",
               field("requested", &Path::requested, "", {.column = "requested"}),
               field("active", &Path::active, "", {.column = "active"}),
               field("evidence", &Path::evidence));
}

constexpr auto fields(Of<Packets>) {
  return table(
      "packets",
      "TCP segments of our connections as the kernel counts them, acknowledgements and "
      "retransmissions among them; data_ is the part that carried bytes.",
      field("in", &Packets::in, Unit::count, Add::sum, "", {.column = "packets_in"}),
      field("out", &Packets::out, Unit::count, Add::sum, "", {.column = "packets_out"}),
      field("data_in", &Packets::data_in, Unit::count, Add::sum, "", {.column = "data_packets_in"}),
      field("data_out", &Packets::data_out, Unit::count, Add::sum, "",
            {.column = "data_packets_out"}));
}

constexpr auto fields(Of<Datagrams>) {
  return table(
      "datagrams", "At our own sockets.", field("in", &Datagrams::in, Unit::count, Add::sum),
      field("out", &Datagrams::out, Unit::count, Add::sum),
      field("unsent", &Datagrams::unsent, Unit::count, Add::sum, "The kernel did not take them."),
      field("dropped", &Datagrams::dropped, Unit::count, Add::sum,
            "They came, and the kernel found no room for them in the socket."));
}

constexpr auto fields(Of<Totals>) {
  return table("totals", "", field("connections", &Totals::connections, Unit::count, Add::sum),
               field("connections_asked", &Totals::connections_asked, Unit::count, Add::sum,
                     "0 where the other side decides."),
               field("messages", &Totals::messages, Unit::count, Add::sum),
               field("bytes_in", &Totals::bytes_in, Unit::bytes, Add::sum),
               field("bytes_out", &Totals::bytes_out, Unit::bytes, Add::sum),
               field("packets", &Totals::packets, "null where nothing is TCP.",
                     {.column = "", .null = true}),
               field("datagrams", &Totals::datagrams, "Absent where nothing is UDP.",
                     {.column = "datagrams_"}),
               field("seconds", &Totals::seconds, Unit::seconds, Add::time,
                     "Of the measured part, warm-up left out."),
               made("qps", Unit::per_second, [](const Totals& totals) { return totals.qps(); }),
               field("errors", &Totals::errors, Unit::count, Add::sum),
               column("errors", [](const Totals& totals) { return totals.errors_sum(); }),
               field("errors_allowed", &Totals::errors_allowed, Unit::count, Add::sum,
                     "--max-errors: up to so many do not invalidate a run."));
}

constexpr auto fields(Of<Percentile>) {
  return row_table("percentile", "Percent and nanoseconds, rounded as HdrHistogram does.",
                   field("percent", &Percentile::percent, Unit::share, Add::none),
                   field("ns", &Percentile::ns, Unit::ns, Add::none));
}

using Bucket = std::pair<std::size_t, std::uint64_t>;
constexpr auto fields(Of<Bucket>) {
  return row_table(
      "bucket",
      "Index and count. Index i below 2,048 holds the value i; above, with e = i / 1,024 - 1, the "
      "2^e values from (i - 1,024 e) 2^e on.",
      field("index", &Bucket::first, Unit::count, Add::none, "",
            {.max = measure::Histogram::kBuckets - 1}),
      field("count", &Bucket::second, Unit::count, Add::none, "", {.min = 1}));
}

// Percentiles that a summary shows are those asked for; the CSV has the same for every row.
template <int kHundredths>
constexpr auto percentile_column(const char* name) {
  return column(name, [](const LatencySummary& latency) -> std::optional<std::uint64_t> {
    const auto histogram = restore(latency);
    if (!histogram) return std::nullopt;
    return percentile_of(*histogram, kHundredths / 100.0, latency.unanswered);
  });
}

// Added up by its buckets, see add() of merge.cpp.
constexpr auto fields(Of<LatencySummary>) {
  using L = LatencySummary;
  return table("latency", "", field("count", &L::count, Unit::count, Add::none),
               field("min", &L::min, Unit::ns, Add::none, "", {.column = "ns_min"}),
               field("mean", &L::mean, Unit::ns, Add::none, "", {.column = "ns_mean"}),
               field("max", &L::max, Unit::ns, Add::none, "", {.column = "ns_max"}),
               field("stddev", &L::stddev, Unit::ns, Add::none, "", {.column = "ns_stddev"}),
               field("unanswered", &L::unanswered, Unit::count, Add::none,
                     "Messages without an answer, which a percentile counts as later than any; one "
                     "that falls on them is left out."),
               field("percentiles", &L::percentiles), percentile_column<5000>("ns_p50"),
               percentile_column<9000>("ns_p90"), percentile_column<9900>("ns_p99"),
               percentile_column<9990>("ns_p999"), percentile_column<9999>("ns_p9999"),
               field("from", &L::from, "Where the clock was started.", {.column = "from"}),
               field("clamped", &L::clamped, Unit::count, Add::none,
                     "Values over the highest, counted as the highest.", {.most = "count"}),
               group("histogram", constant("layout", "hdr"), constant("lowest", 1U),
                     constant("highest", measure::Histogram::kHighest),
                     constant("significant_digits", measure::Histogram::kSignificantDigits),
                     field("counts", &L::buckets,
                           "Every non-empty bucket, so that results can be merged without loss.")));
}

constexpr auto fields(Of<CpuShare>) {
  return table("cpu_share", "", field("user_s", &CpuShare::user_s, Unit::seconds, Add::sum),
               field("sys_s", &CpuShare::sys_s, Unit::seconds, Add::sum),
               field("threads", &CpuShare::threads, Unit::count, Add::peak));
}

constexpr auto fields(Of<MachineShare>) {
  return table("machine", "", field("busy_pct", &MachineShare::busy_pct, Unit::share, Add::mean),
               field("softirq_pct", &MachineShare::softirq_pct, Unit::share, Add::mean),
               field("steal_pct", &MachineShare::steal_pct, Unit::share, Add::mean));
}

constexpr auto fields(Of<CoreDistance>) {
  return table("core_distance", "", field("before", &CoreDistance::before, Unit::ns, Add::none),
               field("after", &CoreDistance::after, Unit::ns, Add::none));
}

constexpr auto fields(Of<Outcome>) {
  return table(
      "outcome", "planned = sent + unsent, sent = answered + lost.",
      field("planned", &Outcome::planned, Unit::count, Add::sum,
            "In a closed loop a message is planned when it is sent."),
      field("sent", &Outcome::sent, Unit::count, Add::sum, "", {.most = "planned"}),
      field("answered", &Outcome::answered, Unit::count, Add::sum,
            "Whole, right, and before the timeout.", {.most = "sent"}),
      field("lost", &Outcome::lost, Unit::count, Add::sum, "Sent, and not answered in time."),
      field("late", &Outcome::late, Unit::count, Add::sum,
            "The part of lost whose answer came after the timeout.", {.most = "lost"}),
      field("unsent", &Outcome::unsent, Unit::count, Add::sum, "Planned, and never sent."));
}

constexpr auto fields(Of<Pacing>) {
  return table(
      "pacing", "",
      field("behind", &Pacing::behind, Unit::count, Add::sum,
            "Messages sent more than 10 ms after their planned time."),
      field("overdue", &Pacing::overdue, Unit::count, Add::sum,
            "Messages that the generator came to when that time had passed. The others that are "
            "behind waited for a reply on their connection."));
}

constexpr auto fields(Of<Loop>) {
  return table("loop",
               "Gaps in which the generator did not listen to its sockets: it was stopped, had no "
               "processor, or a turn was long.",
               field("gap_max_ns", &Loop::gap_max, Unit::ns, Add::largest, "The longest."),
               field("held_up_s", &Loop::held_up_s, Unit::seconds, Add::sum,
                     "All of 1 ms or more, of all threads."));
}

constexpr auto fields(Of<Delivery>) {
  return table("delivery", "",
               field("reordered", &Delivery::reordered, Unit::count, Add::sum,
                     "Answers that came behind one to a later message of their connection."),
               field("duplicated", &Delivery::duplicated, Unit::count, Add::sum,
                     "Answers to what had been answered."),
               field("wrong", &Delivery::wrong, Unit::count, Add::sum,
                     "Datagrams that answer nothing of what was sent."));
}

constexpr auto fields(Of<ByteSummary>) {
  return table("bytes", "A look is one tick's at one connection.",
               field("looks", &ByteSummary::looks, Unit::count, Add::none),
               field("mean", &ByteSummary::mean, Unit::bytes, Add::none),
               field("p50", &ByteSummary::p50, Unit::bytes, Add::none, "", {.most = "p99"}),
               field("p99", &ByteSummary::p99, Unit::bytes, Add::none),
               field("max", &ByteSummary::max, Unit::bytes, Add::none));
}

constexpr auto fields(Of<Stages>) {
  return table(
      "stages", "",
      field("tick_ns", &Stages::tick, "Of a walk over all connections.", {.column = "tick_"}),
      field("backlog_found_bytes", &Stages::found,
            "In a connection's input buffer when the walk comes to it.",
            {.column = "backlog_found_bytes_"}),
      field("backlog_left_bytes", &Stages::left,
            "Of these, what the walk leaves: part of a message, or no room for the answer.",
            {.column = "backlog_left_bytes_"}));
}

constexpr auto fields(Of<Interval>) {
  using I = Interval;
  return table("interval", "", field("start_s", &I::start_s, Unit::seconds, Add::none),
               field("seconds", &I::seconds, Unit::seconds, Add::none),
               field("connections", &I::connections, Unit::count, Add::none),
               field("messages", &I::messages, Unit::count, Add::none),
               made("qps", Unit::per_second, [](const I& interval) { return interval.qps(); }),
               field("bytes_in", &I::bytes_in, Unit::bytes, Add::none),
               field("bytes_out", &I::bytes_out, Unit::bytes, Add::none),
               field("packets", &I::packets, "null where nothing is TCP.", {.null = true}),
               field("errors", &I::errors, Unit::count, Add::none),
               field("p50_ns", &I::p50_ns, Unit::ns, Add::none, "", {.most = "p99_ns"}),
               field("p99_ns", &I::p99_ns, Unit::ns, Add::none, "", {.most = "p999_ns"}),
               field("p999_ns", &I::p999_ns, Unit::ns, Add::none),
               field("max_ns", &I::max_ns, Unit::ns, Add::none),
               field("user_s", &I::user_s, Unit::seconds, Add::none),
               field("sys_s", &I::sys_s, Unit::seconds, Add::none),
               field("rss_bytes", &I::rss_bytes, Unit::bytes, Add::none));
}

constexpr auto fields(Of<IntervalLine>) {
  return table("interval_line", "", constant("schema", kIntervalSchema),
               inlined(&IntervalLine::interval));
}

constexpr auto fields(Of<Check>) {
  return table("check", "", field("name", &Check::name), field("passed", &Check::passed),
               field("detail", &Check::detail));
}

constexpr auto fields(Of<Verdict>) {
  return table("verdict", "",
               made("valid", Unit::text, [](const Verdict& verdict) { return verdict.valid(); }),
               column("verdict",
                      [](const Verdict& verdict) { return verdict.valid() ? "VALID" : "INVALID"; }),
               field("reasons", &Verdict::reasons, "Why not; empty when it is valid.",
                     {.column = "reasons"}));
}

constexpr auto fields(Of<CodecFigures>) {
  using F = CodecFigures;
  constexpr More kNull{.null = true};
  return table("codec_figures", "", field("operations", &F::operations, Unit::count, Add::none),
               field("batches", &F::batches, Unit::count, Add::none),
               field("batch_operations", &F::batch_operations, Unit::count, Add::none),
               field("ns_min", &F::ns_min, Unit::ns, Add::none),
               field("ns_p50", &F::ns_p50, Unit::ns, Add::none),
               field("ns_p99", &F::ns_p99, Unit::ns, Add::none),
               field("spread_pct", &F::spread_pct, Unit::ratio, Add::none),
               field("repeats_ns", &F::repeats_ns, Unit::ns, Add::none,
                     "The fastest batch of each repeat, in their order: --baseline compares them."),
               field("qps", &F::qps, Unit::per_second, Add::none),
               field("mb_per_s", &F::mb_per_s, Unit::megabytes_per_second, Add::none),
               field("wire_bytes", &F::wire_bytes, Unit::bytes, Add::none),
               field("allocations", &F::allocations, Unit::count, Add::none, "", kNull),
               field("cpu_user_ns", &F::cpu_user_ns, Unit::ns, Add::none),
               field("cpu_sys_ns", &F::cpu_sys_ns, Unit::ns, Add::none),
               field("instructions", &F::instructions, Unit::count, Add::none, "", kNull),
               field("cycles", &F::cycles, Unit::count, Add::none, "", kNull));
}

constexpr auto fields(Of<CodecCell>) {
  using C = CodecCell;
  return table(
      "cell",
      "One row of codecbench. Times are ns of one operation; null is a figure this machine does "
      "not count; a refused row failed its check and has no figures.",
      field("key", &C::key, "The same in every run."), field("workload", &C::workload),
      field("shape", &C::shape),
      field("size", &C::size, Unit::count, Add::none, "Pairs, or bytes of the payload."),
      field("format", &C::format), field("implementation", &C::implementation), field("op", &C::op),
      field("access", &C::access),
      group("labels", field("result", &C::result), field("validated", &C::validated),
            field("object", &C::object)),
      field("refused", &C::refused), inlined(&C::figures));
}

/// Where the schema of a result is found by others.
constexpr const char* schema_id(Of<RunResult>) { return "urn:wiremark:result:2"; }

constexpr auto fields(Of<RunResult>) {
  using R = RunResult;
  constexpr More kLeftOut{.add = Add::none};
  return table(
      "result", "", constant("schema", kResultSchema),
      field("tool", &R::tool, "", {.column = "tool"}),
      field("version", &R::version, "", {.column = "version"}),
      field("role", &R::role, "Which end of the wire the tool is."),
      field("verdict", &R::verdict,
            "netload only: whether the figures are those of the server under the load that was "
            "asked for. The reasons stand in warnings too, first.",
            {.add = Add::none, .column = ""}),
      field("argv", &R::argv, "", kLeftOut),
      field("started", &R::started, Unit::moment, Add::least, "RFC 3339, UTC.",
            {.column = "started"}),
      field("host", &R::host), column("kernel", [](const R& run) { return run.host.kernel; }),
      column("cpu", [](const R& run) { return run.host.cpu; }),
      column("cores", [](const R& run) { return run.host.cores_allowed; }),
      field("config", &R::config, "Options as the user writes them.", {.column = "config"}),
      field("path", &R::path, "", {.column = ""}), field("totals", &R::totals, "", {.column = ""}),
      field("latency_ns", &R::latency, "", {.column = "latency_"}),
      field("service_ns", &R::service,
            "With a rate: from the send of a message to its whole reply."),
      field("least_ns", &R::least,
            "netload: latency_ns without the generator's own lateness, in sending and in taking "
            "the reply. A percentile of the two that differs much is the generator's."),
      field("lateness_ns", &R::lateness, "How far behind its plan each message was sent."),
      field("connect_ns", &R::connect),
      group("cpu",
            group("process", inlined(&R::cpu, {.column = ""}),
                  made("pct", Unit::load,
                       [](const R& run) { return run.cpu.pct(run.totals.seconds); }, "",
                       {.column = "cpu_pct"}),
                  field("spins", &R::spins, Unit::text, Add::largest,
                        "It waits by spinning: how busy it was says nothing.")),
            group("server", inlined(&R::server_cpu, {.column = "server_", .of_server = true}),
                  made("pct", Unit::load, [](const R& run) { return run.server_pct(); }, "",
                       {.column = "server_cpu_pct"})),
            field("machine", &R::machine, "", {.column = "machine_"})),
      field("core_distance_ns", &R::core_distance,
            "The time a cache line takes from one processor to another and back, on both sides of "
            "the run; 0 where it could not be measured. Absent where the other end is not on this "
            "machine.",
            {.add = Add::none, .column = "core_distance_ns_"}),
      made("us_cpu_per_message", Unit::us, [](const R& run) { return run.us_cpu_per_message(); },
           "", {.column = "cpu_us_per_message"}),
      made("server_us_cpu_per_message", Unit::us,
           [](const R& run) { return run.server_us_cpu_per_message(); }, "",
           {.column = "server_cpu_us_per_message"}),
      group("rss_bytes",
            field("process", &R::rss_bytes, Unit::bytes, Add::peak, "", {.column = "rss_bytes"}),
            field("server", &R::server_rss_bytes, Unit::bytes, Add::peak, "",
                  {.column = "server_rss_bytes", .of_server = true})),
      field("outcome", &R::outcome, "netload: what became of the messages of the measured part.",
            {.column = "outcome_"}),
      field("pacing", &R::pacing, "netload with a rate: how far it was behind its own plan.",
            {.column = "pacing_"}),
      field("loop", &R::loop, "netload: whether its loops kept to their work.",
            {.column = "loop_"}),
      field("delivery", &R::delivery, "netload over UDP: what else came of the messages.",
            {.column = "delivery_"}),
      field("stages", &R::stages, "netecho --model staged: what each tick had to do.",
            {.add = Add::none, .column = ""}),
      field("intervals", &R::intervals, "", kLeftOut), field("checks", &R::checks, "", kLeftOut),
      field("warnings", &R::warnings,
            "Every doubt about the figures, the reasons of the verdict first; empty when there is "
            "none.",
            {.add = Add::none, .column = "warnings"}),
      field("cells", &R::cells, "codecbench only.", kLeftOut),
      field("interrupted", &R::interrupted, Unit::text, Add::largest, "",
            {.column = "interrupted"}));
}

}  // namespace wiremark::report
