// What lib/measure knows of codecs, as documents have it.
#pragma once

#include <array>

#include "measure/cell.h"
#include "measure/ratio.h"
#include "report/fields.h"

namespace wiremark::report {

constexpr std::array<const char*, 2> names_of(Of<measure::Access>) { return {"hot", "cold"}; }

void fields(auto& f, measure::CellName& of) {
  f.table("cell_name", "");
  f.made("key", Unit::text, &measure::CellName::key, "The same in every run.", {.column = "key"});
  f("workload", of.workload, "", {.column = "workload"});
  f("shape", of.shape, "", {.column = "shape"});
  f("size", of.size, Unit::count, "Pairs, or bytes of the payload.");
  f("format", of.format, "", {.column = "format"});
  f("implementation", of.implementation, "", {.column = "implementation"});
  f("op", of.op, "", {.column = "op"});
  f("access", of.access, "", {.column = "access"});
  f("labels", of.labels, "", {.column = ""});
}

void fields(auto& f, measure::Labels& of) {
  f.table("labels", "What a figure can only be compared within.");
  f("result", of.result, "view borrows its input, copy owns what it made.", {.column = "result"});
  f("validated", of.validated, "It refuses every malformed input.", {.column = "validated"});
  f("object", of.object, "What it works with: none, reused, fresh, arena.", {.column = "object"});
}

void fields(auto& f, measure::CellFigures& of) {
  f.table("cell_figures", "");
  f("operations", of.operations, Unit::count);
  f("batches", of.batches, Unit::count);
  f("batch_operations", of.batch_operations, Unit::count);
  f("ns_min", of.ns_min, Unit::ns, "The fastest batch.");
  f("ns_p50", of.ns_p50, Unit::ns, "The median of all batches.");
  f("ns_p99", of.ns_p99, Unit::ns, "99 of 100 batches were faster.");
  f("spread_pct", of.spread_pct, Unit::ratio,
    "Between the quartiles of the repeats' medians, in % of their median.");
  f("repeats_ns", of.repeats_ns, Unit::ns,
    "The fastest batch of each repeat, in their order: --baseline compares them.");
  f("qps", of.qps, Unit::per_second, "Of all threads together.");
  f("mb_per_s", of.mb_per_s, Unit::megabytes_per_second, "Wire bytes of all threads together.");
  f("wire_bytes", of.wire_bytes, Unit::bytes, "Mean size on the wire, with the frame around it.");
  f("allocations", of.allocations, Unit::count, "Per operation.", {.null = true});
  f("cpu_user_ns", of.cpu_user_ns, Unit::ns);
  f("cpu_sys_ns", of.cpu_sys_ns, Unit::ns);
  f("instructions", of.instructions, Unit::count, "Per operation.", {.null = true});
  f("cycles", of.cycles, Unit::count, "Per operation.", {.null = true});
}

void fields(auto& f, measure::Cell& of) {
  f.table("cell",
          "One row of codecbench. Times are ns of one operation; null is a figure that this "
          "machine does not count; the figures of a refused row are 0.");
  f("", of.name);
  f("", of.figures);
  f("refused", of.refused, "Why its check failed.", {.column = "refused"});
}

void fields(auto& f, measure::MedianInterval& of) {
  f.table("median_interval", "");
  f("median", of.median, Unit::ratio);
  f("lower", of.lower, Unit::ratio);
  f("upper", of.upper, Unit::ratio);
  f("confidence", of.confidence, Unit::ratio, "Of the interval, 0 to 1.");
  f("rounds", of.rounds, Unit::count);
}

}  // namespace wiremark::report
