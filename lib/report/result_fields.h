// The table of a result: each figure's name, unit, rule of addition and meaning, once.
#pragma once

#include <array>

#include "report/interval_fields.h"
#include "report/latency_fields.h"
#include "report/machine_fields.h"
#include "report/result.h"

namespace wiremark::report {

constexpr std::array<const char*, 3> names_of(Of<Role>) { return {"generator", "server", "bench"}; }

constexpr auto fields(Of<Path>) {
  return table("path", "What was asked for by name, what runs, and how we know.",
               field("requested", &Path::requested, Add::join, "", {.column = "requested"}),
               field("active", &Path::active, Add::join, "", {.column = "active"}),
               field("evidence", &Path::evidence));
}

constexpr auto fields(Of<Datagrams>) {
  return table("datagrams", "At our own sockets.", field("in", &Datagrams::in, kCounted),
               field("out", &Datagrams::out, kCounted),
               field("unsent", &Datagrams::unsent, kCounted, "The kernel did not take them."),
               field("dropped", &Datagrams::dropped, kCounted,
                     "They came, and the kernel found no room for them in the socket."));
}

constexpr auto fields(Of<Drain>) {
  return table("drain", "",
               field("seconds", &Drain::seconds, {Unit::seconds, Add::time},
                     "From the end of the asked time to the last answer."),
               field("messages", &Drain::messages, kCounted, "Answered in it."));
}

constexpr auto fields(Of<Totals>) {
  return table("totals", "", field("connections", &Totals::connections, kCounted),
               field("connections_asked", &Totals::connections_asked, kCounted,
                     "0 where the other side decides."),
               field("messages", &Totals::messages, kCounted,
                     "In the seconds, as the bytes and packets. netload with a duration: every "
                     "answer that came in it; outcome has what became of the messages."),
               field("bytes_in", &Totals::bytes_in, {Unit::bytes, Add::sum}),
               field("bytes_out", &Totals::bytes_out, {Unit::bytes, Add::sum}),
               field("packets", &Totals::packets, "null where nothing is TCP.",
                     {.column = "", .null = true, .missed = "packets"}),
               field("datagrams", &Totals::datagrams, "Absent where nothing is UDP.",
                     {.column = "datagrams_"}),
               field("seconds", &Totals::seconds, {Unit::seconds, Add::time},
                     "Of the measured part, warm-up left out: the time that was asked for, or "
                     "until the last answer."),
               field("drain", &Totals::drain,
                     "netload with a duration: what came after it, and is in no rate.",
                     {.column = "drain_", .missed = "the drain"}),
               made("qps", Unit::per_second, [](const Totals& totals) { return totals.qps(); }),
               field("errors", &Totals::errors, kCounted),
               column("errors", [](const Totals& totals) { return totals.errors_sum(); }),
               field("errors_allowed", &Totals::errors_allowed, kCounted,
                     "--max-errors: up to so many do not invalidate a run."));
}

constexpr auto fields(Of<CpuShare>) {
  return table("cpu_share", "", field("user_s", &CpuShare::user_s, {Unit::seconds, Add::sum}),
               field("sys_s", &CpuShare::sys_s, {Unit::seconds, Add::sum}),
               field("threads", &CpuShare::threads, {Unit::count, Add::peak}),
               field("opening_s", &CpuShare::opening_s, {Unit::seconds, Add::sum},
                     "netload: until all connections stood. user_s and sys_s are of the measured "
                     "part, and have nothing of this and the next three; connections that were "
                     "opened in the measured part are in them."),
               field("warmup_s", &CpuShare::warmup_s, {Unit::seconds, Add::sum}),
               field("drain_s", &CpuShare::drain_s, {Unit::seconds, Add::sum},
                     "After the asked time, until the last answer."),
               field("closing_s", &CpuShare::closing_s, {Unit::seconds, Add::sum},
                     "From there until all connections were closed."));
}

constexpr auto fields(Of<MachineShare>) {
  return table("machine", "", field("busy_pct", &MachineShare::busy_pct, {Unit::share, Add::mean}),
               field("softirq_pct", &MachineShare::softirq_pct, {Unit::share, Add::mean}),
               field("steal_pct", &MachineShare::steal_pct, {Unit::share, Add::mean}));
}

constexpr auto fields(Of<CoreDistance>) {
  return table("core_distance", "", field("before", &CoreDistance::before, Unit::ns),
               field("after", &CoreDistance::after, Unit::ns));
}

constexpr auto fields(Of<Outcome>) {
  return table("outcome", "planned = sent + unsent, sent = answered + lost.",
               field("planned", &Outcome::planned, kCounted,
                     "In a closed loop a message is planned when it is sent."),
               field("sent", &Outcome::sent, kCounted, "", {.most = "planned"}),
               field("answered", &Outcome::answered, kCounted,
                     "Whole, right, and before the timeout.", {.most = "sent"}),
               field("lost", &Outcome::lost, kCounted, "Sent, and not answered in time."),
               field("late", &Outcome::late, kCounted,
                     "The part of lost whose answer came after the timeout.", {.most = "lost"}),
               field("unsent", &Outcome::unsent, kCounted, "Planned, and never sent."));
}

constexpr auto fields(Of<Pacing>) {
  return table(
      "pacing", "",
      field("behind", &Pacing::behind, kCounted,
            "Messages sent more than 10 ms after their planned time."),
      field("overdue", &Pacing::overdue, kCounted,
            "Messages that the generator came to when that time had passed. The others that are "
            "behind waited for a reply on their connection."));
}

constexpr auto fields(Of<Loop>) {
  return table("loop",
               "Gaps in which the generator did not listen to its sockets: it was stopped, had no "
               "processor, or a turn was long.",
               field("gap_max_ns", &Loop::gap_max, {Unit::ns, Add::largest}, "The longest."),
               field("held_up_s", &Loop::held_up_s, {Unit::seconds, Add::sum},
                     "All of 1 ms or more, of all threads."),
               field("given_up_s", &Loop::given_up_s, {Unit::seconds, Add::largest},
                     "What was left of the time when it gave up, since no connection was left or "
                     "could be opened for --timeout. Absent where it did not."));
}

constexpr auto fields(Of<ServerLoop>) {
  return table("server_loop",
               "Gaps in which a netecho that netload started did not listen to its sockets.",
               field("gap_max_ns", &ServerLoop::gap_max, {Unit::ns, Add::largest}, "The longest."),
               field("held_up_s", &ServerLoop::held_up_s, {Unit::seconds, Add::sum},
                     "All of 1 ms or more, of all threads: a long turn, or a standstill."),
               field("away_s", &ServerLoop::away_s, {Unit::seconds, Add::sum},
                     "Of those: its threads were not on a processor, because the process was "
                     "stopped or others had it."));
}

constexpr auto fields(Of<Throttled>) {
  return table("throttled",
               "Of the cgroup that stopped its threads longest for its quota (cpu.stat).",
               field("cgroup", &Throttled::cgroup),
               field("times", &Throttled::times, kCounted, "nr_throttled"),
               field("seconds", &Throttled::seconds, {Unit::seconds, Add::sum},
                     "throttled_usec, or throttled_time of cgroup v1: of all processors."));
}

constexpr auto fields(Of<ProcessorWait>) {
  return table("processor_wait",
               "How the ready threads of one end had no processor (schedstat). Absent where the "
               "kernel does not say.",
               field("run_delay_s", &ProcessorWait::run_delay_s, {Unit::seconds, Add::sum},
                     "Of all threads."),
               field("slices", &ProcessorWait::slices, kCounted,
                     "How often a thread was given a processor."),
               field("throttled", &ProcessorWait::throttled, "Absent without a quota.",
                     {.column = "throttled_"}));
}

constexpr auto fields(Of<OtherClients>) {
  return table("other_clients",
               "Connections to the server that are not this generator's, from before it opened "
               "its own until it had closed them (sock_diag).",
               field("connections", &OtherClients::connections, kCounted),
               field("ended", &OtherClients::ended, kCounted,
                     "Of those: they ended meanwhile, and what they carried is not known.",
                     {.most = "connections"}),
               field("segments", &OtherClients::segments, kCounted,
                     "With data, both ways, of those that did not end."),
               field("seconds", &OtherClients::seconds, {Unit::seconds, Add::time}));
}

constexpr auto fields(Of<Delivery>) {
  return table(
      "delivery", "",
      field("reordered", &Delivery::reordered, kCounted,
            "Answers that came behind one to a later message of their connection."),
      field("duplicated", &Delivery::duplicated, kCounted, "Answers to what had been answered."),
      field("wrong", &Delivery::wrong, kCounted, "Datagrams that answer nothing of what was sent."),
      field("lost_wait_s", &Delivery::lost_wait_s, {Unit::seconds, Add::sum},
            "How long connections had one message less under way, waiting for those "
            "that were lost. Only in a closed loop."));
}

constexpr auto fields(Of<ByteSummary>) {
  return table("bytes", "A look is one tick's at one connection.",
               field("looks", &ByteSummary::looks, Unit::count),
               field("mean", &ByteSummary::mean, Unit::bytes),
               field("p50", &ByteSummary::p50, Unit::bytes, "", {.most = "p99"}),
               field("p99", &ByteSummary::p99, Unit::bytes),
               field("max", &ByteSummary::max, Unit::bytes));
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

constexpr auto fields(Of<Generator>) {
  return table(
      "generator", "A generator's part of a sum of runs at once.",
      field("name", &Generator::name, "Its file, or its rank."),
      field("host", &Generator::host, "Where it ran; empty where nobody said."),
      field("lost", &Generator::lost, "Why nothing of it is in the sum; empty where it is."),
      field("verdict", &Generator::verdict, "Its own."),
      field("messages", &Generator::messages, Unit::count),
      field("began_s", &Generator::began_s, Unit::seconds, "After the first of them."),
      field("us_cpu_per_message", &Generator::us_cpu_per_message, Unit::us),
      field("clock_ahead_us", &Generator::clock_ahead_us, Unit::us_either_way,
            "netload-mpi: how far its clock is ahead of that of rank 0; began_s is without it."));
}

constexpr auto fields(Of<Check>) {
  return table("check", "", field("name", &Check::name), field("passed", &Check::passed),
               field("detail", &Check::detail));
}

constexpr auto fields(Of<FigureVerdict>) {
  return table("figure_verdict", "",
               field("name", &FigureVerdict::name, "rate, a percentile such as p99.9, or cost."),
               made("valid", Unit::text, [](const FigureVerdict& one) { return one.valid(); }),
               field("reasons", &FigureVerdict::reasons, "Those of the verdict that doubt it."));
}

constexpr auto fields(Of<Verdict>) {
  return table("verdict", "",
               made(
                   "valid", Unit::text, [](const Verdict& verdict) { return verdict.valid(); },
                   "All figures are."),
               column("verdict", [](const Verdict& verdict) { return verdict.level(); }),
               column("valid_for", [](const Verdict& verdict) { return verdict.valid_figures(); }),
               field("reasons", &Verdict::reasons, "Why not; empty when it is valid.",
                     {.column = "reasons"}),
               field("figures", &Verdict::figures,
                     "Each figure by itself: those without a reason are valid."));
}

constexpr auto fields(Of<RunResult>) {
  using R = RunResult;
  return table(
      "result", "", constant("schema", kResultSchema),
      field("tool", &R::tool, "", {.column = "tool"}),
      field("version", &R::version, "", {.column = "version"}),
      field("role", &R::role, "Which end of the wire the tool is."),
      field("verdict", &R::verdict, Add::none,
            "netload only: whether the figures are those of the server under the load that was "
            "asked for. The reasons stand in warnings too, first.",
            {.column = ""}),
      field("argv", &R::argv, Add::none),
      field("started", &R::started, {Unit::moment, Add::least}, "RFC 3339, UTC.",
            {.column = "started"}),
      field("measured_from", &R::measured_from, {Unit::seconds, Add::least},
            "netload: when the measured part began, since 1970."),
      field("host", &R::host, "", {.column = ""}),
      field("config", &R::config, Add::join, "Options as the user writes them.",
            {.column = "config"}),
      field("path", &R::path, "", {.column = ""}), field("totals", &R::totals, "", {.column = ""}),
      field("latency_ns", &R::latency, "", {.column = "latency_"}),
      field("service_ns", &R::service,
            "With a rate: from the send of a message to its whole reply."),
      field("least_ns", &R::least,
            "netload: latency_ns without the generator's own lateness, in sending and in taking "
            "the reply. A percentile of the two that differs much is the generator's.",
            {.missed = "latency without the generator's lateness"}),
      field("lateness_ns", &R::lateness, "How far behind its plan each message was sent."),
      field("connect_ns", &R::connect, "", {.missed = "connection times"}),
      field("cpu/process", &R::cpu, "", {.column = ""}),
      made("cpu/process/pct", Unit::load,
           [](const R& run) { return run.cpu.pct(run.totals.seconds); }, "", {.column = "cpu_pct"}),
      field("cpu/process/spins", &R::spins, Add::largest,
            "It waits by spinning: how busy it was says nothing."),
      field("cpu/server", &R::server_cpu, "",
            {.column = "server_", .of_server = true, .missed = "the server's processor time"}),
      made("cpu/server/pct", Unit::load, [](const R& run) { return run.server_pct(); }, "",
           {.column = "cpu_pct"}),
      field("cpu/server/of", &R::server, Add::join, "The processes that were measured.",
            {.column = "of"}),
      field("cpu/server/unknown", &R::server_unknown, "Why its processor time is not known.",
            {.column = "unknown"}),
      field("cpu/machine", &R::machine, "", {.column = "machine_"}),
      field("core_distance_ns", &R::core_distance, Add::none,
            "The time a cache line takes from one processor to another and back, on both sides of "
            "the run; 0 where it could not be measured. Absent where the other end is not on this "
            "machine.",
            {.column = "core_distance_ns_"}),
      made("us_cpu_per_message", Unit::us, [](const R& run) { return run.us_cpu_per_message(); },
           "", {.column = "cpu_us_per_message"}),
      made("server_us_cpu_per_message", Unit::us,
           [](const R& run) { return run.server_us_cpu_per_message(); }, "",
           {.column = "server_cpu_us_per_message"}),
      field("rss_bytes/process", &R::rss_bytes, {Unit::bytes, Add::peak}, "",
            {.column = "rss_bytes"}),
      field("rss_bytes/server", &R::server_rss_bytes, {Unit::bytes, Add::peak}, "",
            {.column = "server_rss_bytes", .of_server = true, .missed = "the server's memory"}),
      field("outcome", &R::outcome, "netload: what became of the messages of the measured part.",
            {.column = "outcome_", .missed = "the outcome"}),
      field("pacing", &R::pacing, "netload with a rate: how far it was behind its own plan.",
            {.column = "pacing_", .beside = "outcome"}),
      field("loop", &R::loop, "netload: whether its loops kept to their work.",
            {.column = "loop_", .missed = "the loop's gaps"}),
      field("processor_wait", &R::wait, "", {.column = "wait_"}),
      field("server_loop", &R::server_loop, "Absent for any other server.",
            {.column = "server_loop_",
             .of_server = true,
             .missed = "the gaps of the server's loops"}),
      field("server_processor_wait", &R::server_wait, "",
            {.column = "server_wait_", .of_server = true}),
      field("other_clients", &R::other_clients,
            "netload: absent where the server is not on this machine, or not of TCP.",
            {.column = "other_clients_"}),
      field("delivery", &R::delivery, "netload over UDP: what else came of the messages.",
            {.column = "delivery_", .beside = "outcome"}),
      field("stages", &R::stages, Add::none, "netecho --model staged: what each tick had to do.",
            {.column = ""}),
      field("intervals", &R::intervals, Add::none),
      field("generators", &R::generators, Add::none,
            "Of generators that ran at once and were added up."),
      field("checks", &R::checks, Add::none),
      field("warnings", &R::warnings, Add::none,
            "Every doubt about the figures, the reasons of the verdict first; empty when there is "
            "none.",
            {.column = "warnings"}),
      field("interrupted", &R::interrupted, Add::largest, "", {.column = "interrupted"}));
}

}  // namespace wiremark::report
