// The tables of what codecbench measures: each figure's name, unit and meaning, once.
#pragma once

#include "report/codec_table.h"
#include "report/published_fields.h"
#include "report/result_fields.h"

namespace wiremark::report {

constexpr std::array<const char*, 2> names_of(Of<Access>) { return {"hot", "cold"}; }
constexpr std::array<const char*, 5> names_of(Of<View>) {
  return {"cells", "targets", "e2", "e4", "e6"};
}
constexpr std::array<const char*, 4> names_of(Of<Answer>) {
  return {"slower", "faster", "level", "undecided"};
}

constexpr auto fields(Of<CellName>) {
  using N = CellName;
  return table("cell_name", "",
               made("key", Unit::text, [](const N& name) { return name.key(); },
                    "The same in every run.", {.column = "key"}),
               field("workload", &N::workload, "", {.column = "workload"}),
               field("shape", &N::shape, "", {.column = "shape"}),
               field("size", &N::size, Unit::count, "Pairs, or bytes of the payload."),
               field("format", &N::format, "", {.column = "format"}),
               field("implementation", &N::implementation, "", {.column = "implementation"}),
               field("op", &N::op, "", {.column = "op"}),
               field("access", &N::access, "", {.column = "access"}),
               field("labels", &N::labels, "", {.column = ""}));
}

constexpr auto fields(Of<Labels>) {
  return table("labels", "What a figure can only be compared within.",
               field("result", &Labels::result, "view borrows its input, copy owns what it made.",
                     {.column = "result"}),
               field("validated", &Labels::validated, "It refuses every malformed input.",
                     {.column = "validated"}),
               field("object", &Labels::object, "What it works with: none, reused, fresh, arena.",
                     {.column = "object"}));
}

constexpr auto fields(Of<CellFigures>) {
  using F = CellFigures;
  constexpr More kNull{.null = true};
  return table("cell_figures", "", field("operations", &F::operations, Unit::count),
               field("batches", &F::batches, Unit::count),
               field("batch_operations", &F::batch_operations, Unit::count),
               field("ns_min", &F::ns_min, Unit::ns, "The fastest batch."),
               field("ns_p50", &F::ns_p50, Unit::ns, "The median of all batches."),
               field("ns_p99", &F::ns_p99, Unit::ns, "99 of 100 batches were faster."),
               field("spread_pct", &F::spread_pct, Unit::ratio,
                     "Between the quartiles of the repeats' medians, in % of their median."),
               field("repeats_ns", &F::repeats_ns, Unit::ns,
                     "The fastest batch of each repeat, in their order: --baseline compares them."),
               field("qps", &F::qps, Unit::per_second, "Of all threads together."),
               field("mb_per_s", &F::mb_per_s, Unit::megabytes_per_second,
                     "Wire bytes of all threads together."),
               field("wire_bytes", &F::wire_bytes, Unit::bytes,
                     "Mean size on the wire, with the frame around it."),
               field("allocations", &F::allocations, Unit::count, "Per operation.", kNull),
               field("cpu_user_ns", &F::cpu_user_ns, Unit::ns),
               field("cpu_sys_ns", &F::cpu_sys_ns, Unit::ns),
               field("instructions", &F::instructions, Unit::count, "Per operation.", kNull),
               field("cycles", &F::cycles, Unit::count, "Per operation.", kNull));
}

constexpr auto fields(Of<Cell>) {
  return table("cell",
               "One row of codecbench. Times are ns of one operation; null is a figure that this "
               "machine does not count; the figures of a refused row are 0.",
               field("", &Cell::name), field("", &Cell::figures),
               field("refused", &Cell::refused, "Why its check failed.", {.column = "refused"}));
}

constexpr auto fields(Of<measure::MedianInterval>) {
  using I = measure::MedianInterval;
  return table("median_interval", "", field("median", &I::median, Unit::ratio),
               field("lower", &I::lower, Unit::ratio), field("upper", &I::upper, Unit::ratio),
               field("confidence", &I::confidence, Unit::ratio, "Of the interval, 0 to 1."),
               field("rounds", &I::rounds, Unit::count));
}

constexpr auto fields(Of<Change>) {
  return table("change", "Time now over time then.", field("key", &Change::key),
               field("ratio", &Change::ratio), field("answer", &Change::answer));
}

constexpr auto fields(Of<Baseline>) {
  return table("baseline", "The rows beside those of an earlier run.",
               field("file", &Baseline::file),
               field("tolerance_pct", &Baseline::tolerance_pct, Unit::ratio),
               field("changes", &Baseline::changes),
               field("missing", &Baseline::missing, "Rows that the earlier run has not."));
}

constexpr auto fields(Of<CodecTable>) {
  using T = CodecTable;
  return table(
      "codecs", "What codecbench --json prints.", constant("schema", "wiremark.codecs/1"),
      field("run", &T::run, "", {.column = "run_"}),
      field("view", &T::view, "The table that was asked for."),
      field("verbose", &T::verbose, "The batches were asked for too."),
      field("in_use", &T::in_use, "Which builds of our code this processor runs."),
      field("method", &T::method, "In words."), field("contents", &T::contents, "In words."),
      field("uncounted", &T::uncounted, "Why instructions and cycles are null; empty otherwise."),
      field("baseline", &T::baseline), field("cells", &T::cells, "", {.rows = true}),
      field("parallel", &T::parallel,
            "The same rows on all processors at once: experiment E6 only."),
      field("published", &T::published, "Of an experiment: its published figures beside ours."));
}

}  // namespace wiremark::report
