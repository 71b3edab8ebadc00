// The tables of studies: each figure's name, unit and meaning, once.
#pragma once

#include "report/published_fields.h"
#include "report/result_fields.h"
#include "report/study.h"

namespace wiremark::report {

inline constexpr More kNullable{.null = true};

constexpr auto fields(Of<measure::Spread>) {
  using measure::Spread;
  return table("spread", "", field("median", &Spread::median, Unit::ratio),
               field("min", &Spread::min, Unit::ratio), field("max", &Spread::max, Unit::ratio),
               field("rounds", &Spread::rounds, Unit::count, "", {.min = 1}));
}

/// The spread of a figure over `rounds`; null where no round had it.
template <class T, double (*kFigure)(const RunResult&)>
constexpr auto spread(const char* name, const char* help = "") {
  return made(
      name, Unit::text, [](const T& of) { return spread_of(of.rounds, kFigure); }, help, kNullable);
}

constexpr auto fields(Of<Setting>) {
  return table("setting", "", field("about", &Setting::about, "What was run, in words."),
               field("processors", &Setting::processors, "Where both ends ran, in words."));
}

constexpr auto fields(Of<Compared>) {
  using C = Compared;
  return table("compared", "", field("backend", &C::backend, "", {.column = "backend"}),
               made(
                   "valid_rounds", Unit::count, [](const C& one) { return valid_of(one.rounds); },
                   "Rounds whose verdict is valid."),
               spread<C, qps_of>("qps"), spread<C, server_cost_of>("server_us_cpu_per_message"),
               spread<C, client_cost_of>("us_cpu_per_message"),
               field("server_cpu_ratio", &C::server_cpu_ratio, "", kNullable),
               field("qps_ratio", &C::qps_ratio, "", kNullable),
               field("rounds", &C::rounds, "", {.min = 1, .rows = true}));
}

constexpr const char* kLeftOutHelp =
    "Rounds run again because the processors came nearer or went apart before or in them.";

constexpr auto fields(Of<Comparison>) {
  return table("comparison",
               "What netload --compare --json prints: each backend with the results of its rounds. "
               "Ratios are taken round by round against the first backend, and their median after "
               "that.",
               constant("schema", "wiremark.comparison/1"), field("", &Comparison::setting),
               field("rounds_left_out", &Comparison::rounds_left_out, Unit::count, kLeftOutHelp),
               field("backends", &Comparison::backends, "", {.min = 1, .rows = true}));
}

constexpr auto fields(Of<Probe>) {
  return table("probe", "", field("rate_hz", &Probe::rate_hz, Unit::per_second),
               field("kept", &Probe::kept, "", {.column = "kept"}),
               field("reason", &Probe::reason, "Why it did not keep them; empty when it did.",
                     {.column = "reason"}),
               field("generator_was_limit", &Probe::generator_was_limit),
               field("result", &Probe::result, "", {.column = ""}));
}

constexpr auto fields(Of<BrokenRate>) {
  return table("broken_rate", "", field("rate_hz", &BrokenRate::rate_hz, Unit::per_second),
               field("reason", &BrokenRate::reason));
}

constexpr auto fields(Of<MaxRate>) {
  using M = MaxRate;
  return table(
      "find_max",
      "What netload --find-max --json prints: the highest total rate that keeps the objectives, "
      "and every probe in its order.",
      constant("schema", "wiremark.find-max/1"), field("", &M::setting),
      field("objectives", &M::objectives, "", {.min = 1}),
      field("max_rate_hz", &M::max_rate_hz, Unit::per_second,
            "As planned; null when no rate kept them.", kNullable),
      field("reached_hz", &M::reached_hz, "Of the probes of that rate that kept them.", kNullable),
      field("p99_ns", &M::p99_ns, "", kNullable),
      field("next", &M::next, "The lowest rate that broke them, and how; null when none did.",
            kNullable),
      field("limit", &M::limit,
            "What ended the search, server, generator, machine or none: where it is the generator, "
            "or one of both ends had no processor (machine), the server may do more."),
      field("interrupted", &M::interrupted),
      field("probes", &M::probes, "", {.min = 1, .rows = true}));
}

constexpr auto fields(Of<BypassParts>) {
  using B = BypassParts;
  return table(
      "parts",
      "Of the median round trip over TCP with both ends asleep in between: the difference of two "
      "ways within each round, 0 where the shorter way took longer.",
      field("sleep_and_wake", &B::sleep_and_wake,
            "TCP asleep in between less TCP spinning: spinning saves it, without a bypass.",
            kNullable),
      field("tcp_and_ip", &B::tcp_and_ip,
            "TCP spinning less a Unix socket spinning: a bypass brings a stack of its own for it.",
            kNullable),
      field("system_calls_and_sockets", &B::system_calls_and_sockets,
            "A Unix socket spinning less shared memory: a bypass saves it.", kNullable),
      field("shared_memory", &B::shared_memory,
            "The median round trip through shared memory: nothing saves it.", kNullable));
}

constexpr auto fields(Of<Way>) {
  return table("way", "", field("name", &Way::name, "", {.column = "way"}),
               field("connections", &Way::connections, Unit::count, "",
                     {.column = "way_connections", .min = 1}),
               spread<Way, p50_ns_of>("p50_ns"),
               spread<Way, server_cost_of>("server_us_cpu_per_message"),
               spread<Way, client_cost_of>("us_cpu_per_message"),
               spread<Way, kernel_pct_of>("server_kernel_pct",
                                          "The kernel's part of the server's processor time, as "
                                          "the kernel samples it."),
               field("rounds", &Way::rounds, "", {.min = 1, .rows = true}));
}

constexpr auto fields(Of<Bypass>) {
  return table(
      "bypass",
      "What netload --bypass --json prints: one message there and back over shorter and "
      "shorter ways, what the difference between two of them is made of, and a server "
      "under load.",
      constant("schema", "wiremark.bypass/1"), field("", &Bypass::setting),
      field("message_bytes", &Bypass::message_bytes, Unit::bytes, "", {.min = 1}),
      field("rounds_left_out", &Bypass::rounds_left_out, Unit::count, kLeftOutHelp),
      field("parts_ns", &Bypass::parts),
      field("invalid", &Bypass::invalid,
            "Why the parts say nothing: one is below nothing, or they do not add up to "
            "the round trip. Absent where they do."),
      field("not_tried", &Bypass::not_tried,
            "Why UDP through the kernel and past it was not measured. Absent where it was, "
            "and in documents from before it could be."),
      field("ways", &Bypass::ways,
            "TCP asleep in between, TCP spinning and a Unix socket spinning; UDP between "
            "two network namespaces joined by veth, through the kernel and over AF_XDP; "
            "and last the load.",
            {.min = 4, .rows = true}));
}

constexpr auto fields(Of<Trial>) {
  using T = Trial;
  return table("trial", "",
               field("labels", &T::labels, "What tells it from the others, such as its server.",
                     {.column = "labels"}),
               field("failed", &T::failed, "Why there is no more of it.", {.column = "failed"}),
               field("figures", &T::figures, "What was kept of it, with the unit in each name.",
                     {.column = "figures"}),
               field("load", &T::load, "The result of netload.", {.column = "load_"}),
               field("server", &T::server, "The result of netecho.", {.column = "server_"}));
}

constexpr auto fields(Of<Experiment>) {
  using E = Experiment;
  return table(
      "experiment", "What the scripts of test/experiments and test/peers write with --json.",
      constant("schema", "wiremark.experiment/1"), field("name", &E::name, "", {.column = "name"}),
      field("started", &E::started, Unit::moment, "RFC 3339, UTC.", {.column = "started"}),
      field("argv", &E::argv),
      field("base", &E::base,
            "The label server of those runs that the others are compared with, round by round "
            "where all other labels are the same. Absent where nothing is compared."),
      field("text", &E::text, "The lines that were printed."),
      field("kept", &E::kept, "What the script needs to go on later, as JSON each."),
      field("published", &E::published, "Of a published experiment: its figures beside ours."),
      field("runs", &E::runs, "", {.rows = true}));
}

}  // namespace wiremark::report
